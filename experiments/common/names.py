"""What tables and figures call the methods that are spoken of in more than one file."""

MEAN, HIST_OF_TREE_ME = "mean", "HistOfTree ME"
SEMI_PRIVATE = "SemiPrivate"
WITHOUT_PRIVATE = "SemiPrivate, without private features"
ALL_PUBLIC = "SemiPrivate, all public"
JOINT = "HistOfTree joint"
PRIVATE_MEAN, BOUNDED_MEAN = "private mean", "private mean, bounded"

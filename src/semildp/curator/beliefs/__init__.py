"""What is believed of f(x) beside the prediction, from reports and known noise: error bars follow from it."""

from semildp.curator.beliefs.believing import believe

__all__ = ["believe"]

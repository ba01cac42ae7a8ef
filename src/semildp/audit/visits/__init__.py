"""Everything one person sends: who is asked what in a study, and the law of each answer."""

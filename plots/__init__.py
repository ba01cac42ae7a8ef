"""What the pictures of demo and experiments have in common; both may import it, and neither the other."""

from plots.palette import BLACK, BLUE, GREEN, GREY, ORANGE, PURPLE, SKY, STYLE, VERMILION
from plots.placing import spread_out

__all__ = ["BLACK", "BLUE", "GREEN", "GREY", "ORANGE", "PURPLE", "SKY", "STYLE", "VERMILION", "spread_out"]

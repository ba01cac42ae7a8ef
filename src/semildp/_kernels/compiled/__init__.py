"""The loops in machine code. Importing this loads Numba; whoever does goes through `choosing.compiled`."""

from semildp._kernels.compiled.places import descend, misfits, places, side_sums
from semildp._kernels.compiled.tallies import tallies
from semildp._kernels.compiled.trees import cells, picked, possible, sizes, truths

__all__ = ["cells", "descend", "misfits", "picked", "places", "possible", "side_sums", "sizes", "tallies", "truths"]

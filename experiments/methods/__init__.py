"""One file per method. Importing this folder imports every file in it, and a file registers its method."""

from experiments.common.registry import import_all

import_all(__name__, __path__)

"""The data sets. Importing this folder imports every file in it, and a file registers its data sets."""

from experiments.common.registry import import_all

import_all(__name__, __path__)

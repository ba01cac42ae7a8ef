"""Command line: python -m experiments figure NAME | table | all | beyond."""

import sys

from experiments.run.command import main

if __name__ == "__main__":
    sys.exit(main())

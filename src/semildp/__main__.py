"""`python -m semildp` is the command `semildp`."""

from semildp.cli import main

if __name__ == "__main__":
    raise SystemExit(main())

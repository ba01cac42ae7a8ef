"""The command line: `semildp audit`. Parsing and calling, nothing else."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from semildp import __version__

REFUSED, INTERRUPTED = 2, 130  # 130: 128 + SIGINT, as shells expect


def parse(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="semildp", description="Learn from data that its owners only partly share.")
    parser.add_argument("--version", action="version", version=f"semildp {__version__}")
    verbs = parser.add_subparsers(dest="verb", required=True)
    audit = verbs.add_parser(
        "audit",
        help="check what is guaranteed",
        description="Check the claimed epsilon of every mechanism and visit: exactly, in samples, and from outside.",
        epilog="Exit codes: 0 all claims stand, 1 a violation was found, 2 the input was refused or something could "
        "not be audited, 130 interrupted.",
    )
    audit.add_argument(
        "study",
        nargs="?",
        type=Path,
        help="study file, TOML or JSON, as a device reads it (default: every protocol at epsilon 1)",
    )
    audit.add_argument("--epsilon", type=float, metavar="E", help="audit the default study at this epsilon")
    audit.add_argument("--attack", choices=["floating-point"], help="show the classic attack on Laplace noise instead")
    audit.add_argument("--plot", type=Path, metavar="FILE", help="draw the table (needs matplotlib)")
    audit.add_argument("--json", action="store_true", help="print JSON for machines")
    audit.add_argument("--trials", type=int, metavar="N", help="people per input in the search, at most (2**22)")
    audit.add_argument("--seed", type=int, metavar="N", help="repeatable simulation (default: the system's randomness)")
    options = parser.parse_args(arguments)
    if options.attack and (options.plot or options.trials):
        audit.error("--plot and --trials belong to the audit, not to --attack. Leave them out.")
    return options


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one verb and return its exit code."""
    options = parse(arguments)
    try:
        return _audit(options)
    except KeyboardInterrupt:
        print("\nStopped before the audit was complete.", file=sys.stderr)
        return INTERRUPTED


def _audit(options: argparse.Namespace) -> int:
    """Import late, so that `--help` is quick and an interrupt ends in a sentence."""
    from semildp.audit.command import read_studies, run_attack, run_audit
    from semildp.errors import InputError

    try:
        settings = (read_studies(options.study, options.epsilon), options.seed, options.json)
        if options.attack:
            return run_attack(*settings)
        return run_audit(*settings, options.trials, options.plot)
    except InputError as problem:
        print(f"semildp audit: {problem}", file=sys.stderr)
        return REFUSED

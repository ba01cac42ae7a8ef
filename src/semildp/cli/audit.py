"""`semildp audit`: check what is guaranteed."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from semildp.cli.verbs import add_verb

_AFTER = """\
examples:
  semildp audit                              every protocol at epsilon 1
  semildp audit study.toml                   one study, as a device reads it
  semildp audit --epsilon 4 --json           for machines
  semildp audit --attack floating-point      the classic attack on Laplace noise

Exit codes: 0 all claims stand, 1 a violation was found, 2 the input was refused or something could
not be audited, 130 interrupted.
"""


def add(verbs: Any) -> None:
    """Add the verb."""
    audit = add_verb(
        verbs,
        "audit",
        run,
        about="check what is guaranteed",
        text="Check the claimed epsilon of every mechanism and visit: exactly, in samples, and from outside.",
        stopped="Stopped before the audit was complete.",
        after=_AFTER,
    )
    audit.set_defaults(refuse=audit.error)
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


def run(options: argparse.Namespace) -> int:
    """Import late, so that `--help` is quick and an interrupt ends in a sentence."""
    if options.attack and (options.plot or options.trials):
        options.refuse("--plot and --trials belong to the audit, not to --attack. Leave them out.")
    from semildp.audit.command import read_studies, run_attack, run_audit

    settings = (read_studies(options.study, options.epsilon), options.seed, options.json)
    if options.attack:
        return run_attack(*settings)
    return run_audit(*settings, options.trials, options.plot)

"""`semildp plan`: what a study is expected to come to, before anyone is asked."""

from __future__ import annotations

import argparse
import json
from importlib import import_module
from pathlib import Path
from typing import Any

from semildp.cli.verbs import add_verb

_AFTER = """\
examples:
  semildp plan --people 5000 --features 10 --private 2 --epsilon 1 2 4
  semildp plan --people 5000 --features 10 --private 2 --target 0.05     people needed for this error
  semildp plan --people 5000 --features 10 --private 2 --bounds 0 100 --deviation 12 --wide
  semildp plan --people 5000 --features 10 --private 2 --public-share 0.5 --matter 3 1 --bend 0

Errors are those of simulated studies of made-up people, which take a few seconds each; smallest
effects are by a formula. What is assumed is printed with them: docs/plan.md says what each
assumption means. The same command prints the same table.

Exit codes: 0 planned, 2 the input was refused, 130 interrupted.
"""


def add(verbs: Any) -> None:
    """Add the verb."""
    parser = add_verb(
        verbs,
        "plan",
        run,
        about="say what a study is expected to come to",
        text="Say what a study is expected to come to: its error, effects that it would find, people that it needs.",
        stopped="Stopped; nothing was planned.",
        after=_AFTER,
    )
    parser.add_argument("--people", type=int, required=True, metavar="N", help="how many take part")
    parser.add_argument("--features", type=int, required=True, metavar="N", help="how many features each has")
    parser.add_argument("--private", type=int, default=0, metavar="N", help="how many of them are hidden (default: 0)")
    parser.add_argument("--epsilon", type=float, nargs="+", default=[1.0, 2.0, 4.0], metavar="E", help="(1 2 4)")
    parser.add_argument("--target", type=float, metavar="ERROR", help="error wanted, in units of the label's variance")
    parser.add_argument("--wide", action="store_true", help="also simulate wider label bounds")
    assumed = parser.add_argument_group("what is assumed")
    assumed.add_argument("--public-share", type=float, default=0.3, metavar="S", help="of variance explained (0.3)")
    assumed.add_argument("--private-share", type=float, default=0.1, metavar="S", help="of variance explained (0.1)")
    assumed.add_argument("--shape", default="smooth", help="smooth, or steps (default: smooth)")
    assumed.add_argument(
        "--bend",
        type=float,
        nargs="+",
        default=[0.05],
        metavar="S",
        help="of smooth effects: no line (0.05); or two, of public and of private ones",
    )
    assumed.add_argument(
        "--together",
        type=float,
        nargs="+",
        default=[0.0],
        metavar="S",
        help="of effects: of two features (0); or two, of what public and of what private ones explain",
    )
    assumed.add_argument(
        "--matter", type=int, nargs=2, metavar=("PUBLIC", "PRIVATE"), help="how many have an effect (default: all)"
    )
    assumed.add_argument("--hide", type=float, default=1.0, metavar="S", help="share who hide a private feature (1)")
    assumed.add_argument(
        "--spread", type=float, default=0.29, metavar="D", help="deviation of features, over their bounds (0.29: even)"
    )
    assumed.add_argument("--bounds", type=float, nargs=2, metavar=("LOW", "HIGH"), help="bounds of the label")
    assumed.add_argument("--deviation", type=float, metavar="D", help="its standard deviation (a sixth of the bounds)")
    parser.add_argument("--replications", type=int, default=20, metavar="N", help="simulated studies for an error (20)")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="other made-up people (default: 0)")
    parser.add_argument("--json", action="store_true", help="print JSON instead of tables")
    parser.add_argument("--plot", type=Path, metavar="FILE", help="also draw error against epsilon")


def run(options: argparse.Namespace) -> int:
    """Plan, print, and draw."""
    from semildp.cli.progress import progress_bar
    from semildp.planning import plan

    if options.plot is not None:
        import_module("matplotlib")  # before minutes of simulation
    with progress_bar(None if options.target else _studies(options), "studies") as bar:
        made = plan(
            options.people,
            options.features,
            options.private,
            options.epsilon,
            public_share=options.public_share,
            private_share=options.private_share,
            shape=options.shape,
            bend=options.bend if len(options.bend) > 1 else options.bend[0],
            together=options.together if len(options.together) > 1 else options.together[0],
            matter=options.matter,
            hide=options.hide,
            spread=options.spread,
            label_bounds=options.bounds,
            label_deviation=options.deviation,
            target=options.target,
            wide=options.wide,
            replications=options.replications,
            random_state=options.seed,
            progress=bar.update,
        )
    print(json.dumps(made.as_dict(), indent=2, allow_nan=False) if options.json else made.as_text())
    if options.plot is not None:
        _draw(made, options.plot)
    return 0


def _studies(options: argparse.Namespace) -> int:
    from semildp.planning.conducting import n_studies

    return n_studies(options.epsilon, options.replications, options.wide)


def _draw(made: Any, path: Path) -> None:
    """Write the picture."""
    from semildp.displays import TradeOffDisplay

    TradeOffDisplay.from_plan(made).figure_.savefig(path, dpi=150)

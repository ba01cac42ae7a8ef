"""The options of `semildp study new`: those of a feature follow it on the command line, in the order of the study."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from semildp.drafting import Draft

Said = tuple[str, Sequence[str]]  # an option that describes a feature or the label, and its words


class _InOrder(argparse.Action):
    """Keeps options in the order in which they were given: what follows a feature belongs to it."""

    def __call__(
        self, parser: Any, namespace: argparse.Namespace, values: Any, option_string: str | None = None
    ) -> None:
        words = [values] if isinstance(values, str) else list(values or [])
        namespace.items = [*(getattr(namespace, "items", None) or []), (self.option_strings[-1], words)]


def add_study_options(parser: Any) -> None:
    """Add the options that describe a study."""
    parser.set_defaults(items=None)
    parser.add_argument("--name", default="", metavar="TEXT", help="what the study is called")
    parser.add_argument("--epsilon", type=float, metavar="E", help="the most a person spends")
    items = parser.add_argument_group("label and features, in this order")
    items.add_argument(
        "--label", action=_InOrder, nargs=2, metavar=("LOW", "HIGH"), help="what is predicted: its bounds"
    )
    items.add_argument("--classes", action=_InOrder, metavar="A,B,C", help="what is predicted: one of these classes")
    items.add_argument("--feature", action=_InOrder, nargs=3, metavar=("NAME", "LOW", "HIGH"), help="a number")
    items.add_argument("--category", action=_InOrder, nargs=2, metavar=("NAME", "A,B,C"), help="one of some values")
    items.add_argument("--private", action=_InOrder, nargs=0, help="private for everyone, not as each chooses")
    items.add_argument("--text", action=_InOrder, metavar="TEXT", help="the words in which people are asked for it")
    items.add_argument("--help-text", action=_InOrder, metavar="TEXT", help="a line of help below")
    items.add_argument("--unit", action=_InOrder, metavar="TEXT", help="its unit")
    people = parser.add_argument_group("people")
    people.add_argument("--people", type=int, metavar="N", help="how many are expected")
    people.add_argument("--minimum", type=int, default=100, metavar="N", help="fewer reports, no model (default: 100)")
    people.add_argument("--access", choices=["invitation", "open"], default="invitation", help="default: invitation")
    people.add_argument("--title", default="", metavar="TEXT", help="what people see first (default: the name)")
    people.add_argument("--description", default="", metavar="TEXT", help="what it is for, how long it is kept")
    people.add_argument("--contact", default="", metavar="TEXT", help="whom people can ask")
    people.add_argument("--opens", metavar="TIME", help="like 2030-01-31T08:00:00+01:00")
    people.add_argument("--closes", metavar="TIME", help="like 2030-03-31T20:00:00+02:00")
    people.add_argument("--wave-hours", type=float, metavar="H", help="the most hours that a wave stays open")
    method = parser.add_argument_group("method")
    method.add_argument("--protocol", default="semi-private", metavar="NAME", help="default: semi-private")
    method.add_argument("--participation", choices=["split", "both"], default="split", help="default: split")
    method.add_argument("--hide-mask", action="store_true", help="what people hide is private too")


def read_draft(options: argparse.Namespace) -> Draft:
    """Return the draft that the options describe."""
    from semildp.drafting import Draft
    from semildp.drafting.saying import add_item, read_moment

    plain = ("name", "epsilon", "people", "minimum", "access", "title", "description", "contact")
    rest = ("wave_hours", "protocol", "participation", "hide_mask")
    draft = Draft(**{name: getattr(options, name) for name in (*plain, *rest)})
    draft.opens, draft.closes = read_moment("--opens", options.opens), read_moment("--closes", options.closes)
    for option, words in options.items or []:
        add_item(draft, option, words)
    return draft

"""Names of collecting over HTTP, stored reports, drafts and tables: where bad values are thrown at them, or why not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from semildp.remote import Curator, Http, invitation_link, read_link

Entry = tuple[Callable[..., Any], dict[str, Any]]
ADDRESS, TOKEN = "https://study.example.org", "t" * 43


def reached(address: Any) -> str:
    """Where requests go; nothing is sent."""
    with Http(address) as http:
        return http.address


def curated(token: Any) -> None:
    with Http(ADDRESS) as http:
        Curator(http, token)


ENTRIES: dict[str, Entry] = {
    "remote.read_link": (read_link, {"link": f"{ADDRESS}/#{TOKEN}"}),
    "remote.invitation_link": (invitation_link, {"address": ADDRESS, "invitation": TOKEN}),
    "remote.Http": (reached, {"address": ADDRESS}),
    "remote.Curator": (curated, {"token": TOKEN}),
}

_CARRIES = "carries bytes that a Device or a server has made; see tests/test_remote.py"
_OPTIONS = "takes what the command line has read; see tests/test_cli_study.py, test_cli_predict.py and test_crowd.py"

_MESSAGES = "takes a study and messages; bad ones are refused by name: see tests/test_running.py, tests/test_vectors.py"

_STORED = "takes files and what was read off them; bad ones are refused by name: see tests/test_stored_refusals.py"
_BACKEND = "adds up what it is given, and looks at none of it; see tests/test_backends.py"

INNER: dict[str, str] = {
    **dict.fromkeys((f"stored.{n}" for n in ("FilePart", "Header", "Reports", "Rows")), _STORED),
    **dict.fromkeys((f"stored.{n}" for n in ("fit_parts", "fit_reports", "open_reports", "write_reports")), _STORED),
    **dict.fromkeys((f"backends.{n}" for n in ("Backend", "Part", "Serial", "Threads")), _BACKEND),
    **dict.fromkeys(("backends.nothing", "backends.tally_part", "protocols.AddsUp"), _BACKEND),
    "sources.seeded_sources": "takes the streams of a protocol and a seed; see `sources.SeededSource`",
    "wire.costs.price": "takes an ask that was read before; see tests/test_transcript.py",
    **dict.fromkeys((f"arrivals.{n}" for n in ("ask_newcomer", "check_enrolment", "check_reports")), _MESSAGES),
    **dict.fromkeys(("arrivals.with_centre", "arrivals.asks_newcomers"), _MESSAGES),
    **dict.fromkeys(("explain.in_words", "explain.plainly"), _MESSAGES),
    "arrivals.needs_public": _MESSAGES,
    "wire.codec.around_answers": "writes what `encode` writes; see tests/test_wire_quick.py",
    "wire.codec.read_answers": "reads what is just as written, or nothing; see tests/test_wire_quick.py",
    "wire.people.answer_columns": "takes answers that were read before; see tests/test_wire_quick.py",
    "wire.people.read_enrolments": "takes enrolments that were read before; see tests/test_wire_quick.py",
    **dict.fromkeys(("protocols.asks_newcomers", "protocols.must_be_public"), _MESSAGES),
    **dict.fromkeys(("remote.Server", "remote.Visit", "crowd.Crowd", "crowd.Outcome"), _CARRIES),
    "remote.RemoteError": "an error",
    **dict.fromkeys((f"crowd.{n}" for n in ("Person", "made_up", "people_of_table", "usual_share")), _OPTIONS),
    **dict.fromkeys((f"drafting.{n}" for n in ("Draft", "Item", "advice", "complete", "draft_toml", "told")), _OPTIONS),
    **dict.fromkeys((f"drafting.{n}" for n in ("checked_toml", "read_whole")), _OPTIONS),
    **dict.fromkeys((f"tables.{n}" for n in ("Coder", "Remarks", "Table", "open_table")), _OPTIONS),
    **dict.fromkeys((f"tables.{n}" for n in ("predict_table", "read_model")), _OPTIONS),
}

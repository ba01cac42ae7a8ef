"""The browser's ledger: a report is drawn once, and a study's questions never cost more than its epsilon."""

from __future__ import annotations

from tests.browser.running import run


def test_every_check_of_the_ledger_holds():
    results = {line["name"]: line["holds"] for line in run("ledger.mjs")}
    assert len(results) >= 15
    assert [name for name, holds in results.items() if not holds] == []

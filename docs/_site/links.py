"""Links of the pages: out of the folder they lead to the repository, and pages that no list names are listed too."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).parents[2]
OTHERS = "OTHER-PAGES"  # a line of a list of pages: all that are not named elsewhere on that page
_OUT = re.compile(r"\]\(((?:\.\./)+)([^)\s]+)\)")


def project() -> dict[str, object]:
    """Return the table [project] of pyproject.toml: name, addresses, description."""
    table: dict[str, object] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return table


def source_address() -> str:
    """Return where the source is published."""
    urls = project()["urls"]
    assert isinstance(urls, dict)
    return str(urls["Source"])


def outward(text: str, page: str, address: str) -> str:
    """Make links that lead out of the folder of pages absolute.

    Parameters
    ----------
    text, page
        A page, and its name without suffix, relative to the folder.
    address
        Of the repository.
    """
    here = ROOT / "docs" / PurePosixPath(page).parent

    def absolute(found: re.Match[str]) -> str:
        target, _, heading = found[2].partition("#")
        place = (here / found[1] / target).resolve()
        if place.is_relative_to(ROOT / "docs"):
            return found[0]
        kind = "tree" if place.is_dir() else "blob"
        path = place.relative_to(ROOT).as_posix()
        return f"]({address}/{kind}/main/{path}{'#' + heading if heading else ''})"

    return _OUT.sub(absolute, text)


def with_others(text: str, pages: Iterable[str]) -> str:
    """Put the pages at the top of the folder that the text does not name in place of the line for them."""
    named = {line.strip() for line in text.splitlines()}
    others = [page for page in sorted(pages) if "/" not in page and page not in named and page != "index"]
    return re.sub(rf"^{OTHERS}\n", "".join(f"{page}\n" for page in others), text, flags=re.MULTILINE)

"""Pages whose blocks are run in order, in an empty folder: Python as it stands, commands by the command line."""

from __future__ import annotations

import contextlib
import io
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from semildp import cli

DOCS = Path(__file__).parent.parent / "docs"
_FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, its text."""

    kind: str
    text: str


def blocks(page: str) -> Iterator[Block]:
    """The fenced blocks of a page, in order."""
    for kind, text in _FENCE.findall((DOCS / page).read_text(encoding="utf-8")):
        yield Block(kind, text)


def commands(text: str) -> list[list[str]]:
    """The commands of a block, without comments; a line that ends in a backslash goes on."""
    lines = text.replace("\\\n", " ").splitlines()
    return [words for line in lines if (words := shlex.split(line, comments=True))]


def run_command(words: list[str]) -> str:
    """Run `semildp ...`, which must succeed, and return what it prints."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
        code = cli.main(words[1:])
    assert (words[0], code) == ("semildp", 0), f"{shlex.join(words)}: {code}\n{printed.getvalue()}"
    return printed.getvalue()


def check_printed(shown: str, printed: str) -> None:
    """Every line that a page shows begins a line that was printed, in the same order; "..." stands for any."""
    rest = printed.splitlines()
    for line in shown.splitlines():
        if line != "...":
            places = [k for k, found in enumerate(rest) if line.strip() in found]
            assert places, f"not printed: {line}\nprinted:\n{printed}"
            rest = rest[places[0] + 1 :]


def run_page(page: str) -> None:
    """Run a page's blocks in one namespace; a text block shows what the command before it printed."""
    names: dict[str, object] = {}
    printed = ""
    for block in blocks(page):
        if block.kind == "python":
            with contextlib.redirect_stdout(io.StringIO()):
                exec(compile(block.text, page, "exec"), names)
        elif block.kind == "sh":
            printed = "".join(run_command(words) for words in commands(block.text))
        elif block.kind == "text":
            check_printed(block.text, printed)

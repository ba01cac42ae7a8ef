"""Commands on the pages can be typed as they stand: each is taken by the command line, with every option it names."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from semildp import cli

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", ROOT / "docs" / "run-a-study.md", ROOT / "docs" / "operate.md", ROOT / "docs" / "audit.md"]


def blocks(text, language):
    """Return the blocks of code in one language."""
    found = re.findall(r"^```(.*?)\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    return [block for word, block in found if word == language]


def commands(text):
    """Return the commands of a page's blocks without a language; a line that ends in a backslash goes on."""
    for block in blocks(text, ""):
        for line in block.replace("\\\n", " ").splitlines():
            if line.startswith("semildp "):
                yield line


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_commands_are_taken(page):
    found = list(commands(page.read_text()))
    assert found
    for line in found:
        words = shlex.split(line, comments=True)
        try:
            cli.parse(words[1:])
        except SystemExit:
            pytest.fail(f"{page.name}: {line}")


def test_examples_of_help_are_taken(capsys):
    for verb in (
        ["study", "new"],
        ["study", "draft"],
        ["study", "check"],
        *([v] for v in ["rehearse", "serve", "invite", "simulate", "status", "predict"]),
    ):
        with pytest.raises(SystemExit):
            cli.parse([*verb, "--help"])
        text = capsys.readouterr().out.split("examples:")[1].replace("\\\n", " ")
        for line in (line.strip() for line in text.splitlines()):
            if line.startswith("semildp ") and "|" not in line:
                cli.parse(shlex.split(re.split(r"\s{3,}(?!-)", line)[0])[1:])


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_names_that_python_on_the_pages_imports_exist(page):
    for block in blocks(page.read_text(), "python"):
        for line in block.splitlines():
            if line.startswith(("from ", "import ")):
                exec(line, {})


def test_a_page_with_a_wrong_option_is_seen():
    (line,) = commands("```\nsemildp status --no-such\n```\n")
    with pytest.raises(SystemExit):
        cli.parse(line.split()[1:])

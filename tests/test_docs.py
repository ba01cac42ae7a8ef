"""Documentation is true: its examples run, its links lead somewhere, and the house rules hold."""

from __future__ import annotations

import ast
import doctest
import importlib
import pkgutil
import re
from pathlib import Path

import pytest

import semildp

ROOT = Path(__file__).parent.parent
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
MODULES = [
    name
    for _, name, _ in pkgutil.walk_packages(semildp.__path__, "semildp.")
    if not name.startswith("semildp.service.migrations.")  # run by Alembic, with what it puts there
]
SOURCES = sorted(p for folder in ("src", "tests", "examples", "benchmarks") for p in (ROOT / folder).rglob("*.py"))


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_examples_in_pages(page):
    result = doctest.testfile(str(page), module_relative=False, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert result.failed == 0
    assert result.attempted > 0 or ">>>" not in page.read_text()


@pytest.mark.parametrize("name", MODULES)
def test_examples_in_docstrings(name):
    assert doctest.testmod(importlib.import_module(name)).failed == 0


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_links_lead_somewhere(page):
    text = re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.DOTALL | re.MULTILINE)  # code has brackets of its own
    for target in re.findall(r"\]\(([^)#]+)", text):
        assert target.startswith("http") or (page.parent / target).exists(), f"{page.name} links to {target}"


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_tests_that_are_named_exist(page):
    for path, name in re.findall(r"(tests/[\w/]+\.py)::(\w+)", page.read_text()):
        defined = re.search(rf"^(async )?def {name}\(", (ROOT / path).read_text(), re.MULTILINE)
        assert defined, f"{page.name} names {path}::{name}"


@pytest.mark.parametrize("page", ["privacy-promise", "attack-model", "known-limits", "lies", "device"])
def test_promises_name_the_tests_that_hold_them(page):
    assert "::test_" in (ROOT / "docs" / f"{page}.md").read_text()
    assert f"docs/{page}.md" in (ROOT / "README.md").read_text()


def test_readme_shows_exactly_the_two_commands_first():
    first_block = re.search(r"```\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    assert first_block is not None
    assert [line.split()[0] for line in first_block[1].splitlines()] == ["scripts/demo", "scripts/test"]


def test_everything_exported_exists_and_is_documented():
    for name in ["semildp", *MODULES]:
        module = importlib.import_module(name)
        assert module.__doc__, f"{name} says nothing"
        for public in getattr(module, "__all__", []):
            value = getattr(module, public)
            assert value.__doc__ or isinstance(value, int | str | tuple | dict), f"{name}.{public} says nothing"


def test_no_file_over_300_lines_and_no_function_over_50():
    for path in SOURCES:
        text = path.read_text()
        assert text.count("\n") <= 300, path
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                assert node.end_lineno is not None
                assert node.end_lineno - node.lineno < 50, f"{path}: {node.name}"

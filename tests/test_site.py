"""The site: links that lead out of it, pages that no list names, the reference, and the pictures of the gallery."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import semildp
from tests.pages import blocks

ROOT = Path(__file__).parent.parent
sys.path.append(str(ROOT / "docs"))

from _site import links, reference  # noqa: E402


def test_links_out_of_the_folder_lead_to_the_repository():
    text = "[a](../CHANGELOG.md) [b](../RESULTS.md#x) [c](../tests) [d](masks.md) [e](../docs/masks.md)"
    assert links.outward(text, "operate", "https://x.org") == (
        "[a](https://x.org/blob/main/CHANGELOG.md) [b](https://x.org/blob/main/RESULTS.md#x) "
        "[c](https://x.org/tree/main/tests) [d](masks.md) [e](../docs/masks.md)"
    )
    inner = "[a](../masks.md) [b](../../LICENSE)"
    assert links.outward(inner, "howto/bounds", "https://x.org") == (
        "[a](../masks.md) [b](https://x.org/blob/main/LICENSE)"
    )


def test_a_page_that_no_list_names_is_listed():
    text = "```{toctree}\nmasks\nOTHER-PAGES\n```\n"
    assert links.with_others(text, ["index", "new", "masks", "howto/a"]) == "```{toctree}\nmasks\nnew\n```\n"


def test_every_page_is_in_the_index():
    index = (ROOT / "docs" / "index.md").read_text()
    for page in ROOT.glob("docs/**/*.md"):
        name = page.relative_to(ROOT / "docs").with_suffix("").as_posix()
        folder = name.rpartition("/")[0]
        assert "/" not in name or f"\n{name}\n" in index or f"\n{folder}/*\n" in index, name
    assert links.OTHERS in index


def test_every_block_of_python_is_run_by_some_test():
    """With prompts by test_docs.py; the others are named here with the test that runs them.

    Of run-a-study.md, a block that needs a server elsewhere is tried by its imports only.
    """
    run_elsewhere = {
        "gallery.md": "test_site.py",
        "tutorial/first-study.md": "test_rehearse.py",
        "run-a-study.md": "test_cli_pages.py, test_rehearse.py",
    }
    for page in ROOT.glob("docs/**/*.md"):
        plain = [
            b for b in blocks(page.relative_to(ROOT / "docs").as_posix()) if b.kind == "python" and ">>>" not in b.text
        ]
        assert not plain or page.relative_to(ROOT / "docs").as_posix() in run_elsewhere, page


def test_the_reference_has_every_room_once():
    named = [name for names in reference.groups().values() for name in names]
    assert sorted(named) == sorted(reference.public_modules())
    assert "semildp" in named
    assert all(f"semildp.{room}" not in named for room in reference.LEFT_OUT)


@pytest.mark.parametrize("name", ["semildp", "semildp.mechanisms", "semildp.theory"])
def test_a_room_that_exports_names_has_them_on_its_page(name):
    assert f".. automodule:: {name}\n   :members:" in reference.page(name)


def test_a_room_that_exports_none_has_its_files():
    page = reference.page("semildp.wire")
    assert ".. automodule:: semildp.wire.messages\n   :members:" in page


def test_estimators_show_what_they_inherit_and_not_what_scikit_learn_has():
    assert ":inherited-members: BaseEstimator" in reference.page("semildp")
    assert set(semildp.__all__) == set(dir(semildp))  # what the reference lists


def test_the_gallery_s_code_draws_its_pictures():
    pytest.importorskip("matplotlib")
    from plots import gallery

    drawn = dict(gallery.draw())
    assert len(drawn) >= 5
    for target, figure in drawn.items():
        assert figure.axes, target
        assert (ROOT / "docs" / target).read_bytes().startswith(b"\x89PNG"), target
    page = gallery.PAGE.read_text(encoding="utf-8")
    assert page.count("```python") == page.count("(images/gallery/") == len(drawn)
    import matplotlib.pyplot as plt

    plt.close("all")

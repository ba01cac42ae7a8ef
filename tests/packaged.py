"""What is in the wheel and in the source package: `python -m tests.packaged dist`, after `scripts/package`."""

from __future__ import annotations

import re
import sys
import tarfile
import zipfile
from email.message import Message
from email.parser import Parser
from pathlib import Path

ROOT = Path(__file__).parent.parent
SUFFIXES = {".py", ".typed", ".html", ".css", ".js", ".json", ".md"}  # of files in the package
EXTRAS = {"plots", "arrow", "dask", "serve", "fast"}  # that users are told of


def expected() -> set[str]:
    """All files of the package, as Git knows them by their folder."""
    source = ROOT / "src"
    return {p.relative_to(source).as_posix() for p in source.rglob("*") if p.is_file() and "__pycache__" not in p.parts}


def check_names(names: set[str], head: str) -> None:
    """The package is there whole, and nothing else is."""
    own = {name.removeprefix(head) for name in names if name.startswith(f"{head}semildp/")}
    assert own == expected(), sorted(own ^ expected())
    assert {Path(name).suffix for name in own} <= SUFFIXES, sorted({Path(name).suffix for name in own} - SUFFIXES)
    assert any(name.startswith("semildp/service/page/") for name in own), "the page that people open is missing"


def check_metadata(told: Message) -> None:
    """The metadata say where the source is, and the long description can be read anywhere."""
    addresses = dict(line.split(", ", 1) for line in told.get_all("Project-URL", []))
    assert set(addresses) >= {"Source", "Issues", "Documentation", "Changelog"}
    assert told["License-Expression"] == "BSD-3-Clause"
    assert set(told.get_all("Provides-Extra", [])) >= EXTRAS
    text = told.get_payload()
    assert isinstance(text, str)
    relative = [t for t in re.findall(r'(?:\]\(|src=")([^)"\s]+)', text) if not t.startswith("https://")]
    assert not relative, relative
    assert text.count(f"{addresses['Source']}/raw/main/docs/images/") >= 3


def check_wheel(path: Path) -> None:
    """Code, assets and licence; nothing beside them."""
    with zipfile.ZipFile(path) as wheel:
        names = set(wheel.namelist())
        (info,) = {name.split("/")[0] for name in names if ".dist-info/" in name}
        check_names(names, "")
        check_metadata(Parser().parsestr(wheel.read(f"{info}/METADATA").decode()))
    assert f"{info}/licenses/LICENSE" in names
    assert {name.split("/")[0] for name in names} == {"semildp", info}


def check_source(path: Path) -> None:
    """What the wheel can be built from; no test, no data, no result."""
    with tarfile.open(path) as archive:
        names = {name for name in archive.getnames() if archive.getmember(name).isfile()}
    (head,) = {name.split("/")[0] for name in names}
    check_names(names, f"{head}/src/")
    beside = {name.split("/", 1)[1] for name in names if not name.startswith(f"{head}/src/")}
    assert beside == {
        *("pyproject.toml", "PKG-INFO", "hatch_build.py", ".gitignore"),
        *("README.md", "LICENSE", "CHANGELOG.md", "CITATION.cff", "SECURITY.md"),
    }, sorted(beside)


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    (wheel,), (source,) = folder.glob("*.whl"), folder.glob("*.tar.gz")
    check_wheel(wheel)
    check_source(source)
    print(f"{wheel.name} and {source.name} hold what they should.")

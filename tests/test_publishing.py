"""What an index of packages, a reader and an installer are told: one address, pinned files, tested versions."""

from __future__ import annotations

import re
import subprocess
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
ADDRESS = PROJECT["urls"]["Source"]
PINNED = re.compile(r"^([A-Za-z0-9._-]+)(?:\[[\w,]+\])?==([^ ;\\]+)")


def requirement(name):
    """Return what is pinned in a file, name to versions, and check that each has a hash."""
    pinned: dict[str, set[str]] = {}
    entries = (ROOT / "requirements" / f"{name}.txt").read_text().replace("\\\n", " ").splitlines()
    for entry in entries:
        found = PINNED.match(entry)
        assert found, entry
        assert "--hash=sha256:" in entry, entry
        pinned.setdefault(found[1].lower().replace("_", "-"), set()).add(found[2])
    return pinned


def asked(requirements):
    """Return names of requirements with their lower bounds."""
    found = [re.match(r"([A-Za-z0-9._-]+)(?:\[\w+\])?(?:>=([\d.]+))?", each) for each in requirements]
    return {each[1].lower(): each[2] for each in found if each}


def test_every_requirement_of_every_extra_is_pinned_with_hashes():
    pinned = requirement("locked")
    extras = PROJECT["optional-dependencies"]
    for name in asked([*PROJECT["dependencies"], *(each for extra in extras.values() for each in extra)]):
        assert name in pinned, f"{name}: run scripts/lock"
    build = tomllib.loads((ROOT / "pyproject.toml").read_text())["build-system"]["requires"]
    assert set(asked(build)) <= set(pinned)


def test_the_server_s_image_has_the_same_versions():
    everything, server = requirement("locked"), requirement("serve")
    assert set(asked(PROJECT["optional-dependencies"]["serve"])) <= set(server)
    assert all(server[name] == everything[name] for name in server)


def test_the_oldest_versions_are_those_that_are_declared():
    oldest = requirement("oldest")
    for name, bound in asked(PROJECT["dependencies"]).items():
        (version,) = oldest[name]
        assert bound, f"{name} has no lower bound"
        assert f"{version}.".startswith(f"{bound}."), f"{name}: run scripts/lock"


def test_every_room_is_tested_against_the_oldest_versions():
    listed = [line.split("#")[0].strip() for line in (ROOT / "tests" / "oldest.txt").read_text().splitlines()]
    assert all((ROOT / path.removeprefix("--deselect=").split("::")[0]).exists() for path in listed if path)


def test_the_address_has_one_home():
    for page in ("CITATION.cff", "SECURITY.md"):
        found = re.findall(r"https://github\.com/[\w./-]+", (ROOT / page).read_text())
        assert found
        assert all(each.startswith(ADDRESS) for each in found), page
    assert all(each.startswith(ADDRESS) for each in PROJECT["urls"].values())


def test_readme_s_links_are_absolute_in_the_long_description():
    pytest.importorskip("hatchling")
    from hatch_build import absolute

    text = absolute((ROOT / "README.md").read_text(encoding="utf-8"), ADDRESS)
    targets = re.findall(r'(?:\]\(|src=")([^)"\s]+)', text)
    assert len(targets) > 20
    assert all(target.startswith("https://") for target in targets)
    ours = [re.sub(r"[#?].*", "", t) for t in targets if t.startswith(ADDRESS)]
    for target in ours:
        kind, _, path = target.removeprefix(f"{ADDRESS}/").partition("/main/")
        assert (ROOT / path).exists(), path
        assert (kind == "raw") == path.endswith(".png"), target


def test_the_citation_is_complete_and_of_this_version():
    yaml = pytest.importorskip("yaml")
    from semildp import __version__

    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert cited["cff-version"] == "1.2.0"
    assert {"message", "title", "authors", "references"} <= set(cited)
    assert cited["version"] == __version__
    assert cited["license"] == PROJECT["license"]
    assert set(cited["keywords"]) == set(PROJECT["keywords"])
    (paper,) = cited["references"]
    assert [author["family-names"] for author in paper["authors"]] == ["Ma", "Jia", "Yang"]


def test_no_host_of_a_registry_is_named():
    words = ("py" + "pi.org", "python" + "hosted", "npm" + "js.org", "deb.deb" + "ian.org")
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True)
    if listed.returncode:
        pytest.skip("not a checkout")
    for name in listed.stdout.splitlines():
        raw = (ROOT / name).read_bytes() if (ROOT / name).is_file() else b""
        for word in words:
            assert word.encode() not in raw, f"{name} names {word}"

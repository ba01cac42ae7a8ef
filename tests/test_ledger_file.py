"""A ledger that lives in a file: on the disk before it answers, the old file or the new one, mode and link kept."""

from __future__ import annotations

import errno
import os
import stat
from fractions import Fraction

import pytest

from semildp import InputError
from semildp.client import Ledger, QuestionId
from semildp.client.ledger_text import parse_ledger

FIRST, SECOND = (QuestionId.of("health", 1, f"question {i}") for i in range(2))
DISK_FULL = OSError(errno.ENOSPC, "No space left on device")


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture
def place(tmp_path):
    return tmp_path / "ledger.json"


@pytest.fixture
def ledger(place):
    with Ledger.open(place, limit=1) as opened:
        yield opened


def on_disk(place):
    return {entry.question: entry.report for entry in parse_ledger(place.read_bytes())[1]}


def test_it_still_is_the_same_after_a_restart(place):
    with Ledger.open(place, limit=1) as ledger:
        ledger.answer(FIRST, 0.5, lambda epsilon: b"first")
    with Ledger.open(place) as ledger:
        assert ledger.answer(FIRST, 0.5, lambda epsilon: b"drawn anew") == b"first"
        assert (ledger.limit, ledger.spent) == (1, Fraction(1, 2))
    assert sorted(p.name for p in place.parent.iterdir()) == ["ledger.json", "ledger.json.lock"]


def test_a_changed_limit_is_in_the_file(place, ledger):
    ledger.change_limit(3)
    assert parse_ledger(place.read_bytes())[0] == 3


def test_a_new_ledger_needs_a_limit_and_an_old_one_has_its_own(place):
    with pytest.raises(InputError, match=r"^`limit` must be given for a new ledger\. Got None\."):
        Ledger.open(place)
    Ledger.open(place, limit=1).close()
    Ledger.open(place, limit=1.0).close()
    with pytest.raises(InputError, match=r"^`limit` must be 1, as in the ledger, or None\. Got 2\. Or use"):
        Ledger.open(place, limit=2)


def test_a_report_is_in_the_file_when_it_is_handed_out(place, ledger):
    assert ledger.answer(FIRST, 0.5, lambda epsilon: b"first") == on_disk(place)[FIRST]


@pytest.fixture
def calls(monkeypatch):
    """Every sync, rename and opening of a file for writing, in order."""
    seen = []
    real = {name: getattr(os, name) for name in ("fsync", "replace")}

    def fsync(descriptor):
        what = "folder" if stat.S_ISDIR(os.fstat(descriptor).st_mode) else "file"
        size = os.fstat(descriptor).st_size
        real["fsync"](descriptor)
        seen.append(("sync", what, size if what == "file" else None))

    def replace(source, target):
        real["replace"](source, target)
        seen.append(("replace", os.fspath(target), os.stat(target).st_size))

    monkeypatch.setattr(os, "fsync", fsync)
    monkeypatch.setattr(os, "replace", replace)
    return seen


def test_data_are_synced_before_the_rename_and_the_folder_after_it(place, ledger, calls):
    before = place.stat().st_ino
    ledger.answer(FIRST, 0.5, lambda epsilon: b"first")
    size = place.stat().st_size
    assert calls == [("sync", "file", size), ("replace", str(place), size), ("sync", "folder", None)]
    assert place.stat().st_ino != before, "written in place"


def test_what_an_interrupted_process_left_is_synced_before_it_is_read(place, calls):
    Ledger.open(place, limit=1).close()
    calls.clear()
    Ledger.open(place).close()
    assert calls == [("sync", "file", place.stat().st_size), ("sync", "folder", None)]


def test_temporary_names_are_unique_and_leftovers_are_removed(place, monkeypatch):
    names = []
    replace = os.replace
    monkeypatch.setattr(os, "replace", lambda a, b: (names.append(str(a)), replace(a, b)))
    with Ledger.open(place, limit=1) as ledger:
        ledger.answer(FIRST, 0.5, lambda epsilon: b"first")
        ledger.answer(SECOND, 0.5, lambda epsilon: b"second")
    assert len(set(names)) == 3
    for name in names:
        with open(name, "wb") as file:
            file.write(b"half a led")
    other = place.with_name("ledger.json.mine.unfinished")
    other.write_text("not ours")
    Ledger.open(place).close()
    assert sorted(p.name for p in place.parent.iterdir()) == ["ledger.json", "ledger.json.lock", other.name]


def test_mode_is_private_for_a_new_file_and_kept_for_an_old_one(place):
    with Ledger.open(place, limit=1) as ledger:
        assert (mode(place), mode(place.with_name("ledger.json.lock"))) == (0o600, 0o600)
        place.chmod(0o640)
        ledger.answer(FIRST, 0.5, lambda epsilon: b"first")
        assert mode(place) == 0o640


def test_a_symbolic_link_stays_one_and_shares_the_lock(place, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    link = tmp_path / "elsewhere" / "link"
    link.symlink_to(place)
    with Ledger.open(link, limit=1) as ledger:
        ledger.answer(FIRST, 0.5, lambda epsilon: b"first")
        with pytest.raises(InputError, match="is in use"):
            Ledger.open(place)
    assert link.is_symlink()
    assert on_disk(place) == {FIRST: b"first"}
    assert [p.name for p in link.parent.iterdir()] == ["link"]


@pytest.mark.parametrize("step", ["tempfile.mkstemp", "os.fsync"])
def test_a_full_disk_hands_out_nothing_and_counts_nothing(place, ledger, step, monkeypatch):
    before = place.read_bytes()

    def full(*_, **__):
        raise DISK_FULL

    with monkeypatch.context() as patch:
        patch.setattr(step, full)
        with pytest.raises(InputError, match=r"could not be written: No space left on device\.$"):
            ledger.answer(FIRST, 0.5, lambda epsilon: b"lost")
    assert (ledger.sent, place.read_bytes()) == ((), before)
    assert len(list(place.parent.iterdir())) == 2
    assert ledger.answer(FIRST, 0.5, lambda epsilon: b"first") == b"first"
    assert on_disk(place) == {FIRST: b"first"}


def test_what_may_be_on_the_disk_counts_and_is_written_again_before_it_is_handed_out(place, ledger, monkeypatch):
    """The folder cannot be synced: the new file is there, and a loss of power might bring the old one back."""
    fsync = os.fsync

    def fail_on_folders(descriptor):
        if stat.S_ISDIR(os.fstat(descriptor).st_mode):
            raise DISK_FULL
        fsync(descriptor)

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", fail_on_folders)
        for _ in range(2):
            with pytest.raises(InputError, match="could not be written"):
                ledger.answer(FIRST, 0.5, lambda epsilon: os.urandom(8))
        assert ledger.spent == Fraction(1, 2)
    drawn = on_disk(place)[FIRST]
    place.unlink()  # the loss of power
    assert ledger.answer(FIRST, 0.5, lambda epsilon: b"anew") == drawn
    assert on_disk(place) == {FIRST: drawn}


def test_a_damaged_file_is_refused_and_left_as_it_is(place):
    place.write_bytes(b"")
    for _ in range(2):
        with pytest.raises(InputError, match="A ledger must be JSON"):
            Ledger.open(place, limit=1)
    assert place.read_bytes() == b""


def test_places_that_cannot_hold_a_ledger(tmp_path):
    with pytest.raises(InputError, match=r"could not be locked: No such file or directory\.$"):
        Ledger.open(tmp_path / "none" / "ledger", limit=1)
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    with pytest.raises(InputError, match=r"\.$"):
        Ledger.open(loop, limit=1)
    for path in ("", None, 3, "a\0b", tmp_path, "/"):
        with pytest.raises(InputError, match=r"^`path` must be the path of a file\. Got "):
            Ledger.open(path, limit=1)


def test_a_removed_lock_file_is_noticed(place, ledger):
    place.with_name("ledger.json.lock").unlink()
    with pytest.raises(InputError, match=r"must keep its lock file\. It was removed"):
        ledger.answer(FIRST, 0.5, lambda epsilon: b"")
    assert ledger.sent == ()

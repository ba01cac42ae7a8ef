"""A fitted model keeps no raw private value and no raw label, in whatever form: its pickle is searched byte by byte."""

from __future__ import annotations

import pickle
import pickletools
import struct

import numpy as np
import pytest

from semildp.estimators.account import PrivacyAccount
from tests.flow.people import choices, crowd
from tests.flow.ways import BOX, DEFAULT_LEARNER, LABELS, WAYS

X, Y = crowd()
MASKS = choices()
CASES = [(way, chosen) for way in WAYS for chosen in ("personal", "none") if way != "LabelDT" or chosen == "none"]


def found_in(data: bytes, values: np.ndarray) -> list[float]:
    """Return which values occur in the bytes, at any offset: as 8 or 4 bytes in either order, or as text.

    A value that was rounded to 4 bytes may be kept in 8. Four bytes are not looked for within the pickle's own numbers,
    which have 8: half of one of these looks like another number once in 2**22 per number compared.
    """
    found: set[float] = set()
    rounded = values.astype("f4")
    for kind, wanted, where in (
        ("f8", np.concatenate([values, rounded.astype("f8")]), data),
        ("f4", rounded, without_floats(data)),
    ):
        for order in "<>":
            sought, size = np.unique(wanted.astype(order + kind)), np.dtype(kind).itemsize
            for offset in range(size):
                numbers = np.frombuffer(where, order + kind, count=(len(where) - offset) // size, offset=offset)
                found.update(float(v) for v in sought[np.isin(sought, numbers)])
    text = data.decode("latin-1")
    found.update(float(v) for v in values if f"{v:.6g}" in text)
    return sorted(found)


def without_floats(data: bytes) -> bytes:
    """Return the pickle with its floats blanked."""
    rest = bytearray(data)
    for opcode, _, at in pickletools.genops(data):
        if opcode.name == "BINFLOAT":
            rest[at + 1 : at + 9] = bytes(8)
    return bytes(rest)


def private_values(mask: np.ndarray) -> np.ndarray:
    """Return every private entry and every label, as they are and scaled to their bounds."""
    low, high = LABELS
    return np.concatenate([X[mask], Y, (Y - low) / (high - low), (X[mask] - BOX[0]) / (BOX[1] - BOX[0])])


@pytest.mark.parametrize(("way", "chosen"), CASES)
def test_no_private_value_is_in_the_pickle(way, chosen):
    """Numbers of 52 random bits do not turn up by chance; those of 24 bits do, once in 2**24 per number compared."""
    mask = MASKS[chosen]
    model = WAYS[way](random_state=0).fit(X, Y, mask=mask)
    assert found_in(pickle.dumps(model), private_values(mask)) == []


@pytest.mark.parametrize("way", DEFAULT_LEARNER)
def test_nor_with_the_default_learner(way):
    mask = MASKS["personal"]
    model = DEFAULT_LEARNER[way](random_state=0).fit(X, Y, mask=mask)
    assert found_in(pickle.dumps(model), private_values(mask)) == []


@pytest.mark.parametrize("way", ["joint, defaults", "paper, defaults", "semi-private, split, line, 8", "ParDT"])
@pytest.mark.parametrize("form", ["array", "float", "text", "float32", "scaled"])
def test_a_single_value_that_is_kept_is_found(way, form):
    mask = MASKS["personal"]
    model = WAYS[way](random_state=0).fit(X, Y, mask=mask)
    kept = {
        "array": Y[-3:],
        "float": float(X[mask][5]),
        "text": f"largest label {Y[7]}",
        "float32": X.astype(np.float32)[mask][:2],
        "scaled": [(Y[3] - LABELS[0]) / (LABELS[1] - LABELS[0])],
    }
    model.privacy_ = (model.privacy_, {"note": kept[form]})
    assert isinstance(model.privacy_[0], PrivacyAccount)
    assert len(found_in(pickle.dumps(model), private_values(mask))) >= 1


def test_the_search_looks_at_every_offset_and_order():
    for pattern in ("<d", ">d", "<f", ">f"):
        for offset in range(9):
            data = pickle.dumps(b"\x80" * offset + struct.pack(pattern, 0.1234567890123) + b"\x80" * 5)
            assert len(found_in(data, np.array([0.1234567890123, 0.777]))) == 1


def test_public_values_may_be_kept_and_then_are_found():
    """The learner that keeps everything holds public features: the search would see private ones there too."""
    mask = MASKS["personal"]
    model = WAYS["semi-private, split, keeper, 8"](random_state=0).fit(X, Y, mask=mask)
    public = X[:, model.public_columns_][~mask[:, model.public_columns_]]
    assert set(public.tolist()) <= set(found_in(pickle.dumps(model), public))

"""Values that nobody should pass, and somebody will."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
from hypothesis import strategies as st

WEIRD: list[Any] = [
    None,
    True,
    False,
    np.True_,
    float("nan"),
    float("inf"),
    float("-inf"),
    np.float32("nan"),
    -1,
    0,
    -0.0,
    1,
    2,
    3.5,
    -2.5,
    1e-300,
    5e-324,
    1e308,
    -1e308,
    10**400,
    10**5000,
    -(2**63),
    2**63,
    2**31,
    np.int8(-1),
    np.uint8(255),
    np.int64(3),
    np.float32(0.5),
    np.float64(1e-9),
    np.datetime64("2020-01-01"),
    1j,
    Decimal("0.5"),
    Fraction(1, 3),
    "",
    "auto",
    "text",
    "\ud800",
    b"bytes",
    [],
    (),
    {},
    set(),
    [None],
    [0],
    [-1],
    [0, 1],
    (1, 0),
    (0.0, 1.0),
    (float("nan"), 1),
    [[0], [1, 2]],
    [[0, 1]],
    [[0.0, 1.0]] * 3,
    ["a", 1, None],
    {"a": 1},
    range(3),
    object(),
    object,
    len,
    lambda *_: None,
    slice(1),
    np.array([]),
    np.array(1.0),
    np.array(5),
    np.array([1.0, np.nan, np.inf]),
    np.array([0, 1]),
    np.array([1, 2], dtype=np.uint8),
    np.array([2**63], dtype=np.uint64),
    np.array(["a", "b"]),
    np.array([None, 1], dtype=object),
    np.array([True, False]),
    np.zeros((2, 2)),
    np.zeros((0, 3)),
    np.zeros((2, 2, 2)),
    np.zeros((3, 3), dtype=np.complex128),
    np.full((4, 3), 1e308),
    np.ma.masked_array([1.0, 2.0], mask=[True, False]),
    pd.DataFrame({"a": [1, 2]}),
    pd.Series(["x", None]),
]

BAD = (
    st.sampled_from(WEIRD)
    | st.floats()
    | st.integers()
    | st.text(max_size=8)
    | st.lists(st.floats() | st.integers() | st.none(), max_size=4)
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)

"""Names, not positions: which column a name means, and which entry of a mask belongs to which entry of X."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from semildp._checks import short
from semildp.errors import InputError, refusal

_SHOWN = 8  # names that a sentence lists before it stops
NO_NAMES = (
    "Pass X as a data frame; behind a transformer, call set_output(transform='pandas') on it, so that names are kept."
)
_RENAMED = "If a transformer in front renames columns, give the names that it puts out."


@dataclass(frozen=True)
class Columns:
    """The features of X.

    Parameters
    ----------
    count
        How many there are.
    labels
        What the frame that was passed calls its columns; None if it was an array.
    """

    count: int
    labels: tuple[Any, ...] | None = None

    @classmethod
    def of(cls, X: Any, count: int) -> Columns:
        """Read them from what was passed to `fit`."""
        return cls(count, labels_of(X) if is_frame(X) else None)

    @property
    def names(self) -> tuple[str, ...]:
        """The name of each feature, or nothing if they have none."""
        named = self.labels is not None and all(isinstance(label, str) for label in self.labels)
        return tuple(str(label) for label in self.labels or ()) if named else ()

    def index(self, feature: Any) -> int:
        """Return the position of a feature that is private to all, given by name or by index, or refuse it."""
        if isinstance(feature, str):
            return self._named(feature)
        required = f"feature names, or indices from 0 to {self.count - 1}"
        if not isinstance(feature, int | np.integer) or isinstance(feature, bool) or not 0 <= feature < self.count:
            raise refusal("private_features", required, short(feature))
        numbered = self.labels is not None and all(isinstance(label, int | np.integer) for label in self.labels)
        if numbered and self.labels != tuple(range(self.count)):
            advice = "The columns are numbered, in another order: call them by words, as X.columns = ['a', 'b', ...]."
            raise refusal("private_features", "feature names", short(feature), advice)
        return int(feature)

    def _named(self, name: str) -> int:
        if not self.names:
            raise refusal("private_features", "indices where `X` has no column names", short(name), NO_NAMES)
        if name not in self.names:
            raise refusal("private_features", f"among the features {listed(self.names)}", short(name), _RENAMED)
        return self.names.index(name)


def is_frame(value: Any) -> bool:
    """Whether this is a data frame, of pandas or polars, or a table of pyarrow."""
    return hasattr(value, "columns") and (hasattr(value, "to_numpy") or hasattr(value, "column_names"))


def labels_of(frame: Any) -> tuple[Any, ...]:
    """Return what a frame calls its columns."""
    return tuple(frame.columns if hasattr(frame, "to_numpy") else frame.column_names)  # the latter: pyarrow


def dtypes_of(frame: Any) -> list[str]:
    """Return the type of each column of a frame, in small letters."""
    dtypes = frame.dtypes if hasattr(frame, "dtypes") else frame.schema.types  # the latter: pyarrow
    return [str(dtype).lower() for dtype in dtypes]


def refuse_namesakes(X: Any) -> None:
    """Refuse a frame in which two columns have one name: who hides that name would hide one of them."""
    counted = Counter(labels_of(X) if is_frame(X) else ())
    twice = [label for label, count in counted.items() if count > 1]
    if twice:
        raise refusal("X", "a frame in which each column has its own name", f"{listed(twice)} again")


def listed(names: Iterable[Any]) -> str:
    """Return the first few names, as a list."""
    some = list(names)
    return "[" + ", ".join(short(name) for name in some[:_SHOWN]) + (", ...]" if len(some) > _SHOWN else "]")


def private_indices(private: Any, columns: Columns) -> list[int]:
    """Return the positions of the features that everyone hides, or refuse what is no list of features."""
    if private is None:
        return []
    if isinstance(private, str | int | np.integer) and not isinstance(private, bool):
        private = [private]
    array = isinstance(private, np.ndarray) and private.ndim != 1
    if array or isinstance(private, Mapping | bytes) or is_frame(private) or not isinstance(private, Iterable):
        advice = "A table of who hides what is a mask: fit(X, y, mask=...)."
        required = f"a list of feature names, or of indices from 0 to {columns.count - 1}"
        raise refusal("private_features", required, f"a {type(private).__name__}", advice)
    listed_features = list(private)
    _refuse_flags(listed_features, columns)
    indices = [columns.index(feature) for feature in listed_features]
    twice = [feature for place, feature in enumerate(listed_features) if indices[place] in indices[:place]]
    if twice:
        raise refusal("private_features", "a list in which each feature stands once", f"{listed(twice)} again")
    return indices


def _refuse_flags(private: Sequence[Any], columns: Columns) -> None:
    """Refuse a list of yes and no, one per feature: as indices it would mean something else."""
    binary = all(isinstance(entry, Real | np.bool_) and entry in (0, 1) for entry in private)
    repeated = len(private) > 2 or (len(private) == 2 and private[0] == private[1])
    if not any(isinstance(entry, bool | np.bool_) for entry in private) and not (
        binary and repeated and len(private) == columns.count
    ):
        return
    call = "private_features=[...]"
    if binary and len(private) == columns.count:
        hidden = [j for j, entry in enumerate(private) if entry]
        call = f"private_features={listed([columns.names[j] for j in hidden] if columns.names else hidden)}"
    raise InputError(
        "`private_features` must be a list of feature names or indices. Got what looks like a mask, "
        f"{short(list(private))}. Pass {call} if everyone hides the same, or fit(X, y, mask=...) for personal choices."
    )


def match_mask(mask: Any, X: Any, columns: Columns) -> NDArray[Any]:
    """Return a mask that is a frame as an array, its columns and rows in the order of those of X."""
    if columns.labels is None:
        advice = f"{NO_NAMES} Or pass mask.to_numpy() if its rows and columns are in the order of X."
        raise refusal("mask", "an array where `X` has no column names", "a data frame", advice)
    order = _column_order(list(labels_of(mask)), list(columns.labels))
    rows = slice(None)
    if hasattr(mask, "index") and hasattr(X, "index"):
        rows = _row_order(mask.index, X.index)
    table: NDArray[Any] = np.asarray(mask.to_numpy() if hasattr(mask, "to_numpy") else mask)
    return table[:, order][rows]


def _column_order(own: list[Any], wanted: list[Any]) -> list[int]:
    if own == wanted:
        return list(range(len(own)))
    if len(own) != len(wanted) or set(own) != set(wanted):
        raise _difference("columns", own, wanted, _RENAMED)
    return [own.index(label) for label in wanted]


def _row_order(own: Any, wanted: Any) -> Any:
    """Return the positions in one pandas index of the entries of another."""
    if own.equals(wanted):
        return slice(None)
    if not own.is_unique or not wanted.is_unique:
        got = "rows that several people share a name with, in another order"
        raise refusal("mask", "a frame with the index of `X`", got, "Give each person their own index.")
    place = own.get_indexer(wanted)
    if (place < 0).any() or len(own) != len(wanted):
        raise _difference("rows", list(own), list(wanted), "Give mask and X the same index, one entry per person.")
    return place


def _difference(what: str, own: list[Any], wanted: list[Any], advice: str) -> InputError:
    here, there = set(own), set(wanted)
    only_mask = [label for label in own if label not in there]
    only_X = [label for label in wanted if label not in here]
    got = f"{listed(only_mask)} only in the mask and {listed(only_X)} only in X"
    return refusal("mask", f"a frame with the {what} of `X`", got, advice)

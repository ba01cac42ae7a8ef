"""The one kind of result: a row says what was run, with which parameters, and how well it did."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields

FIELDS_OF_A_GRID_POINT = ("s", "depth", "bins", "label_share", "bias_weight", "leaf", "threshold")


@dataclass(frozen=True)
class Row:
    """One grid point of one method on one replication.

    `error` is the mean squared error on fresh data. `honest` is what a curator can say of it from reports alone: an
    unbiased estimate, on held-out people, of how much the squared error differs from that of the mean, plus three
    standard errors. The grid point where it is smallest is the honest choice.
    """

    method: str
    error: float
    honest: float = float("nan")
    s: int | None = None
    depth: int | None = None
    bins: int | None = None
    label_share: float | None = None
    bias_weight: float | None = None
    leaf: int | None = None
    threshold: float | None = None

    def cells(self) -> list[str]:
        """Return the row as text, numbers in full."""
        return [
            "" if value is None else repr(value) if isinstance(value, float) else str(value)
            for value in asdict(self).values()
        ]


COLUMNS = tuple(field.name for field in fields(Row))

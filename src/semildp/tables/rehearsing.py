"""A study rehearsed with the people of a table: devices and curator in one process, and some people kept back."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from semildp._arrays import Bools, Floats
from semildp._checks import finite_number, whole_number
from semildp.errors import InputError, refusal
from semildp.models.findings import findings_of
from semildp.protocols import protocol_of
from semildp.simulate import Simulated, simulate
from semildp.sources import seeded_sources
from semildp.study import Classes, Study
from semildp.tables.coding import Coder, Remarks
from semildp.tables.csv_table import Table, quoted
from semildp.tables.judging import Judged, judge

_LISTED = 8  # what moves the prediction: more are not told
FEWEST = 2  # people who are asked, and people whom an error is measured on


@dataclass(frozen=True, eq=False)
class Rehearsal:
    """What came of it.

    Parameters
    ----------
    simulated
        Model, state and transcript.
    judged
        How well it predicts for the people who were not asked.
    remarks
        What was unusual in the table.
    """

    simulated: Simulated
    judged: Judged
    remarks: Remarks


def rehearse(
    study: Study,
    table: Table,
    label: str,
    *,
    hide: float = 0.0,
    keep_back: float = 0.2,
    seed: int | None = None,
) -> Rehearsal:
    """Run a study on the people of a table.

    Parameters
    ----------
    study
        What is asked. It has a label: a number, or classes.
    table, label
        The people, and the name of their column of labels; who lacks the label is left out.
    hide
        How likely a person hides a feature that is not private for everyone. A missing value is always hidden.
    keep_back
        Share of the people who are not asked, to measure the error on.
    seed
        Repeats draws; None: the operating system's randomness.
    """
    X, y, remarks = _read(study, table, label)
    for name, share in (("--hide", hide), ("--keep-back", keep_back)):
        if not 0 <= finite_number(name, share) <= 1:
            raise refusal(name, "a share from 0 to 1", share)
    own = None if seed is None else whole_number("--seed", seed, 0, 2**63 - 1)
    rng = np.random.default_rng(None if own is None else [own, 1])
    aside = round(keep_back * len(y))
    if len(y) - aside < FEWEST:
        raise refusal(table.name, f"{FEWEST} people with a label who are asked", len(y) - aside)
    order = rng.permutation(len(y))
    asked, rest = np.sort(order[aside:]), order[:aside]
    mask: Bools = np.isnan(X) | np.array([f.private for f in study.features]) | (rng.random(X.shape) < hide)
    sources = None if own is None else seeded_sources(protocol_of(study).streams, own)
    done = simulate(study, X[asked], y[asked], mask[asked], sources=sources)
    return Rehearsal(done, judge(done.model, X[rest], y[rest], y[asked]), remarks)


def _read(study: Study, table: Table, label: str) -> tuple[Floats, Floats, Remarks]:
    """Return the rows and labels of everyone who has a label."""
    if label not in table.header:
        raise InputError(
            f"{table.name} must have a column {label!r} with the labels. Got {table.header[:5]}. Pass --label-column."
        )
    if study.label is None:
        raise InputError("A rehearsal needs a study with a label, to measure errors by. Got one of a density.")
    coder, place = Coder(study, table), table.header.index(label)
    rows, labels = [np.empty((0, len(study.features)))], [np.empty(0)]
    for block in table.blocks():
        own = np.array(coder.column(label, study.label, [row[place] for row in block]))
        rows.append(coder.rows(block)[~np.isnan(own)])
        labels.append(own[~np.isnan(own)])
    return np.concatenate(rows), np.concatenate(labels), coder.remarks


def rehearsal_lines(done: Rehearsal) -> list[str]:
    """Say what moves the prediction, and how far it is off for people who were not asked."""
    hidden = done.simulated.state.enrolled.mask.mean(axis=0) > 0.5
    model = done.simulated.model
    said, label = findings_of(model, [j for j, most in enumerate(hidden) if most]), model.study.label
    what = f"The probability of {label.values[-1]!r}" if isinstance(label, Classes) else "The prediction"
    lines = [f"{what} is {said.mean:.3g} on average. What moves it, by so much (root mean square):"]
    lines += [f"  {' with '.join(each.features)}: {each.size:.2g}" for each in said.found[:_LISTED]]
    if said.idle:
        lines.append(f"Not moved by {quoted(said.idle)}.")
    judged = done.judged.lines()
    return [*lines, *([""] if judged else []), *judged]

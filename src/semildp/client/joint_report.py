"""Round 2, on the device: the cell a person is in and the label's residual, reported together."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from semildp.domains import LabelGrid
from semildp.sources import Source
from semildp.wire import JointQuestion, JointReports

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]


def report_joint(question: JointQuestion, X: Floats, y: Floats, mask: Bools, source: Source) -> JointReports:
    """Send (cell, level of the residual) by the mechanism that is best for the person's number of candidates.

    Candidates and mechanism follow from what is public. Cell and residual are functions of the private values, which
    change one value out of candidates x levels: epsilon in all. Who has one candidate spends all of it on the label.
    """
    partition = question.partition
    candidates = partition.candidates(X, mask)
    cell = partition.cell(X)
    truth = candidates.position(cell)
    residual = y - question.centres[cell // partition.n_codes]
    rounding = source.words(len(X))
    nobody = np.zeros(0, dtype=np.int64)
    person, position, level = [nobody], [nobody], [nobody]
    for size in np.unique(candidates.size):
        code, people = question.code(int(size)), np.flatnonzero(candidates.size == size)
        levels = LabelGrid(-question.reach, question.reach, code.levels - 1)
        marker, value = code.send(truth[people], levels.encode_at_random(residual[people], rounding[people]), source)
        person.append(people[marker])
        position.append(value // code.levels)
        level.append(value % code.levels)
    who = np.concatenate(person)
    return JointReports(who, candidates.pick(who, np.concatenate(position)), np.concatenate(level))

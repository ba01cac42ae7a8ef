"""One person's messages from columns, and columns from messages."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from itertools import chain
from numbers import Real

import numpy as np

from semildp._arrays import Floats
from semildp.study import Category, Classes, Study
from semildp.wire.columns import Answers, Enrolled, Marks
from semildp.wire.messages import Enrolment, Report
from semildp.wire.problems import WireError


def write_enrolment(study: Study, enrolled: Enrolled, person: int) -> Enrolment:
    """Write down what one person makes public; a category by its value, what is private as null."""
    entries: list[float | str | None] = []
    for feature, x, hidden in zip(study.features, enrolled.public[person], enrolled.mask[person], strict=True):
        value: float | str = float(x)
        if isinstance(feature.domain, Category) and not hidden:
            value = feature.domain.values[round(float(x))]
        entries.append(None if hidden else value)
    return Enrolment(study.digest, tuple(entries))


def read_enrolment(study: Study, message: Enrolment) -> Enrolled:
    """Return what a person has made public, or refuse what no honest device sends."""
    if message.study != study.digest:
        raise WireError("wrong-study")
    if len(message.public) != len(study.features):
        raise WireError("wrong-count", f"one entry per feature, {len(study.features)}; got {len(message.public)}")
    row, mask = np.full(len(study.features), np.nan), np.ones(len(study.features), dtype=np.bool_)
    for j, (feature, entry) in enumerate(zip(study.features, message.public, strict=True)):
        if entry is None:
            continue
        if study.hide_mask or feature.private:
            raise WireError("out-of-domain", f"{feature.name!r} is private in this study; it must be null")
        row[j], mask[j] = coded(study, j, entry), False
    return Enrolled(row[None], mask[None])


def read_enrolments(study: Study, messages: Sequence[Enrolment]) -> Enrolled:
    """Return what people have made public whose enrolments were read before: nothing is refused."""
    columns = []
    for feature, entries in zip(study.features, zip(*(m.public for m in messages), strict=True), strict=True):
        if isinstance(feature.domain, Category):
            codes = {value: float(code) for code, value in enumerate(feature.domain.values)}
            entries = tuple(codes.get(str(entry), np.nan) for entry in entries)
        columns.append(np.array(entries, dtype=np.float64))  # None becomes NaN
    public = np.stack(columns, axis=1)
    return Enrolled(public, np.isnan(public))


def coded(study: Study, feature: int, entry: float | str) -> float:
    """Return a public entry as a number, or refuse it: out of its bounds, or not among its values."""
    name, domain = study.features[feature].name, study.features[feature].domain
    if isinstance(domain, Category):
        if not isinstance(entry, str):
            raise WireError("wrong-type", f"{name!r} is one of its values, as text")
        if entry not in domain.values:
            raise WireError("out-of-domain", f"{name!r} is not one of its {len(domain.values)} values")
        return float(domain.values.index(entry))
    if isinstance(entry, str):
        raise WireError("wrong-type", f"{name!r} is a number")
    if not domain.low <= entry <= domain.high:
        raise WireError("out-of-domain", f"{name!r} lies outside its bounds")
    return float(entry)


def stack(rows: Sequence[Enrolled]) -> Enrolled:
    """Lay people end to end."""
    return Enrolled(np.concatenate([r.public for r in rows]), np.concatenate([r.mask for r in rows]))


def write_report(question: str, answers: Answers, person: int) -> Report:
    """Write down one person's answers to the question of this digest."""
    return Report(question, tuple(tuple(marks.of(person)) for marks in answers))


def read_reports(reports: Sequence[Report], n_asks: int) -> Answers:
    """Return reports with the right number of answers as columns; what the numbers say is for admission to judge."""
    return answer_columns([report.answers for report in reports], n_asks)


def answer_columns(sent: Sequence[Sequence[Sequence[int]]], n_asks: int) -> Answers:
    """Return what people sent, per person and ask some whole numbers, as columns."""
    columns = []
    for ask in range(n_asks):
        numbers = [answers[ask] for answers in sent]
        count = np.array(list(map(len, numbers)), dtype=np.int64)
        columns.append(Marks(count, np.array(list(chain.from_iterable(numbers)), dtype=np.int64)))
    return tuple(columns)


def raw_row(study: Study, values: Sequence[float | str | None]) -> Floats:
    """Return one person's own values as numbers, on their device; None and unknown categories are missing."""
    row = np.full(len(study.features), np.nan)
    for j, (feature, value) in enumerate(zip(study.features, values, strict=True)):
        if isinstance(feature.domain, Category):
            known = isinstance(value, str) and value in feature.domain.values
            row[j] = feature.domain.values.index(str(value)) if known else np.nan
        else:
            row[j] = raw_number(value)
    return row


def raw_label(study: Study, value: object) -> float:
    """Return a person's own label as a number: itself, or the class's place in the list; NaN for what is neither."""
    if not isinstance(study.label, Classes):
        return raw_number(value)
    known = isinstance(value, str) and value in study.label.values
    return float(study.label.values.index(str(value))) if known else np.nan


def raw_number(value: object) -> float:
    """Return a number or truth value as a float, one beyond float64 as its largest; NaN for what is neither."""
    if not isinstance(value, Real | np.bool_):
        return np.nan
    try:
        return float(value)
    except OverflowError:
        return sys.float_info.max if value == abs(value) else -sys.float_info.max

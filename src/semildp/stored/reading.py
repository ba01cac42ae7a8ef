"""From columns of a file to people's visits. What no honest service writes is refused, with the file's name."""

from __future__ import annotations

from typing import NoReturn

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from semildp._arrays import Bools, Floats, Ints
from semildp.curator.admission import problems
from semildp.errors import InputError
from semildp.protocols import must_be_public
from semildp.stored.columns import answer_column, centre_column, question_column
from semildp.stored.header import Header
from semildp.stored.rows import Rows, Visit
from semildp.study import Feature, Number
from semildp.wire.columns import Enrolled, Marks


def read_rows(header: Header, batch: pa.RecordBatch, name: str) -> Rows:
    """Return the people of a batch; `name` is what a refusal calls the file."""
    enrolled = _enrolled(header, batch, name)
    visits = tuple(_visit(header, batch, wave, name) for wave in range(len(header.waves)))
    rows = Rows(header, enrolled, visits, name)
    for wave in range(len(visits)):
        for each in rows.batches(wave):
            for problem, bad in problems(header.study, each.asked.question, each.enrolled, each.answers):
                if bad.any():
                    what = f"answers of wave {wave + 1} as a device sends them"
                    _refuse(name, what, f"one with the problem {problem}")
    return rows


def nobody(schema: pa.Schema) -> pa.RecordBatch:
    """Return a batch without people."""
    return pa.RecordBatch.from_arrays([pa.nulls(0, field.type) for field in schema], schema=schema)


def _refuse(name: str, required: str, got: str) -> NoReturn:
    raise InputError(f"{name} must hold {required}. Got {got}. Write it anew with `semildp export`.")


def _enrolled(header: Header, batch: pa.RecordBatch, name: str) -> Enrolled:
    """Return what is public; nulls are private. A mask that all have in common is held once."""
    study, n, all_public = header.study, len(batch), must_be_public(header.study)
    columns = [batch.column(feature.name) for feature in study.features]
    public, nulls = np.empty((n, len(columns))), np.array([column.null_count for column in columns])
    for j, (feature, column) in enumerate(zip(study.features, columns, strict=True)):
        if nulls[j] < n and (study.hide_mask or feature.private):
            _refuse(name, f"null in {feature.name!r}, which is private for everyone", "a value")
        if nulls[j] and all_public:
            _refuse(name, f"a value in {feature.name!r} for everyone: every feature is public in this study", "null")
        public[:, j] = np.nan if nulls[j] == n else _numbers(feature, column, name)
    if ((nulls == 0) | (nulls == n)).all():
        return Enrolled(public, np.broadcast_to(nulls > 0, public.shape))
    return Enrolled(public, np.isnan(public))


def _numbers(feature: Feature, column: pa.Array, name: str) -> Floats:
    """Return a feature as numbers, NaN where null."""
    if isinstance(feature.domain, Number):
        values: Floats = column.to_numpy(zero_copy_only=False)
        low, high = feature.domain.low, feature.domain.high
        inside = np.count_nonzero((values >= low) & (values <= high))  # NaN, of a null, is neither
        if inside != len(values) - column.null_count:
            _refuse(name, f"numbers from {low:g} to {high:g} in {feature.name!r}", "another")
        return values
    if not pa.types.is_dictionary(column.type):
        column = column.dictionary_encode()
    codes = {value: float(code) for code, value in enumerate(feature.domain.values)}
    table = np.array([codes.get(value, np.nan) for value in column.dictionary.to_pylist()] + [np.nan])
    found: Floats = table[column.indices.fill_null(len(table) - 1).to_numpy()]
    if np.count_nonzero(np.isnan(found)) != column.null_count:
        _refuse(name, f"the study's values in {feature.name!r}", "another")
    return found


def _visit(header: Header, batch: pa.RecordBatch, wave: int, name: str) -> Visit:
    questions = header.waves[wave].questions
    column = batch.column(question_column(wave))
    question = _whole(column.fill_null(-1) if column.null_count else column)
    low, high = (int(question.min()), int(question.max())) if len(question) else (0, 0)
    if low < -1 or high >= len(questions) or (low < 0 and (question < 0).sum() != column.null_count):
        _refuse(name, f"numbers from 0 to {len(questions) - 1} in {question_column(wave)!r}", "another")
    if low == high >= 0:
        question = np.broadcast_to(np.int64(low), question.shape)
    centres = None
    if header.own_centres[wave]:
        centres = batch.column(centre_column(wave)).to_numpy(zero_copy_only=False)
        if (np.isfinite(centres) != (question >= 0)).any():
            _refuse(name, f"a finite number in {centre_column(wave)!r} of everybody who answered", "another")
    n_asks = np.array([*(len(each.asks) for each in questions), 0])  # the last is of -1: none
    answers = []
    for ask in range(header.waves[wave].n_asks):
        everyone = not column.null_count and bool((n_asks[:-1] > ask).all())
        asked = None if everyone else (n_asks > ask)[question]
        answers.append(_marks(batch.column(answer_column(wave, ask)), asked, f"{name}, {answer_column(wave, ask)!r},"))
    return Visit(question, centres, tuple(answers))


def _marks(column: pa.Array, asked: Bools | None, name: str) -> Marks:
    """Return what people sent, of those who were asked (None: everyone); the others must have sent nothing."""
    sent = column.is_valid().to_numpy(zero_copy_only=False) if column.null_count or asked is not None else None
    if sent is not None and not np.array_equal(sent, np.ones(len(sent), dtype=np.bool_) if asked is None else asked):
        _refuse(name, "an answer of everybody who was asked, and of nobody else", "others")
    if pa.types.is_integer(column.type):
        value = _whole(column.drop_null() if column.null_count else column)
        return Marks.one_each(value) if asked is None else Marks(asked.astype(np.int64), value)
    count, value = _whole(pc.fill_null(pc.list_value_length(column), 0)), column.flatten()
    if value.null_count:
        _refuse(name, "whole numbers", "null among them")
    return Marks(count, _whole(value))


def _whole(column: pa.Array) -> Ints:
    return column.to_numpy(zero_copy_only=False).astype(np.int64)  # type: ignore[no-any-return]

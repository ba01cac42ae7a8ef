"""Which columns a file of stored reports has, and of which types: read off its header alone."""

from __future__ import annotations

import pyarrow as pa

from semildp.domains import FeatureBounds
from semildp.errors import InputError
from semildp.mechanisms import DiscreteLaplace
from semildp.stored.header import KEY, Header, StoredWave
from semildp.study import Category
from semildp.wire.forms import read_mechanism, read_partition
from semildp.wire.messages import Ask, AskCell, AskClass, AskHistogram, AskLabel, AskPair, AskSigned

_MOST_32 = 2**31 - 1


def question_column(wave: int) -> str:
    """Return the column that has which of a wave's questions each person answered; waves count from 0 in code."""
    return f"visit{wave + 1}_question"


def centre_column(wave: int) -> str:
    """Return the column of people's own centres."""
    return f"visit{wave + 1}_centre"


def answer_column(wave: int, ask: int) -> str:
    """Return the column of what people sent to an ask."""
    return f"visit{wave + 1}_answer{ask + 1}"


def schema_of(header: Header) -> pa.Schema:
    """Return the columns, with the header in their metadata."""
    fields = []
    for feature in header.study.features:
        category = isinstance(feature.domain, Category)
        fields.append(pa.field(feature.name, pa.dictionary(pa.int32(), pa.string()) if category else pa.float64()))
    for number, wave in enumerate(header.waves):
        fields.append(pa.field(question_column(number), pa.int32()))
        if header.own_centres[number]:
            fields.append(pa.field(centre_column(number), pa.float64()))
        kinds = [_answer_type(header, wave, ask) for ask in range(wave.n_asks)]
        fields += [pa.field(answer_column(number, ask), kind) for ask, kind in enumerate(kinds)]
    names = [field.name for field in fields]
    if len(set(names)) != len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise InputError(
            f"A feature of stored reports must not be called {twice!r}: a column of answers is. Rename it."
        )
    return pa.schema(fields, metadata={KEY: header.to_bytes()})


def fits(field: pa.Field, wanted: pa.Field) -> bool:
    """Whether a column can be read as the type it must have: other programs write whole numbers and text otherwise."""
    got, must = field.type, wanted.type
    if pa.types.is_dictionary(must):
        got = got.value_type if pa.types.is_dictionary(got) else got
        return bool(pa.types.is_string(got) or pa.types.is_large_string(got))
    if pa.types.is_list(must):
        return bool((pa.types.is_list(got) or pa.types.is_large_list(got)) and pa.types.is_integer(got.value_type))
    if pa.types.is_integer(must):
        return bool(pa.types.is_integer(got))
    return bool(got == must)


def _answer_type(header: Header, wave: StoredWave, place: int) -> pa.DataType:
    """Return the type of a column of answers: a plain number where everybody sends exactly one, else a list."""
    asks = [question.asks[place] for question in wave.questions if len(question.asks) > place]
    most = max(_largest(ask, header.study.bounds) for ask in asks)
    number = pa.int32() if most <= _MOST_32 else pa.int64()
    return number if all(map(sends_one, asks)) else pa.list_(number)


def sends_one(ask: Ask) -> bool:
    """Whether every answer to an ask is exactly one number."""
    if isinstance(ask, AskLabel | AskSigned):
        return True
    if isinstance(ask, AskCell | AskPair | AskClass):
        return all(mechanism.kind == "generalised" for mechanism in ask.mechanisms.values())
    return False


def _largest(ask: Ask, bounds: FeatureBounds) -> int:
    """Return a number that no answer exceeds in size."""
    if isinstance(ask, AskLabel):
        return _farthest(read_mechanism(ask.mechanism, ask.epsilon))
    if isinstance(ask, AskHistogram):
        parts = ((ask.mass, ask.epsilon / 4), (ask.label, ask.epsilon / 2))
        return max(_farthest(read_mechanism(message, epsilon)) for message, epsilon in parts)
    if isinstance(ask, AskPair | AskClass):
        levels = max(mechanism.values // int(size) for size, mechanism in ask.mechanisms.items())
        return read_partition(ask.partition, bounds).n_cells * levels
    return _MOST_32


def _farthest(mechanism: object) -> int:
    if isinstance(mechanism, DiscreteLaplace):
        return mechanism.n_values + mechanism.farthest
    return int(getattr(mechanism, "n_outputs", 0))

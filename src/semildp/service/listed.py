"""Many values in one statement: as one JSON text for SQLite, as arrays for PostgreSQL. A statement is compiled once."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec
from sqlalchemy import ColumnElement, Integer, Text, bindparam, cast, func
from sqlalchemy.dialects.postgresql import ARRAY

_TEXTS, _NUMBERS = bindparam("texts", type_=ARRAY(Text)), bindparam("numbers", type_=ARRAY(Integer))
_JSON = bindparam("json", type_=Text)


class Listed:
    """Tables out of values that are handed over with a statement.

    Join others to `words` by outer joins: SQLite then begins with the words, and does not look through all people.
    """

    def __init__(self, dialect: str) -> None:
        self._arrays = dialect == "postgresql"
        self.number: ColumnElement[int]
        if self._arrays:
            self.words = func.unnest(_TEXTS).table_valued("value", name="words").render_derived()
            self.pairs = func.unnest(_NUMBERS, _TEXTS).table_valued("number", "word", name="listed").render_derived()
            self.number, self.word = self.pairs.c.number, self.pairs.c.word
        else:
            self.words = func.json_each(_JSON).table_valued("value", name="words")
            self.pairs = func.json_each(_JSON).table_valued("key", "value", name="listed")
            self.number, self.word = cast(self.pairs.c.key, Integer), self.pairs.c.value

    def words_are(self, words: Iterable[str]) -> dict[str, Any]:
        """Return words as values of a statement that has `words` in it."""
        return {"texts": list(words)} if self._arrays else {"json": msgspec.json.encode(list(words)).decode()}

    def pairs_are(self, pairs: Iterable[tuple[int, str]]) -> dict[str, Any]:
        """Return pairs, in which no number is there twice, as values of a statement that has `pairs` in it."""
        known = dict(pairs)
        if self._arrays:
            return {"numbers": list(known), "texts": list(known.values())}
        return {"json": msgspec.json.encode(known).decode()}

"""Many values in one statement, and out of it, as one JSON text each: drivers are slow where they handle each value."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec
from sqlalchemy import ColumnElement, Integer, Text, bindparam, cast, func
from sqlalchemy.dialects.postgresql import JSON

_TEXT = bindparam("json", type_=Text)


class Listed:
    """Tables out of values that are handed over with a statement, and columns handed back as one value.

    Join others to `words` by outer joins: SQLite then begins with the words, and does not look through all people.
    `words` has the values and, in rising order, a key for each.
    """

    def __init__(self, dialect: str) -> None:
        self.lateral = dialect == "postgresql"  # whether subqueries may look at the tables before them
        whole = cast(_TEXT, JSON) if self.lateral else _TEXT
        if self.lateral:
            words = func.json_array_elements_text(whole).table_valued("value", with_ordinality="key", name="words")
            pairs = func.json_each_text(whole).table_valued("key", "value", name="listed")
            self.words, self.pairs = words.render_derived(), pairs.render_derived()
        else:
            self.words = func.json_each(whole).table_valued("key", "value", name="words")
            self.pairs = func.json_each(whole).table_valued("key", "value", name="listed")
        self.number, self.word = cast(self.pairs.c.key, Integer), self.pairs.c.value

    def gather(self, column: ColumnElement[Any]) -> ColumnElement[str]:
        """Return a column's values as one JSON text. Not for fractions: SQLite would write 15 digits of them."""
        return cast(func.json_agg(column), Text) if self.lateral else func.json_group_array(column)

    @staticmethod
    def words_are(words: Iterable[str] | Iterable[int]) -> dict[str, str]:
        """Return words as values of a statement that has `words` in it."""
        return {"json": msgspec.json.encode(list(words)).decode()}

    @staticmethod
    def pairs_are(pairs: dict[int, str]) -> dict[str, str]:
        """Return pairs as values of a statement that has `pairs` in it."""
        return {"json": msgspec.json.encode(pairs).decode()}

"""Verdict columns added to Arrow tables, here or on another machine."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import pyarrow as pa

from winnow.library.checker import SCHEMA
from winnow.library.checkers import AnyChecker, open_checker
from winnow.library.columns import require_texts
from winnow.library.open_data import ship_domain_data

DUPLICATE_KEY = pa.field("duplicate_key", pa.large_string())
ROWS_AT_ONCE = 1 << 20  # some 150 MiB; a call judges each of its domains once


class TableVerdicts:
    """Adds verdicts to tables. It can be pickled, and opens its checker where it is used."""

    def __init__(
        self,
        column: str,
        own_lists: Mapping[str, str] | None,
        *,
        has_keys: bool = False,
        is_shipped: bool = False,
        ignores_case: bool = False,
    ) -> None:
        """Store the options.

        Args:
            column: Holds the addresses.
            own_lists: As for ``winnow.check``.
            has_keys: Whether ``duplicate_key`` is added as well.
            is_shipped: Whether it is sent to other machines, with the domain data, by an engine
                that knows no dictionaries: texts are plain strings.
            ignores_case: Whether the engine takes ``Category`` for ``category``.
        """
        self.column = column
        self._own_lists = dict(own_lists or {})
        self._has_keys = has_keys
        self._fold = str.casefold if ignores_case else str
        self._data = ship_domain_data() if is_shipped else None
        self._is_plain = is_shipped
        self._checker: AnyChecker | None = None

    def __getstate__(self) -> dict[str, Any]:
        """Pickle all but the open checker."""
        return {**self.__dict__, "_checker": None}

    @property
    def added(self) -> pa.Schema:
        """The columns added."""
        schema = SCHEMA.append(DUPLICATE_KEY) if self._has_keys else SCHEMA
        if not self._is_plain:
            return schema
        plain = ((one.name, one.type if one.type == pa.bool_() else pa.string()) for one in schema)
        return pa.schema(plain)

    def extend(self, schema: pa.Schema) -> pa.Schema:
        """Return a table's schema with the columns added.

        Raises:
            KeyError: It has no such column of addresses.
            TypeError: They are not texts.
            ValueError: It has a column of a name that is added.
        """
        if self.column not in schema.names:
            msg = f"no column {self.column!r} among {', '.join(schema.names)}"
            raise KeyError(msg)
        require_texts(schema.field(self.column).type)
        taken = sorted(one for one in {*schema.names} if self._fold(one) in self.added.names)
        if taken:
            msg = f"columns of these names are added, rename them first: {', '.join(taken)}"
            raise ValueError(msg)
        return pa.schema([*schema, *self.added], schema.metadata)

    def add(self, table: pa.Table) -> pa.Table:
        """Return a table with the verdict columns; raises as ``extend``."""
        schema = self.extend(table.schema)
        if self._checker is None:
            self._checker = open_checker(self._own_lists, self._data, for_run=True)
        texts = table.column(self.column)
        found = self._checker.check_any(texts)
        columns = [*table.columns, *found.columns]
        if self._has_keys:
            columns.append(self._checker.key_any(texts))
        kinds = [field.type for field in schema]
        return pa.Table.from_arrays(
            [column.cast(kind) for column, kind in zip(columns, kinds, strict=True)], schema=schema
        )

    def add_to_batches(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Do the same batch by batch, ``ROWS_AT_ONCE`` or more rows at a time."""
        for table in _gather(batches):
            yield from self.add(table).to_batches()


def _gather(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.Table]:
    waiting: list[pa.RecordBatch] = []
    row_count = 0
    for batch in batches:
        waiting.append(batch)
        row_count += batch.num_rows
        if row_count >= ROWS_AT_ONCE:
            yield pa.Table.from_batches(waiting)
            waiting, row_count = [], 0
    if waiting:
        yield pa.Table.from_batches(waiting)

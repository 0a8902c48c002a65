"""Cells of a finished project that say who may be mailed, by its own columns."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from winnow.core.lists.cleaning import SAID_REASONS
from winnow.core.meaning.columns import (
    NO_DECISIONS,
    ColumnMeaning,
    MailDecisions,
    may_say,
    may_speak_of_mail,
    read_cell,
    read_columns,
    read_heading,
)
from winnow.core.meaning.outcomes import Outcome
from winnow.core.verdicts.reasons import Reason
from winnow.lists.result.cell_queries import LONGEST_VALUE_BYTES, VALUES_MAX
from winnow.lists.result.cell_table import CellReader, CellTable, name_column
from winnow.lists.result.noes import Noes, list_indices

Rows = NDArray[np.int64]
_NOTED = (*(one for one in Outcome if one in SAID_REASONS), Outcome.NEVER)  # the worst first


@dataclass(frozen=True, slots=True, eq=False)
class SaidRows:
    """Columns that say who may be mailed, or may, and rows (rising) by the worst that one says."""

    columns: tuple[ColumnMeaning, ...] = ()
    rows: Mapping[Outcome, Rows] = field(default_factory=dict)
    noes: Noes | None = None

    def list_reasons(self) -> dict[Reason, list[Rows]]:
        """Return rows by reason: by their own cells, and by those of rows of their mailboxes."""
        found: dict[Reason, list[Rows]] = {}
        of_others = {} if self.noes is None else self.noes.find_rows()
        own = ((SAID_REASONS[one], rows) for one, rows in self.rows.items() if one in SAID_REASONS)
        for reason, rows in (*own, *of_others.items()):
            found.setdefault(reason, []).append(rows)
        return found

    def list_noes(self) -> list[tuple[Outcome, Rows]]:
        """Return the rows that say no, or of whose mailboxes another row does, by outcome."""
        found = [(one, self.rows[one]) for one in Outcome if one.forbids and one in self.rows]
        if self.noes is not None:
            found += [(one, self.noes.find_noes(one)) for one in Outcome if one.forbids]
        return found


def read_consent(cells: CellReader, decisions: MailDecisions = NO_DECISIONS) -> SaidRows:
    """Return what a project's columns say of its rows; each distinct text is read once."""
    plan = cells.plan
    if not (decisions.columns or may_say(plan.columns, plan.email_column)):
        return SaidRows()
    found = cells.find(_read_table, decisions)
    return replace(found, noes=Noes.open(cells, decisions))


def _read_table(table: CellTable, decisions: MailDecisions) -> SaidRows:
    names, email = table.plan.columns, table.plan.email_column
    values: list[Mapping[str, int]] = [{} for _ in names]
    for column in _choose_columns(table, decisions):
        name = name_column(column)
        sql = f"SELECT {name} AS value, count(*) AS rows FROM {table.scan()} GROUP BY ALL"  # noqa: S608
        found = table.query(sql)
        values[column] = dict(zip(found["value"].tolist(), found["rows"].tolist(), strict=True))
    columns = read_columns(names, values, email, decisions)
    worst = np.full(table.index.row_count, len(_NOTED), np.uint8)
    for meaning in columns:
        if meaning.applied:
            _note(table, meaning, values[meaning.position], decisions, worst)
    rows = {one: np.flatnonzero(worst == rank) for rank, one in enumerate(_NOTED)}
    return SaidRows(columns, {one: some for one, some in rows.items() if len(some)})


def _choose_columns(table: CellTable, decisions: MailDecisions) -> list[int]:
    """Return the columns to read: by their headings, else those with few values."""
    names = table.plan.columns
    asked = [one for one in table.columns if one != table.plan.email_column and one < len(names)]
    if not decisions.columns:
        asked = [one for one in asked if may_speak_of_mail(names[one])]
    unknown = [one for one in asked if read_heading(names[one]) is None]
    if not unknown:
        return asked
    # The run found strong words there, however many values.
    noted = list_indices(table.index.folder)
    counts = ", ".join(
        f"approx_count_distinct(c{one}) FILTER (strlen(c{one}) <= {LONGEST_VALUE_BYTES}) AS c{one}"
        for one in unknown
    )
    distinct = table.query(f"SELECT {counts} FROM {table.scan()}")  # noqa: S608
    many = {one for one in unknown if distinct[f"c{one}"][0] > VALUES_MAX}
    return [one for one in asked if one not in many - noted]


def _note(
    table: CellTable,
    meaning: ColumnMeaning,
    values: Mapping[str, int],
    decisions: MailDecisions,
    worst: NDArray[np.uint8],
) -> None:
    """Lower the rank of rows with a cell that says worse than what was found before."""
    outcomes = {value: read_cell(meaning, value, decisions) for value in values}
    ranks = {value: _NOTED.index(one) for value, one in outcomes.items() if one in _NOTED}
    if not ranks:
        return
    texts, numbers = pa.array(ranks, pa.large_string()), pa.array(ranks.values(), pa.uint8())
    sql = f"""SELECT file_row_number AS row, rank FROM {table.scan()}
        JOIN said ON {name_column(meaning.position)} = said"""  # noqa: S608
    found = table.query(sql, tables={"said": pa.table({"said": texts, "rank": numbers})})
    np.minimum.at(worst, found["row"], found["rank"])

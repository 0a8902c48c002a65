"""Cells added after a row: its verdict in words, its reasons, a suggestion."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from winnow.core.addresses.repairs import CORRECTABLE
from winnow.core.verdicts.verdict import Verdict
from winnow.lists.result.added_columns import VerdictColumns, join_tail
from winnow.lists.result.advice import Rate, Suggest
from winnow.lists.result.row_bytes import read_cells
from winnow.lists.result.row_index import RowText

REASON_SEPARATOR = "; "


@dataclass(frozen=True, slots=True)
class Extras:
    """Which cells come after the usual added ones; ``suggest``, ``rate`` None: not theirs."""

    adds_reason: bool = False
    suggest: Suggest | None = None
    email_column: int = 0
    rate: Rate | None = None

    @property
    def is_needed(self) -> bool:
        """Whether there is any."""
        return self.adds_reason or self.suggest is not None or self.rate is not None


NO_EXTRAS = Extras()


def list_cells(verdict: Verdict, added: VerdictColumns, *, adds_reason: bool) -> tuple[str, ...]:
    """Return the added cells that a verdict alone decides."""
    cells = added.list_cells(verdict)
    return (*cells, REASON_SEPARATOR.join(verdict.reasons)) if adds_reason else cells


def word_tails(verdicts: Sequence[Verdict], form: RowText, extras: Extras) -> pa.Array:
    """Return by place in the verdicts what comes after a row's own cells, in ASCII."""
    return pa.array(
        [
            join_tail(
                [
                    quote_cell(cell, form)
                    for cell in list_cells(verdict, form.added, adds_reason=extras.adds_reason)
                ],
                form.delimiter,
            )
            for verdict in verdicts
        ],
        pa.large_binary(),
    )


def word_names(names: Sequence[str], form: RowText) -> bytes:
    """Return what comes after a header's own cells: names of columns that were added."""
    tail = "".join(form.delimiter + quote_cell(name, form) for name in names)
    return tail.encode(form.encoding, "replace")


def quote_cell(cell: str, form: RowText) -> str:
    """Return a cell as it may be in a record."""
    if form.escape:
        cell = cell.replace(form.escape, 2 * form.escape)
    if any(mark in cell for mark in (form.delimiter, '"', "\n", "\r")):
        return '"' + cell.replace('"', (form.escape or '"') + '"') + '"'
    return cell


def may_be_corrected(verdicts: Sequence[Verdict]) -> NDArray[np.bool_]:
    """Return by place whether a row with this verdict may have a suggestion."""
    return np.array([not CORRECTABLE.isdisjoint(verdict.reasons) for verdict in verdicts], np.bool_)


def find_suggestions(bodies: Sequence[bytes], form: RowText, extras: Extras) -> list[str]:
    """Return the suggestion for each row; nothing where its encoding cannot say it.

    Args:
        bodies: Rows without line ends; the list's own cells first.
        form: How they are written.
        extras: With ``suggest`` set.
    """
    found: list[str] = []
    for body in bodies:
        cells = read_cells(body, form)
        column = extras.email_column
        text = cells[column] if column < len(cells) else ""
        suggestion = extras.suggest(text) if extras.suggest is not None else ""
        found.append(suggestion if _can_say(suggestion, form.encoding) else "")
    return found


def _can_say(text: str, encoding: str) -> bool:
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return False
    return True

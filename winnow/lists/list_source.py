"""An open list as a run, the preview and merging read it, and as its result is written."""

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from winnow.core.lists.notices import Notice
from winnow.core.meaning.columns import MailDecisions
from winnow.core.tasks.input_plan import InputPlan
from winnow.core.tasks.repair_choice import RepairChoice
from winnow.core.tasks.task import Phase, Progress
from winnow.core.verdicts.facts import LocalWords
from winnow.lists.engine.domain_texts import DomainTexts
from winnow.lists.engine.repairer import RepairedCells
from winnow.lists.engine.row_codes import FIRST_DOMAIN, FIRST_FAULT, RowColumns
from winnow.lists.engine.row_ranks import RowRanks
from winnow.lists.engine.said_cells import SaidCells
from winnow.lists.engine.verdict_table import VerdictTable
from winnow.lists.result.added_columns import ORIGINAL
from winnow.lists.result.row_text import RowText
from winnow.lists.text.arrow_cells import RowBlock

T = TypeVar("T")

SECONDS_BETWEEN_REPORTS = 0.25


class ProgressReporter:
    """Passes progress on when enough time has passed; errors of the receiver propagate."""

    def __init__(self, report: Callable[[Progress], None], bytes_total: int) -> None:
        self._report = report
        self.bytes_total = bytes_total
        self._next_at = 0.0
        self._phase: Phase | None = None

    def report(
        self, phase: Phase, rows_done: int, rows_total: int | None, bytes_done: int = 0
    ) -> None:
        """Report now if the phase is new or the last report is old."""
        now = time.monotonic()
        if phase is self._phase and now < self._next_at:
            return
        self._phase, self._next_at = phase, now + SECONDS_BETWEEN_REPORTS
        self._report(Progress(phase, rows_done, rows_total, bytes_done, self.bytes_total))


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """What the first pass finds out about each row.

    ``choice`` of repairs: None where no address changes or moves (``RunRequest.plan_addresses``).
    ``tag_domains`` have plus tags; None where no mailboxes are compared.
    ``decisions`` on columns that say who may be mailed; None: these are not read. ``late`` are
    such columns that an earlier reading found in later rows.
    """

    local_words: LocalWords
    ranks: RowRanks
    choice: RepairChoice | None = None
    tag_domains: frozenset[str] | None = None
    decisions: MailDecisions | None = None
    late: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class StoredRows:
    """Rows of a block in the second pass, as the first one read them."""

    columns: RowColumns
    is_kept: NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class ResultPlan:
    """The result that is written.

    Attributes:
        folder: Where its files are.
        table: Verdicts by the rows' codes.
        is_gone: For every row of the list, whether it is removed.
        extra: The name of the added column of addresses; ``""``: there is none.
        usual: The name that it has in other lists, which says what it holds.
        names: The names of the other added columns.
        reporter: Gets the progress.
        row_count: Rows of the list.
    """

    folder: Path
    table: VerdictTable
    is_gone: NDArray[np.bool_]
    extra: str
    usual: str
    names: tuple[str, ...]
    reporter: ProgressReporter
    row_count: int

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of all added columns."""
        return (self.extra, *self.names) if self.extra else self.names

    @property
    def repaired(self) -> str:
        """The name of the column of addresses, where these are the rows' own."""
        return "" if self.has_former else self.extra

    @property
    def has_former(self) -> bool:
        """Whether cells are replaced, and the column holds the former addresses."""
        return self.usual == ORIGINAL


@dataclass(frozen=True, slots=True)
class WrittenRows:
    """Rows of a block in the result; arrays have an entry each.

    ``kept`` are their positions in the block; ``sizes`` their bytes in the text of the rows,
    each with the other lines before it. ``record_count`` counts all rows of the file in this
    block, ``numbers`` are the positions among these. ``head_bytes`` are before the first row of
    the text. ``addresses`` are the cells of the added column of addresses as the text has them,
    one for each record of the block; None where there is no such column.
    """

    kept: NDArray[np.int64]
    sizes: NDArray[np.uint32]
    verdict_indices: NDArray[np.uint16]
    names: NDArray[np.uint32]
    invalid_count: int
    duplicates_invalid: int
    row_count: int
    repaired: RepairedCells
    record_count: int
    numbers: NDArray[np.int64]
    head_bytes: int = 0
    addresses: pa.Array | None = None

    @classmethod
    def of(
        cls,
        table: VerdictTable,
        stored: StoredRows,
        indices: NDArray[np.uint16],
        kept: NDArray[np.int64],
        sizes: NDArray[np.uint32],
        addresses: pa.Array | None = None,
    ) -> "WrittenRows":
        """Count the rows that are kept; ``indices`` are the verdicts of all rows of the block."""
        all_codes, faults = stored.columns.codes, table.spellings.faults
        codes = all_codes.take(kept)
        return cls(
            kept,
            sizes,
            indices.take(kept),
            table.name_codes.take(codes),
            int(np.count_nonzero(faults.take(codes))),
            int(np.count_nonzero(faults.take(all_codes[~stored.is_kept]))),
            int(np.count_nonzero(all_codes >= FIRST_FAULT)),
            stored.columns.repaired,
            len(all_codes),
            kept,
            addresses=addresses,
        )


class ListSource(ABC):
    """An open list. ``domains`` has those of all addresses after ``read``.

    Attributes:
        plan: How it is read.
        size_bytes: How much there is to read.
        own_names: The names of its columns, none for a list without header.
        row_total: How many rows it has, None where that is not known beforehand.
        rows_above: Rows of the file above the first block.
        replaces_addresses: Whether cells with addresses can be replaced.
        bytes_done: How much ``read`` has read so far.
        is_whole: Whether the list was read to its end, once ``read`` has no more.
        phase: Of the run while rows are written.
        text_form: What the text of the result's rows is like, once ``write`` has no more.
        said: What rows say of mail, once ``read`` has no more; None: nothing, or it was not read.
        late: Columns that only later rows show to say so: the list is to be read again with them.
    """

    size_bytes: int
    own_names: Sequence[str]
    row_total: int | None = None
    rows_above = 0
    bytes_done = 0
    replaces_addresses = True
    is_whole = True
    phase = Phase.WRITING
    text_form = RowText()
    said: SaidCells | None = None
    late: frozenset[int] = frozenset()

    def __init__(self, plan: InputPlan) -> None:
        self.plan = plan
        self.domains = DomainTexts(FIRST_DOMAIN)

    @abstractmethod
    def read(self, reading: ReadOptions) -> Iterator[RowColumns]:
        """Read the list from its beginning, block by block; domains are numbered.

        Blocks have the header and lines that are no rows as well.

        Raises:
            InputError: It cannot be read; the line or the sheet is named.
        """

    @abstractmethod
    def write(
        self, result: ResultPlan, blocks: Iterator[StoredRows]
    ) -> Generator[WrittenRows, None, None]:
        """Write the result in the blocks that were read."""

    @abstractmethod
    def list_notices(self, result: ResultPlan) -> tuple[Notice, ...]:
        """Return what the format assumed or lost, once all is written."""

    @abstractmethod
    def read_rows(self, work: Callable[[RowBlock], T]) -> Iterator[T]:
        """Yield what ``work`` makes of the list's rows, block by block in their order.

        Left out are the header, what is above it, blank lines, and lines that are no rows.
        ``work`` may be called in several threads at once.

        Raises:
            BrokenFile: With the line or the sheet.
        """

    def number_rows(self, indices: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the number in the file of what was read at some indices."""
        return indices + self.rows_above + 1

    def list_rows(self, indices: NDArray[np.int64]) -> list[tuple[int, tuple[str, ...]]]:
        """Return the number in the file and the cells of rows by their indices, which rise."""
        found: list[tuple[int, tuple[str, ...]]] = []
        done = 0
        for block in self.read_rows(lambda block: block):
            if len(found) == len(indices):
                break
            end = done + len(block.records.starts)
            here = indices[(indices >= done) & (indices < end)]
            cells = map(block.read_cells, (here - done).tolist())
            found += zip(self.number_rows(here).tolist(), cells, strict=True)
            done = end
        return found

"""How lists are run, and lists made cell by cell: what the engine must write is known."""

import io
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import openpyxl

from winnow.core.addresses.address import duplicate_key
from winnow.core.judging.judge import Judge, judge_text
from winnow.core.lists.file_format import FileFormat
from winnow.core.lists.input_head import Choices, Head
from winnow.core.own_lists.patterns import OwnLists
from winnow.core.ports import StaticKnowledge
from winnow.core.tasks.input_plan import InputPlan
from winnow.core.tasks.run_request import USUAL, RunRequest
from winnow.core.tasks.task import Progress
from winnow.core.verdicts.facts import DomainFacts, Listing, LocalFlag, OwnEntry, Weight
from winnow.core.verdicts.reasons import Reason
from winnow.core.verdicts.verdict import Category, Verdict
from winnow.lists.batch import run_batch
from winnow.lists.inspect import find_column, plan_input, read_head
from winnow.lists.list_format import BatchOutcome
from winnow.lists.requests import BatchRequest
from winnow.lists.result.cell_table import CellReader
from winnow.lists.result.result_rows import ResultRows
from winnow.lists.result.row_text import RESULT_NAME, ROWS_TEXT_NAME

_LISTED = Listing(
    "made-up list", "made-up", "wegwerf.example.net", date(2026, 1, 2), Weight.REVIEWED
)


_FREE = Listing("made-up list", "made-up", "frei.de")
TRASH = "trash.example.com"
KNOWLEDGE = StaticKnowledge(
    {
        "frei.de": DomainFacts("frei.de", free=_FREE, has_plus_tags=True),
        "wegwerf.net": DomainFacts("wegwerf.net", listings=(_LISTED,)),
        "xn--bro-hoa.de": DomainFacts("xn--bro-hoa.de", business=_FREE),
        "firm.co.uk": DomainFacts("firm.co.uk", misspells="firma.co.uk"),
        TRASH: DomainFacts(TRASH, listings=(_LISTED,)),
    },
    local_words=dict.fromkeys(("info", "sales"), LocalFlag.ROLE),
)
"""A few made-up domains."""


JUDGE = Judge(KNOWLEDGE).put_own_first(
    OwnLists.build(
        1,
        [
            OwnEntry(Category.BLACK, "ana@frei.de", Reason.OWN_ADDRESS),
            OwnEntry(Category.WHITE, duplicate_key("n/a"), Reason.OWN_ADDRESS),
        ],
    )
)
"""The real policy over the made-up domains, with two addresses of the user's own."""


@dataclass(frozen=True)
class Record:
    """One record: its cells as text, its text in the file, its line end."""

    cells: tuple[str, ...]
    raw: str
    line_end: str

    @property
    def is_blank(self) -> bool:
        return len(self.cells) == 1 and not self.raw.strip(" \t")


@dataclass(frozen=True)
class MadeList:
    """A whole list; the first record is the header unless ``has_header`` is false."""

    records: tuple[Record, ...]
    delimiter: str = ","
    encoding: str = "utf-8"
    bom: bytes = b""
    column: int = 0
    has_header: bool = True
    names: tuple[str, ...] = field(default=("email", "name"))

    @property
    def data(self) -> bytes:
        text = "".join(record.raw + record.line_end for record in self.records)
        return self.bom + text.encode(self.encoding, "surrogatepass")

    @property
    def plan(self) -> InputPlan:
        return InputPlan(
            FileFormat.CSV,
            self.column,
            self.names,
            has_header=self.has_header,
            encoding=self.encoding,
            delimiter=self.delimiter,
        )

    @property
    def widest(self) -> int:
        return max(len(self.names), *(len(record.cells) for record in self.records))

    def rows(self) -> list[Record]:
        """Return the data rows: no header, no blank lines."""
        filled = [record for record in self.records if not record.is_blank]
        return filled[1:] if self.has_header else filled

    def email_of(self, record: Record) -> str:
        return record.cells[self.column] if self.column < len(record.cells) else ""

    def kept(
        self, *, deduplicate: bool, settle: Callable[[Record], str] | None = None
    ) -> list[Record]:
        """Return the rows that stay; ``settle`` gives a row another address than its own."""
        rows = self.rows()
        if not deduplicate:
            return rows
        return [
            rows[place] for place in find_kept([(settle or self.email_of)(row) for row in rows])
        ]

    def expected(
        self,
        judge: Judge,
        *,
        deduplicate: bool,
        names: tuple[str, ...] = (),
        more: Callable[[str, Verdict], tuple[str, ...]] = lambda text, verdict: (),
    ) -> bytes:
        """Return the result, byte for byte, made the plain way.

        ``names`` and ``more`` are the columns behind category and domain type.
        """
        kept = {id(row) for row in self.kept(deduplicate=deduplicate)}

        def add(row: Record) -> tuple[str, ...] | None:
            email = self.email_of(row)
            verdict = judge_text(judge, email).verdict
            added = (verdict.category.value, verdict.domain_type.value, *more(email, verdict))
            return added if id(row) in kept else None

        return self.write(("category", "domain_type", *names), add)

    def write(
        self, names: tuple[str, ...], add: Callable[[Record], tuple[str, ...] | None]
    ) -> bytes:
        """Return the list with more cells behind each row; a row that gets None is left out."""
        text = []
        awaits_header = self.has_header
        for record in self.records:
            if record.is_blank:
                text.append(record.raw + record.line_end)
                continue
            added = names if awaits_header else add(record)
            awaits_header = False
            if added is not None:
                pad = self.delimiter * (self.widest - len(record.cells))
                cells = "".join(self.delimiter + self._quote(cell) for cell in added)
                text.append(record.raw + pad + cells + record.line_end)
        return self.bom + "".join(text).encode(self.encoding, "surrogatepass")

    def _quote(self, cell: str) -> str:
        if any(mark in cell for mark in (self.delimiter, '"', "\n", "\r")):
            return '"' + cell.replace('"', '""') + '"'
        return cell


@dataclass(frozen=True)
class Run:
    """What a run left behind."""

    result: bytes
    outcome: BatchOutcome
    rows: ResultRows
    folder: Path
    plan: InputPlan

    @property
    def cells(self) -> CellReader:
        """The cells of its rows, for questions in SQL."""
        return CellReader(self.folder, self.plan)

    @property
    def result_path(self) -> Path:
        return self.folder / RESULT_NAME

    def load(self, **options: bool) -> Any:
        """Return the workbook that came out, as openpyxl reads it."""
        return openpyxl.load_workbook(io.BytesIO(self.result), **options)

    def read_sheet(self) -> list[tuple[Any, ...]]:
        """Return the values of the list's sheet."""
        return list(self.load()[self.plan.sheet].iter_rows(values_only=True))

    def list_lines(self) -> list[str]:
        """Return the rows of a workbook as text, without the two added cells."""
        text = (self.folder / ROWS_TEXT_NAME).read_text("utf-8")
        return [line.rsplit(",", 2)[0] for line in text.splitlines()]


def read(
    content: bytes, name: str = "list.csv", choices: Choices = Choices(), **wanted: Any
) -> Head:
    """Return what inspection says of an upload."""
    with scratch_folder() as folder:
        path = Path(folder) / "upload"
        path.write_bytes(content)
        return read_head(path, name, choices, **wanted)


def find_plan(
    path: Path,
    choices: Choices = Choices(),
    *,
    column: int | None = None,
    second: str | None = None,
) -> InputPlan:
    """Return the plan of a list as it is inspected; without a column that is found."""
    head = read_head(path, path.name, choices)
    column = find_column(head) if column is None else column
    return plan_input(head, email_column=column, second_email_column=second)


def clean(
    content: bytes,
    folder: Path,
    name: str = "list.csv",
    choices: Choices = Choices(),
    **options: Any,
) -> Run:
    """Run an upload as it is inspected, its column found, with the options of ``run_file``."""
    path = folder / name
    path.write_bytes(content)
    return run_file(path, plan=find_plan(path, choices), **options)


def run_file(
    path: Path,
    *,
    plan: InputPlan | None = None,
    judge: Judge = JUDGE,
    deduplicate: bool = True,
    options: RunRequest = USUAL,
    block_bytes: int = 1 << 22,
    report: Callable[[Progress], None] = lambda _: None,
) -> Run:
    """Run the engine over a list, by a plan or as it is found, into a new folder next to it."""
    plan = plan or find_plan(path)
    work_dir = path.parent / f"work-{len(os.listdir(path.parent))}"
    work_dir.mkdir()
    asked = replace(options, deduplicate=deduplicate)
    request = BatchRequest(path, plan, judge, work_dir, report, asked)
    outcome = run_batch(request, block_bytes=block_bytes)
    rows = ResultRows(work_dir, plan)
    return Run((work_dir / RESULT_NAME).read_bytes(), outcome, rows, work_dir, plan)


def run_list(data: bytes, plan: InputPlan, folder: Path, **options: Any) -> Run:
    """Run the engine over a list given as bytes, with the options of ``run_file``."""
    source = folder / "input"
    source.write_bytes(data)
    return run_file(source, plan=plan, **options)


def find_kept(emails: Sequence[str | None]) -> list[int]:
    """Return which rows stay, found the plain way: the last of each address, and blank ones."""
    keys = [duplicate_key(email or "") for email in emails]
    last = {key: row for row, key in enumerate(keys)}
    return [row for row, key in enumerate(keys) if not key or last[key] == row]


def scratch_folder() -> TemporaryDirectory[str]:
    """Return a folder for one example of a property test."""
    return TemporaryDirectory(prefix="winnow-test-")

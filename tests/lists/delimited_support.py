"""Lists made cell by cell, so that what the engine must write is known beforehand."""

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from tempfile import TemporaryDirectory

from winnow.core.addresses.address import duplicate_key
from winnow.core.lists.file_format import FileFormat
from winnow.core.own_lists.patterns import OwnLists
from winnow.core.ports import StaticKnowledge
from winnow.core.tasks.task import InputPlan, Progress
from winnow.core.verdicts.facts import DomainFacts, Listing, LocalFlag, OwnEntry
from winnow.core.verdicts.judge import Judge, judge_text
from winnow.core.verdicts.reasons import Reason
from winnow.core.verdicts.verdict import Category, Verdict
from winnow.lists.batch import run_batch
from winnow.lists.list_format import BatchOutcome
from winnow.lists.requests import BatchRequest
from winnow.lists.result.result_rows import ResultRows

_LISTED = Listing("made-up list", "made-up", "wegwerf.example.net", date(2026, 1, 2), reviewed=True)


def make_judge() -> Judge:
    """Return the real policy over a few made-up domains."""
    free = Listing("made-up list", "made-up", "frei.de")
    knowledge = StaticKnowledge(
        {
            "frei.de": DomainFacts("frei.de", free=free, has_plus_tags=True),
            "wegwerf.net": DomainFacts("wegwerf.net", listings=(_LISTED,)),
            "xn--bro-hoa.de": DomainFacts("xn--bro-hoa.de", business=free),
        },
        local_words=dict.fromkeys(("info", "sales"), LocalFlag.ROLE),
    )
    own = OwnEntry(Category.BLACK, "ana@frei.de", Reason.OWN_ADDRESS)
    odd = OwnEntry(Category.WHITE, duplicate_key("n/a"), Reason.OWN_ADDRESS)
    return Judge(knowledge).put_own_first(OwnLists.build(1, [own, odd]))


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
    width: int = 2
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
            bom=bool(self.bom),
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

    def kept(self, *, deduplicate: bool) -> list[Record]:
        """Return the rows that stay, found the plain way."""
        rows = self.rows()
        last = {duplicate_key(self.email_of(row)): place for place, row in enumerate(rows)}
        return [
            row
            for place, row in enumerate(rows)
            if not deduplicate
            or not (key := duplicate_key(self.email_of(row)))
            or last[key] == place
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
        widest = self.widest
        text = []
        awaits_header = self.has_header
        for record in self.records:
            if record.is_blank:
                text.append(record.raw + record.line_end)
                continue
            if awaits_header:
                added: tuple[str, ...] = ("category", "domain_type", *names)
                awaits_header = False
            elif id(record) in kept:
                email = self.email_of(record)
                verdict = judge_text(judge, email).verdict
                added = (verdict.category.value, verdict.domain_type.value, *more(email, verdict))
            else:
                continue
            pad = self.delimiter * (widest - len(record.cells))
            cells = "".join(self.delimiter + self._quote(cell) for cell in added)
            text.append(record.raw + pad + cells + record.line_end)
        return self.bom + "".join(text).encode(self.encoding, "surrogatepass")

    def _quote(self, cell: str) -> str:
        if self.delimiter in cell or '"' in cell:
            return '"' + cell.replace('"', '""') + '"'
        return cell


@dataclass(frozen=True)
class Run:
    """What a run left behind."""

    result: bytes
    outcome: BatchOutcome
    rows: ResultRows
    folder: Path


def run_list(
    data: bytes,
    plan: InputPlan,
    judge: Judge,
    folder: Path,
    *,
    deduplicate: bool = True,
    block_bytes: int = 1 << 22,
    report: Callable[[Progress], None] = lambda _: None,
) -> Run:
    """Run the engine over a list given as bytes, in a folder of its own."""
    source = folder / "input"
    source.write_bytes(data)
    work_dir = folder / f"work-{len(os.listdir(folder))}"
    work_dir.mkdir()
    outcome = run_batch(
        BatchRequest(source, plan, judge, work_dir, deduplicate=deduplicate, report=report),
        block_bytes=block_bytes,
    )
    rows = ResultRows(work_dir, plan)
    return Run((work_dir / "result").read_bytes(), outcome, rows, work_dir)


def scratch_folder() -> TemporaryDirectory[str]:
    """Return a folder for one example of a property test."""
    return TemporaryDirectory(prefix="winnow-test-")

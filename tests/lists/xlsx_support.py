"""Workbooks for the tests, and how they are run: openpyxl writes and reads, independently of us."""

import io
import re
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import openpyxl

from winnow.core.ports import StaticKnowledge
from winnow.core.tasks.task import InputPlan, Progress
from winnow.core.verdicts.facts import DomainFacts, Listing, LocalFlag
from winnow.core.verdicts.judge import Judge
from winnow.lists import batch
from winnow.lists.inspection.inspect import plan_input, read_head
from winnow.lists.list_format import BatchOutcome
from winnow.lists.requests import BatchRequest

ROLES = dict.fromkeys(("info", "sales"), LocalFlag.ROLE)
TRASH = "trash.example.com"


def build_judge() -> Judge:
    """A judge that knows one disposable domain."""
    listing = Listing("reviewed", "reviewed", TRASH, reviewed=True)
    table = {TRASH: DomainFacts(TRASH, listings=(listing,))}
    return Judge(StaticKnowledge(table, local_words=ROLES))


@dataclass(frozen=True)
class Run:
    """One batch run and its result as openpyxl reads it."""

    outcome: BatchOutcome
    result_path: Path
    plan: InputPlan

    def load(self, *, data_only: bool = False) -> Any:
        return openpyxl.load_workbook(
            io.BytesIO(self.result_path.read_bytes()), data_only=data_only
        )

    def rows(self, sheet: str = "Data") -> list[tuple[Any, ...]]:
        return list(self.load()[sheet].iter_rows(values_only=True))

    def index_lines(self) -> list[str]:
        """Return the rows as text, without the two added cells."""
        text = (self.result_path.parent / "rows.csv").read_text("utf-8")
        return [line.rsplit(",", 2)[0] for line in text.splitlines()]


def ignore_progress(progress: Progress) -> None:
    """Take a report and do nothing."""


def run_batch(
    path: Path,
    *,
    deduplicate: bool = True,
    plan: InputPlan | None = None,
    judge: Judge | None = None,
    report: Callable[[Progress], None] = ignore_progress,
) -> Run:
    plan = plan or plan_input(read_head(path, path.name))
    work_dir = path.with_suffix(".work")
    work_dir.mkdir()
    outcome = batch.run_batch(
        BatchRequest(
            path, plan, judge or build_judge(), work_dir, deduplicate=deduplicate, report=report
        )
    )
    return Run(outcome, work_dir / "result", plan)


def save(workbook: Any, folder: Path, name: str = "list.xlsx") -> Path:
    path = folder / name
    workbook.save(path)
    return path


def edit_parts(path: Path, changes: Mapping[str, Callable[[bytes], bytes] | bytes | None]) -> Path:
    """Rewrite a workbook's parts; None drops one, a name that is not there adds one."""
    edited = path.with_name(f"edited-{path.name}")
    with (
        zipfile.ZipFile(path) as source,
        zipfile.ZipFile(edited, "w", zipfile.ZIP_DEFLATED) as target,
    ):
        names = source.namelist()
        for name in names:
            change = changes.get(name, lambda content: content)
            if change is None:
                continue
            content = source.read(name)
            target.writestr(name, change(content) if callable(change) else change)
        for name, change in changes.items():
            if name not in names and isinstance(change, bytes):
                target.writestr(name, change)
    return edited


def store_values(sheet: bytes) -> bytes:
    """Store 41 beside each formula of a sheet; spreadsheet programs store its value."""
    return re.sub(rb"(<f>[^<]*</f>)<v ?/?>(?:</v>)?", rb"\1<v>41</v>", sheet)


def build_list(rows: list[list[Any]], *, title: str = "Data") -> Any:
    workbook = openpyxl.Workbook()
    workbook.active.title = title
    for row in rows:
        workbook.active.append(row)
    return workbook


def share_strings(path: Path) -> Path:
    """Put a workbook's inline strings into a shared table, as Excel does; some as rich text."""
    strings: list[bytes] = []

    def share(match: re.Match[bytes]) -> bytes:
        text = match[2]
        if len(strings) % 3 == 1 and b"<t>" in text and b"&" not in text:
            half = text[3:-4][:2], text[3:-4][2:]
            text = (
                b"<r><t>%s</t></r><r><rPr><b/></rPr><t xml:space='preserve'>%s</t></r>"
                b'<rPh sb="0" eb="1"><t>kana</t></rPh>' % half
            )
        strings.append(b"<si>" + text + b"</si>\n")
        return match[1] + b't="s"><v>%d</v></c>' % (len(strings) - 1)

    def edit_sheet(content: bytes) -> bytes:
        return re.sub(rb'(<c [^>]*)t="inlineStr"><is>(.*?)</is></c>', share, content)

    with zipfile.ZipFile(path) as archive:
        sheets = [name for name in archive.namelist() if name.startswith("xl/worksheets/sheet")]
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    kinds = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    with_cells = edit_parts(path, dict.fromkeys(sheets, edit_sheet))
    relation = f'<Relationship Type="{kinds}/sharedStrings" Target="sharedStrings.xml" Id="rIdS"/>'
    table = b'<sst xmlns="%s"><si/>' % main.encode() + b"".join(strings) + b"</sst>"
    override = (
        '<Override PartName="/xl/sharedStrings.xml" ContentType="application/vnd.openxmlformats'
        '-officedocument.spreadsheetml.sharedStrings+xml"/></Types>'
    )
    shifted = dict.fromkeys(
        sheets,
        lambda content: re.sub(
            rb't="s"><v>(\d+)', lambda found: b't="s"><v>%d' % (int(found[1]) + 1), content
        ),
    )
    return edit_parts(
        with_cells,
        {
            **shifted,
            "xl/sharedStrings.xml": table,
            "xl/_rels/workbook.xml.rels": lambda content: content.replace(
                b"</Relationships>", relation.encode() + b"</Relationships>"
            ),
            "[Content_Types].xml": lambda content: content.replace(b"</Types>", override.encode()),
        },
    )

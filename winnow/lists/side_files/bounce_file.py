"""Reader for bounce files of any service: addresses, outcomes and days."""

import json
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from winnow.core.addresses.address import find_address
from winnow.core.errors import BrokenFile, EmptyFile, UnsupportedFormat
from winnow.core.file_faults import FileFault
from winnow.core.judging.judge import Judge
from winnow.core.lists.side_files import FileCounts, FileNote, MailCount, MailOutcome, NoteKind
from winnow.core.unicode_forms import spell_plainly
from winnow.lists.engine.date_cells import DateCounts, count_days, read_texts, settle_dates
from winnow.lists.engine.duplicates import Ranks
from winnow.lists.inspection.signature import name_text
from winnow.lists.marks.key_files import (
    OUTCOMES,
    Events,
    OwnKeys,
    count_events,
    number_events,
)
from winnow.lists.marks.keyed_hash import AddressHash, Hashes
from winnow.lists.side_files.columns import BounceLayout, find_layout
from winnow.lists.side_files.mail_counts import KindNumbers
from winnow.lists.side_files.tables import (
    SidePart,
    SideTable,
    hide_addresses,
    open_tables,
    read_parts,
)

JSON_MAX_BYTES = 64 << 20  # of one document; a line for each event has no limit
_EVENTS_AT_ONCE = 1 << 15
_WRAPPERS = ("Message", "body", "Records", "Bounces", "SuppressedDestinationSummaries", "result",
             "data", "Sns", "detail", "items")  # fmt: skip
_SES_RECIPIENTS = {
    "bounce": "bouncedRecipients",
    "delivery": "recipients",
    "complaint": "complainedRecipients",
}


class _Gathering:
    """Events as arrays; no address stays."""

    def __init__(self, hashes: AddressHash, judge: Judge | None) -> None:
        self._hashes = hashes
        self._kinds = None if judge is None else KindNumbers(judge)
        self._waiting: list[tuple[str, str, MailOutcome, str]] = []
        self._settled: list[tuple[Hashes, Hashes, NDArray[np.uint8], NDArray[np.uint16]]] = []
        self._ranks: list[Ranks] = []
        self._dates = DateCounts()
        self._days: list[NDArray[np.int32]] = []
        self.left_out = 0

    def add(self, layout: BounceLayout | None, cells: Mapping[str, str]) -> None:
        """Take in one line; without a layout it reports no mail."""
        outcome = None if layout is None else layout.read(cells)
        address = find_address(cells[layout.address].strip()) if layout else None
        if layout is None or address is None or outcome is None:
            self.left_out += 1
            return
        day = cells.get(layout.date or "", "")
        self._waiting.append((address.local_part.lower(), address.domain, outcome, day))
        if len(self._waiting) >= _EVENTS_AT_ONCE:
            self._settle()

    def end_table(self) -> None:
        """Read the days of a table, which writes all of them alike."""
        self._settle()
        day_first = self._dates.takes_day_first
        self._days += (
            count_days(settle_dates(ranks, takes_day_first=day_first)) for ranks in self._ranks
        )
        self._ranks.clear()
        self._dates = DateCounts()

    def finish(self) -> tuple[OwnKeys, Events, tuple[MailCount, ...]]:
        """Return each address and each mailbox of aliases once, the events of addresses, counts."""
        addresses, boxes, outcomes, kinds = map(np.concatenate, zip(*self._settled, strict=True))
        events = number_events(outcomes, np.concatenate(self._days))
        mailed = () if self._kinds is None else self._kinds.count(kinds, addresses, events)
        return *OwnKeys.of_events(addresses, boxes, events), mailed

    @property
    def is_empty(self) -> bool:
        """Whether nothing came in."""
        return not (self._waiting or self._settled)

    def _settle(self) -> None:
        if not self._waiting:
            return
        local_parts, domains, outcomes, days = zip(*self._waiting, strict=True)
        addresses = self._hashes.hash_parts(local_parts, domains)
        boxes = self._hashes.hash_boxes(local_parts, domains)
        numbers = np.array(list(map(OUTCOMES.index, outcomes)), np.uint8)
        kinds = np.empty(0, np.uint16)
        if self._kinds is not None:
            kinds = self._kinds.number(local_parts, domains)
        self._settled.append((addresses, boxes, numbers, kinds))
        ranks, dates = read_texts(pl.Series(days, dtype=pl.String))
        self._ranks.append(ranks)
        self._dates.add(dates)
        self._waiting.clear()


def read_bounces(
    path: Path, name: str, hashes: AddressHash, scratch: Path, judge: Judge | None = None
) -> tuple[OwnKeys, FileCounts]:
    """Read all that a file says became of mail.

    Args:
        path: The file; it is only read.
        name: As it came.
        hashes: Hides the addresses.
        scratch: An existing folder for temporary files.
        judge: Gives the kinds of addresses without the network; None: kinds are not counted.

    Raises:
        UnsupportedFormat, BrokenFile: It cannot be read, or reports no bounces.
        EmptyFile: No line of it reports mail to an address.
    """
    found = _Gathering(hashes, judge)
    notes: list[FileNote] = []
    has_layout = False
    for part in read_parts(path, name, scratch, notes):
        if name_text(part.read_start()) == "JSON":
            has_layout = True
            _gather_json(part, found)
            continue
        with closing(open_tables(part, scratch)) as tables:
            for table in tables:
                if _gather_table(table, part.name, found):
                    has_layout = True
                else:
                    notes.append(FileNote(NoteKind.NO_BOUNCE, part.label))
    if not has_layout:
        raise UnsupportedFormat(
            "No column of this file says whether mail was delivered or bounced.",
            hint="Import the bounce export of your mail service: a column of addresses and one "
            "that says hard or soft.",
        )
    if found.is_empty:
        raise EmptyFile("No line of this file has a bounce or a delivery.")
    keys, events, mailed = found.finish()
    shown = hide_addresses(notes)
    counts = replace(count_events(events), left_out=found.left_out, notes=shown, mailed=mailed)
    return keys, counts


def _gather_json(part: SidePart, found: _Gathering) -> None:
    """Take in the events of a part."""
    layouts: dict[tuple[str, ...], BounceLayout | None] = {}
    for value in _read_json(part.path):
        for event in _iterate_events(value):
            cells = {spell_plainly(str(name)): str(one) for name, one in event.items()}
            names = tuple(cells)
            if layouts.get(names) is None:
                layouts[names] = find_layout([names, list(cells.values())], part.name)
            found.add(layouts[names], cells)
    found.end_table()


def _gather_table(table: SideTable, name: str, found: _Gathering) -> bool:
    """Take in a table's lines; False where it is none of bounces."""
    layout = find_layout(table.rows, name)
    if layout is None:
        return False
    for _, columns in table.read_columns(list(layout.indices.values()), layout.header):
        for cells in zip(*columns, strict=True):
            found.add(layout, dict(zip(layout.indices, cells, strict=True)))
    found.end_table()
    return True


def _read_json(path: Path) -> Iterator[Any]:
    """Yield the documents of a file: one a line, or a single one."""
    with path.open("rb") as file:
        first = file.readline().strip()
        try:
            head = json.loads(first)
        except (ValueError, RecursionError):
            head = None
        if isinstance(head, dict):
            yield head
            for number, line in enumerate(file, start=2):
                if line.strip():
                    yield _parse_json(line, number)
            return
    if path.stat().st_size > JSON_MAX_BYTES:
        raise BrokenFile(
            "One JSON document of more than {most} MiB is not read.",
            fault=FileFault.TOO_LARGE,
            most=JSON_MAX_BYTES >> 20,
            hint="Write one event a line, or export CSV.",
        )
    yield _parse_json(path.read_bytes(), 1)


def _parse_json(text: bytes, line: int) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise BrokenFile("Line {line}: this is not JSON.", line=line) from None


def _iterate_events(value: Any, depth: int = 0) -> Iterator[Mapping[str, Any]]:
    """Yield the events in what a service sent, however it was wrapped (SNS, pages of an API)."""
    if depth > 6:
        return
    if isinstance(value, list):
        for one in value:
            yield from _iterate_events(one, depth + 1)
    if not isinstance(value, Mapping):
        return
    for name in _WRAPPERS:
        inner = value.get(name)
        if isinstance(inner, str) and inner.lstrip().startswith("{"):
            inner = _parse_json(inner.encode(), 1)
        if isinstance(inner, (list, Mapping)):
            yield from _iterate_events(inner, depth + 1)
            return
    kind = next((one for one in _SES_RECIPIENTS if isinstance(value.get(one), Mapping)), None)
    if kind is None:
        yield value
        return
    for one in value[kind].get(_SES_RECIPIENTS[kind]) or ():
        address = one.get("emailAddress", "") if isinstance(one, Mapping) else one
        yield {"notificationtype": kind, **value[kind], "emailaddress": address}

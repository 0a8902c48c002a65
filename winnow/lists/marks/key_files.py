"""Do-not-mail files and bounces as keyed hashes, and the rows of a project that they name.

A file of hashes begins with its kind, a seal of the secret that made it, and the counts of what
follows.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from functools import cache
from itertools import chain
from pathlib import Path
from typing import NamedTuple, SupportsInt, TypeVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from winnow.core.addresses.mailbox import HasPlusTags
from winnow.core.lists.cleaning import BOUNCE_REASONS
from winnow.core.lists.side_files import FileCounts, MailOutcome, OwnFileKind
from winnow.core.verdicts.reasons import Reason
from winnow.lists.execution.run_files import create_durably
from winnow.lists.marks.keyed_hash import (
    MAILBOX_MARK,
    AddressHash,
    Hashes,
    spell_bases,
    split_addresses,
)
from winnow.lists.result.cell_table import CellReader, CellTable
from winnow.lists.result.row_index import Mask, RowIndex

OUTCOMES = tuple(MailOutcome)
"""By their indices in a file of bounces."""
_NAMED = b"WNKEYS\x00\x02"
_NAMED_OF_0_3 = b"WNKEYS\x00\x01"  # without mailboxes
_BOUNCES = b"WNBNCE\x00\x02"
_BOUNCES_OF_0_2 = b"WNBNCE\x00\x01"  # with the addresses' domains, which are not read
EPOCH = date(1970, 1, 1)
Rows = NDArray[np.int64]
Events = NDArray[np.int64]
"""Day from 1970 on (0: none) and outcome as one number: later and, of one day, worse is larger.

A person's no is larger than every bounce and delivery.
"""
_BOUNCES_COUNT = 3  # hard, soft, delivered
_NO = 40  # the bits from here on: 1 unsubscribed, 2 complained
Key = TypeVar("Key", np.uint64, np.int64)


@dataclass(frozen=True, slots=True)
class OwnKeys:
    """What a file names, as hashes: addresses, domains, and what is written with a star.

    ``wildcards`` are domains of which it names all below, and local parts at any domain. Each is
    sorted. ``events`` are those of a bounce file, as ``settle_kinds`` has them: an address may have
    two; a do-not-mail file has none. ``boxes`` are those that aliases among the addresses may
    reach; a bounce file has them among its addresses as well, with their events.
    """

    addresses: Hashes
    domains: Hashes = field(default_factory=lambda: np.empty(0, np.uint64))
    wildcards: Hashes = field(default_factory=lambda: np.empty(0, np.uint64))
    events: Events = field(default_factory=lambda: np.empty(0, np.int64))
    boxes: Hashes = field(default_factory=lambda: np.empty(0, np.uint64))

    def __len__(self) -> int:
        return len(self.addresses) + len(self.domains) + len(self.wildcards)

    @classmethod
    def unite(cls, parts: "Sequence[OwnKeys]") -> "OwnKeys":
        """Return what parts of a do-not-mail file name, each once."""
        sets = ((one.addresses, one.domains, one.wildcards, one.boxes) for one in parts)
        united = (unite_hashes(np.concatenate(some)) for some in zip(*sets, strict=True))
        addresses, domains, wildcards, boxes = united
        return cls(addresses, domains, wildcards, boxes=boxes)

    @classmethod
    def of_events(
        cls, addresses: Hashes, boxes: Hashes, events: Events
    ) -> "tuple[OwnKeys, Events]":
        """Return each address and each mailbox of aliases once, and the events of addresses.

        ``boxes`` are as ``AddressHash.hash_boxes`` has them.
        """
        named, of_named = settle_kinds(addresses, events)
        both = np.concatenate([named, boxes[boxes > 0]])
        keys, of_keys = settle_kinds(both, np.concatenate([of_named, events[boxes > 0]]))
        counted = settle_events(named, of_named)[1]
        return cls(keys, events=of_keys, boxes=unite_hashes(boxes[boxes > 0])), counted

    def write(self, path: Path, hashes: AddressHash) -> None:
        """Write all of it to a new file, synced, under the seal of the secret that made it."""
        parts: Sequence[NDArray[np.generic]] = (self.addresses, self.domains, self.wildcards)
        parts = (*parts, self.boxes)
        magic, counts = _NAMED, [len(part) for part in parts]
        if len(self.events):
            outcomes, days = split_events(self.events)
            magic, counts = _BOUNCES, [len(self.addresses), self.boxes.nbytes]
            parts = self.addresses, days.astype("<i4"), outcomes.astype(np.uint8), self.boxes
        with create_durably(path) as file:
            file.write(magic + np.array([hashes.seal, *counts], "<u8").tobytes())
            for part in parts:
                file.write(part.astype(part.dtype.newbyteorder("<"), copy=False).data)

    @classmethod
    def read(cls, path: Path, hashes: AddressHash) -> "OwnKeys":
        """Read a file of ``write``, or of release 0.2.

        Raises:
            FileNotFoundError: There is none, or it was cut, or made by another secret, so that it
                would match no one.
        """
        content = path.read_bytes()
        magic, seal = content[:8], content[8:16]
        if seal == hashes.seal.to_bytes(8, "little"):
            if magic in (_NAMED, _NAMED_OF_0_3):
                head = 48 if magic == _NAMED else 40
                counts = np.frombuffer(content[16:head].ljust(head - 16), "<u8")
                if len(content) == head + 8 * counts.sum():
                    keys = np.frombuffer(content, "<u8", offset=head).astype(np.uint64, copy=False)
                    parts = np.split(keys, np.cumsum(counts)[:3].astype(np.int64))
                    boxes = np.concatenate([keys[:0], *parts[3:]])
                    return cls(parts[0], parts[1], parts[2], boxes=boxes)
            if magic in (_BOUNCES, _BOUNCES_OF_0_2):
                count, last_bytes = np.frombuffer(content[16:32].ljust(16), "<u8").tolist()
                domain_bytes = 4 * count if magic == _BOUNCES_OF_0_2 else 0
                if len(content) == 32 + 13 * count + domain_bytes + last_bytes:
                    keys = np.frombuffer(content, "<u8", count, 32).astype(np.uint64, copy=False)
                    days = np.frombuffer(content, "<i4", count, 32 + 8 * count)
                    outcomes = np.frombuffer(content, "u1", count, 32 + 12 * count + domain_bytes)
                    last = content[32 + 13 * count :] if magic == _BOUNCES else b""
                    boxes = np.frombuffer(last, "<u8").astype(np.uint64, copy=False)
                    return cls(keys, events=number_events(outcomes, days), boxes=boxes)
        raise FileNotFoundError(path.name)

    def match_address(
        self, key: str, hashes: AddressHash, has_plus_tags: HasPlusTags
    ) -> "MatchedRows":
        """Return what is said of a well-formed address, as of row 0 of a list.

        ``key`` is its duplicate key.
        """
        named = hashes.hash_spellings(key, has_plus_tags)
        if len(self.events):
            named = named[find_members(self.addresses, named)]
            sides = (np.searchsorted(self.addresses, named, side) for side in ("left", "right"))
            first, last = sides
            found = self.events[np.concatenate([first, last - 1])]
            return _settle(MatchedRows(np.zeros(len(found), np.int64), found))
        local_part, _, domain = key.rpartition("@")
        is_named = (
            find_members(self.addresses, named[:-1]).any()
            or find_members(self.boxes, named[-1:]).any()
            or find_members(self.wildcards, hashes.hash_local_parts(pl.Series([local_part]))).any()
            or self.find_domains(pl.Series([domain]), hashes).any()
        )
        return MatchedRows(np.zeros(int(is_named), np.int64))

    def find_domains(self, names: pl.Series, hashes: AddressHash) -> NDArray[np.bool_]:
        """Return which domains (A-labels) are named, by themselves or by a wildcard above."""
        found = np.zeros(len(names), np.bool_)
        if len(self.domains):
            found |= find_members(self.domains, hashes.hash_domains(names))
        above = names
        while len(self.wildcards):
            above = above.str.extract(r"^[^.]+\.(.+)$")
            if above.null_count() == len(above):
                break
            is_below = find_members(self.wildcards, hashes.hash_domains(above))
            found |= is_below & above.is_not_null().to_numpy()
        return found


def has_seal(path: Path, hashes: AddressHash) -> bool:
    """Return whether a file of hashes was made by a secret; errors are ``OwnKeys.read``'s."""
    with path.open("rb") as file:
        return file.read(16)[8:] == hashes.seal.to_bytes(8, "little")


def number_events(outcomes: NDArray[np.uint8], days: NDArray[np.int32]) -> Events:
    """Return events as numbers."""
    noes = np.array([0, 0, 0, 2, 1])[outcomes]
    indices = np.where(noes, 0, outcomes).astype(np.int64)
    return (noes << _NO) + (days.astype(np.int64) + 1) * _BOUNCES_COUNT - 1 - indices


def split_events(events: Events) -> tuple[Events, Events]:
    """Return the outcomes of events, by their indices, and the days."""
    noes, others = events >> _NO, events & ((1 << _NO) - 1)
    indices = np.where(noes, np.array([0, 4, 3])[noes], 2 - others % _BOUNCES_COUNT)
    return indices, others // _BOUNCES_COUNT


def is_objection(events: Events) -> NDArray[np.bool_]:
    """Return which events are a person's no."""
    found: NDArray[np.bool_] = events >> _NO > 0
    return found


def to_day(number: SupportsInt) -> date | None:
    """Return the day of such a number, counted from 1970; None for 0."""
    return EPOCH + timedelta(days=int(number)) if number else None


def settle_events(named: NDArray[Key], events: Events) -> tuple[NDArray[Key], Events]:
    """Return the distinct addresses (or rows) that events are of, rising, and the event of each.

    The newest counts, and of several on one day the worst: mail that arrived in May takes back a
    bounce of March, and nothing takes back a complaint or an unsubscription.
    """
    order = np.lexsort((events, named))
    named, events = named[order], events[order]
    is_last = np.append(named[1:] != named[:-1], np.ones(min(1, len(named)), np.bool_))
    return named[is_last], events[is_last]


def settle_kinds(named: NDArray[Key], events: Events) -> tuple[NDArray[Key], Events]:
    """Return as ``settle_events``, but of each address its last no beside its last other event.

    A later yes takes back the no, and not the bounce.
    """
    is_no = is_objection(events)
    parts = [settle_events(named[some], events[some]) for some in (~is_no, is_no)]
    both, of_both = (np.concatenate(some) for some in zip(*parts, strict=True))
    order = np.argsort(both, kind="stable")
    return both[order], of_both[order]


def count_outcomes(events: Events) -> dict[MailOutcome, int]:
    """Return how many events have each outcome that there is."""
    counts = np.bincount(split_events(events)[0], minlength=len(OUTCOMES)).tolist()
    return {one: count for one, count in zip(OUTCOMES, counts, strict=True) if count}


def count_events(events: Events) -> FileCounts:
    """Return the counts of outcomes, and the first and the last day of events that have one."""
    days = split_events(events)[1]
    dated = days[days > 0]
    first, last = map(to_day, (dated.min(), dated.max()) if len(dated) else (0, 0))
    return FileCounts(by_outcome=count_outcomes(events), first_day=first, last_day=last)


def find_members(members: Hashes, hashes: Hashes) -> NDArray[np.bool_]:
    """Return which hashes are in a sorted set."""
    if not len(members):
        return np.zeros(len(hashes), np.bool_)
    ranks = np.searchsorted(members, hashes)
    found: NDArray[np.bool_] = members.take(ranks, mode="clip") == hashes
    return found


def unite_hashes(hashes: Hashes) -> Hashes:
    """Return each of some hashes once, sorted; the array is changed.

    Ten million take 80 MB, with ``np.unique`` four times as much.
    """
    hashes.sort()
    is_first = np.ones(len(hashes), np.bool_)
    np.not_equal(hashes[1:], hashes[:-1], out=is_first[1:])
    return hashes if is_first.all() else hashes[is_first]


def count_named(files: Iterable[OwnKeys]) -> int:
    """Return how many addresses and domains files name, each once, not the mailboxes of aliases."""
    sets = [(np.setdiff1d(one.addresses, one.boxes), one.domains, one.wildcards) for one in files]
    return sum(len(unite_hashes(np.concatenate(some))) for some in zip(*sets, strict=True))


@dataclass(frozen=True, slots=True)
class MatchedRows:
    """The rows of a project, counted from 0 and rising, that a file names.

    ``events`` are those of a bounce file, as ``settle_kinds`` has them: a row may have two; a
    do-not-mail file has none.
    """

    rows: Rows
    events: Events = field(default_factory=lambda: np.empty(0, np.int64))

    def pick(self, row: int) -> "MatchedRows":
        """Return what is said of one row."""
        of_row = slice(*np.searchsorted(self.rows, (row, row + 1)))
        return MatchedRows(self.rows[of_row], self.events[of_row])

    def count_rows(self) -> int:
        """Return how many rows are named, each once."""
        return len(np.unique(self.rows))

    def read_last(self) -> tuple[MailOutcome, date | None] | None:
        """Return the outcome and the day, if it has one, of the last event; None: there is none."""
        if not len(self.events):
            return None
        [outcome], [day] = split_events(self.events[-1:])
        return OUTCOMES[outcome], to_day(day)


_NO_ROWS = MatchedRows(np.empty(0, np.int64))
_NO_HASHES = np.empty(0, np.uint64)


def find_named_rows(
    cells: CellReader,
    files: Sequence[OwnKeys],
    hashes: AddressHash,
    has_plus_tags: HasPlusTags,
) -> list[MatchedRows]:
    """Return for each file the rows whose address, mailbox or domain it names.

    Eight bytes a row stay in memory.
    """
    index = RowIndex.open(cells.folder)
    parts = [part for keys in files for part in (keys.addresses, keys.boxes)]
    named = unite_hashes(np.concatenate([_NO_HASHES, *parts]))
    starred = unite_hashes(np.concatenate([_NO_HASHES, *(keys.wildcards for keys in files)]))
    needs_boxes = any(len(keys.boxes) + len(keys.events) for keys in files)
    own = cells.find(hash_all_rows, hashes, needs_boxes, len(starred) > 0)
    has_tags, codes = cache(has_plus_tags), index.domain_codes(0, index.row_count)

    def find_tagged(places: Rows) -> Mask:
        """Return which addresses are at domains with plus tags."""
        is_former = places >= len(codes)
        names = np.full(len(places), "", object)
        names[~is_former] = index.name_domains(codes[places[~is_former]].tolist())
        names[is_former] = own.domains.gather(places[is_former] - len(codes)).to_list()
        return np.array([bool(name) and has_tags(name) for name in names], np.bool_)

    def choose(
        wanted: Hashes, hashes: Hashes, places: Rows | None = None, *, is_mailbox: bool = False
    ) -> _NamedRows:
        indices = np.flatnonzero(find_members(wanted, hashes))
        indices = indices[np.argsort(hashes[indices])]
        rows = indices.copy() if places is None else places[indices]
        if is_mailbox:
            is_tagged = find_tagged(rows)
            indices, rows = indices[is_tagged], rows[is_tagged]
        is_former = rows >= len(codes)
        rows[is_former] = own.former[rows[is_former] - len(codes)]
        return _NamedRows(hashes[indices], rows)

    by_address, by_local_part = choose(named, own.addresses), choose(starred, own.local_parts)
    by_base = choose(named, own.bases, own.aliases, is_mailbox=True)
    by_box = choose(named, own.boxes, is_mailbox=True)
    found = []
    for keys in files:
        boxes = keys.addresses if len(keys.events) else keys.boxes
        some = [by_box.match(keys, boxes)]
        some += (one.match(keys, keys.addresses) for one in (by_address, by_base))
        if len(keys.wildcards):
            some.append(by_local_part.match(keys, keys.wildcards))
        if len(keys.domains) + len(keys.wildcards):
            some.append(MatchedRows(_find_rows_of_domains(index, keys, hashes)))
            some.append(MatchedRows(own.former[keys.find_domains(own.domains, hashes)]))
        found.append(_settle(_join(some)))
    return found


@dataclass(frozen=True, slots=True)
class _NamedRows:
    """Rows with a hash that some file names, by these hashes, which rise.

    A file is looked up in them, so that one more costs what is in it, and not what is in the list.
    """

    hashes: Hashes
    rows: Rows

    def match(self, keys: OwnKeys, named: Hashes) -> MatchedRows:
        """Return the rows that a file names, with its events."""
        first = np.searchsorted(self.hashes, named)
        counts = np.searchsorted(self.hashes, named, "right") - first
        before = np.cumsum(counts) - counts
        indices = np.arange(counts.sum()) + np.repeat(first - before, counts)
        events = np.repeat(keys.events, counts) if len(keys.events) else keys.events
        return MatchedRows(self.rows[indices], events)


def _find_rows_of_domains(index: RowIndex, keys: OwnKeys, hashes: AddressHash) -> Rows:
    names = (keys.find_domains(some, hashes) for some in index.read_names())
    is_named = np.concatenate([[False], *names])  # by domain code
    runs = index.iterate_runs()
    parts = (
        np.flatnonzero(is_named[index.domain_codes(start, count)]) + start for start, count in runs
    )
    return np.concatenate([_NO_ROWS.rows, *parts])


class RowHashes(NamedTuple):
    """Hashes of a project's rows: of their addresses, and of what they reach if domains have tags.

    ``addresses`` are of all rows, as duplicates share them, and then of what corrected rows
    (``former``, at ``domains``) had: a no of either spelling counts. ``aliases`` are the places of
    those that are spelt otherwise with tags set aside, ``bases`` the hashes of that. ``boxes`` are
    as ``AddressHash.hash_boxes`` has them, of all; they and ``local_parts`` are empty where no file
    has any.
    """

    former: Rows
    domains: pl.Series
    addresses: Hashes
    local_parts: Hashes
    aliases: Rows
    bases: Hashes
    boxes: Hashes


def _settle(matched: MatchedRows) -> MatchedRows:
    """Return each row once, rising, with each of its two kinds of events."""
    if len(matched.events):
        return MatchedRows(*settle_kinds(matched.rows, matched.events))
    return MatchedRows(np.unique(matched.rows))


def _join(parts: Sequence[MatchedRows]) -> MatchedRows:
    rows, events = [part.rows for part in parts], [part.events for part in parts]
    return MatchedRows(np.concatenate(rows), np.concatenate(events))


class SpeltRows(NamedTuple):
    """Spellings of rows' addresses as hashes, each with its row; ``boxes`` as ``hash_boxes``."""

    rows: Rows
    addresses: Hashes
    boxes: Hashes


def hash_keys(hashes: AddressHash, rows: Rows, keys: Iterable[str]) -> SpeltRows:
    """Return the hashes of rows' addresses, given as duplicate keys."""
    parts = split_addresses(pl.Series("key", keys, pl.String))
    return SpeltRows(rows, hashes.hash_parts(*parts), hashes.hash_boxes(*parts))


def hash_all_rows(
    table: CellTable, hashes: AddressHash, needs_boxes: bool, needs_local_parts: bool
) -> RowHashes:
    """Return the hashes of all rows; ``boxes`` and ``local_parts`` only where they are needed."""
    former, keys = table.find_former()
    came = pl.Series(keys, dtype=pl.String)
    addresses, starred, aliases, bases = [_NO_HASHES], [_NO_HASHES], [former[:0]], [_NO_HASHES]
    boxes, start = [_NO_HASHES], 0
    for texts in chain(table.stream_texts(table.address), [came]):
        local_parts, domains = split_addresses(texts)
        addresses.append(hashes.hash_parts(local_parts, domains))
        if needs_local_parts:
            starred.append(hashes.hash_local_parts(texts.str.extract("^(.*)@")))
        reached = spell_bases(local_parts, domains)
        is_alias = (reached["local"] != local_parts) | (reached["domain"] != domains)
        some = reached.filter(is_alias)
        aliases.append(is_alias.arg_true().to_numpy().astype(np.int64) + start)
        bases.append(hashes.hash_parts(some["local"], some["domain"]))
        if needs_boxes:
            boxes.append(hashes.hash_parts(MAILBOX_MARK + reached["local"], reached["domain"]))
        start += len(texts)
    spelt, of_locals, of_bases, of_boxes = map(np.concatenate, (addresses, starred, bases, boxes))
    places = np.concatenate(aliases)
    _, domains = split_addresses(came)
    return RowHashes(former, domains, spelt, of_locals, places, of_bases, of_boxes)


def write_rows(matched: MatchedRows, path: Path) -> None:
    """Write matched rows to a new file, synced."""
    with create_durably(path) as file:
        file.write(np.array([len(matched.rows)], "<u8").tobytes())
        file.write(matched.rows.astype("<u4").data)  # a list has fewer than 2**32 rows
        file.write(matched.events.astype("<i8").data)


def read_rows(path: Path) -> MatchedRows:
    """Read a file of ``write_rows``.

    Raises:
        FileNotFoundError: There is no such file, or it was cut, or is a bounce file's of an
            earlier release: it is to be made again.
    """
    content = path.read_bytes()
    count = int.from_bytes(content[:8], "little")
    if len(content) not in (8 + 4 * count, 8 + 12 * count):
        raise FileNotFoundError(path.name)
    rows = np.frombuffer(content, "<u4", count, 8)
    events = np.frombuffer(content, "<i8", offset=8 + 4 * count)
    return MatchedRows(rows.astype(np.int64), events.astype(np.int64))


def list_remembered(files: Mapping[OwnFileKind, Sequence[MatchedRows]]) -> MatchedRows:
    """Return what earlier lists said of rows, but for noes before the day of a later yes."""
    said = _join([_NO_ROWS, *files[OwnFileKind.SAID_NO]])
    again = _settle(_join([_NO_ROWS, *files[OwnFileKind.MAIL_AGAIN]]))
    if not len(again.rows):
        return said
    indices = np.searchsorted(again.rows, said.rows).clip(max=len(again.rows) - 1)
    outcomes, said_on = split_events(said.events)
    again_on = split_events(again.events)[1][indices]
    holds = (again.rows[indices] != said.rows) | (said_on >= again_on)
    holds |= outcomes == OUTCOMES.index(MailOutcome.HARD)  # which no yes takes back
    return MatchedRows(said.rows[holds], said.events[holds])


def list_file_reasons(
    files: Mapping[OwnFileKind, Sequence[MatchedRows]],
) -> dict[Reason, list[Rows]]:
    """Return the rows that files name, rising, by reason; the newest event of a row counts."""
    bounced = _join([list_remembered(files), *files[OwnFileKind.BOUNCES]])
    bounced = MatchedRows(*settle_events(bounced.rows, bounced.events))
    outcomes, _ = split_events(bounced.events)
    found = {Reason.DO_NOT_MAIL: [one.rows for one in files[OwnFileKind.DO_NOT_MAIL]]}
    for outcome, reason in BOUNCE_REASONS.items():
        rows = bounced.rows[outcomes == OUTCOMES.index(outcome)]
        found.setdefault(reason, []).append(rows)
    return found

"""Columns that say who may be mailed, read by heading and cells together, and their cells."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from typing import NamedTuple

from winnow.core.meaning.delivery import read_file_name
from winnow.core.meaning.outcomes import Outcome, choose_worst
from winnow.core.meaning.vocabulary import (
    HEADINGS,
    WORDS,
    VocabularyEntry,
    fold_words,
    open_vocabulary,
)
from winnow.core.record_enum import RecordEnum

VALUES_LISTED = 50  # of a column
LISTED_CHARACTERS = 60  # longer values are free text, and are not listed
_FIRST_WORDS = 5  # of a longer cell below a heading about mail
_TAGGED_CHARACTERS = 100_000  # of a cell with tags
_PARTED = re.compile(r"[,;|\n]")
_MAIL = re.compile(
    r"(?<!direct )\bmail|email|newsletter|nieuwsbrief|epost|correo|courriel|sahkoposti"
)
_ADVERTISING = re.compile(r"marketing|publici|pubblicit|werbung|reklam|reclame")
_NUMBER = re.compile(r"\s*\d{1,8}\s*")
_ZEROS = re.compile(r"(?<=\d)[.,]0+(?=\s*$)")  # of a number that was written as a float
_NO_WORDS = re.compile(r"[\d\s.,:/+TZ-]{2,}")  # days and amounts, of which columns have many
_DAY = re.compile(
    r"\s*(?:(?!0000|1900-01-01|1970-01-01)\d{4}[-/.年]\s?\d{1,2}(?:[-/.月]\s?\d{1,2}.*)?"
    r"|(?!00)\d{1,2}[./-]\s?\d{1,2}[./-]\s?\d{2,4}\b.*|\d{9,14}|\d{16}|\d{19}|(?:19|20)\d{6}(?:\d{6})?|[34]\d{4}"
    r"|(?=.{6,70}$)(?=.*[^\W\d_]{3})(?=.*(?<!\d)\d{1,2}(?!\d)).*(?<!\w)(?:19|20)\d\d(?!\w).*)\s*",
    re.DOTALL,
)


class Readings(NamedTuple):
    """Outcomes of cells that say nothing by themselves."""

    yes: Outcome = Outcome.NOTHING
    no: Outcome = Outcome.NOTHING
    day: Outcome = Outcome.NOTHING
    text: Outcome = Outcome.NOTHING


_NONE = Readings()
_MAIL_NO, _HARD, _INVALID = Outcome.NO_MAIL, Outcome.HARD_BOUNCE, Outcome.INVALID


class HeadingKind(RecordEnum):
    """Kind of column by its heading, as ``headings.tsv`` has it.

    ``readings`` are what a yes, a no, a day and any other text mean below such a heading.
    """

    readings: Readings

    # Of a merged list: the file that a row came from.
    FILE = "file", _NONE
    BOUNCE_REASON = "bounce_reason", Readings(_HARD, Outcome.MAIL, _HARD, _HARD)
    # Why somebody is no longer mailed.
    REASON = "reason", Readings(_MAIL_NO, Outcome.MAIL, _MAIL_NO, _MAIL_NO)
    SILENT = "silent", _NONE  # about something else, whatever it says
    OTHER_CHANNEL = "other_channel", _NONE
    OTHER = "other", _NONE
    COMPLAINT = "complaint", Readings(Outcome.COMPLAINED, Outcome.MAIL, Outcome.COMPLAINED)
    INVALID = "invalid", Readings(_INVALID, Outcome.MAIL, _INVALID)
    VALID = "valid", Readings(Outcome.MAIL, _INVALID, Outcome.MAIL)
    BOUNCE = "bounce", Readings(_HARD, Outcome.MAIL, _HARD)
    CONSENT_OUT = "consent_out", Readings(_MAIL_NO, Outcome.MAIL, _MAIL_NO)
    PENDING = "pending", Readings(Outcome.PENDING, Outcome.MAIL, Outcome.PENDING)
    CONFIRMED = "confirmed", Readings(Outcome.MAIL, Outcome.PENDING, Outcome.MAIL)
    MAIL_STATUS = "mail_status", Readings(Outcome.MAIL, _MAIL_NO)
    VERIFIER = "verifier", Readings(Outcome.MAIL, _INVALID)
    CONSENT_IN = "consent_in", Readings(Outcome.MAIL, _MAIL_NO, Outcome.MAIL)
    STATUS = "status", _NONE  # of anything: only words about mail decide


@dataclass(frozen=True, slots=True)
class WordMet:
    """A value of a column, its outcome and rows; ``is_known`` is whether the tables have it."""

    value: str
    outcome: Outcome
    count: int
    is_strong: bool
    is_known: bool


@dataclass(frozen=True, slots=True)
class MailDecisions:
    """Decisions of the analyst, which outrank the tables.

    Attributes:
        columns: Whether a column is about mail, by its folded heading.
        values: Whether a value may be mailed, by folded heading and folded value.
    """

    columns: Mapping[str, bool] = field(default_factory=dict)
    values: Mapping[str, Mapping[str, bool]] = field(default_factory=dict)

    def decide_column(self, name: str, is_about_mail: bool) -> "MailDecisions":
        """Return the same with a decision about a column."""
        return replace(self, columns={**self.columns, fold_words(name): is_about_mail})

    def decide_value(self, name: str, value: str, is_mailed: bool) -> "MailDecisions":
        """Return the same with a decision about a value, and its column about mail."""
        heading = fold_words(name)
        values = {**self.values.get(heading, {}), fold_value(value): is_mailed}
        decided = replace(self, values={**self.values, heading: values})
        return decided.decide_column(name, is_about_mail=True)

    def add(self, other: "MailDecisions") -> "MailDecisions":
        """Return the same with other decisions, which outrank these."""
        values = {
            heading: {**self.values.get(heading, {}), **other.values.get(heading, {})}
            for heading in {**self.values, **other.values}
        }
        return MailDecisions({**self.columns, **other.columns}, values)

    def keep_noes(self) -> "MailDecisions":
        """Return what may hold for rows of other files as well: nothing that mails people."""
        noes = {
            one: {value: so for value, so in said.items() if not so}
            for one, said in self.values.items()
        }
        return MailDecisions({one: so for one, so in self.columns.items() if so}, noes)

    def find_value(self, name: str, value: str) -> bool | None:
        """Return whether a value may be mailed; None: not decided."""
        return self.values.get(fold_words(name), {}).get(fold_value(value))

    def without_strong(self, columns: Sequence["ColumnMeaning"]) -> "MailDecisions":
        """Return what may hold for another list: nothing that mails people of a strong no."""
        strong = {
            (fold_words(one.name), fold_value(word.value))
            for one in columns
            for word in one.words
            if word.is_strong and word.outcome.forbids
        }
        headings = {heading for heading, _ in strong}
        kept = {one: so for one, so in self.columns.items() if so or one not in headings}
        values = {
            one: {value: so for value, so in said.items() if not so or (one, value) not in strong}
            for one, said in self.values.items()
        }
        return MailDecisions(kept, values)


NO_DECISIONS = MailDecisions()


@dataclass(frozen=True, slots=True)
class ColumnMeaning:
    """A column that says, or may say, who may be mailed.

    Attributes:
        position: From 0.
        name: As written.
        kind: Of its heading; STATUS where the cells alone speak of mail.
        applied: Whether it counts; else it is only offered.
        reads_weak: Whether words count that are about mail in such columns only.
        reads_numbers: Whether 0 and 1 are no and yes, and no amounts.
        words: The values met, most frequent first, none that is long or has an ``@``; also ``""``
            for empty cells beside them.
    """

    position: int
    name: str
    kind: HeadingKind
    applied: bool
    reads_weak: bool
    reads_numbers: bool
    words: tuple[WordMet, ...] = ()

    @property
    def is_of_verifier(self) -> bool:
        """Whether its cells are another verification service's, by its heading or strong words.

        They say nothing of what a person wants.
        """
        said = {word.outcome for word in self.words if word.is_strong}
        of_verifiers = (HeadingKind.VERIFIER, HeadingKind.VALID, HeadingKind.INVALID)
        return self.kind in of_verifiers or not said.isdisjoint({Outcome.INVALID, Outcome.RISKY})

    @property
    def has_days(self) -> bool:
        """Whether a value met is a day."""
        return any(_DAY.fullmatch(word.value) for word in self.words)


def count_values(rows: Iterable[Sequence[str]], width: int) -> tuple[Counter[str], ...]:
    """Return how often each column of some rows has each value."""
    counts: tuple[Counter[str], ...] = tuple(Counter() for _ in range(width))
    for row in rows:
        for counter, cell in zip(counts, row, strict=False):
            counter[cell] += 1
    return counts


def read_columns(
    names: Sequence[str],
    values: Sequence[Mapping[str, int]],
    email_column: int,
    decisions: MailDecisions = NO_DECISIONS,
) -> tuple[ColumnMeaning, ...]:
    """Return the columns of a list that say, or may say, who may be mailed.

    Args:
        names: Their headings.
        values: The distinct cells of each with their counts, of the whole list or its first rows.
        email_column: Says nothing.
        decisions: Of the analyst.
    """
    found = (
        _read_column(place, name, counts, decisions)
        for place, (name, counts) in enumerate(zip(names, values, strict=False))
        if place != email_column
    )
    return tuple(one for one in found if one is not None)


def read_heading(name: str) -> tuple[HeadingKind, bool] | None:
    """Return the kind of a heading and whether it counts by itself; None: it says nothing."""
    words, vocabulary = fold_words(name), open_vocabulary(HEADINGS)
    entry = vocabulary.find(words)
    if entry is not None and _names_mail_too(entry, words):
        others = (one for one in vocabulary.find_open(words) if not _names_mail_too(one, words))
        entry = next(others, None)
    if entry is None or entry.means == HeadingKind.OTHER:
        return None
    return HeadingKind(entry.means), entry.strength == "strong"


def may_speak_of_mail(name: str) -> bool:
    """Return whether the cells of a column can count at all: its heading is not silent."""
    found = read_heading(name)
    if found is None:
        return open_vocabulary(HEADINGS, "contact").find(fold_words(name)) is None
    return found[0] not in (HeadingKind.SILENT, HeadingKind.OTHER_CHANNEL)


def may_say(names: Sequence[str], email_column: int) -> bool:
    """Return whether any column of a list could say who may be mailed, by the headings alone."""
    places = (place for place in range(len(names)) if place != email_column)
    return any(may_speak_of_mail(names[place]) for place in places)


def read_cell(
    meaning: ColumnMeaning, cell: str, decisions: MailDecisions = NO_DECISIONS
) -> Outcome:
    """Return what a cell says, as if its column were applied."""
    if decisions.values:
        decided = decisions.find_value(meaning.name, cell)
        if decided is not None:
            return Outcome.MAIL if decided else Outcome.NO_MAIL
    outcome, _ = _read(meaning.kind, meaning.reads_weak, meaning.reads_numbers, cell)
    is_other = outcome is Outcome.RISKY and not meaning.is_of_verifier  # *unknown* of anything
    return Outcome.NOTHING if is_other else outcome


def decides_alike(heading: str, value: str, is_mailed: bool) -> bool:
    """Return whether the tables decide a value so in any list, whatever its other cells are."""
    kind = (read_heading(heading) or (HeadingKind.STATUS,))[0]
    if kind in (HeadingKind.SILENT, HeadingKind.OTHER_CHANNEL):
        kind = HeadingKind.CONSENT_IN
    said = [_read(kind, is_so, is_so, value)[0] for is_so in (False, True)]
    is_word = _NO_WORDS.fullmatch(value) is None  # a decided day or amount is not as it was written
    return is_word and all(not one.forbids if is_mailed else one.is_objection for one in said)


def has_strong_word(cell: str) -> bool:
    """Return whether a cell makes its column one about mail, whatever the heading."""
    return any(entry.strength == "strong" for entry in _find_words(cell, lenient=False))


def fold_headings(headings: Iterable[str]) -> tuple[str, ...]:
    """Return the set of a list's headings, by which it looks like another one."""
    return tuple(sorted(set(map(fold_words, headings))))


def fold_value(cell: str) -> str:
    """Return a cell as ``MailDecisions`` has it."""
    return fold_words(cell) or cell.strip().casefold()


def _names_mail_too(entry: VocabularyEntry, words: str) -> bool:
    """Return whether a heading that is about something else is about mail as well."""
    if entry.means == HeadingKind.OTHER_CHANNEL:
        return _MAIL.search(words) is not None
    is_topic = entry[:2] == (HeadingKind.SILENT, "weak")
    return is_topic and bool(_MAIL.search(words) or _ADVERTISING.search(words))


def _read_column(
    place: int, name: str, counts: Mapping[str, int], decisions: MailDecisions
) -> ColumnMeaning | None:
    folded = fold_words(name)
    heading = read_heading(name)
    decided = decisions.columns.get(folded, True if folded in decisions.values else None)
    kind, applied = heading or (HeadingKind.STATUS, False)
    may_be_paid = kind is HeadingKind.MAIL_STATUS and decided is None and not _MAIL.search(folded)
    find_billing = open_vocabulary(WORDS, "billing").find
    if may_be_paid and any(find_billing(fold_words(value)) for value in counts):
        kind = HeadingKind.STATUS  # of something that is paid for
    if kind is HeadingKind.FILE and not any(map(_read_source, counts)):
        kind = HeadingKind.SILENT
    if kind in (HeadingKind.SILENT, HeadingKind.OTHER_CHANNEL):
        if not decided:
            return None
        kind = HeadingKind.CONSENT_IN
    listed = [
        value
        for value in counts
        if value.strip() and "@" not in value and len(value) <= LISTED_CHARACTERS
    ]
    reads_numbers = kind is HeadingKind.CONSENT_OUT or (
        kind is not HeadingKind.MAIL_STATUS and not any(map(_is_amount, counts))
    )
    is_strong = any(map(has_strong_word, counts))
    applied = is_strong or (applied and kind is not HeadingKind.STATUS)
    reads_weak = applied or heading is not None or len(listed) <= VALUES_LISTED
    if decided is not None:
        applied = decided
    words = []
    for value in sorted(listed, key=lambda one: (-counts[one], one))[:VALUES_LISTED]:
        outcome, is_known = _read(kind, reads_weak, reads_numbers, value)
        words.append(WordMet(value, outcome, counts[value], has_strong_word(value), is_known))
    is_offered = heading is not None and 0 < len(words) <= len(listed) <= VALUES_LISTED
    is_offered |= any(word.outcome.forbids for word in words)
    empty = sum(count for value, count in counts.items() if not value.strip())
    if words and empty:
        words.append(WordMet("", Outcome.NOTHING, empty, is_strong=False, is_known=True))
        words.sort(key=lambda word: -word.count)
    meaning = ColumnMeaning(place, name, kind, applied, reads_weak, reads_numbers, tuple(words))
    return meaning if applied or is_offered or decided is not None else None


def _is_amount(value: str) -> bool:
    """Return whether a cell is a number other than 0 and 1, and no day."""
    value = _ZEROS.sub("", value)
    is_number = _NUMBER.fullmatch(value) is not None and _DAY.fullmatch(value) is None
    return is_number and int(value.strip()) > 1


def _read(
    kind: HeadingKind, reads_weak: bool, reads_numbers: bool, cell: str
) -> tuple[Outcome, bool]:
    """Return a cell's outcome, and whether the tables or the heading know it."""
    if kind is HeadingKind.FILE:
        return _read_source(cell) or Outcome.NOTHING, True
    readings, cell = kind.readings, _ZEROS.sub("", cell)
    found: list[Outcome] = []
    for entry in _find_words(cell, lenient=readings is not _NONE):
        if entry.strength == "strong" or (reads_weak and entry.means not in ("yes", "no")):
            found.append(Outcome(entry.means) if entry.means != "nothing" else Outcome.NOTHING)
        elif entry.means in ("yes", "no"):
            found.append(_answer(kind, entry, reads_weak, reads_numbers, cell))
    worst = choose_worst(found)
    if readings.text is not Outcome.NOTHING and fold_words(cell):
        kept = worst.forbids or worst is Outcome.MAIL or (found and worst is Outcome.NOTHING)
        return (worst if kept else readings.text), True
    if not found and _DAY.fullmatch(cell) and "://" not in cell:
        return readings.day, readings is not _NONE
    return worst, bool(found) or not fold_words(cell)


_read_source = partial(read_file_name, is_list=True)


def _answer(
    kind: HeadingKind, entry: VocabularyEntry, reads_weak: bool, reads_numbers: bool, cell: str
) -> Outcome:
    """Return what a yes or a no means below a heading."""
    readings = kind.readings
    if cell.strip().isdigit() and not reads_numbers:
        return Outcome.NOTHING
    if readings is _NONE and entry.strength == "weak" and reads_weak:
        return Outcome.MAIL if entry.means == "yes" else Outcome.NO_MAIL
    return readings.yes if entry.means == "yes" else readings.no


def _find_words(cell: str, *, lenient: bool) -> tuple[VocabularyEntry, ...]:
    """Return the entries of a cell, else of its parts; lenient: of its first words."""
    return () if _NO_WORDS.fullmatch(cell.strip()) else _look_up(cell, lenient=lenient)


@lru_cache(maxsize=1 << 14)
def _look_up(cell: str, *, lenient: bool) -> tuple[VocabularyEntry, ...]:
    words = open_vocabulary(WORDS)
    folded = fold_words(cell)
    entry = words.find(folded)
    if entry is not None or not folded:
        return () if entry is None else (entry,)
    pieces = _PARTED.split(cell[:_TAGGED_CHARACTERS]) if _PARTED.search(cell) else []
    parts = (words.find(fold_words(piece)) for piece in pieces)
    found = tuple(one for one in parts if one is not None and one.strength == "strong")
    if found or not lenient:
        return found
    split = folded.split()
    for length in range(min(_FIRST_WORDS, len(split) - 1), 0, -1):
        entry = words.find(" ".join(split[:length]))
        if entry is not None and entry.strength != "bare":
            return (entry,)
    return ()

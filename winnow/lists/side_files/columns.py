"""Columns of addresses, domains and outcomes of mail in a table, by headings and by content."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from winnow.core.addresses.address import find_address, to_a_label
from winnow.core.lists.side_files import MAIL_OUTCOMES, MailOutcome
from winnow.core.meaning.addresses import ColumnCounts, holds_address, names_email, score_columns
from winnow.core.meaning.columns import ColumnMeaning, count_values, read_cell, read_columns
from winnow.core.meaning.delivery import (
    is_other_event,
    list_headings,
    read_file_name,
    read_line,
    says_delivered,
    says_fully,
)
from winnow.core.meaning.outcomes import Outcome, choose_worst
from winnow.core.meaning.vocabulary import HEADINGS, fold_words, open_vocabulary
from winnow.core.own_lists.patterns import ANY_DOMAIN, WILDCARD_MARK
from winnow.core.unicode_forms import spell_plainly

_HARD_ONLY = ({"status", "reason", "created"}, {"event", "smtpid"}, {"event", "sgeventid"})
"""Columns of SendGrid's exports, whose lines are hard bounces where they say nothing else."""
COMMENTS = ("#", "//", ";")
_DATE_WORDS = ("time", "date", "created", "bounced", "updated", "at", "datum", "fecha", "stamp")


@dataclass(frozen=True, slots=True)
class NamingColumns:
    """Places from 0: of addresses (which may hold domains as well), and last of domains.

    ``address`` is the first of addresses, ``header`` the row that names the columns; None where
    there is none.
    """

    indices: tuple[int, ...]
    address: int | None
    header: int | None


def find_naming_columns(rows: Sequence[Sequence[str]]) -> NamingColumns:
    """Return the naming columns of a table by its first rows.

    Below a header the column of addresses named so is taken, else the one with most different
    addresses: who changed an entry, or passed it on, is not on the list. Without a header all
    count, for several addresses may be on a line. A column of domains counts where it is named so,
    or where there is no column of addresses.
    """
    header = _find_header(rows)
    names = () if header is None else tuple(rows[header])
    cells = [
        ["" if cell.lstrip().startswith(COMMENTS) else cell for cell in row]
        for row in rows[0 if header is None else header + 1 :]
    ]
    columns = score_columns(names, cells)
    domains = {
        one.place: sum(_names_many(row[one.place]) for row in cells if one.place < len(row))
        for one in columns
    }

    def names_something(one: ColumnCounts) -> bool:
        """Whether at least half of it are addresses and domains."""
        return 2 * (one.held + domains[one.place]) >= one.filled

    holding = [one for one in columns if one.held and names_something(one)]
    named = [one for one in columns if one.is_named]
    fallback = [one for one in columns if one.held]  # better much junk than a gap
    candidates = [one for one in named if one.held] or holding or named or fallback
    candidates.sort(key=lambda one: (-one.distinct, -one.held, one.place))
    chosen = candidates[:1] if header is not None or not holding else holding
    others = [one for one in columns if one not in chosen and domains[one.place]]
    others = [one for one in others if names_something(one)] or others
    preferred = [one for one in others if names_domain(*names[one.place : one.place + 1])]
    found = preferred if chosen else preferred or others
    indices = tuple(one.place for one in (*chosen, *found[:1]))
    return NamingColumns(indices, chosen[0].place if chosen else None, header)


def names_domain(name: str = "") -> bool:
    """Whether a name is one that columns of domains have."""
    return open_vocabulary(HEADINGS, "domain").find(fold_words(name)) is not None


def read_domain(text: str) -> str | None:
    """Return the domain or wildcard that a text is, maybe behind ``@``; None: it is none."""
    bare = text.strip().removesuffix(".").removeprefix("*@").removeprefix("@")
    wild = WILDCARD_MARK if bare.startswith(WILDCARD_MARK) else ""
    found = find_address(f"a@{to_a_label(bare.removeprefix(wild))}")
    return None if found is None else wild + found.domain


def names_local_part(text: str) -> bool:
    """Whether a text names a local part at any domain, as own lists do."""
    bare = text.strip()
    return bare.endswith(ANY_DOMAIN) and "*" not in bare[:-1]


def _names_many(text: str) -> bool:
    return names_local_part(text) or read_domain(text) is not None


def _find_header(rows: Sequence[Sequence[str]]) -> int | None:
    """Return the place of the first row with names of columns: none of it is an address itself."""
    for place, row in enumerate(rows[:20]):
        if row[0].strip().startswith(COMMENTS):
            continue
        if any(holds_address(cell) or _names_many(cell) for cell in row):
            return None
        names = list(map(spell_plainly, row))
        is_wide = len(row) > 1 and sum(map(bool, names)) * 2 > len(row)
        if any(map(names_email, row)) or any(map(names_domain, row)) or is_wide:
            return place
    return None


@dataclass(frozen=True, slots=True)
class BounceLayout:
    """Columns of one table of bounces by their folded names.

    Attributes:
        address: Holds the addresses.
        date: Holds the days, None: none does.
        indices: Their places from 0.
        says: Those whose cells say an outcome, the first to count first.
        meanings: Those that say it below a heading of lists: *Bounced*, *Portal Unsubscribe*.
        otherwise: The outcome of lines that say none.
        header: The place of the row with the names.
    """

    address: str
    date: str | None
    indices: Mapping[str, int]
    says: tuple[str, ...]
    meanings: Mapping[str, ColumnMeaning]
    otherwise: Outcome | None
    header: int

    def read(self, cells: Mapping[str, str]) -> MailOutcome | None:
        """Return the outcome of a line; None: it reports none."""
        outcome = read_line(cells.get(name, "") for name in self.says)
        if outcome is None:
            said = (read_cell(one, cells.get(name, "")) for name, one in self.meanings.items())
            outcome = choose_worst(said)
            is_other = any(is_other_event(cells.get(name, "")) for name in self.says)
            if outcome in (Outcome.NOTHING, Outcome.MAIL) and not is_other:  # sent, opened
                outcome = self.otherwise or outcome
        if outcome is Outcome.HARD_BOUNCE and self.otherwise is Outcome.SOFT_BOUNCE:
            outcome = self.otherwise
        return MAIL_OUTCOMES.get(outcome)


def find_layout(rows: Sequence[Sequence[str]], name: str = "") -> BounceLayout | None:
    """Return a table's layout by its first lines; None where no column says what became of mail.

    ``name`` is that of the file or part, which identifies Mailchimp's cleaned addresses and the
    suppressions of SendGrid.
    """
    columns = find_naming_columns(rows)
    address, header = columns.address, columns.header
    if address is None or header is None:
        return None
    names, below = rows[header], rows[header + 1 :]
    read = read_columns(names, count_values(below, len(names)), address)
    indices = {name: place for place, name in reversed(list(enumerate(map(spell_plainly, names))))}
    indices.pop("", None)
    known = [name for name in list_headings("says") if name in indices]
    says = (*_find_saying(indices, below), *known)
    meanings = {
        spell_plainly(one.name): one
        for one in read
        if one.applied and spell_plainly(one.name) not in says
    }
    otherwise = read_file_name(name)
    if otherwise is None and any(indices.keys() >= needs for needs in _HARD_ONLY):
        otherwise = Outcome.HARD_BOUNCE
    if not (otherwise or says or meanings):
        return None
    ends = sorted((one for one in indices if one.endswith(_DATE_WORDS)), key=indices.__getitem__)
    date = next((name for name in (*list_headings("date"), *ends) if name in indices), None)
    return BounceLayout(
        spell_plainly(names[address]), date, indices, says, meanings, otherwise, header
    )


def _find_saying(indices: Mapping[str, int], below: Sequence[Sequence[str]]) -> list[str]:
    """Return the columns whose cells say hard, soft or delivered, whatever they are called."""
    saying = []
    for name, place in indices.items():
        cells = [line[place] for line in below if line[place:] and line[place].strip()]
        said = [says_fully(cell) for cell in cells if not says_delivered(cell)]
        if said and all(said):
            saying.append(name)
    return saying

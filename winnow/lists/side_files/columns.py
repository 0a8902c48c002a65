"""Columns of addresses, domains and outcomes of mail in a table, by headings and by content."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from winnow.core.addresses.address import find_address, to_a_label
from winnow.core.lists.side_files import MailOutcome
from winnow.core.own_lists.patterns import WILDCARD_MARK
from winnow.core.unicode_forms import spell_plainly
from winnow.lists.inspection.columns import holds_address, names_email

_DOMAIN_NAMES = frozenset(
    {
        *("domain", "domains", "emaildomain", "maildomain", "domainname", "host", "blockeddomain"),
        *("domain2", "domaene", "domane", "domaine", "dominio", "pattern", "patterns", "value"),
        *("blacklist", "blocklist", "entry", "suppression"),
    }
)
COMMENTS = ("#", "//", ";")

# Columns of bounce files, from the services' own documentation, as ``spell_plainly`` has them.
HARD, SOFT, DELIVERED = MailOutcome.HARD, MailOutcome.SOFT, MailOutcome.DELIVERED

HARD_ONLY = ("cleantime", "cleancampaigntitle", "status reason created", "event smtpid",
             "event sgeventid")  # fmt: skip
"""Columns of the exports whose lines are hard bounces where they say nothing else."""
SAYS = ("bouncetype", "bounceclass", "notificationtype", "eventtype", "event", "type",
        "suppressionreason", "category", "status", "outcome", "result", "state", "bounce", "reason",
        "bouncereason", "error", "code", "description", "metric")  # fmt: skip
"""Columns of which the first that says an outcome counts."""
FLAGS = ("portalbounce", "globalbounce", "emailhardbouncereason", "hardbouncereason", "hardbounce",
         "bounced")  # fmt: skip
"""Columns that report a hard bounce with anything but "no"."""
WORDS: Mapping[str, MailOutcome | None] = {  # None: the line reports no mail
    **dict.fromkeys(("dnserror", "undeliverable", "smtpapierror"), SOFT),
    **dict.fromkeys(("complaint", "spamcomplaint", "spamreport", "send", "processed", "dropped",
                     "open", "click", "unsubscribe", "groupunsubscribe", "groupresubscribe")),
}  # fmt: skip

_STATUS = re.compile(r"(?<![\d.])([245])(?:\.\d{1,3}\.\d{1,3}|\d\d)(?![\d.])")  # RFC 3463, RFC 5321
_NO = frozenset({"", "false", "no", "n", "0", "none", "null", "n/a", "-"})
_HARD = re.compile(r"hard|permanent|invalid|does ?not ?exist|no such user|unknown user|bad ?email")
_SOFT = re.compile(r"soft|transient|temporar|undetermined|blocked|deferred|mailbox ?full")
_SAYS = re.compile(r"(?:hard|soft|permanent|transient|temporary)(?:[ -]?bounce[sd]?|\W|$)")
_GOOD = re.compile(r"^(?:delivered|delivery|received|opened|clicked)")
_DATES = ("cleantime", "bouncedat", "created", "timestamp", "lastupdatetime")
_DATE_WORDS = ("time", "date", "created", "bounced", "updated", "at", "datum", "fecha", "stamp")


@dataclass(frozen=True, slots=True)
class NamingColumns:
    """Places from 0: of addresses (which may hold domains as well), and of domains.

    ``header`` is the place of the row that names the columns, None where there is none.
    """

    addresses: int | None
    domains: int | None
    header: int | None

    @property
    def places(self) -> tuple[int, ...]:
        """Those that there are."""
        return tuple(place for place in (self.addresses, self.domains) if place is not None)


def find_naming_columns(rows: Sequence[Sequence[str]]) -> NamingColumns:
    """Return the naming columns of a table by its first rows.

    Of several columns of addresses the one named so is taken, else the fullest: who changed an
    entry, or passed it on, is not on the list. A column of domains counts where it is named so, or
    where there is no column of addresses.
    """
    header = _find_header(rows)
    body = rows if header is None else rows[header + 1 :]
    names = () if header is None else tuple(rows[header])
    columns = [_Column.of(place, names, body) for place in range(max(map(len, rows), default=0))]
    holding = [column for column in columns if column.addresses and column.names_something]
    named = [column for column in columns if names_email(column.name)]
    fallback = [column for column in columns if column.addresses]  # better much junk than a gap
    candidates = [one for one in named if one.addresses] or holding or named or fallback
    best = max(candidates, key=lambda one: (one.addresses, -one.place), default=None)
    domains = [one for one in columns if one is not best and one.domains]
    domains = [one for one in domains if one.names_something] or domains
    preferred = [one for one in domains if spell_plainly(one.name) in _DOMAIN_NAMES]
    chosen = preferred if best is not None else preferred or domains
    return NamingColumns(
        None if best is None else best.place, chosen[0].place if chosen else None, header
    )


@dataclass(frozen=True, slots=True)
class _Column:
    """Counts of a column's cells, comments and empty ones apart."""

    place: int
    name: str
    addresses: int
    domains: int
    others: int

    @classmethod
    def of(cls, place: int, names: Sequence[str], body: Sequence[Sequence[str]]) -> "_Column":
        cells = [row[place].strip() for row in body if place < len(row)]
        filled = [cell for cell in cells if cell and not cell.startswith(COMMENTS)]
        domains = sum(read_domain(cell) is not None for cell in filled)
        addresses = sum(holds_address(cell) and read_domain(cell) is None for cell in filled)
        name = names[place] if place < len(names) else ""
        return cls(place, name, addresses, domains, len(filled) - addresses - domains)

    @property
    def names_something(self) -> bool:
        """Whether at least half of it are addresses and domains."""
        return self.addresses + self.domains >= self.others


def read_domain(text: str) -> str | None:
    """Return the domain or wildcard that a text is, maybe behind ``@``; None: it is none."""
    bare = text.strip().removesuffix(".").removeprefix("*@").removeprefix("@")
    wild = WILDCARD_MARK if bare.startswith(WILDCARD_MARK) else ""
    found = find_address(f"a@{to_a_label(bare.removeprefix(wild))}")
    return None if found is None else wild + found.domain


def _find_header(rows: Sequence[Sequence[str]]) -> int | None:
    """Return the place of the first row with names of columns: none of it is an address itself."""
    for place, row in enumerate(rows[:20]):
        if row[0].strip().startswith(COMMENTS):
            continue
        if any(holds_address(cell) or read_domain(cell) is not None for cell in row):
            return None
        names = list(map(spell_plainly, row))
        is_wide = len(row) > 1 and sum(map(bool, names)) * 2 > len(row)
        if any(map(names_email, row)) or any(name in _DOMAIN_NAMES for name in names) or is_wide:
            return place
    return None


@dataclass(frozen=True, slots=True)
class BounceLayout:
    """Columns of one table by their folded names, ``says`` those whose cells say an outcome.

    ``otherwise`` is the outcome of lines that say none. ``header`` is the place of the row with
    the names.
    """

    otherwise: MailOutcome | None
    address: str
    date: str | None
    places: Mapping[str, int]
    says: Sequence[str] = ()
    header: int = 0

    def read(self, cells: Mapping[str, str]) -> MailOutcome | None:
        """Return the outcome of a line; None: it reports none."""
        told = [spell_plainly(cells.get(name, "")) for name in (*self.says, *SAYS)]
        for name, folded in zip((*self.says, *SAYS), told, strict=True):
            if folded in WORDS:
                return WORDS[folded]
            if folded and (outcome := read_words(cells[name])) is not None:
                return outcome
        is_flagged = any(cells.get(name, "").strip().casefold() not in _NO for name in FLAGS)
        return HARD if is_flagged or "bounce" in told else self.otherwise


def read_words(text: str) -> MailOutcome | None:
    """Return the outcome that a type, a status or a reason says."""
    text = text.strip().casefold().replace("_", " ")
    if _HARD.search(text):
        return HARD
    if _SOFT.search(text):
        return SOFT
    if _GOOD.match(text):
        return DELIVERED
    found = _STATUS.search(text)  # 5.1.1 or 550 is for good, 4.2.2 for a time
    return None if found is None else {"5": HARD, "4": SOFT, "2": DELIVERED}[found[1]]


def find_layout(rows: Sequence[Sequence[str]], part: str = "") -> BounceLayout | None:
    """Return a table's layout by its first lines; None where no column says what became of mail.

    ``part`` is the name of the part of a zip, which identifies Mailchimp's cleaned addresses.
    """
    columns = find_naming_columns(rows)
    if columns.header is None or columns.addresses is None:
        return None
    header = columns.header
    names, below = rows[header], rows[header + 1 :]
    places = {name: place for place, name in reversed(list(enumerate(map(spell_plainly, names))))}
    places.pop("", None)
    is_hard = any(places.keys() >= set(needs.split()) for needs in HARD_ONLY)
    is_hard |= re.match(r"cleaned[_ .-]", part, re.IGNORECASE) is not None  # of Mailchimp
    says = [] if is_hard else _find_saying(places, below)
    if not (is_hard or says) and places.keys().isdisjoint((*SAYS, *FLAGS)):
        return None
    address = spell_plainly(names[columns.addresses])
    otherwise, date = HARD if is_hard else None, _find_date(places)
    return BounceLayout(otherwise, address, date, places, says, columns.header)


def _find_saying(places: Mapping[str, int], below: Sequence[Sequence[str]]) -> list[str]:
    """Return the columns whose cells say hard, soft or delivered, whatever they are called."""
    saying = []
    for name, place in places.items():
        cells = [line[place].strip().casefold().replace("_", " ") for line in below if line[place:]]
        told = [bool(_SAYS.match(cell)) for cell in cells if cell and not _GOOD.match(cell)]
        if told and all(told):
            saying.append(name)
    return saying


def _find_date(places: Mapping[str, int]) -> str | None:
    ends = sorted((one for one in places if one.endswith(_DATE_WORDS)), key=places.__getitem__)
    return next((name for name in (*_DATES, *ends) if name in places), None)

"""Detection of a table's columns of addresses and domains, by headings and by content."""

from collections.abc import Sequence
from dataclasses import dataclass

from winnow.core.addresses.address import find_address, to_a_label
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

"""Repairs of a list: those that are offered, those that are made, and where they are written."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from winnow.core.addresses.address import normalise
from winnow.core.addresses.repair_kinds import SAFE_KINDS, RepairKind
from winnow.core.addresses.repairs import Repair, find_repair, take_apart


class RepairPlace(StrEnum):
    """Where a repaired address is in the result."""

    COLUMN = "column"  # in the added column email_repaired
    REPLACE = "replace"  # in the email column; the former one in the added column email_original


@dataclass(frozen=True, slots=True)
class RepairChoice:
    """What may be repaired; a row is judged, compared and charged by its repaired address.

    ``kinds`` are repaired wherever they are met. ``domains`` gives for a canonical domain the one
    that takes its place; one that has lost its dot stands in lower case. ``singles`` says of single
    values, outer blanks aside, what becomes of them whatever else is chosen: an address, or None
    where they stay; also of a value that is mended to one of them. ``place`` says
    which column holds the repaired addresses, and so which the former ones.
    """

    kinds: frozenset[RepairKind] = frozenset()
    domains: Mapping[str, str] = field(default_factory=dict)
    singles: Mapping[str, str | None] = field(default_factory=dict)
    place: RepairPlace = RepairPlace.REPLACE

    def apply(self, text: str) -> Repair | None:
        """Return the repaired address of a value, None where it stays as it is."""
        mended = find_repair(text)
        if self.singles and (value := normalise(text)) in self.singles:
            new = self.singles[value]
            if new is None or new == value:
                return None
            is_mend = mended is not None and mended.new == new
            return mended if is_mend else Repair(new, _name_kind(text if mended is None else new))
        if mended is not None and mended.kind not in self.kinds:
            mended = None
        if mended is not None and mended.new in self.singles:
            new = self.singles[mended.new]
            return mended if new is None else Repair(new, _name_kind(mended.new))
        if not self.domains:
            return mended
        parts = take_apart(text if mended is None else mended.new)
        target = None if parts is None else self.domains.get(parts[1])
        if parts is None or target is None:
            return mended
        return Repair(f"{parts[0]}@{target}", _name_kind(parts[1]))

    @property
    def named_domains(self) -> frozenset[str]:
        """The domains of which addresses may be repaired though nothing else is wrong with them."""
        singles = (value.rpartition("@")[2].lower() for value in self.singles)
        return frozenset(self.domains) | frozenset(singles)

    @property
    def is_empty(self) -> bool:
        """Whether nothing is repaired."""
        return not (self.kinds or self.domains or self.singles)

    def join(self, later: "RepairChoice") -> "RepairChoice":
        """Return the choice that does what this one does, and then what a later one does."""
        return RepairChoice(
            self.kinds | later.kinds,
            {**self.domains, **later.domains},
            {**self.singles, **later.singles},
            later.place,
        )


def _name_kind(text: str) -> RepairKind:
    """Return what was wrong with a domain that another took the place of."""
    return RepairKind.MISSPELT if "." in text.rpartition("@")[2] else RepairKind.LOST_DOT


SAFE_REPAIRS = RepairChoice(SAFE_KINDS, place=RepairPlace.COLUMN)
"""Every safe repair, into a column: what ``repair=safe`` asks for."""


Ways = tuple[RepairKind | None, tuple[str, str] | None]
"""Fault of a value: its kind of repair, the domain and the one it probably means."""


@dataclass(frozen=True, slots=True)
class RepairOffer:
    """Possible repairs of a list; ``rows`` counts its rows by fault.

    ``candidates`` is None, or how many rows must be read for the counts, which are missing then.
    """

    rows: Mapping[Ways, int] = field(default_factory=dict)
    candidates: int | None = None

    @property
    def total(self) -> int:
        """How many rows could be repaired."""
        return sum(self.rows.values())

    def count_kinds(self) -> Mapping[RepairKind, int]:
        """Return how many rows each kind would repair, in the order of kinds.

        A row that has both a fault of its own and a misspelt domain counts for the former.
        """
        counts = dict.fromkeys(RepairKind, 0)
        for (kind, domains), count in self.rows.items():
            counts[kind or name_domain_kind(domains)] += count
        return {kind: count for kind, count in counts.items() if count}

    def count_domains(self) -> Mapping[tuple[str, str], int]:
        """Return how many rows each pair of domains concerns, the most rows first."""
        counts: dict[tuple[str, str], int] = {}
        for (_, domains), count in self.rows.items():
            if domains is not None:
                counts[domains] = counts.get(domains, 0) + count
        return dict(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))

    def count(self, choice: RepairChoice) -> int:
        """Return how many rows a choice would repair, single values aside."""
        return sum(
            count
            for (kind, domains), count in self.rows.items()
            if kind in choice.kinds
            or (kind is None and domains is not None and choice.domains.get(domains[0]))
        )

    def choose(self, kinds: Collection[RepairKind]) -> RepairChoice:
        """Return the choice of these kinds, with all their misspelt domains."""
        of_value = frozenset(kind for kind in kinds if not kind.is_of_domain)
        pairs = (pair for pair in self.count_domains() if name_domain_kind(pair) in kinds)
        return RepairChoice(of_value, dict(pairs))


NOTHING_TO_REPAIR = RepairOffer()


@dataclass(frozen=True, slots=True)
class RepairRow:
    """One row that could be repaired, or was: ``number`` is its number for people, from 1."""

    number: int
    kind: RepairKind
    old: str
    new: str


def name_domain_kind(domains: tuple[str, str] | None) -> RepairKind:
    """Return what is wrong with a domain that probably means another."""
    is_whole = domains is None or "." in domains[0]
    return RepairKind.MISSPELT if is_whole else RepairKind.LOST_DOT

"""Offered repairs of a finished list: kinds and domains with their rows, and single rows."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from winnow.core.addresses.repair_kinds import RepairKind
from winnow.core.tasks.repair_choice import RepairChoice

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

    def choose(
        self, kinds: Collection[RepairKind], domains: Collection[str] | None = None
    ) -> RepairChoice:
        """Return the choice of these kinds, and of these misspelt domains; None: of all."""
        of_value = frozenset(kind for kind in kinds if not kind.is_of_domain)
        pairs = {
            old: new
            for old, new in self.count_domains()
            if (domains is None or old in domains) and name_domain_kind((old, new)) in kinds
        }
        return RepairChoice(of_value, pairs)


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

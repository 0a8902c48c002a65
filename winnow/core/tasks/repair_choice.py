"""Which addresses of a list are repaired in a run, and where the repaired ones stand."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from winnow.core.addresses.repair_kinds import SAFE_KINDS, RepairKind


class RepairPlace(StrEnum):
    """Where a repaired address stands in the result."""

    COLUMN = "column"
    REPLACE = "replace"


@dataclass(frozen=True, slots=True)
class RepairChoice:
    """What may be repaired; a row is judged, compared and charged by its repaired address.

    ``kinds`` are repaired wherever they are met. ``domains`` gives for a lower-case domain the one
    that takes its place. ``others`` are values, outer blanks aside, of which the opposite holds:
    left alone although their kind is repaired, or repaired although it is not.
    ``place``: a column of its own holds each row's address, repaired or as it was; or a
    repaired cell is replaced.
    """

    kinds: frozenset[RepairKind] = frozenset()
    domains: Mapping[str, str] = field(default_factory=dict)
    others: frozenset[str] = frozenset()
    place: RepairPlace = RepairPlace.COLUMN

    def to_json(self) -> dict[str, Any]:
        """Return the choice as plain values."""
        return {
            "kinds": sorted(self.kinds),
            "domains": dict(self.domains),
            "others": sorted(self.others),
            "place": self.place.value,
        }

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> "RepairChoice":
        """Read what ``to_json`` wrote."""
        return cls(
            frozenset(map(RepairKind, values["kinds"])),
            dict(values["domains"]),
            frozenset(values["others"]),
            RepairPlace(values["place"]),
        )


SAFE_REPAIRS = RepairChoice(SAFE_KINDS)
"""Every safe repair, into a column: what ``repair=safe`` asks for."""

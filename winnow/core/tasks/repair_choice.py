"""Which addresses of a list are repaired in a run, and where the repaired ones stand."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from winnow.core.addresses.address import normalise
from winnow.core.addresses.repair_kinds import SAFE_KINDS, RepairKind
from winnow.core.addresses.repairs import Repair, find_repair, take_apart


class RepairPlace(StrEnum):
    """Where a repaired address stands in the result."""

    COLUMN = "column"
    REPLACE = "replace"


@dataclass(frozen=True, slots=True)
class RepairChoice:
    """What may be repaired; a row is judged, compared and charged by its repaired address.

    ``kinds`` are repaired wherever they are met. ``domains`` gives for a canonical domain the one
    that takes its place; one that has lost its dot stands in lower case. ``others`` are values,
    outer blanks aside, of which the opposite holds: what is wrong with the value itself is left
    alone although its kind is repaired, or repaired although it is not.
    ``place``: a column of its own holds each row's address, repaired or as it was; or a
    repaired cell is replaced.
    """

    kinds: frozenset[RepairKind] = frozenset()
    domains: Mapping[str, str] = field(default_factory=dict)
    others: frozenset[str] = frozenset()
    place: RepairPlace = RepairPlace.COLUMN

    def apply(self, text: str) -> Repair | None:
        """Return the repaired address of a value, None where it stays as it is."""
        mended = find_repair(text)
        if mended is not None:
            is_other = bool(self.others) and normalise(text) in self.others
            mended = mended if (mended.kind in self.kinds) != is_other else None
        if not self.domains:
            return mended
        parts = take_apart(text if mended is None else mended.new)
        target = None if parts is None else self.domains.get(parts[1])
        if parts is None or target is None:
            return mended
        kind = RepairKind.MISSPELT if "." in parts[1] else RepairKind.LOST_DOT
        return Repair(f"{parts[0]}@{target}", kind)

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

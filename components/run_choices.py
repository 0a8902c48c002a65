"""What is chosen for a run beside how its file is read, kept in the page's address.

A reload loses none of it. Codes and positions only: no column's name enters an address.
"""

from collections.abc import Mapping, MutableMapping

from components.address_params import put_params, read_position
from components.duplicates import Removal
from winnow.core.tasks.keep_rule import Keep, KeepChoice
from winnow.core.tasks.repair_choice import RepairPlace

_KEEP, _DATE, _REPAIR = "keep", "date", "repair"
_EVERY_ROW = "all"


def read_removal(params: Mapping[str, str]) -> Removal:
    """Return what becomes of duplicates by an address; nonsense is the usual."""
    word = params.get(_KEEP)
    if word == _EVERY_ROW:
        return Removal(deduplicate=False)
    keep = Keep(word) if word in set(Keep) else Keep.LAST
    if keep is not Keep.NEWEST:
        return Removal(deduplicate=True, keep=KeepChoice(keep))
    place = read_position(params.get(_DATE))
    return Removal(True, None if place is None else KeepChoice(keep, place))


def read_repair(params: Mapping[str, str]) -> RepairPlace | None:
    """Return where repaired addresses go by an address; None: nothing is repaired."""
    word = params.get(_REPAIR)
    return RepairPlace(word) if word in set(RepairPlace) else None


def write_run_choices(
    removal: Removal, repair: RepairPlace | None, params: MutableMapping[str, str]
) -> None:
    """Put choices into an address; what is usual leaves it."""
    keep = removal.keep
    date = keep.keep_by if keep is not None and isinstance(keep.keep_by, int) else None
    if not removal.deduplicate:
        word = _EVERY_ROW
    elif keep is None:
        word = Keep.NEWEST.value
    else:
        word = "" if keep.keep is Keep.LAST else keep.keep.value
    values = {
        _KEEP: word,
        _DATE: "" if date is None else str(date + 1),
        _REPAIR: "" if repair is None else repair.value,
    }
    put_params(values, params)


def clear_run_choices(params: MutableMapping[str, str]) -> None:
    """Forget every choice, as for another file."""
    put_params(dict.fromkeys((_KEEP, _DATE, _REPAIR), ""), params)

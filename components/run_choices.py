"""What is chosen for a run beside how its file is read, kept in the page's address.

A reload loses none of it. Codes and positions only: no column's name enters an address.
"""

from collections.abc import Mapping, MutableMapping

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
    text = params.get(_DATE, "")
    is_place = text.isascii() and text.isdigit() and 0 < len(text) < 6 and int(text) > 0
    return Removal(True, KeepChoice(keep, int(text) - 1) if is_place else None)


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
    for key, value in values.items():
        if value:
            params[key] = value
        elif key in params:
            del params[key]


def clear_run_choices(params: MutableMapping[str, str]) -> None:
    """Forget every choice, as for another file."""
    for key in (_KEEP, _DATE, _REPAIR):
        if key in params:
            del params[key]

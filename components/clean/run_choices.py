"""Choices for a run about duplicates and repairs, kept in the page's URL.

A reload keeps them. Codes and positions only: no column's name is in a URL.
"""

from collections.abc import Mapping

from components.clean.duplicates import Removal
from components.kit.page_params import page_params, read_position
from winnow.core.tasks.keep_rule import Keep, KeepChoice

_KEEP, _DATE, _REPAIR = "keep", "date", "repair"
_EVERY_ROW, _SAFE = "all", "safe"


def read_removal(params: Mapping[str, str]) -> Removal:
    """Return the choice about duplicates in a URL; the default for invalid values."""
    word = params.get(_KEEP)
    if word == _EVERY_ROW:
        return Removal(deduplicate=False)
    keep = Keep(word) if word in set(Keep) else Keep.LAST
    if keep is not Keep.NEWEST:
        return Removal(deduplicate=True, keep=KeepChoice(keep))
    place = read_position(params.get(_DATE))
    return Removal(True, None if place is None else KeepChoice(keep, place))


def read_repair(params: Mapping[str, str]) -> bool:
    """Return whether a URL asks for safe repairs."""
    return params.get(_REPAIR) == _SAFE


def write_run_choices(removal: Removal, *, repairs: bool) -> None:
    """Write choices into the URL; defaults are left out."""
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
        _REPAIR: _SAFE if repairs else "",
    }
    page_params.put(values)


def clear_run_choices() -> None:
    """Delete every choice, as for another file."""
    page_params.put(dict.fromkeys((_KEEP, _DATE, _REPAIR), ""))

"""What could not move with the rows of a sheet, counted and named for the analyst."""

from dataclasses import dataclass, field


@dataclass(slots=True)
class Losses:
    """What a rewriting could not keep as it was.

    ``formulas`` counts cells that keep their last value without a formula. ``pointless`` names
    what points at removed rows only, ``partly`` what lost some of its own rows, ``outdated`` what
    shows the rows as they were until it is worked out anew.
    """

    formulas: int = 0
    has_moved_formulas: bool = False
    pointless: list[str] = field(default_factory=list)
    partly: list[str] = field(default_factory=list)
    outdated: list[str] = field(default_factory=list)

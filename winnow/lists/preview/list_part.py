"""Beginning of a list as a run's first pass reads it, and its rows as people see them."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from winnow.core.tasks.run_options import RunOptions
from winnow.core.tasks.task import InputPlan
from winnow.core.verdicts.facts import LocalWords
from winnow.lists.engine.address_codes import AddressCodes
from winnow.lists.engine.domain_texts import DomainTexts
from winnow.lists.engine.duplicates import Ranks

MOST_BYTES = 48_000_000  # of text, or of a sheet's XML: a second's work, or two
MOST_ROWS = 1_000_000

ReadRows = Callable[[NDArray[np.int64]], list[tuple[int, tuple[str, ...]]]]
"""Returns the number in the file and the cells of rows by their places, which rise."""


@dataclass(frozen=True, slots=True)
class PartRequest:
    """A list whose beginning is to be read.

    Attributes:
        path: The file; it is only read.
        plan: How it is to be read.
        options: What is chosen for the run.
        scratch: An existing folder for temporary files.
        most_bytes: Of text, or of a sheet's XML; what a block holds more is read as well.
        local_words: Flags of whole local parts.
    """

    path: Path
    plan: InputPlan
    options: RunOptions
    scratch: Path
    most_bytes: int = MOST_BYTES
    local_words: LocalWords = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ListPart:
    """Rows in the file's order, an entry each; blank lines and the header are among them.

    ``ranks`` are settled. ``is_whole``: these are all rows of the list. ``read_rows`` holds while
    the list is open.
    """

    addresses: AddressCodes
    ranks: Ranks | None
    domains: DomainTexts
    is_whole: bool
    read_rows: ReadRows

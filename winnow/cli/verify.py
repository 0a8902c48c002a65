"""``winnow verify``: is a decision page unaltered, and does what is stored still say the same?"""

import os
import sys
from pathlib import Path

from winnow import wiring
from winnow.core.decisions.verification import PageOutcome, Verification
from winnow.lists.reports.decision_markup import PAGE_MAX_BYTES


def verify_file(file: Path) -> int:
    """Print one line.

    Returns:
        0 where the page holds, 1 where it does not, 2 where that cannot be told.
    """
    found = _verify(file)
    sys.stdout.write(f"{found.said}\n")
    return int(found.outcome)


def _verify(file: Path) -> Verification:
    try:
        with file.open("rb") as opened:
            data = opened.read(PAGE_MAX_BYTES + 1)
    except OSError as error:
        return _cannot(f"{file.name} cannot be read: {error.strerror}.")
    services = wiring.existing_services(os.environ)
    if services is None:
        return _cannot(
            "There is no data folder here; only the one that made the page can check it."
        )
    return services.decision_checks.verify(data)


def _cannot(said: str) -> Verification:
    return Verification(PageOutcome.CANNOT_BE_TOLD, said)

"""Notices: what was assumed or repaired in a list."""

from dataclasses import dataclass

DNS_USE, DNS_SILENT, REGISTRY_USE = "network_use", "dns_silent", "registry_use"  # of notices
DATES_READ = "dates_read"  # which number of a date is the day
OTHER_SHEETS = "other_sheets"  # of a workbook, with addresses that are not checked


@dataclass(frozen=True, slots=True)
class Notice:
    """Something assumed or repaired, with the lines (or sheet rows) it concerns, from 1.

    ``lines`` holds the first 100; ``count`` is how many there are in all.
    """

    code: str
    text: str
    lines: tuple[int, ...] = ()
    count: int = 0


def merge_notices(first: tuple[Notice, ...], then: tuple[Notice, ...]) -> tuple[Notice, ...]:
    """Return the notices of the submission, then of the run; of one code only the run's."""
    said = {notice.code for notice in then}
    return tuple(notice for notice in first if notice.code not in said) + then

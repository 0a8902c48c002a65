"""Report of a build on its sources."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

from winnow.domain_data.build.catalogue import ListInfo
from winnow.domain_data.look_up.look_up import Knowledge


@dataclass(frozen=True, slots=True)
class BuildReport:
    """What a build took over and what it left out.

    ``overlaps`` counts names on both of two disposable lists. ``at_public_suffix`` are listed
    names at or above a public suffix, which no look-up matches. ``guards`` counts listed names by
    their guard, ``conflicts`` has the names that are on a disposable list and known to be honest,
    with the guard.
    """

    data_version: str
    lists: tuple[ListInfo, ...]
    overlaps: Mapping[tuple[str, str], int]
    at_public_suffix: tuple[str, ...]
    guards: Mapping[str, int]
    conflicts: tuple[tuple[str, str], ...]
    name_count: int
    size_bytes: int


def report_build(
    knowledge: Knowledge,
    disposable: Mapping[str, frozenset[str]],
    *,
    dropped: frozenset[str],
    name_count: int,
    size_bytes: int,
) -> BuildReport:
    """Report on built knowledge; ``disposable`` holds the names of each disposable list."""
    listed = sorted(frozenset().union(*disposable.values()))
    conflicts = tuple(
        (name, guard.value) for name in listed if (guard := knowledge.find_guard(name)) is not None
    )
    return BuildReport(
        data_version=knowledge.data_version,
        lists=knowledge.describe(),
        overlaps={
            (one, other): len(disposable[one] & disposable[other])
            for one, other in combinations(disposable, 2)
        },
        at_public_suffix=tuple(sorted(dropped)),
        guards=dict(sorted(Counter(guard for _, guard in conflicts).items())),
        conflicts=conflicts,
        name_count=name_count,
        size_bytes=size_bytes,
    )

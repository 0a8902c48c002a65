"""Refresh of the published lists: the age of each, and what a fetched one must be to count."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from urllib.parse import urlsplit

from winnow.core.figures import count_things
from winnow.core.refresh import ListAge, RefreshOutcome, RefreshState
from winnow.core.verdicts.facts import Guard
from winnow.domain_data.build.build import DISPOSABLE
from winnow.domain_data.build.catalogue import ListInfo, read_package, read_packages, to_a_labels
from winnow.domain_data.build.refreshed import (
    RefreshedCopy,
    merge_copy,
    read_copies,
    read_mark,
    read_sources,
    write_copy,
)
from winnow.domain_data.look_up.look_up import Knowledge
from winnow.domain_data.suffixes import is_public_suffix

TOLERANCE = 0.3  # of the size of the current list
SLACK = 200  # names by which a list may move whatever its size: small ones move by more

REFUSING_GUARDS = frozenset(
    {
        Guard.RELAY,
        Guard.KNOWN_PROVIDER_OR_COMPANY,
        Guard.PUBLIC_BODY_OR_ACADEMIC,
        Guard.RESTRICTED_SUFFIX,
    }
)
"""A list with a new name under one of these guards is refused. Known conflicts are expected on
lists, and the published lists of free providers and open school suffixes hold disposable domains of
their own: there the guard itself is enough."""


class ListRefused(Exception):
    """The fetched list is not trusted; the text says why."""


@dataclass(frozen=True, slots=True)
class ListBook:
    """The refreshed lists of one data folder.

    ``open_knowledge`` gives the data whose guards check names. ``fetch`` returns what is at an
    address; its ConnectionError says why it cannot.
    """

    folder: Path
    open_knowledge: Callable[[], Knowledge]
    fetch: Callable[[str], bytes]

    def read_mark(self) -> object:
        """Return a value that changes with each written copy, by any process."""
        return read_mark(self.folder)

    def describe(self) -> tuple[ListAge, ...]:
        """Return the age of each list."""
        packages = {info.key: info for info in read_packages()}
        counting = self._find_counting(packages)
        ages = []
        for source in read_sources():
            copy, packaged = counting.get(source.key), packages.get(source.key)
            age = ListAge(
                host=urlsplit(source.url).hostname or "",
                dated_on=copy.checked_on if copy else packaged.released_on if packaged else None,
                is_refreshed=copy is not None,
                is_counted=copy is not None or packaged is not None,
            )
            ages.append(age)
        return tuple(ages)

    def refresh(self, today: date, *, may_be_others: bool = False) -> tuple[RefreshOutcome, ...]:
        """Fetch every list; a good one replaces its last copy, any other changes nothing.

        ``may_be_others``: one may have lost most of its names, as those of single days always may.

        Raises:
            OSError: A copy cannot be written; those written before it stay.
        """
        packages = {info.key: info for info in read_packages()}
        packaged = {key: read_package(key) for key in DISPOSABLE}
        expected = frozenset().union(*packaged.values())
        counting = self._find_counting(packages)
        find_protection = self.open_knowledge().find_protection
        outcomes = []
        for source in read_sources():
            last = counting.get(source.key)
            before = last.names if last else packaged.get(source.key)
            try:
                fetched = parse_list(self.fetch(source.url))
                check_list(
                    fetched,
                    sizes=source.sizes,
                    counting=last.latest if last else before,
                    expected=expected.union(before or ()),
                    find_protection=find_protection,
                    may_be_another=may_be_others or source.kept_days is not None,
                )
            except (ListRefused, ConnectionError) as error:
                is_refused = isinstance(error, ListRefused)
                state = RefreshState.REFUSED if is_refused else RefreshState.UNREACHABLE
                outcomes.append(RefreshOutcome(source.name, state, reason=str(error)))
                continue
            copy = merge_copy(source, fetched, last, today)
            write_copy(self.folder, copy)
            former = before or frozenset()
            added, removed = copy.names - former, former - copy.names
            state = RefreshState.CHANGED if added or removed else RefreshState.UNCHANGED
            outcomes.append(RefreshOutcome(source.name, state, len(added), len(removed)))
        return tuple(outcomes)

    def _find_counting(self, packages: dict[str, ListInfo]) -> dict[str, RefreshedCopy]:
        return {
            copy.source.key: copy
            for copy in read_copies(self.folder, read_sources())
            if copy.supersedes(packages.get(copy.source.key))
        }


def parse_list(body: bytes) -> frozenset[str]:
    """Read plain lines of domain names; empty lines and ``#`` comments are passed over.

    Raises:
        ListRefused: It has anything else.
    """
    if body.lstrip()[:1] == b"<":
        raise ListRefused("a web page came instead of a list")
    try:
        lines = body.decode("utf-8-sig").splitlines()
    except UnicodeDecodeError as error:
        raise ListRefused("what came is no text") from error
    names = set()
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.startswith("#"):
            continue
        name = to_a_labels(line)
        if name is None:
            raise ListRefused(f"line {number} is no domain name")
        names.add(name)
    return frozenset(names)


def check_list(
    names: frozenset[str],
    *,
    sizes: range,
    counting: frozenset[str] | None,
    expected: Iterable[str],
    find_protection: Callable[[str], Guard | None],
    may_be_another: bool = False,
) -> None:
    """Check a fetched list against what is known.

    Args:
        names: The fetched names.
        sizes: How many names the list may have.
        counting: The current copy of the list, or None where there is none.
        expected: Names that pass: those of the packages' lists, for which guards already answer.
        find_protection: Gives the guard that would apply to a name if it were listed.
        may_be_another: It may have lost more than half of the names so far.

    Raises:
        ListRefused: An unexpected size, too few of the names so far, a public suffix, or a name
            with a guard.
    """
    said = count_things(len(names), "name")
    if counting is None and len(names) not in sizes:
        raise ListRefused(f"a first copy with {said} is not to be trusted")
    moved = 0 if counting is None else abs(len(names) - len(counting))
    if counting is not None and (
        len(names) not in sizes or moved > max(TOLERANCE * len(counting), SLACK)
    ):
        raise ListRefused(f"{said}, where the list so far has {len(counting):,}")
    gone = frozenset(() if may_be_another or counting is None else counting - names)
    if counting is not None and 2 * len(gone) > len(counting):
        way = "if that is right: winnow refresh --accept-replaced"
        raise ListRefused(f"it lacks {len(gone):,} of {count_things(len(counting), 'name')}; {way}")
    for name in sorted(names.difference(expected, counting or ())):
        if is_public_suffix(name):
            raise ListRefused(f"it names {name}, a public suffix")
        guard = find_protection(name)
        if guard in REFUSING_GUARDS:
            raise ListRefused(f"it names {name} ({guard})")

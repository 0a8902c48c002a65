"""Refreshable lists: the age of each, and a refresh of all of them."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from winnow.core.refresh import ListAge, RefreshOutcome, RefreshState
from winnow.domain_data.build.build import DISPOSABLE
from winnow.domain_data.build.catalogue import ListInfo, read_package, read_packages
from winnow.domain_data.build.refreshed import (
    RefreshedCopy,
    Source,
    merge_copy,
    read_copies,
    read_mark,
    read_sources,
    write_copy,
)
from winnow.domain_data.look_up.look_up import Knowledge

if TYPE_CHECKING:
    import httpx


@dataclass(frozen=True, slots=True)
class ListBook:
    """The refreshed lists of one data folder.

    ``open_knowledge`` gives the data whose guards check names; ``open_client`` is called once a
    round.
    """

    folder: Path
    open_knowledge: Callable[[], Knowledge]
    open_client: "Callable[[], httpx.Client]"

    def read_mark(self) -> object:
        """Return a value that changes with each written copy, by any process."""
        return read_mark(self.folder)

    def describe(self) -> tuple[ListAge, ...]:
        """Return the age of each list."""
        packages = {info.key: info for info in read_packages()}
        counting = self._find_counting(packages)
        return tuple(
            _describe(source, counting.get(source.key), packages.get(source.key))
            for source in read_sources()
        )

    def refresh(self, today: date) -> tuple[RefreshOutcome, ...]:
        """Fetch every list; a good one replaces its last copy, any other changes nothing.

        Raises:
            OSError: A copy cannot be written; those written before it stay.
        """
        from winnow.domain_data.build.refresh import (  # imports httpx
            ListRefused,
            ListUnreachable,
            check_list,
            fetch_list,
        )

        packages = {info.key: info for info in read_packages()}
        packaged = {key: read_package(key) for key in DISPOSABLE}
        expected = frozenset().union(*packaged.values())
        counting = self._find_counting(packages)
        find_protection = self.open_knowledge().find_protection
        try:
            opened = self.open_client()
        except ListUnreachable as error:
            return tuple(
                RefreshOutcome(source.name, RefreshState.UNREACHABLE, reason=str(error))
                for source in read_sources()
            )
        outcomes = []
        with opened as client:
            for source in read_sources():
                last = counting.get(source.key)
                before = last.names if last else packaged.get(source.key)
                try:
                    fetched = fetch_list(client, source)
                    check_list(
                        fetched,
                        sizes=source.sizes,
                        counting=last.latest if last else before,
                        expected=expected.union(before or ()),
                        find_protection=find_protection,
                    )
                except (ListRefused, ListUnreachable) as error:
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


def _describe(source: Source, copy: RefreshedCopy | None, packaged: ListInfo | None) -> ListAge:
    return ListAge(
        name=source.name,
        host=urlsplit(source.url).hostname or "",
        dated_on=copy.checked_on if copy else packaged.released_on if packaged else None,
        is_refreshed=copy is not None,
        is_counted=copy is not None or packaged is not None,
    )

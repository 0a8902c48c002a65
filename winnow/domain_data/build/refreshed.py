"""Refreshed lists: their sources, and the last good copy of each in the data folder."""

import hashlib
import logging
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from pathlib import Path
from typing import NamedTuple

from winnow.atomic_files import write_atomically
from winnow.domain_data.build.catalogue import ListInfo, Nature, read_reviewed, split_head

COPY_SUFFIX = ".txt"
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Source:
    """One list that can be refreshed; ``key`` is a package's where it is the same list.

    ``sizes`` are the numbers of names that it may have; ``kept_days`` is how long a name counts
    after the list last had it, None where it counts only while on the list.
    """

    key: str
    name: str
    family: str
    nature: Nature
    licence: str
    url: str
    sizes: range
    kept_days: int | None


class Sighting(NamedTuple):
    """The first and the last UTC day on which a list had a name."""

    first: date
    last: date


@dataclass(frozen=True, slots=True)
class RefreshedCopy:
    """A list as it was fetched.

    ``fetched_on`` is the UTC day from which these names are known, ``checked_on`` the day on which
    the source last had exactly them. ``sightings`` has each name of a list whose names are kept
    for a while, and is empty for any other.
    """

    source: Source
    fetched_on: date
    checked_on: date
    names: frozenset[str]
    sightings: Mapping[str, Sighting] = field(default_factory=dict)

    @property
    def latest(self) -> frozenset[str]:
        """The names of the last fetch."""
        if not self.sightings:
            return self.names
        last = max(seen.last for seen in self.sightings.values())
        return frozenset(name for name, seen in self.sightings.items() if seen.last == last)

    @property
    def digest(self) -> str:
        """Digest of the names and of the first day of each that has one."""
        return digest_names(
            f"{name}\t{self.sightings[name].first}" if name in self.sightings else name
            for name in self.names
        )

    def supersedes(self, packaged: ListInfo | None) -> bool:
        """Return whether it counts: no package has the list, or only an older release of it."""
        day = packaged.released_on if packaged else None
        return day is None or self.fetched_on > day

    def describe(self, packaged: ListInfo | None) -> ListInfo:
        """Return it as one of the lists behind the data."""
        source = self.source
        info = packaged or ListInfo(
            source.key, source.name, None, None, source.licence, 0, source.family, source.nature
        )
        return replace(
            info,
            name=source.name,
            version=None,
            released_on=self.fetched_on,
            licence=source.licence,
        )


def read_sources() -> tuple[Source, ...]:
    """Return the lists that can be refreshed."""
    rows = read_reviewed("refresh_sources.tsv").rows
    return tuple(
        Source(
            key,
            name,
            family,
            Nature(nature),
            licence,
            url,
            sizes=range(int(fewest), int(most) + 1),
            kept_days=None if kept_days == "-" else int(kept_days),
        )
        for key, name, family, nature, licence, url, fewest, most, kept_days in rows
    )


def merge_copy(
    source: Source, names: frozenset[str], last: RefreshedCopy | None, today: date
) -> RefreshedCopy:
    """Return the new copy, from the fetched list and the former copy."""
    sightings: dict[str, Sighting] = {}
    if source.kept_days is not None:
        so_far = last.sightings if last else {}
        oldest = today - timedelta(days=source.kept_days)
        sightings = {name: seen for name, seen in so_far.items() if seen.last >= oldest}
        for name in names:
            first = sightings[name].first if name in sightings else today
            sightings[name] = Sighting(min(first, today), today)
        names = frozenset(sightings)
    fetched_on = last.fetched_on if last and last.names == names else today
    return RefreshedCopy(source, fetched_on, today, names, sightings)


def digest_names(names: Iterable[str]) -> str:
    """Return a digest of names, whatever their order."""
    return hashlib.sha256("\n".join(sorted(names)).encode()).hexdigest()


def read_copies(folder: Path, sources: Iterable[Source]) -> tuple[RefreshedCopy, ...]:
    """Return the last good copy of each source that has one.

    A damaged copy is left out, as if the list had never been refreshed.
    """
    copies = []
    for source in sources:
        try:
            copies.append(_read_copy(folder / f"{source.key}{COPY_SUFFIX}", source))
        except FileNotFoundError:
            continue
        except (OSError, ValueError, KeyError):
            _log.warning("the refreshed copy of %s is damaged and left out", source.key)
    return tuple(copies)


def write_copy(folder: Path, copy: RefreshedCopy) -> None:
    """Write a copy whole or not at all.

    Raises:
        OSError: It cannot be written; the former copy is then untouched.
    """
    body = []
    for name in sorted(copy.names):
        seen = copy.sightings.get(name)
        body.append(name if seen is None else f"{name}\t{seen.first}\t{seen.last}")
    head = {
        "name": copy.source.name,
        "source": copy.source.url,
        "licence": copy.source.licence,
        "date": copy.fetched_on.isoformat(),
        "checked": copy.checked_on.isoformat(),
        "sha256": digest_names(body),
    }
    lines = [*(f"# {key}: {value}" for key, value in head.items()), *body, ""]
    path = folder / f"{copy.source.key}{COPY_SUFFIX}"
    write_atomically(path, "\n".join(lines).encode("ascii"))


def read_mark(folder: Path) -> tuple[tuple[str, int, int], ...]:
    """Return a mark that changes with each written copy, by any process."""
    try:
        with os.scandir(folder) as entries:
            stats = [(entry.name, entry.stat()) for entry in entries if entry.name[0] != "."]
    except FileNotFoundError:
        return ()
    return tuple(sorted((name, stat.st_mtime_ns, stat.st_ino) for name, stat in stats))


def _read_copy(path: Path, source: Source) -> RefreshedCopy:
    head, body = split_head(path.read_text(encoding="ascii"))
    if digest_names(body) != head["sha256"]:
        msg = f"{path.name} is not what was written"
        raise ValueError(msg)
    fetched_on, checked_on = (date.fromisoformat(head[key]) for key in ("date", "checked"))
    rows = [line.split("\t") for line in body]
    sightings = {
        name: Sighting(*map(date.fromisoformat, days)) for name, *days in rows if len(days) == 2
    }
    return RefreshedCopy(
        source, fetched_on, checked_on, frozenset(name for name, *_ in rows), sightings
    )

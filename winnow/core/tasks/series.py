"""A series: projects that are the same list month by month."""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from winnow.core.tasks.task import Task

NO_SERIES = ""  # in place of an id: the analyst said no, and is not asked again
SHARE_LEAST = 0.3  # of the smaller list's addresses, for a list to be the same a month later

_MONTHS = (  # in the languages that file names come in most: English, German, French, Spanish
    "jan(?:uary|uar|vier|eiro)?|feb(?:ruary|ruar)?|f[ée]v(?:rier)?|febrero|enero|mar(?:ch|s|zo)?|m(?:ä|ae|a)rz"
    "|apr(?:il)?|avril|abril|may|mai|mayo|june?|juni|juin|junio|july?|juli|juillet|julio"
    "|aug(?:ust)?|ao[ûu]t|agosto|sept?(?:ember|embre)?|septiembre|o[ck]t(?:ober|obre)?|octubre"
    "|nov(?:ember|embre)?|noviembre|de[cz](?:ember)?|d[ée]c(?:embre)?|diciembre|j(?:ä|ae|a)nner"
)
_MARKS = "copy|kopie|copie|copia|final|new|neu|version|export|week|kw|cw|q|v|rev"
_LEFT_OUT = re.compile(rf"(?:{_MONTHS}|{_MARKS})\Z")


@dataclass(frozen=True, slots=True)
class Series:
    """A stored series, the earliest project first."""

    series_id: str
    projects: tuple[Task, ...]

    @property
    def name(self) -> str:
        """What its projects are called: the latest one's name without dates and numbers."""
        return name_series(self.projects)


@dataclass(frozen=True, slots=True)
class SeriesProposal:
    """Projects that look like one list month by month, the earliest first.

    ``series_id`` is the series that some of them are in already. ``share`` is the least share of
    addresses that two neighbours have in common; None: the lists are too long to look at once.
    """

    projects: tuple[Task, ...]
    series_id: str | None = None
    share: float | None = None


@dataclass(frozen=True, slots=True)
class SeriesPoint:
    """One list of a series, beside the one before it; None: it is the first.

    Counts are of distinct addresses: ``left`` stood in the list before and no longer here,
    ``returned`` here and in an earlier list but not in the one before, ``new`` in none before.
    """

    project: Task
    left: int | None = None
    returned: int | None = None
    new: int | None = None


def find_stem(name: str) -> str:
    """Return a name without dates, months, numbers and marks such as "final"; "" if nothing stays.

    ``"Newsletter 2026-05 (final)"`` and ``"newsletter_Juni_26"`` are both ``"newsletter"``.
    """
    text = unicodedata.normalize("NFKC", name).casefold()
    words = re.split(r"[\W\d_]+", text)
    return " ".join(word for word in words if word and not _LEFT_OUT.match(word))


def name_series(projects: Sequence[Task]) -> str:
    """Return the latest name without digits and what hangs on them, or as it is."""
    latest = projects[-1].project_name
    parts = re.split(r"[\s_]+", latest)
    kept = [part for part in parts if find_stem(part)]
    return " ".join(kept).strip(" -_.,()") or latest


def list_series(projects: Iterable[Task]) -> tuple[Series, ...]:
    """Return the stored series, the one with the latest list first; one list makes none."""
    groups: dict[str, list[Task]] = {}
    for project in projects:
        if project.series and project.summary is not None:
            groups.setdefault(project.series, []).append(project)
    found = [
        Series(series_id, _by_date(group)) for series_id, group in groups.items() if len(group) > 1
    ]
    return tuple(sorted(found, key=lambda one: one.projects[-1].submitted_at, reverse=True))


def find_candidates(projects: Iterable[Task]) -> tuple[SeriesProposal, ...]:
    """Return finished projects whose names are alike, where one of them was not asked about.

    Those of one series come along with it; of several series, none is proposed.
    """
    groups: dict[tuple[str, str], list[Task]] = {}
    for project in projects:
        stem = find_stem(project.project_name)
        if project.summary is not None and stem and project.series != NO_SERIES:
            groups.setdefault((stem, project.key_type.value), []).append(project)
    found = []
    for group in groups.values():
        known = {project.series for project in group if project.series is not None}
        is_asked = all(project.series is not None for project in group)
        if len(group) > 1 and len(known) < 2 and not is_asked:
            found.append(SeriesProposal(_by_date(group), next(iter(known), None)))
    return tuple(sorted(found, key=lambda one: one.projects[-1].submitted_at, reverse=True))


def _by_date(projects: Iterable[Task]) -> tuple[Task, ...]:
    return tuple(sorted(projects, key=lambda one: (one.submitted_at, one.task_id)))

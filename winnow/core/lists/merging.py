"""Merging of several lists: which columns match, and which files the rows come from."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from winnow.core.unicode_forms import fold_name, number_names

SOURCE_COLUMN = "source_file"
_EMAIL = "email"

_Key = tuple[str, int] | None  # None: the email column


@dataclass(frozen=True, slots=True)
class FileColumns:
    """The columns of one of the files, as ``Head`` has them; ``email_column`` from 0."""

    file_name: str
    names: tuple[str, ...]
    email_column: int


@dataclass(frozen=True, slots=True)
class MergedColumn:
    """A column of the merged list, and its index in each file, from 0; None: it has none."""

    name: str
    places: tuple[int | None, ...]


@dataclass(frozen=True, slots=True)
class MergeLayout:
    """Layout of the columns of several files in one list.

    ``columns`` are without the last one, ``source_column``, which holds each row's ``labels``: the
    files' names, with a number behind those of one name.
    """

    columns: tuple[MergedColumn, ...]
    email_column: int
    source_column: str
    labels: tuple[str, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all columns, in their order."""
        return (*(column.name for column in self.columns), self.source_column)

    def list_indices(self, file: int) -> tuple[int | None, ...]:
        """Return a file's column index for each column but the last one."""
        return tuple(column.places[file] for column in self.columns)


class MergedFile(NamedTuple):
    """A file that a list was merged from, by its name in the last column."""

    file_name: str
    rows: int


@dataclass(frozen=True, slots=True)
class Merge:
    """Sources of a merged list, in the order of its rows."""

    files: tuple[MergedFile, ...]
    email_column: int


def lay_out_merge(files: Sequence[FileColumns]) -> MergeLayout:
    """Match the columns of several files, in their order, by their names.

    The email columns are one, whatever their names. Where a file has a name more than once, or
    columns without a name, the first matches the first of another file, and so on.
    """
    columns: dict[_Key, list[int | None]] = {}
    names: dict[_Key, str] = {}
    for number, file in enumerate(files):
        for place, key in enumerate(_list_keys(file)):
            places = columns.setdefault(key, [None] * len(files))
            places[number] = place
            names.setdefault(key, file.names[place].strip().strip("\ufeff").strip())
    names[None] = names[None] or _EMAIL
    return MergeLayout(
        tuple(MergedColumn(names[key], tuple(places)) for key, places in columns.items()),
        email_column=list(columns).index(None),
        source_column=number_names([SOURCE_COLUMN], names.values(), fold_name)[0],
        labels=_label_files([file.file_name for file in files]),
    )


def _list_keys(file: FileColumns) -> list[_Key]:
    seen: Counter[str] = Counter()
    keys: list[_Key] = []
    for place, name in enumerate(file.names):
        if place == file.email_column:
            keys.append(None)
            continue
        folded = fold_name(name)
        keys.append((folded, seen[folded]))
        seen[folded] += 1
    return keys


def _label_files(names: Sequence[str]) -> tuple[str, ...]:
    labels: list[str] = []
    for name in names:
        label, number = name, 2
        while label in labels or (label != name and label in names):
            label, number = f"{name} ({number})", number + 1
        labels.append(label)
    return tuple(labels)

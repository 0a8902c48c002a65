"""Lists that ``winnow clean`` is given, and the files that it writes for them."""

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from winnow.core.errors import BadField
from winnow.core.lists.exports import DownloadChoice
from winnow.core.lists.platforms import Platform
from winnow.library.clean_file import require_list
from winnow.lists.inspection.signature import find_extension, split_file_name
from winnow.stores import find_files, is_taken, is_url, name_file, place_next_to


@dataclass(frozen=True, slots=True, kw_only=True)
class MailChoice:
    """Options of one command.

    Attributes:
        consent: Columns that say who may be mailed: names, or positions from 1.
        ignored: Columns that do not.
        do_not_mail: Files of people who are not to be mailed.
        bounces: Files of bounces.
        uses_own: Whether the own lists and the bounces of the data folder count.
    """

    consent: Sequence[str] = ()
    ignored: Sequence[str] = ()
    do_not_mail: Sequence[str] = ()
    bounces: Sequence[str] = ()
    uses_own: bool = True


@dataclass(frozen=True, slots=True)
class Outputs:
    """Options of the files to write instead of the checked list.

    Attributes:
        platform: This platform's two files: rows that stay as its contacts, removed rows as its
        suppression file.
        choice: Which rows are removed, and the form; None: all stay, with their verdicts.
        asks_dns: Whether DNS is asked where domains' mail goes.
        mail: Who may be mailed.
    """

    platform: Platform | None = None
    choice: DownloadChoice | None = None
    asks_dns: bool = False
    mail: MailChoice = MailChoice()


@dataclass(frozen=True, slots=True)
class ListPair:
    """A list and the place of its result: URLs or paths.

    ``may_replace``: the place was named, and a file there is replaced.
    """

    source: str
    target: str
    may_replace: bool


def find_sources(files: Sequence[str]) -> list[str]:
    """Return the named lists, each once; wildcards do not match results.

    Raises:
        BadField: A name with wildcards has no match.
    """
    found: dict[str, str] = {}
    for text in files:
        names = find_files(text)
        if names != [text]:
            results = {
                place_next_to(one, name_result(name_file(one))) for one in names if _is_list(one)
            }
            names = [one for one in names if _is_list(one) and one not in results]
        if not names:
            raise BadField("file", f"no list is named {text}")
        for one in names:
            found.setdefault(one if is_url(one) else os.path.abspath(one), one)
    return list(found.values())


def _is_list(place: str) -> bool:
    return find_extension(name_file(place)) is not None


def choose_targets(
    sources: Sequence[str], out: str | None, outputs: Outputs, *, lists: Sequence[str] = ()
) -> list[ListPair]:
    """Return where each list's result is written; make the folder that ends in a slash.

    Args:
        sources: The lists, which name their results.
        out: A file, or a folder: it ends in a slash or exists; None: each list's own.
        outputs: Which files are written.
        lists: What is read and must not be replaced, if not the sources.

    Raises:
        BadField: Two results have the same path, or many one file; a list would be replaced; or
            the folder cannot be made.
    """
    slashes = ("/", os.sep)
    is_into = out is not None and (out.endswith(slashes) or os.path.isdir(out))
    if out is not None and not is_into and len(sources) > 1:
        raise BadField("out", "is one file, and there are several lists", hint="End it in a slash.")
    pairs = []
    for source in sources:
        if not is_url(source) and not _is_list(source):
            require_given(Path(source))
        name = name_result(name_file(source), outputs.platform, outputs.choice)
        target = place_next_to(source, name)
        if out is not None:
            target = f"{out.rstrip('/')}/{name}" if is_into else out
        pairs.append(ListPair(source, target, out is not None))
    places = [_find_real(pair.target) for pair in pairs]
    twice = [one for one, count in Counter(places).items() if count > 1]
    if twice:
        raise BadField("out", f"two lists would be written to {twice[0]}")
    read = {_find_real(one) for one in lists or sources}
    over = next((one.target for one, place in zip(pairs, places, strict=True) if place in read), "")
    if over:
        problem = f"{over} is one of the lists" if len(read) > 1 else "is the list itself"
        raise BadField("out", problem, hint="Name another place.")
    if out is not None and out.endswith(slashes) and not is_url(out):
        make_folder(out)
    return pairs


def _find_real(place: str) -> str:
    """Return a URL, or the path of the file behind a link."""
    return place if is_url(place) else os.path.realpath(place)


def make_folder(out: str) -> None:
    """Make the folder of results if it is not there.

    Raises:
        BadField: It cannot be made.
    """
    try:
        Path(out).mkdir(exist_ok=True)
    except FileNotFoundError as error:
        raise BadField("out", "there is no such folder") from error
    except OSError as error:
        raise BadField("out", f"{out} cannot be made: {error.strerror}") from error


def name_result(
    file_name: str, platform: Platform | None = None, choice: DownloadChoice | None = None
) -> str:
    """Return the default name of the checked list, or of the file written instead."""
    _, file_format = split_file_name(file_name)
    file_name = file_name.rstrip().rstrip(". ")  # which say nothing of the format
    end = -len(file_format) - 1
    if platform is not None:
        return f"{file_name[:end]}-{platform.value}.csv"
    extension = file_name[end:]  # spelt as given
    word, target_format = "checked", file_format.result
    if choice is not None:
        word = "cleaned" if choice.policy.takes_black else "kept"
        target_format = choice.file_format or target_format
    if target_format is not file_format:
        extension = f".{target_format}"
    return f"{file_name[:end]}-{word}{extension}"


def require_given(path: Path) -> None:
    """Refuse a list that does not exist or is not a file.

    Raises:
        BadField: As ``require_list``, or it does not exist.
    """
    try:
        require_list(path)
    except OSError as error:
        is_missing = isinstance(error, FileNotFoundError)
        problem = "there is no such file" if is_missing else f"cannot be read: {error.strerror}"
        raise BadField("file", problem) from error


def require_free(place: str) -> None:
    """Refuse a default place, a URL or a path, that is taken.

    Raises:
        BadField: Something is there, or the store cannot be read.
    """
    if is_taken(place) if is_url(place) else os.path.lexists(place):
        problem = f"{name_file(place)} is already there"
        raise BadField("out", problem, hint="Name another file.")


@contextmanager
def naming_target(target: Path) -> Iterator[None]:
    """Turn an error of the result's folder into one that names the folder."""
    try:
        yield
    except OSError as error:
        folder = str(target.parent)
        if error.filename is None or not str(error.filename).startswith(folder):
            raise
        problem = f"{target.name} cannot be written: {error.strerror}"
        raise BadField("out", problem, hint="Name another place.") from error

"""``winnow clean FOLDER``: a result of each list of a folder, made anew where anything changed."""

import hashlib
import os
import re
import sys
import time
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

import msgspec

from winnow.atomic_files import write_atomically
from winnow.cli.check import find_folder, open_data
from winnow.cli.clean import clean_file
from winnow.cli.list_files import list_indices
from winnow.cli.process import describe, make_visible
from winnow.cli.reports import CleanReport
from winnow.cli.targets import Outputs, make_folder, name_result
from winnow.core.errors import BadField, WinnowError
from winnow.core.figures import count_things
from winnow.core.identities import LOCAL_ACCOUNT
from winnow.core.lists.input_head import doubt_name
from winnow.core.lists.platforms import Platform
from winnow.core.release import VERSION
from winnow.core.tasks.run_request import RunRequest
from winnow.environment import read_environment
from winnow.lists.inspection.signature import find_extension
from winnow.storage.blobs.folder import DataFolder, FolderLock
from winnow.storage.database.light_read import read_versions
from winnow.stores import is_url

NOTES, LOCK, OUTDATED = ".winnow-results.json", ".winnow.lock", "outdated"
_RESULT = re.compile(
    rf".+-(?:checked|cleaned|kept|{'|'.join(Platform)})(?:-suppression|-not-mailed)?\.\w+(?:\.\w+)?"
)
QUIET_SECONDS = 10  # a list that changed since then may still be on its way
_NOT_LISTS = (".", "~$")  # hidden files, and locks of office programs


class Note(msgspec.Struct):
    """What a list's result was made of, as a hash ("": unknown), and the names of its files."""

    made_of: str
    files: list[str]
    inbox: str = ""


def clean_folder(
    folder: Path,
    out: str | None,
    request: RunRequest,
    outputs: Outputs,
    report: CleanReport,
    *,
    now: float,
) -> int:
    """Clean the lists of a folder that changed, or whose settings, data or noes did.

    A list that cannot be cleaned stops no other and is tried again by each run. Its earlier result,
    and that of a list that is gone, is moved to ``outdated``.

    Args:
        folder: Has the lists; folders in it are not read.
        out: The folder of the results, which is made.
        request: How the lists are read and which rows stay.
        outputs: Which files are written.
        report: Takes what becomes of each list that is cleaned.
        now: Seconds since 1970; lists that just changed wait for the next run.

    Returns:
        The exit code: 1 where a list could not be cleaned, or an earlier result not be moved.

    Raises:
        BadField: There is no such folder, ``out`` is none elsewhere, or another run writes to it.
    """
    if not folder.is_dir():
        raise BadField("file", f"there is no folder {folder}")
    target = _find_target(folder, out)
    is_new = not (target / LOCK).exists() and not (target / NOTES).exists()
    lock = FolderLock.try_acquire(DataFolder(target), target / LOCK)
    if lock is None:
        raise BadField("out", "another run is writing to this folder")
    try:
        if is_new:  # no notes are lost, and no file is an earlier result
            write_atomically(target / NOTES, b"{}")
        inbox = os.path.realpath(folder)
        return _FolderRun(folder, inbox, target, request, outputs, report).run(now)
    finally:
        lock.release()


def _find_target(folder: Path, out: str | None) -> Path:
    if out is None or out == "-" or is_url(out):
        problem = "must be a folder on this machine, if lists are read from one"
        raise BadField("out", problem, hint="Name one: --out cleaned/")
    target, lists = Path(os.path.realpath(out)), Path(os.path.realpath(folder))
    if target.is_relative_to(lists):
        raise BadField("out", "is inside the folder of the lists", hint="Name a folder elsewhere.")
    make_folder(str(target))
    return target


@dataclass(slots=True)
class _FolderRun:
    folder: Path
    inbox: str
    target: Path
    request: RunRequest
    outputs: Outputs
    report: CleanReport
    notes: dict[str, Note] = field(default_factory=dict)
    failed: int = 0
    is_stuck: bool = False  # an earlier result could not be moved

    def run(self, now: float) -> int:
        """Clean what changed; return the exit code."""
        self.notes = _read_notes(self.target / NOTES)
        if any(note.inbox not in ("", self.inbox) for note in self.notes.values()):
            raise BadField("out", "has the results of another folder", hint="Name one of its own.")
        outputs = self.outputs
        lists = [  # files on their way have other endings
            path
            for path in sorted(self.folder.iterdir())
            if find_extension(path.name) is not None and not path.name.startswith(_NOT_LISTS)
            if path.is_file()
        ]
        choice = outputs.choice
        is_aging = choice is not None and bool(choice.policy.silent_months)
        today = time.strftime("%Y-%m-%d", time.gmtime(now)) if is_aging else None
        settings = self._describe(today)
        results = {one: name_result(one.name, outputs.platform, choice) for one in lists}
        for name in self.notes.keys() - {one.name for one in lists}:
            is_noted = self.notes[name].made_of != ""
            why = "the list is gone" if is_noted else "notes of earlier runs are lost"
            self._put_away(name, why)
        names = Counter(results.values())
        for source, result in results.items():
            try:
                _require_text(source.name)
                if outputs.platform is not None or choice is not None:
                    for doubt in doubt_name(source.name):  # only a person could read a notice of it
                        hint = "Give it by --do-not-mail from another folder, or rename it."
                        raise BadField("file", doubt.text, hint=hint)
                changed, state = _describe_file(source)
                made_of = _hash([settings, state])
                note = self.notes.get(source.name)
                is_same = note is not None and note.made_of == made_of
                if note and is_same and all((self.target / one).is_file() for one in note.files):
                    continue
                if 0 <= now - changed < QUIET_SECONDS:
                    self._put_away(source.name, "the list has just changed; the next run cleans it")
                    continue
                if names[result] > 1:
                    raise BadField("out", f"two lists would be written to {result}")
                self._clean(source, self.target / result, made_of)
            except (WinnowError, OSError) as error:
                self.failed += 1
                known = BadField("file", describe(error)) if isinstance(error, OSError) else error
                self.report.fail(str(source), known)
                self._put_away(source.name, "the list could not be cleaned", others=[result])
        if self.failed:
            lists_read = count_things(len(lists), "list")
            sys.stderr.write(f"winnow: {self.failed} of {lists_read} could not be cleaned\n")
        return 1 if self.failed or self.is_stuck else 0

    def _describe(self, today: str | None) -> str:
        """Return a hash of all that every result depends on besides its list."""
        folder, mail = find_folder(read_environment(os.environ)), self.outputs.mail
        return _hash(
            [
                *(VERSION, open_data(folder).data_version, self.request, self.outputs, today),
                [_describe_given(path) for path in (*mail.do_not_mail, *mail.bounces)],
                folder and read_versions(folder.database, LOCAL_ACCOUNT),
            ]
        )

    def _clean(self, source: Path, target: Path, made_of: str) -> None:
        note = self.notes.get(source.name, Note("", []))
        own = note.files if note.made_of else []
        others = [path.name for path in list_indices(target) if path.name not in own]
        is_free = self._move_all(others, "it was there before the list was cleaned")
        may_replace = is_free and bool(own)
        cleaned = clean_file(source, target, self.request, self.outputs, may_replace=may_replace)
        files = [one.path.name for one in cleaned.written]
        self._put_away(source.name, "the result has another name now", spared=files)
        self.notes[source.name] = Note(made_of, files, self.inbox)
        self._write_notes()
        self.report.add(str(source), cleaned)

    def _put_away(
        self, name: str, why: str, *, spared: Collection[str] = (), others: Collection[str] = ()
    ) -> None:
        """Move a list's earlier files to ``outdated``, and say so."""
        note = self.notes.pop(name, Note("", []))
        files = {Path(one).name: None for one in (*note.files, *others)}
        if not self._move_all([file for file in files if file not in spared], why):
            self.notes[name] = note
        self._write_notes()

    def _move_all(self, files: Collection[str], why: str) -> bool:
        """Move those of the files that are there, and say so; return whether none of them stays."""
        stuck = 0
        for file in files:
            if not (self.target / file).is_file():
                continue
            try:
                said = f"was moved to {OUTDATED}/{self._move(file)}: {why}"
            except OSError as error:  # it is open in another program
                stuck += 1
                said = f"could not be moved to {OUTDATED}: {why}; {describe(error)}"
            sys.stderr.write(f"winnow: {make_visible(f'{file} {said}')}\n")
        self.is_stuck |= stuck > 0
        return not stuck

    def _move(self, file: str) -> str:
        """Move a result to ``outdated``; return its name there."""
        folder = self.target / OUTDATED
        folder.mkdir(exist_ok=True)
        places = (folder / (f"{number}-{file}" if number else file) for number in count())
        place = next(one for one in places if not one.exists())
        os.rename(self.target / file, place)
        return place.name

    def _write_notes(self) -> None:
        write_atomically(self.target / NOTES, msgspec.json.encode(self.notes))


def _require_text(name: str) -> None:
    try:
        name.encode()
    except UnicodeEncodeError as error:
        raise BadField("file", "has a name that is not UTF-8", hint="Rename it.") from error


def _read_notes(path: Path) -> dict[str, Note]:
    """Return the notes of the last run.

    Where they are lost or damaged, each file that may be a result is one of an unknown list.
    """
    try:
        return msgspec.json.decode(path.read_bytes(), type=dict[str, Note])
    except (FileNotFoundError, msgspec.DecodeError):
        files = (one.name for one in path.parent.iterdir() if _RESULT.fullmatch(one.name))
        return {name: Note("", [name]) for name in sorted(files)}


def _describe_file(path: Path) -> tuple[float, list[int | str]]:
    """Return when a file changed, and what differs after every change of it."""
    found = path.stat()
    return found.st_mtime, [path.name, found.st_size, found.st_mtime_ns, found.st_ctime_ns]


def _describe_given(path: str) -> object:
    try:
        return _describe_file(Path(path))
    except OSError:  # each list fails for it, in words
        return None


def _hash(value: object) -> str:
    encoded = msgspec.json.encode(value, enc_hook=str, order="deterministic")
    return hashlib.sha256(encoded).hexdigest()

"""The folder of a run's pieces, beside its result: taken up by the next such run, or removed.

A folder is ours where its ``run.json`` names this result; any other is somebody else's.
"""

import json
import os
from dataclasses import dataclass, field
from typing import Any

from winnow.cluster.locations import Location
from winnow.cluster.object_store import ObjectStore, open_store
from winnow.core.errors import BadField

_FORMAT = "winnow run 1"
_NOTE = "run.json"


@dataclass(frozen=True, slots=True)
class UnfinishedUpload:
    """An unfinished upload of the result; ``digest`` tells what its parts are made of."""

    number: str
    digest: str


@dataclass(slots=True)
class RunFolder:
    """The pieces of one run. ``found`` are those of a former attempt, by their kinds."""

    target: Location
    folder: Location
    found: dict[str, set[int]]
    former_upload: UnfinishedUpload | None
    _attempt: str = field(default_factory=lambda: os.urandom(8).hex())
    _upload: UnfinishedUpload | None = None

    @property
    def store(self) -> ObjectStore:
        """Where it lies."""
        return open_store(self.folder.bucket)

    @property
    def is_own(self) -> bool:
        """Whether no other run of the same result has begun since; it may have ended as well."""
        return self._find_owner() == self._attempt

    @property
    def is_removed(self) -> bool:
        """Whether a run of another list or other choices has removed this one."""
        return self._find_owner() is None

    def begin_upload(self, source: Location, digest: str) -> UnfinishedUpload:
        """Begin an upload of the result.

        Raises:
            BadField: Another run has begun, whose note would be written over.
        """
        self.require_own()
        number = open_store(self.target.bucket).begin_upload(self.target.name, source)
        self.note_upload(upload := UnfinishedUpload(number, digest))
        return upload

    def note_upload(self, upload: UnfinishedUpload | None) -> None:
        """Remember an upload, so that whoever comes next finds it."""
        self._upload = upload
        self._write()

    def require_own(self) -> None:
        """Refuse to go on where another run of the same result has begun.

        Raises:
            BadField: One has.
        """
        if not self.is_own:
            raise self.word_overtaken()

    def word_overtaken(self) -> BadField:
        """Return that another run of the same result has begun."""
        problem = f"another run has begun to write {self.target}"
        return BadField("out", problem, hint="Let that one end, and start once at a time.")

    def abort(self) -> None:
        """Forget the upload; the pieces stay for the next run.

        Where another run has begun meanwhile, pieces are its own, and an upload that it took up.
        """
        if self._upload is None:
            return
        note = _read_note(self.store, self.folder, self.target) or {}
        is_own = note.get("attempt") == self._attempt
        if is_own or (note.get("upload") or [None])[0] != self._upload.number:
            open_store(self.target.bucket).abort(self.target.name, self._upload.number)
        if is_own:
            self.note_upload(None)

    def remove(self) -> None:
        """Remove all pieces, but those that another run has begun to take up."""
        if self._find_owner() not in (self._attempt, None):
            return
        pieces = list(self.store.list(self.folder.join("").name))
        _remove_pieces(self.store, pieces, _find_runs(self.target))

    def _find_owner(self) -> str | None:
        note = _read_note(self.store, self.folder, self.target)
        return None if note is None else note.get("attempt")

    def _write(self) -> None:
        upload = None if self._upload is None else [self._upload.number, self._upload.digest]
        note = {
            "format": _FORMAT,
            "out": str(self.target),
            "attempt": self._attempt,
            "upload": upload,
        }
        self.store.put(self.folder.join(_NOTE).name, json.dumps(note).encode())


def open_run(source: Location, target: Location, fingerprint: str) -> RunFolder:
    """Open the folder of a run, and remove those of former runs for the same result.

    Args:
        source: The list.
        target: The result.
        fingerprint: Of the list, this Winnow and the choices; pieces of the same are taken up.
    """
    store = open_store(target.bucket)
    above = _find_runs(target)
    names: dict[str, list[str]] = {}
    prefix = above.join("").name
    for name in store.list(prefix):
        folder, slash, _ = name[len(prefix) :].partition("/")
        if slash:
            names.setdefault(folder, []).append(name)
    run = RunFolder(target, above.join(fingerprint), {}, None)
    for folder, pieces in names.items():
        note = _read_note(store, above.join(folder), target)
        if note is None:
            continue
        upload = UnfinishedUpload(*note["upload"]) if note.get("upload") else None
        if folder == fingerprint:
            run.former_upload = upload
            for name in pieces:
                kind, _, number = name.rpartition("/")
                if number.isdecimal():
                    kinds = run.found.setdefault(kind.rpartition("/")[2], set())
                    kinds.add(int(number))
            continue
        if upload is not None:
            store.abort(target.name, upload.number)
        _remove_pieces(store, pieces, above)
    for one in (above, run.folder):
        store.make_folder(one.name, source)
    run.note_upload(run.former_upload)
    return run


def _find_runs(target: Location) -> Location:
    """Return the folder of all runs for a result."""
    return Location(target.bucket, f"{target.name}.winnow")


def _remove_pieces(store: ObjectStore, pieces: list[str], runs: Location) -> None:
    """Remove a run's pieces, the note that says whose they are at last."""
    store.remove(sorted(pieces, key=lambda name: name.endswith(_NOTE)), runs.name)


def _read_note(store: ObjectStore, folder: Location, target: Location) -> dict[str, Any] | None:
    """Return what a folder says of itself; None where it is not one of ours."""
    data = store.get(folder.join(_NOTE).name)
    try:
        note = json.loads(data or b"null")
    except ValueError:
        return None
    is_ours = isinstance(note, dict) and note.get("format") == _FORMAT
    return note if is_ours and note.get("out") == str(target) else None

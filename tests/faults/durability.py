"""What a power loss would keep, judged from a record of writes, syncs and renames.

Only what was synced counts: a file's bytes after its own sync, a name after its folder's. At each
commit of the database, whatever its rows may name from then on must be durable.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import PurePath


@dataclass(slots=True)
class Record:
    """The state of a folder as its record is read. ``faults`` are what a commit left in danger."""

    folder: PurePath
    unsynced_files: set[PurePath] = field(default_factory=set)
    unsynced_names: set[PurePath] = field(default_factory=set)
    faults: list[str] = field(default_factory=list)
    commits: int = 0
    unnamed_renames: list[PurePath] = field(default_factory=list)

    def read(self, lines: Iterable[str]) -> None:
        """Follow the record; the last commit must leave nothing in danger either."""
        for line in lines:
            call, path, other = line.rstrip("\n").split("\t")
            self._follow(call, PurePath(path), PurePath(other))
        self.faults += [
            f"{path.name} was renamed after its commit" for path in self.unnamed_renames
        ]

    def _follow(self, call: str, path: PurePath, other: PurePath) -> None:
        if path.name.startswith("winnow.db"):
            if call == "sync" and path.name in {"winnow.db", "winnow.db-wal"}:
                self._check_commit()
            return
        match call:
            case "create":
                self.unsynced_names.add(path)
                self.unsynced_files.add(path)
            case "mkdir":
                self.unsynced_names.add(path)
            case "write" | "truncate":
                self.unsynced_files.add(path)
            case "rename":
                self.unsynced_files = {_move(p, path, other) for p in self.unsynced_files}
                self.unsynced_names = {_move(p, path, other) for p in self.unsynced_names}
                self.unsynced_names.add(other)
                self.unnamed_renames.append(other)
            case "remove":
                self.unsynced_files.discard(path)
                self.unsynced_names.discard(path)
            case "sync":
                self.unsynced_files.discard(path)
                self.unsynced_names = {p for p in self.unsynced_names if p.parent != path}

    def _check_commit(self) -> None:
        """Uploads, and results under their final names, are what a commit may name."""
        self.commits += 1
        self.unnamed_renames.clear()
        for kind, paths in (("bytes", self.unsynced_files), ("name", self.unsynced_names)):
            self.faults += [
                f"{kind} of {path.relative_to(self.folder)} not durable at commit {self.commits}"
                for path in sorted(paths)
                if self._is_published(path)
            ]

    def _is_published(self, path: PurePath) -> bool:
        place = path.relative_to(self.folder).parts
        return place[0] in {"inputs", "results"} and not place[1].endswith(".tmp")


def _move(path: PurePath, source: PurePath, target: PurePath) -> PurePath:
    return target / path.relative_to(source) if path.is_relative_to(source) else path

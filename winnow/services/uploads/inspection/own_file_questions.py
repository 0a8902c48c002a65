"""Questions about own files, which are opened in another process as all untrusted files."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from winnow.core.bounces import BounceCounts
from winnow.core.lists.file_format import FileFormat
from winnow.core.lists.side_files import NamedCounts, NamedPatterns
from winnow.core.tasks.task import KeyType
from winnow.services.uploads.inspection.inspections import JudgeOffline


@dataclass(frozen=True, slots=True)
class NamedQuestion:
    """Reads the addresses of a file. Errors are those of ``side_files.named_file.read_named``.

    Attributes:
        path: The file; it is only read.
        file_name: As it was sent.
        secret: The key of the hashes.
        out_path: Where the hashes are written, synced.
        scratch: An existing folder for passing files.
        is_public_suffix: A function of a module, so that it can be named to another process.
    """

    path: Path
    file_name: str
    secret: bytes
    out_path: Path
    scratch: Path
    is_public_suffix: Callable[[str], bool]

    @property
    def file_format(self) -> FileFormat:
        """Any: what it is shows when it is opened."""
        return FileFormat.CSV

    def answer(self, judge_offline: JudgeOffline) -> NamedCounts:
        """Read all of it, without the network."""
        from winnow.lists.marks.keyed_hash import AddressHash  # brings polars along
        from winnow.lists.side_files.named_file import read_named

        hashes = AddressHash.of(self.secret)
        keys, counts = read_named(
            self.path, self.file_name, hashes, self.is_public_suffix, self.scratch
        )
        keys.write(self.out_path, hashes)
        return counts


@dataclass(frozen=True, slots=True)
class PatternQuestion:
    """Reads the patterns for an own list. Errors are those of ``NamedQuestion``.

    ``most`` is how many patterns are read; one more means that there are too many.
    """

    path: Path
    file_name: str
    scratch: Path
    is_public_suffix: Callable[[str], bool]
    most: int

    @property
    def file_format(self) -> FileFormat:
        """Any: what it is shows when it is opened."""
        return FileFormat.CSV

    def answer(self, judge_offline: JudgeOffline) -> NamedPatterns:
        """Read the patterns as texts, each with its line."""
        from winnow.lists.side_files.named_file import list_patterns

        return list_patterns(
            self.path, self.file_name, self.is_public_suffix, self.scratch, most=self.most
        )


@dataclass(frozen=True, slots=True)
class BounceQuestion:
    """Reads the bounces of a file. Errors are those of ``side_files.bounce_file.read_bounces``.

    Attributes are those of ``NamedQuestion``.
    """

    path: Path
    file_name: str
    secret: bytes
    out_path: Path
    scratch: Path

    @property
    def file_format(self) -> FileFormat:
        """Any: what it is shows when it is opened."""
        return FileFormat.CSV

    def answer(self, judge_offline: JudgeOffline) -> BounceCounts:
        """Read all of it, and judge its addresses by the data of today, without the network."""
        from winnow.lists.marks.keyed_hash import AddressHash  # brings polars along
        from winnow.lists.side_files.bounce_file import read_bounces

        hashes, judge = AddressHash.of(self.secret), judge_offline(KeyType.LIVE)
        keys, counts = read_bounces(self.path, self.file_name, hashes, judge, self.scratch)
        keys.write(self.out_path, hashes)
        return counts

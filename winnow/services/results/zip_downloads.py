"""Download streams: one file, or all files of a project in one zip."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from winnow.core.lists.file_format import FileFormat
from winnow.core.lists.rows import Variant
from winnow.core.tasks.task import Task
from winnow.lists.result.zip_stream import ZipMember, stream_zip
from winnow.services.results.reports import Report

PACKED = (Variant.CLEANED, Variant.REMOVED, Variant.REVIEW, Variant.AUGMENTED)
_READ_BYTES = 1 << 18
# A row cannot grow by more: every reason (some 50 codes), and the longest suggestion, twice.
_ADDED_MOST_BYTES = 2_500
_GROWTH_MOST = 4  # another encoding, quotes around each cell, apostrophes


@dataclass(frozen=True, slots=True)
class OpenDownload:
    """A file to send: ``path`` (Range works), or else ``stream``, called once a request.

    ``size_bytes`` is None where it is not known beforehand. ``session`` is the sign-in that its
    link ends with, if any; it also ends with each of the projects ``task_ids``.
    """

    file_name: str
    media_type: str
    size_bytes: int | None
    path: Path | None = None
    stream: Callable[[], Iterator[bytes]] | None = None
    session: str | None = None
    task_ids: tuple[str, ...] = ()

    def read(self) -> Iterator[bytes]:
        """Yield the file's bytes."""
        if self.path is not None:
            with self.path.open("rb") as file:
                while chunk := file.read(_READ_BYTES):
                    yield chunk
        elif self.stream is not None:
            yield from self.stream()


def stream_pack(
    task: Task,
    reports: Sequence[Report],
    lists: Iterable[tuple[FileFormat, OpenDownload]],
    result_bytes: int,
) -> Iterator[bytes]:
    """Yield a zip of reports and lists.

    Args:
        task: The project, completed.
        reports: The first files in the zip.
        lists: Each is opened when its turn comes.
        result_bytes: The stored result's size, which bounds the lists.
    """
    size_most_bytes = _bound_bytes(task, result_bytes)

    def list_members() -> Iterator[ZipMember]:
        for report in reports:
            yield ZipMember(report.file_name, iter((report.content,)), len(report.content))
        for file_format, one in lists:
            size = one.size_bytes or size_most_bytes
            yield ZipMember(one.file_name, one.read(), size, file_format.traits.is_packed)

    return stream_zip(list_members(), task.completed_at or task.submitted_at)


def stream_parts(
    task: Task,
    parts: Iterable[tuple[FileFormat, OpenDownload]],
    result_bytes: int,
) -> Iterator[bytes]:
    """Yield a zip of the files that one file is split into.

    Args:
        task: The project, completed.
        parts: Each is opened when its turn comes.
        result_bytes: As for ``stream_pack``.
    """
    size_most_bytes = _bound_bytes(task, result_bytes)
    members = (
        ZipMember(
            one.file_name,
            one.read(),
            one.size_bytes or size_most_bytes,
            file_format.traits.is_packed,
        )
        for file_format, one in parts
    )
    return stream_zip(members, task.completed_at or task.submitted_at)


def _bound_bytes(task: Task, result_bytes: int) -> int:
    """Return an upper bound of the size of a project's files."""
    row_count = task.summary.rows_out if task.summary is not None else 0
    return _GROWTH_MOST * result_bytes + _ADDED_MOST_BYTES * row_count

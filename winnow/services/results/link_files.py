"""Files of a download link: stored, written while they are sent, or made once for the link."""

import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING

from winnow.core.blobs import BlobKey, BlobKind
from winnow.core.disk_errors import mapping_disk_errors
from winnow.core.lists.cleaning import Cleaning, weigh
from winnow.core.lists.comparison import Since
from winnow.core.lists.exports import Export
from winnow.core.lists.file_format import FileFormat
from winnow.core.lists.platforms import PlatformFile
from winnow.core.lists.rows import Variant
from winnow.core.ports import Blobs
from winnow.core.tasks.task import Task
from winnow.lists.format_registry import find_format, write_export
from winnow.lists.requests import RewriteRequest
from winnow.services.names import name_download, name_part, name_zip
from winnow.services.own.project_views import naming_loss
from winnow.services.results.reports import Report
from winnow.services.results.results import RESULT_NAME, Results
from winnow.services.results.zip_stream import ZIP_TYPE, ZipMember, stream_zip
from winnow.storage.repositories.tasks import StoredTask

if TYPE_CHECKING:
    from winnow.lists.result.result_rows import ResultRows

PACKED = (Variant.CLEANED, Variant.REMOVED, Variant.REVIEW, Variant.AUGMENTED)
_READ_BYTES = 1 << 18
# A row cannot grow by more: every reason (some 50 codes), twice.
_ADDED_MOST_BYTES = 2_500
_GROWTH_MOST = 4  # another encoding, quotes around each cell, apostrophes


@dataclass(frozen=True, slots=True)
class OpenDownload:
    """A file to send: ``path`` (Range works), or else ``stream``, called once a request.

    ``session`` is the sign-in that its link ends with, if any; it also ends with each of the
    projects ``task_ids``. ``person`` asked for the link: a name, or the prefix of a key.
    """

    file_name: str
    media_type: str
    path: Path | None = None
    stream: Callable[[], Iterator[bytes]] | None = None
    session: str | None = None
    task_ids: tuple[str, ...] = ()
    person: str = ""

    def read_content(self) -> Iterator[bytes]:
        """Yield the file's bytes."""
        if self.path is not None:
            with self.path.open("rb") as file:
                while chunk := file.read(_READ_BYTES):
                    yield chunk
        elif self.stream is not None:
            yield from self.stream()


@dataclass(eq=False, repr=False)
class LinkFiles:
    """The files of a link that was followed, with the own lists of one moment.

    A file that is neither text nor stored is made once, deleted with its link, and made again when
    the own lists have changed since.

    Args:
        blobs: Stores the files that are made.
        results: The list and the rows.
        make_report: Returns the report of a pack, for a task as it was judged, and the rows that
        are removed from it.
        making: Is held while a file is made: each may need much memory.
        stored: The project.
        export: What the link was made for.
        token_hash: The link's.
    """

    blobs: Blobs
    results: Results
    make_report: Callable[[Task, Cleaning], Report]
    making: threading.Lock
    stored: StoredTask
    export: Export
    token_hash: str

    @cached_property
    def version(self) -> int:
        """The version of the own lists, no newer than the one that ``rows`` has."""
        return self.results.views.version(self.stored)

    @cached_property
    def rows(self) -> "ResultRows":
        """The project's rows: the same for every file of a pack."""
        _ = self.version  # read before: a file is made again rather than kept with old verdicts
        return self.results.open_rows(self.stored)

    @property
    def file_format(self) -> FileFormat:
        """The format of the files."""
        return self.export.name_format(self.stored.task.plan.file_format)

    def open(self) -> OpenDownload:
        """Open the file, or the zip of files, that the link leads to.

        Raises:
            Gone: The project was just deleted.
            StorageFull: The disk is full; nothing is left behind.
            DoesNotFit: A sheet cannot hold the rows; nothing is left behind.
        """
        if self.export.variant is Variant.PACK:
            return self._open_pack()
        if self.export.platform is not None:
            return self._open_limited(self.export.platform)
        return self._open_one(self.export)

    def _open_limited(self, platform: PlatformFile) -> OpenDownload:
        """Open a platform's file, or a zip of numbered files if it exceeds the limits."""
        from winnow.lists.result.platform_file import find_parts

        parts = find_parts(self.rows, self.export, platform)
        if len(parts) < 2:
            return self._open_one(self.export)
        file_name = name_file(self.stored, self.export)

        def open_parts() -> Iterator[OpenDownload]:
            for number, part in enumerate(parts, start=1):
                one = self._open_one(replace(self.export, part=part))
                name = name_part(file_name, self.file_format, number, len(parts))
                yield replace(one, file_name=name)

        return self._open_zip(name_zip(file_name, self.file_format), open_parts)

    def _open_pack(self) -> OpenDownload:
        """Open the zip with every list and the report, written while it is sent."""
        if not self.file_format.traits.is_text:  # what does not fit is said before a byte is sent
            self._find_file(replace(self.export, variant=Variant.AUGMENTED))
        policy = self.export.choice.policy
        effect = weigh(policy, self.rows.count_verdicts())

        def open_files() -> Iterator[OpenDownload]:
            for variant in (*PACKED, *([Variant.LATER] if effect.later else [])):
                yield self._open_one(replace(self.export, variant=variant))

        def make_report() -> Report:
            return self.make_report(self.stored.task, Cleaning(policy, effect))

        return self._open_zip(name_file(self.stored, self.export), open_files, make_report)

    def _open_zip(
        self,
        file_name: str,
        open_files: Callable[[], Iterator[OpenDownload]],
        make_report: Callable[[], Report] | None = None,
    ) -> OpenDownload:
        """Open a zip of lists and perhaps their report, written while it is sent."""
        task = self.stored.task
        with naming_loss():
            result_bytes = self.results.fetch(self.stored, RESULT_NAME).stat().st_size
        row_count = task.summary.rows_out if task.summary is not None else 0
        most_bytes = _GROWTH_MOST * result_bytes + _ADDED_MOST_BYTES * row_count
        is_packed = self.file_format.traits.is_packed

        def list_members() -> Iterator[ZipMember]:
            if make_report is not None:
                report = make_report()
                yield ZipMember(report.file_name, iter((report.content,)))
            for one in open_files():
                yield ZipMember(one.file_name, one.read_content(), is_packed)

        made_at = task.completed_at or task.submitted_at
        return OpenDownload(
            file_name, ZIP_TYPE, stream=lambda: stream_zip(list_members(), made_at, most_bytes)
        )

    def _open_one(self, export: Export) -> OpenDownload:
        file_name, media_type = name_file(self.stored, export), self.file_format.traits.media_type
        if (path := self._find_file(export)) is not None:
            plain = OpenDownload(file_name, media_type, path)
        else:
            rows_now = self.rows  # measured and sent by the same own lists
            stream = partial(rows_now.stream, export)
            plain = OpenDownload(file_name, media_type, stream=stream)
        if self.file_format.traits.unpacked is None:
            return plain
        pack = find_format(self.file_format).pack
        return replace(plain, path=None, stream=lambda: pack(plain.read_content()))

    def _find_file(self, export: Export) -> Path | None:
        """Return the stored file or one that is made; None: the rows are written when sent."""
        is_stored, choice = export.variant is Variant.ORIGINAL, export.choice
        if export.is_whole and choice.keeps_bytes(self.stored.task.plan.file_format):
            view = self.results.views.see(self.stored).view
            is_stored |= view is None or not view.alters_result
        if is_stored:
            return self.results.fetch(self.stored, RESULT_NAME)
        return None if self.file_format.traits.is_text else self._make_file(export)

    def _make_file(self, export: Export) -> Path:
        """Return a file that was made for the link; write it first if it is not there."""
        file_format = self.file_format
        name = f"{self.token_hash}.{self.version}.{export.variant.value}.{file_format.value}"
        key = BlobKey(BlobKind.VARIANT, name)
        with self.making:
            with suppress(FileNotFoundError):
                return self.blobs.fetch(key)
            with mapping_disk_errors(), self.blobs.stage(key) as out_path:
                path = self.results.fetch(self.stored, RESULT_NAME)
                write_export(
                    RewriteRequest(path, self.rows, out_path, self.stored.task.plan, export)
                )
            return self.blobs.fetch(key)


def name_file(stored: StoredTask, export: Export) -> str:
    """Return the name of a project's file."""
    return name_download(
        stored.task.project_name,
        export.variant,
        export.name_format(stored.task.plan.file_format),
        takes_black=export.choice.policy.takes_black,
        platform=export.platform,
        wanted=export.rows.wanted if isinstance(export.rows, Since) else None,
    )

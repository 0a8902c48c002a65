"""Merges: several uploads written as one, which then is an upload like any other."""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from winnow.core.accounts import Upload
from winnow.core.lists.file_format import FileFormat
from winnow.core.lists.input_head import Head
from winnow.core.lists.merging import Merge, MergedFile, name_merge
from winnow.core.ports import Blobs
from winnow.core.settings import Settings
from winnow.core.tasks.task import InputPlan
from winnow.lists.inspection.inspect import plan_input
from winnow.lists.inspection.signature import split_file_name
from winnow.services.inspection.inspections import Inspector, JudgeOffline
from winnow.services.uploads import Uploads, UploadWriter, mapping_full_disk, mapping_loss

_READ_BYTES = 1 << 20
_ROWS = "rows"
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class RowsQuestion:
    """How do this file's rows stand in a merged list? Errors are ``merging.write_rows``'s.

    Attributes:
        path: The file; it is only read.
        plan: How it is to be read.
        places, label, delimiter: As ``RowMapper`` takes them.
        out_path: Where they are written.
        scratch: An existing folder for passing files.
        most_bytes: So much may be written.
    """

    path: Path
    plan: InputPlan
    places: tuple[int | None, ...]
    label: str
    delimiter: str
    out_path: Path
    scratch: Path
    most_bytes: int

    @property
    def file_format(self) -> FileFormat:
        """The plan's."""
        return self.plan.file_format

    def answer(self, judge_offline: JudgeOffline) -> int:
        """Write the rows; return how many."""
        from winnow.lists.merging.row_mapper import RowMapper  # brings pyarrow along
        from winnow.lists.merging.rows_file import write_rows_to
        from winnow.lists.requests import RowsRequest

        mapper = RowMapper(self.places, self.label, self.delimiter)
        request = RowsRequest(self.path, self.plan, self.scratch)
        return write_rows_to(self.out_path, request, mapper, self.most_bytes)


class Merges:
    """Merges of every account. Synchronous and thread-safe."""

    def __init__(
        self,
        blobs: Blobs,
        settings: Settings,
        uploads: Uploads,
        inspector: Inspector,
        carry_files: Callable[[str, str, str], None] = lambda account, old, new: None,
    ) -> None:
        """Wire the merges; ``carry_files`` is as for ``Tasks``."""
        self._carry_files = carry_files
        self._blobs = blobs
        self._settings = settings
        self._uploads = uploads
        self._inspector = inspector

    def merge(
        self,
        account: str,
        files: Sequence[tuple[str, Head, int]],
        tell: Callable[[int], None] = lambda number: None,
    ) -> Upload:
        """Write several uploads as one list, which takes their place.

        They go once it is cleaned, and come back once it is discarded. Whatever fails or breaks off
        leaves them as they were, and nothing else.

        Args:
            account: Whose they are.
            files: Their ids, how each is read, and its email column from 0, in the order of their
                rows.
            tell: Called with the place of each file, from 0, before it is read; what it raises ends
                the merge.

        Raises:
            InputError: The file that was told last cannot be read.
            TooLarge, QuotaExceeded, StorageFull: There is no room for the list and its result.
            Gone: A file is no longer there.
        """
        from winnow.lists.merging.rows_file import choose_format, lay_out_plans, write_header

        uploads = [self._uploads.get(account, upload_id) for upload_id, _, _ in files]
        plans = [plan_input(head, email_column=column) for _, head, column in files]
        names = [upload.file_name for upload in uploads]
        layout = lay_out_plans(names, plans)
        file_format = choose_format(plans)
        delimiter = file_format.traits.delimiter
        name = name_merge(names, split_file_name(names[0])[0], file_format)
        merged_files = []
        with self._uploads.begin(
            account, name, sum(upload.size_bytes for upload in uploads)
        ) as writer:
            writer.write(write_header(layout, delimiter))
            for number, (upload, plan) in enumerate(zip(uploads, plans, strict=True)):
                tell(number)
                label, places = layout.labels[number], layout.list_places(number)
                rows = self._write_rows(writer, upload, plan, places, label, delimiter)
                merged_files.append(MergedFile(label, rows))
            for upload in uploads:
                self._carry_files(account, upload.upload_id, writer.upload_id)
            merge = Merge(tuple(merged_files), layout.email_column)
            merged = writer.finish_merge(merge, [upload.upload_id for upload in uploads])
        _log.info("upload %s merged from %d files", merged.upload_id, len(files))
        return merged

    def _write_rows(
        self,
        writer: UploadWriter,
        upload: Upload,
        plan: InputPlan,
        places: tuple[int | None, ...],
        label: str,
        delimiter: str,
    ) -> int:
        """Write a file's rows behind the others; return how many."""
        most_bytes = self._settings.max_upload_bytes or self._settings.quota_bytes
        with mapping_loss(), mapping_full_disk(), self._blobs.scratch() as scratch:
            path, out_path = self._blobs.fetch(upload.key), scratch / _ROWS
            row_count = self._inspector.ask(
                RowsQuestion(path, plan, places, label, delimiter, out_path, scratch, most_bytes)
            )
            with out_path.open("rb") as rows:
                while chunk := rows.read(_READ_BYTES):
                    writer.write(chunk)
        return row_count

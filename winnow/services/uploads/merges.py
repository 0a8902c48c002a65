"""Merges: several uploads written as one upload."""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from winnow.core.disk_errors import mapping_disk_errors
from winnow.core.identities import Role
from winnow.core.lists.file_format import FileFormat
from winnow.core.lists.input_head import Head
from winnow.core.lists.merging import Merge, MergedFile, MergeLayout, name_merge
from winnow.core.lists.upload import Upload
from winnow.core.tasks.input_plan import InputPlan
from winnow.lists.execution.run_files import create_file
from winnow.lists.inspect import plan_input
from winnow.lists.inspection.signature import split_file_name
from winnow.lists.requests import RowsRequest
from winnow.services.uploads.uploads import Uploads, UploadWriter
from winnow.services.use_cases import use_case

_READ_BYTES = 1 << 20
_ROWS = "rows"
_log = logging.getLogger(__name__)


@dataclass(eq=False, repr=False)
class Merges:
    """Merges of every account. Synchronous and thread-safe."""

    uploads: Uploads
    carry_files: Callable[[str, str, str], None]

    @use_case(Role.MEMBER)
    def merge(
        self,
        account: str,
        files: Sequence[tuple[str, Head, int]],
        report: Callable[[int], None] = lambda number: None,
    ) -> Upload:
        """Write several uploads as one list, which replaces them.

        They are removed once it is cleaned, and are shown again if it is discarded. After a failure
        they are unchanged and nothing else is left. Noes decided of one hold for all of its rows.

        Args:
            account: Whose they are.
            files: Their ids, how each is read, and its email column from 0, in the order of their
            rows.
            report: Called with the index of each file, from 0, before it is read; an error that it
            raises ends the merge.

        Raises:
            InputError: The file passed to ``report`` last cannot be read.
            TooLarge, QuotaExceeded, StorageFull: There is no space for the list and its result.
            Gone: A file is no longer there.
        """
        from winnow.lists.merging import choose_format, lay_out_plans, write_header

        uploads = [self.uploads.get(account, upload_id) for upload_id, _, _ in files]
        plans = [plan_input(head, email_column=column) for _, head, column in files]
        names = [upload.file_name for upload in uploads]
        layout = lay_out_plans(names, plans)
        file_format = choose_format(plans)
        delimiter = file_format.traits.delimiter
        name = name_merge(names, split_file_name(names[0])[0], file_format)
        merged_files = []
        with self.uploads.begin(
            account, name, sum(upload.size_bytes for upload in uploads)
        ) as writer:
            writer.write(write_header(layout, delimiter))
            for number, (upload, plan) in enumerate(zip(uploads, plans, strict=True)):
                report(number)
                write = partial(_write_rows, layout, number, delimiter, plan)
                merged_files.append(self._append_rows(writer, upload, plan.file_format, write))
            for upload in uploads:
                self.carry_files(account, upload.upload_id, writer.upload_id)
            merge = Merge(tuple(merged_files), layout.email_column)
            merged = writer.finish_merge(merge, [upload.upload_id for upload in uploads])
        for upload in uploads:
            if upload.mail is not None:
                self.uploads.decide(account, merged.upload_id, upload.mail.keep_noes())
        _log.info("upload %s merged from %d files", merged.upload_id, len(files))
        return merged

    def _append_rows(
        self,
        writer: UploadWriter,
        upload: Upload,
        file_format: FileFormat,
        write: Callable[..., MergedFile],
    ) -> MergedFile:
        """Append a file's rows, which a looking process writes to a temporary file."""
        settings = self.uploads.settings
        most_bytes = settings.max_upload_bytes or settings.quota_bytes
        with mapping_disk_errors(), self.uploads.blobs.scratch() as folder:
            out_path = folder / _ROWS
            work = partial(write, out_path, most_bytes)
            merged = self.uploads.ask(upload.key, file_format, work)
            with out_path.open("rb") as rows:
                while chunk := rows.read(_READ_BYTES):
                    writer.write(chunk)
        return merged


def _write_rows(
    layout: MergeLayout,
    number: int,
    delimiter: str,
    plan: InputPlan,
    out_path: Path,
    most_bytes: int,
    path: Path,
    scratch: Path,
) -> MergedFile:
    """Write the rows of one of the files as a merged list has them."""
    from winnow.lists.merging import write_rows  # brings pyarrow along

    request = RowsRequest(path, plan, scratch)
    with create_file(out_path) as out:
        return write_rows(request, layout, number, delimiter, out.write, most_bytes)

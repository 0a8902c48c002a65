"""Merges: several uploads written as one upload."""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from winnow.core.disk_errors import mapping_disk_errors
from winnow.core.identities import Role
from winnow.core.lists.input_head import Head
from winnow.core.lists.merging import MergedFile
from winnow.core.lists.upload import Upload
from winnow.lists.inspect import plan_input
from winnow.services.uploads.uploads import Uploads
from winnow.services.use_cases import use_case

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
        from winnow.lists.merging import choose_format, merge_files, name_merge  # bring pyarrow

        uploads = [self.uploads.get(account, upload_id) for upload_id, _, _ in files]
        plans = [plan_input(head, email_column=column) for _, head, column in files]
        names = [upload.file_name for upload in uploads]
        name = name_merge(names, choose_format([plan.file_format for plan in plans]))
        settings, size_bytes = self.uploads.settings, sum(one.size_bytes for one in uploads)
        most_bytes = settings.max_upload_bytes or settings.quota_bytes
        with (
            self.uploads.begin(account, name, size_bytes) as writer,
            mapping_disk_errors(),
            self.uploads.blobs.scratch() as folder,
        ):

            def read(number: int, write_rows: Callable[..., MergedFile]) -> MergedFile:
                report(number)
                key, file_format = uploads[number].key, plans[number].file_format
                return self.uploads.ask(key, file_format, write_rows)

            merge = merge_files(names, plans, writer.write, read, folder / _ROWS, most_bytes)
            for upload in uploads:
                self.carry_files(account, upload.upload_id, writer.upload_id)
                if upload.mail is not None:
                    self.uploads.decide(account, writer.upload_id, upload.mail.keep_noes())
            merged = writer.finish_merge(merge, [upload.upload_id for upload in uploads])
        _log.info("upload %s merged from %d files", merged.upload_id, len(files))
        return merged

"""Export cache: files that are not text, made once for a link and deleted with it.

A file is made again when the own lists have changed since.
"""

import threading
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from winnow.core.blobs import BlobKey, BlobKind
from winnow.core.disk_errors import mapping_disk_errors
from winnow.core.lists.exports import Export
from winnow.core.ports import Blobs
from winnow.lists.format_registry import write_export
from winnow.lists.requests import RewriteRequest
from winnow.services.results.results import Results
from winnow.storage.repositories.tasks import StoredTask

if TYPE_CHECKING:
    from winnow.lists.result.result_rows import ResultRows


@dataclass(eq=False, repr=False)
class ExportCache:
    """Makes each file once, also for several requests at the same time."""

    blobs: Blobs
    results: Results

    def __post_init__(self) -> None:
        self._guard = threading.Lock()  # one at a time: each may need much memory

    def make_file(
        self, stored: StoredTask, rows: "ResultRows", export: Export, token_hash: str
    ) -> Path:
        """Return the file of a link; write it first if it is not there.

        Args:
            stored: The project.
            rows: Its rows, opened for this link alone.
            export: What the link was made for.
            token_hash: The link's.

        Raises:
            StorageFull: The disk is full; nothing is left behind.
            DoesNotFit: A sheet cannot hold the rows; nothing is left behind.
        """
        plan = stored.task.plan
        version, file_format = (
            self.results.own_version(stored),
            export.name_format(plan.file_format),
        )
        name = f"{token_hash}.{version}.{export.variant.value}.{file_format.value}"
        key = BlobKey(BlobKind.VARIANT, name)
        with self._guard:
            with suppress(FileNotFoundError):
                return self.blobs.fetch(key)
            with mapping_disk_errors(), self.blobs.stage(key) as out_path:
                path = self.results.fetch_list(stored)
                write_export(RewriteRequest(path, rows, out_path, plan, export))
            return self.blobs.fetch(key)

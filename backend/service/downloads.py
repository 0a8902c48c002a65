"""Temporary download links, and what stands behind them."""

import hashlib
import secrets
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from backend.core.accounts import DownloadLink
from backend.core.errors import Gone, TaskUnknown
from backend.core.rows import RowFilter, Variant
from backend.core.settings import Settings
from backend.core.tasks import FileFormat
from backend.service.names import name_download
from backend.service.results import Results
from backend.service.variants import Variants
from backend.store import links as rows
from backend.store.database import Database
from backend.store.links import StoredLink
from backend.store.tasks import StoredTask, find_task

TOKEN_BYTES = 32
RESULT_NAME = "result"  # as files.batch has it
MEDIA_TYPES = {
    FileFormat.CSV: "text/csv",
    FileFormat.TSV: "text/tab-separated-values",
    FileFormat.XLSX: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}


@dataclass(frozen=True, slots=True)
class OpenDownload:
    """A file to send: ``path`` (Range works), or else ``stream``, called once a request.

    ``size_bytes`` is None where it is not known beforehand.
    """

    file_name: str
    media_type: str
    size_bytes: int | None
    path: Path | None = None
    stream: Callable[[], Iterator[bytes]] | None = None


class Downloads:
    """Issues links and opens them. Synchronous and thread-safe."""

    def __init__(
        self,
        database: Database,
        settings: Settings,
        results: Results,
        variants: Variants,
        clock: Callable[[], datetime],
    ) -> None:
        self._database = database
        self._settings = settings
        self._results = results
        self._variants = variants
        self._clock = clock

    def issue(
        self, account: str, task_id: str, variant: Variant = Variant.AUGMENTED
    ) -> DownloadLink:
        """Make a link that lives for ``WINNOW_LINK_SECONDS`` and dies with its project.

        Behind it stands what the account's own lists say when it is followed; only the original
        never changes.

        Raises:
            TaskUnknown, Gone: As ``Tasks.get``.
            ResultNotReady: Processing or failed.
        """
        stored = self._results.require_completed(account, task_id)
        token = secrets.token_urlsafe(TOKEN_BYTES)
        life = timedelta(seconds=self._settings.link_seconds)
        expires_at = min(self._clock() + life, stored.task.expires_at)
        rows.insert_link(self._database, _hash(token), StoredLink(task_id, variant, expires_at))
        return DownloadLink(
            path=f"{self._settings.base_path}/downloads/{token}",
            file_name=_name(stored, variant),
            size_bytes=self._measure(stored, variant),
            expires_at=expires_at,
        )

    def open(self, token: str) -> OpenDownload:
        """Find what a link leads to; a filtered workbook is made on first use.

        Raises:
            Gone: The link has expired or its project is deleted.
            TaskUnknown: There never was such a link, or it died with its project.
            StorageFull: No room for the filtered workbook.
        """
        token_hash = _hash(token)
        link = rows.find_link(self._database, token_hash)
        if link is None:
            raise TaskUnknown("There is no such download.")
        if self._clock() >= link.expires_at:
            raise Gone("The download link has expired.", hint="Ask for a new one.")
        found = find_task(self._database, link.task_id)
        if found is None:
            raise TaskUnknown("There is no such download.")
        stored = self._results.require_completed(found.task.account, link.task_id)
        file_name = _name(stored, link.variant)
        media_type = MEDIA_TYPES[stored.task.plan.file_format]
        path = self._find_file(stored, link.variant, token_hash)
        if path is not None:
            try:
                return OpenDownload(file_name, media_type, path.stat().st_size, path)
            except FileNotFoundError:
                raise Gone("The project has been deleted.") from None
        rows_now = self._results.open_rows(stored)  # measured and sent by the same own lists
        return OpenDownload(
            file_name,
            media_type,
            rows_now.stream_size_bytes(RowFilter(), link.variant),
            stream=lambda: rows_now.stream(RowFilter(), link.variant),
        )

    def _find_file(self, stored: StoredTask, variant: Variant, token_hash: str) -> Path | None:
        if self._is_stored(stored, variant):
            return self._results.folder_of(stored) / RESULT_NAME
        if stored.task.plan.file_format is FileFormat.XLSX:
            return self._variants.make_workbook(stored, variant, token_hash)
        return None

    def _measure(self, stored: StoredTask, variant: Variant) -> int | None:
        if self._is_stored(stored, variant):
            return (self._results.folder_of(stored) / RESULT_NAME).stat().st_size
        if stored.task.plan.file_format is FileFormat.XLSX:
            return None
        return self._results.open_rows(stored).stream_size_bytes(RowFilter(), variant)

    def _is_stored(self, stored: StoredTask, variant: Variant) -> bool:
        """Tell whether the file lies on the disk as it is to be sent."""
        if variant is Variant.ORIGINAL:
            return True
        return variant is Variant.AUGMENTED and not self._results.is_altered(stored)


def _name(stored: StoredTask, variant: Variant) -> str:
    return name_download(stored.task.project_name, variant, stored.task.plan.file_format)


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()

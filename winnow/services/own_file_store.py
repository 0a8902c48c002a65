"""Own files on their way in: read, hashed, measured, and entered in one place."""

import hashlib
import logging
from collections.abc import Callable
from datetime import datetime
from typing import Any
from uuid import uuid4

from winnow.core.blobs import BlobKey, BlobKind
from winnow.core.own_files import OwnFile, OwnFileKind
from winnow.core.ports import Blobs
from winnow.core.settings import Settings
from winnow.services.uploads import mapping_full_disk
from winnow.storage.database.database import Database
from winnow.storage.repositories import own_files as rows

_log = logging.getLogger(__name__)


class OwnFileStore:
    """Keeps the hashes of own files, counted toward the quota. Synchronous and thread-safe."""

    def __init__(
        self,
        database: Database,
        blobs: Blobs,
        settings: Settings,
        clock: Callable[[], datetime],
    ) -> None:
        self._database = database
        self._blobs = blobs
        self._settings = settings
        self._clock = clock

    def keep(
        self,
        account: str,
        kind: OwnFileKind,
        file_name: str,
        write: Callable[[BlobKey], dict[str, Any]],
        *,
        upload_id: str | None = None,
    ) -> OwnFile:
        """Enter a file whose hashes ``write`` puts under a key, and returns what it counted.

        A name with an address in it is not kept.

        Raises:
            QuotaExceeded, StorageFull: There is no room for the hashes; nothing is left.
            Gone: The list that it is for is not there.
        """
        file_id = str(uuid4())
        key = BlobKey(BlobKind.OWN_FILE, file_id)
        name = "file" if "@" in file_name else file_name
        now = self._clock()
        rows.begin_file(self._database, account, file_id, kind, name, now, upload_id=upload_id)
        try:
            with mapping_full_disk():
                counts = write(key)
            file = rows.finish_file(
                self._database,
                file_id,
                self._blobs.size(key),
                self._digest(key),
                counts,
                limit=self._settings.quota_bytes,
            )
        except BaseException:
            rows.forget_gone_files(self._database, self._blobs, [file_id])
            raise
        _log.info("%s file %s added, %d bytes", kind.value, file_id, file.size_bytes)
        return file

    def _digest(self, key: BlobKey) -> str:
        digest = hashlib.sha256()
        for chunk in self._blobs.read(key):
            digest.update(chunk)
        return digest.hexdigest()

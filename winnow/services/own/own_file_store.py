"""Import of own files: read, hashed, measured and stored."""

import hashlib
import logging
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import uuid4

from winnow.core.blobs import BlobKey, BlobKind
from winnow.core.disk_errors import mapping_disk_errors
from winnow.core.lists.side_files import OwnFile, OwnFileKind
from winnow.core.ports import Blobs
from winnow.core.settings import Settings
from winnow.storage.database.database import Database
from winnow.storage.repositories import own_files as rows

_log = logging.getLogger(__name__)


@dataclass(eq=False, repr=False)
class OwnFileStore:
    """Stores the hashes of own files, counted toward the quota. Synchronous and thread-safe."""

    database: Database
    blobs: Blobs
    settings: Settings
    clock: Callable[[], datetime]

    def keep(
        self,
        account: str,
        kind: OwnFileKind,
        file_name: str,
        write: Callable[[BlobKey], dict[str, Any]],
        *,
        upload_id: str | None = None,
    ) -> OwnFile:
        """Store a file: ``write`` puts its hashes under a key and returns what it counted.

        A file name with an address in it is not stored.

        Raises:
            QuotaExceeded, StorageFull: There is no space for the hashes; nothing is left.
            Gone: The list that it belongs to is not there.
        """
        file_id = str(uuid4())
        key = BlobKey(BlobKind.OWN_FILE, file_id)
        name = "file" if "@" in file_name else file_name
        now = self.clock()
        rows.begin_file(self.database, account, file_id, kind, name, now, upload_id=upload_id)
        try:
            with mapping_disk_errors():
                counts = write(key)
            file = rows.finish_file(
                self.database,
                file_id,
                self.blobs.size(key),
                self._digest(key),
                counts,
                limit=self.settings.quota_bytes,
            )
        except BaseException:
            rows.forget_gone_files(self.database, self.blobs, [file_id])
            raise
        _log.info("%s file %s added, %d bytes", kind.value, file_id, file.size_bytes)
        return file

    def _digest(self, key: BlobKey) -> str:
        digest = hashlib.sha256()
        for chunk in self.blobs.read(key):
            digest.update(chunk)
        return digest.hexdigest()

"""Bounces that were imported: the account's own ground truth, beside every verdict."""

from typing import Any

from winnow.core.accounts import Upload
from winnow.core.blobs import BlobKey
from winnow.core.bounces import BounceCounts, BounceImport, BounceRecord, add_up
from winnow.core.own_files import OwnFile, OwnFileKind
from winnow.core.ports import Blobs
from winnow.services.inspection.inspections import Inspector
from winnow.services.inspection.own_file_questions import BounceQuestion
from winnow.services.own_file_store import OwnFileStore
from winnow.services.uploads import Uploads, mapping_loss
from winnow.storage.database.database import Database
from winnow.storage.repositories import own_files as rows


class Bounces:
    """The imports of every account. Synchronous and thread-safe.

    An import shows at once: on checks of a page, and on the rows of every project. It changes no
    verdict, and nothing that the API answers.
    """

    def __init__(
        self,
        database: Database,
        blobs: Blobs,
        store: OwnFileStore,
        secret: bytes,
        uploads: Uploads,
        inspector: Inspector,
    ) -> None:
        self._database = database
        self._blobs = blobs
        self._store = store
        self._secret = secret
        self._uploads = uploads
        self._inspector = inspector

    def add(self, account: str, received: Upload) -> BounceImport:
        """Import a file, which is gone afterwards.

        Raises:
            UnsupportedFormat, BrokenFile, EmptyFile: It cannot be read, or tells of no bounces.
            QuotaExceeded, StorageFull: There is no room for its hashes.
        """

        def read(key: BlobKey) -> dict[str, Any]:
            with (
                mapping_loss(),
                self._blobs.stage(key) as out_path,
                self._blobs.scratch() as folder,
            ):
                path = self._blobs.fetch(received.key)
                question = BounceQuestion(path, received.file_name, self._secret, out_path, folder)
                return self._inspector.ask(question).to_json()

        try:
            kept = self._store.keep(account, OwnFileKind.BOUNCES, received.file_name, read)
        finally:
            self._uploads.discard(account, received.upload_id)
        return _describe(kept)

    def list(self, account: str) -> tuple[BounceImport, ...]:
        """Return the imports, in the order in which they came."""
        found = rows.list_files(self._database, account, OwnFileKind.BOUNCES)
        return tuple(map(_describe, found))

    def remove(self, account: str, file_id: str) -> bool:
        """Forget an import; False where it was not there."""
        return rows.remove_file(self._database, self._blobs, account, file_id)

    def measure(self, account: str) -> BounceRecord:
        """Return how Winnow's verdicts did on all that was imported."""
        return add_up(one.counts for one in self.list(account))


def _describe(file: OwnFile) -> BounceImport:
    counts = BounceCounts.from_json(file.counts)
    return BounceImport(file.file_id, file.file_name, file.created_at, counts)

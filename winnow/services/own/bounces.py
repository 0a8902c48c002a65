"""Imported bounces: evidence of the account's own, shown with every verdict."""

from dataclasses import dataclass
from typing import Any

from winnow.core.accounts import Upload
from winnow.core.blobs import BlobKey
from winnow.core.bounces import BounceCounts, BounceImport, BounceRecord, add_up
from winnow.core.lists.side_files import OwnFile, OwnFileKind
from winnow.core.ports import Blobs
from winnow.services.own.own_file_store import OwnFileStore
from winnow.services.uploads.inspection.inspections import Inspector
from winnow.services.uploads.inspection.own_file_questions import BounceQuestion
from winnow.services.uploads.uploads import Uploads, mapping_loss
from winnow.storage.database.database import Database
from winnow.storage.repositories import own_files as rows


@dataclass(eq=False, repr=False)
class Bounces:
    """The imports of every account. Synchronous and thread-safe.

    An import shows at once on a page's checks and on the rows of every project. It changes no
    verdict and no answer of the API.
    """

    database: Database
    blobs: Blobs
    store: OwnFileStore
    secret: bytes
    uploads: Uploads
    inspector: Inspector

    def add(self, account: str, received: Upload) -> BounceImport:
        """Import a file, which is deleted afterwards.

        Raises:
            UnsupportedFormat, BrokenFile, EmptyFile: It cannot be read, or has no bounces.
            QuotaExceeded, StorageFull: There is no space for its hashes.
        """

        def read(key: BlobKey) -> dict[str, Any]:
            with (
                mapping_loss(),
                self.blobs.stage(key) as out_path,
                self.blobs.scratch() as folder,
            ):
                path = self.blobs.fetch(received.key)
                question = BounceQuestion(path, received.file_name, self.secret, out_path, folder)
                return self.inspector.ask(question).to_json()

        try:
            kept = self.store.keep(account, OwnFileKind.BOUNCES, received.file_name, read)
        finally:
            self.uploads.discard(account, received.upload_id)
        return _describe(kept)

    def list(self, account: str) -> tuple[BounceImport, ...]:
        """Return the imports, the oldest first."""
        found = rows.list_files(self.database, account, OwnFileKind.BOUNCES)
        return tuple(map(_describe, found))

    def remove(self, account: str, file_id: str) -> bool:
        """Delete an import; False if there is no such import."""
        return rows.remove_file(self.database, self.blobs, account, file_id)

    def measure(self, account: str) -> BounceRecord:
        """Return how Winnow's verdicts compare with all imported bounces."""
        return add_up(one.counts for one in self.list(account))


def _describe(file: OwnFile) -> BounceImport:
    counts = BounceCounts.from_json(file.counts)
    return BounceImport(file.file_id, file.file_name, file.created_at, counts)

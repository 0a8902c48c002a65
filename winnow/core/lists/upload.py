"""An uploaded file, as services return it. Times are UTC."""

from dataclasses import dataclass
from datetime import datetime

from winnow.core.blobs import BlobKey, BlobKind
from winnow.core.lists.merging import Merge


@dataclass(frozen=True, slots=True)
class Upload:
    """A file being uploaded or staged; ``merge`` has the sources of a merged list."""

    upload_id: str
    account: str
    file_name: str
    size_bytes: int
    created_at: datetime
    sha256: str | None = None  # set when complete
    merge: Merge | None = None

    @property
    def key(self) -> BlobKey:
        """The key of its bytes."""
        return BlobKey(BlobKind.INPUT, self.upload_id)

"""An uploaded file, as services return it. Times are UTC."""

from dataclasses import dataclass
from datetime import datetime

from winnow.core.blobs import BlobKey, BlobKind
from winnow.core.lists.merging import Merge
from winnow.core.meaning.columns import MailDecisions


@dataclass(frozen=True, slots=True)
class Upload:
    """A file being uploaded or staged; ``merge`` has the sources of a merged list.

    ``mail`` and ``project_name`` were entered on pages for its run; None: nothing was.
    """

    upload_id: str
    account: str
    file_name: str
    size_bytes: int
    created_at: datetime
    sha256: str | None = None  # set when complete
    merge: Merge | None = None
    mail: MailDecisions | None = None
    project_name: str | None = None

    @property
    def key(self) -> BlobKey:
        """The key of its bytes."""
        return BlobKey(BlobKind.INPUT, self.upload_id)

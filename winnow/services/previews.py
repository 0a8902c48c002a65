"""The preview of an upload: what it is likely to come out as, before anything is charged."""

import threading
from collections.abc import Callable

from cachetools import FIFOCache

from winnow.core.accounts import Upload
from winnow.core.lists.input_head import Head
from winnow.core.lists.previews import Preview
from winnow.core.own_lists.patterns import OwnLists
from winnow.core.ports import Blobs
from winnow.core.tasks.task import InputPlan, KeyType
from winnow.core.verdicts.judge import Judge
from winnow.lists.inspection.inspect import plan_input
from winnow.services.inspection.inspections import Inspector, PreviewQuestion
from winnow.services.uploads import Uploads, mapping_full_disk, mapping_loss

KEPT = 32  # a preview is a dozen figures
_Key = tuple[str, str, InputPlan, int, str]


class Previews:
    """Looks into uploads, one at a time, and remembers what it saw. Thread-safe; asks nobody."""

    def __init__(
        self,
        blobs: Blobs,
        uploads: Uploads,
        inspector: Inspector,
        judge_offline: Callable[[KeyType], Judge],
        own_for: Callable[[str], OwnLists],
    ) -> None:
        self._blobs = blobs
        self._uploads = uploads
        self._inspector = inspector
        self._judge_offline = judge_offline
        self._own_for = own_for
        self._turn = threading.Lock()  # two at once would take twice the memory and no less time
        self._guard = threading.Lock()
        self._made = FIFOCache[_Key, Preview](KEPT)

    def recall(self, account: str, upload_id: str, head: Head, email_column: int) -> Preview | None:
        """Return what ``look`` would, where it is known already; arguments and errors are its."""
        key, _ = self._plan(account, upload_id, head, email_column)
        with self._guard:
            return self._made.get(key)

    def look(self, account: str, upload_id: str, head: Head, email_column: int) -> Preview:
        """Tell what an upload will come out as; a second or two of work.

        Args:
            account: Whose upload and own lists.
            upload_id: A finished upload.
            head: What was understood of it, with the analyst's choices.
            email_column: From 0.

        Raises:
            Gone: There is no such upload any more.
            InputError: It cannot be read on somewhere: a run would fail for the same reason.
        """
        key, own = self._plan(account, upload_id, head, email_column)
        upload = self._uploads.get(account, upload_id)
        with self._turn:
            with self._guard:
                known = self._made.get(key)
            if known is None:
                known = self._make(upload, key, own, head.row_count)
                with self._guard:
                    self._made[key] = known
            return known

    def _plan(
        self, account: str, upload_id: str, head: Head, email_column: int
    ) -> tuple[_Key, OwnLists]:
        own = self._own_for(account)
        plan = plan_input(head, email_column=email_column)
        data_version = self._judge_offline(KeyType.LIVE).data_version
        return (account, upload_id, plan, own.version, data_version), own

    def _make(self, upload: Upload, key: _Key, own: OwnLists, row_count: int | None) -> Preview:
        with mapping_loss(), mapping_full_disk(), self._blobs.scratch() as scratch:
            path = self._blobs.fetch(upload.key)
            question = PreviewQuestion(path, key[2], own, scratch, row_count)
            return self._inspector.ask(question)

"""Groups of duplicates of an upload, or of a finished project's list: which row of each stays."""

import threading
from collections.abc import Callable
from dataclasses import replace

from cachetools import FIFOCache

from winnow.core.blobs import BlobKey
from winnow.core.lists.duplicate_groups import DuplicatePreview
from winnow.core.lists.input_head import Head
from winnow.core.own_lists.patterns import OwnLists
from winnow.core.ports import Blobs
from winnow.core.tasks.keep_rule import KeepChoice, KeepRule
from winnow.core.tasks.run_options import USUAL, RunOptions
from winnow.core.tasks.task import InputPlan, Task
from winnow.lists.inspection.inspect import plan_input, settle_keep
from winnow.services.inspection.inspections import DuplicatesQuestion, Inspector
from winnow.services.tasks import Tasks
from winnow.services.uploads import Uploads, mapping_full_disk, mapping_loss

KEPT = 32  # of a few dozen rows each


class Duplicates:
    """Looks into lists, one at a time, and remembers what it saw. Thread-safe."""

    def __init__(
        self,
        blobs: Blobs,
        uploads: Uploads,
        tasks: Tasks,
        inspector: Inspector,
        own_for: Callable[[str], OwnLists],
    ) -> None:
        self._own_for = own_for
        self._blobs = blobs
        self._uploads = uploads
        self._tasks = tasks
        self._inspector = inspector
        self._turn = threading.Lock()
        self._seen = FIFOCache[str, DuplicatePreview](KEPT)

    def look(
        self,
        account: str,
        upload_id: str,
        head: Head,
        email_column: int,
        keep: KeepChoice,
        options: RunOptions = USUAL,
    ) -> DuplicatePreview:
        """Show what removing duplicates would do to an upload; a second or two of work.

        Args:
            account: Whose upload.
            upload_id: A finished upload.
            head: What was understood of it, with the analyst's choices.
            email_column: From 0.
            keep: Which row of a duplicate is to stay.
            options: What else is chosen for the run.

        Raises:
            Gone: There is no such upload any more.
            BadField: There is no such column of dates.
            InputError: It cannot be read on somewhere: a run would fail for the same reason.
        """
        upload = self._uploads.get(account, upload_id)
        plan = plan_input(head, email_column=email_column)
        options = options.with_keep(settle_keep(head, keep))
        return self._show(account, upload.key, plan, options)

    def find_date_columns(self, head: Head) -> tuple[int, ...]:
        """Return the columns that look like dates, from 0, by the first rows."""
        from winnow.lists.preview.date_columns import find_date_columns  # brings polars along

        return find_date_columns(head.sample_rows, len(head.columns))

    def look_back(self, account: str, task_id: str) -> DuplicatePreview:
        """Show what removing duplicates did to a project's list.

        Raises:
            TaskUnknown, Gone: As ``Tasks.get``.
            InputError: The list cannot be read.
        """
        stored = self._tasks.get_stored(account, task_id)
        return self._show(account, stored.input_key, stored.task.plan, stored.task.options)

    def run_again(self, account: str, task_id: str, rule: KeepRule) -> Task:
        """Queue a project's list anew, with another row of duplicates that stays.

        Errors are those of ``Tasks.submit_again``.
        """
        options = self._tasks.get(account, task_id).options.with_keep(rule)
        options = replace(options, made_from=None)
        return self._tasks.submit_again(account, task_id, options=options)

    def _show(
        self, account: str, key: BlobKey, plan: InputPlan, options: RunOptions
    ) -> DuplicatePreview:
        own = self._own_for(account)
        asked = f"{key} {plan} {options}"
        if plan.judges_both:  # what is judged depends on them
            asked = f"{asked} {own.version}"
        with self._turn:
            known = self._seen.get(asked)
            if known is None:
                with mapping_loss(), mapping_full_disk(), self._blobs.scratch() as scratch:
                    path = self._blobs.fetch(key)
                    question = DuplicatesQuestion(path, plan, options, own, scratch)
                    known = self._inspector.ask(question)
                self._seen[asked] = known
            return known

"""Temporary download links."""

import secrets
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import partial

from winnow.core.errors import DoesNotFit, Gone, TaskUnknown
from winnow.core.identities import LOCAL_IDENTITY, Identity, Role
from winnow.core.lists.cleaning import Cleaning
from winnow.core.lists.exports import WHOLE_LIST, DownloadLink, Export
from winnow.core.lists.file_format import FileFormat
from winnow.core.lists.rows import Variant
from winnow.core.ports import Blobs
from winnow.core.settings import Settings
from winnow.core.tasks.task import Task
from winnow.services.accounts.sign_in import SignIn
from winnow.services.names import name_difference
from winnow.services.per_project import PerProject
from winnow.services.results.comparisons import Comparisons
from winnow.services.results.link_files import LinkFiles, OpenDownload, name_file
from winnow.services.results.reports import Report
from winnow.services.results.results import Results
from winnow.services.use_cases import use_case
from winnow.storage.database.database import Database
from winnow.storage.repositories import links as link_rows
from winnow.storage.repositories.links import StoredLink
from winnow.storage.repositories.tasks import StoredTask, find_task
from winnow.words import translatable_many

TOKEN_BYTES = 32
LINKS_KEPT = 2_000


@dataclass(eq=False, repr=False)
class Downloads:
    """Issues links and opens them. Synchronous and thread-safe.

    Args:
        database: Stores the links.
        blobs: Stores the files that are made for them.
        settings: The lifetime of a link.
        results: Returns the rows.
        comparisons: Returns what differs between two projects.
        sign_in: Returns which sessions are live.
        make_report: As ``LinkFiles`` takes it.
        clock: Returns the time in UTC.
    """

    database: Database
    blobs: Blobs
    settings: Settings
    results: Results
    comparisons: Comparisons
    sign_in: SignIn
    make_report: Callable[[Task, Cleaning], Report]
    clock: Callable[[], datetime]

    def __post_init__(self) -> None:
        self._making = threading.Lock()
        self._kept = PerProject[StoredLink, DownloadLink](LINKS_KEPT)

    @use_case(Role.READER)
    def issue(
        self,
        account: str,
        task_id: str,
        export: Export = WHOLE_LIST,
        *,
        earlier_id: str | None = None,
        session: str | None = None,
        identity: Identity = LOCAL_IDENTITY,
        is_new: bool = True,
    ) -> DownloadLink:
        """Make a link to one of a project's files, valid for ``WINNOW_LINK_SECONDS``.

        With ``earlier_id`` it leads to what differs from that project, not to an export.
        It ends with its projects, and with its session: after sign-out none of its links works. One
        of a person's key ends with the person.
        One that need not be new may be an earlier one of the same user, valid for two refreshes of
        a page: pages are drawn often, and each new link is a write to the disk.

        The file has the verdicts of the account's own lists when the link is followed; only the
        original never changes.

        Raises:
            TaskUnknown, Gone: As ``Tasks.get``.
            ResultNotReady: Processing or failed.
            DoesNotFit: A workbook was chosen, and the list has more rows than a sheet holds.
        """
        stored = self.results.require_completed(account, task_id)
        self._require_fitting(stored, export)
        file_name, ends_at = name_file(stored, export), stored.task.expires_at
        if earlier_id is not None:
            earlier = self.results.require_completed(account, earlier_id)
            file_name = name_difference(stored.task.project_name)
            ends_at = min(ends_at, earlier.task.expires_at)
        link = StoredLink(
            task_id,
            min(ends_at, self.clock() + timedelta(seconds=self.settings.link_seconds)),
            export,
            earlier_id,
            session or self.sign_in.name_key_session(identity),
            identity.person or identity.key,
        )
        make = partial(self._make, link, file_name)
        if is_new:
            return make()
        seconds = self.settings.link_seconds - 2 * self.settings.link_refresh_seconds
        return self._kept.get(
            replace(link, expires_at=datetime.max.replace(tzinfo=UTC)),
            make,
            lambda kept: link.expires_at - kept.expires_at <= timedelta(seconds=seconds),
        )

    def _make(self, link: StoredLink, file_name: str) -> DownloadLink:
        """Store a link under a new token."""
        token = secrets.token_urlsafe(TOKEN_BYTES)
        link_rows.insert_link(self.database, token, link)
        path = f"{self.settings.public_path}{self.settings.base_path}/downloads/{token}"
        return DownloadLink(path, file_name, link.expires_at)

    def open(self, token: str) -> OpenDownload:
        """Return the file of a link; one that is neither text nor stored is made first.

        Raises:
            Gone: The link has expired, its project is deleted, or its session has ended.
            TaskUnknown: There never was such a link, or it ended with its project.
            StorageFull: No space for that file.
            DoesNotFit: A cell or a row that the chosen workbook cannot hold.
        """
        try:
            link = link_rows.find_link(self.database, token)
        except (KeyError, ValueError) as error:  # what another release offers
            raise Gone("The download link has expired.", hint="Ask for a new one.") from error
        if link is None:
            raise TaskUnknown("There is no such download.")
        left = link.expires_at - self.clock()
        life = timedelta(seconds=self.settings.link_seconds)
        if not timedelta() < left <= life:  # more than its lifetime: the clock was set back since
            raise Gone("The download link has expired.", hint="Ask for a new one.")
        if link.session is not None and not self.sign_in.measure_session(link.session):
            raise Gone("The sign-in of this link has ended.", hint="Sign in and download it again.")
        found = find_task(self.database, link.task_id)
        if found is None:
            raise TaskUnknown("There is no such download.")
        stored = self.results.require_completed(found.task.account, link.task_id)
        if link.earlier_id is not None:
            task = stored.task
            stream = self.comparisons.open_stream(task.account, link.earlier_id, task.task_id)
            name, media_type = name_difference(task.project_name), FileFormat.CSV.traits.media_type
            opened = OpenDownload(name, media_type, stream=stream)
        else:
            files = LinkFiles(
                *(self.blobs, self.results, self.make_report, self._making),
                *(stored, link.export, link_rows.hash_token(token)),
            )
            opened = files.open()
        task_ids = (link.task_id,) if link.earlier_id is None else (link.task_id, link.earlier_id)
        return replace(opened, session=link.session, task_ids=task_ids, person=link.person or "")

    def note_first_use(self, token: str) -> bool:
        """Return whether a link is followed for the first time, and store that it was."""
        return link_rows.note_first_use(self.database, token)

    def _require_fitting(self, stored: StoredTask, export: Export) -> None:
        """Refuse a workbook for more rows than a sheet holds, before it is made."""
        summary, file_format = stored.task.summary, export.form.file_format
        most_rows = file_format.traits.most_rows if file_format else None
        if most_rows is None or summary is None:
            return
        row_count = summary.rows_out
        if row_count > most_rows and export.variant is not Variant.PACK:
            row_count = self.results.open_rows(stored).measure(export)
        if row_count > most_rows:
            raise DoesNotFit(
                "An Excel sheet holds {rows} below its header; this file has {wanted}.",
                rows=translatable_many(most_rows, "{count} row", "{count} rows"),
                wanted=row_count,
                hint="Choose CSV.",
            )

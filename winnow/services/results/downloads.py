"""Temporary download links and the files that they lead to."""

import secrets
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING

from winnow.core.accounts import LOCAL_IDENTITY, DownloadLink, Identity
from winnow.core.errors import DoesNotFit, Gone, TaskUnknown
from winnow.core.lists.cleaning import Cleaning, weigh
from winnow.core.lists.exports import NOTHING_CHOSEN, DownloadChoice, Export
from winnow.core.lists.file_format import FileFormat
from winnow.core.lists.platforms import PlatformFile
from winnow.core.lists.rows import Variant
from winnow.core.settings import Settings
from winnow.core.tasks.task import Task
from winnow.lists.format_registry import find_format
from winnow.services.accounts.sign_in import SignIn
from winnow.services.results.comparisons import Comparisons
from winnow.services.results.export_cache import ExportCache
from winnow.services.results.reports import Report
from winnow.services.results.results import Results
from winnow.services.results.zip_stream import ZipMember, stream_zip
from winnow.services.uploads.names import name_difference, name_download, name_part, name_zip
from winnow.storage.database.database import Database
from winnow.storage.repositories import links as rows
from winnow.storage.repositories.links import StoredLink
from winnow.storage.repositories.tasks import StoredTask, find_task
from winnow.words import mark_many

if TYPE_CHECKING:
    from winnow.lists.result.result_rows import ResultRows

TOKEN_BYTES = 32
ZIP_TYPE = "application/zip"
PACKED = (Variant.CLEANED, Variant.REMOVED, Variant.REVIEW, Variant.AUGMENTED)
_READ_BYTES = 1 << 18
# A row cannot grow by more: every reason (some 50 codes), twice.
_ADDED_MOST_BYTES = 2_500
_GROWTH_MOST = 4  # another encoding, quotes around each cell, apostrophes


@dataclass(frozen=True, slots=True)
class OpenDownload:
    """A file to send: ``path`` (Range works), or else ``stream``, called once a request.

    ``size_bytes`` is None where it is not known beforehand. ``session`` is the sign-in that its
    link ends with, if any; it also ends with each of the projects ``task_ids``. ``person`` asked
    for the link: a name, or the prefix of a key.
    """

    file_name: str
    media_type: str
    size_bytes: int | None
    path: Path | None = None
    stream: Callable[[], Iterator[bytes]] | None = None
    session: str | None = None
    task_ids: tuple[str, ...] = ()
    person: str = ""

    def read(self) -> Iterator[bytes]:
        """Yield the file's bytes."""
        if self.path is not None:
            with self.path.open("rb") as file:
                while chunk := file.read(_READ_BYTES):
                    yield chunk
        elif self.stream is not None:
            yield from self.stream()


@dataclass(eq=False, repr=False)
class Downloads:
    """Issues links and opens them. Synchronous and thread-safe.

    Args:
        database: Stores the links.
        settings: The lifetime of a link.
        results: Returns the rows.
        exports: Makes files that are not text.
        comparisons: Returns what differs between two projects.
        sign_in: Returns which sessions are live.
        make_report: Returns the report of a pack, for a task as it was judged, and the rows that
        are removed from it.
        clock: Returns the time in UTC.
    """

    database: Database
    settings: Settings
    results: Results
    exports: ExportCache
    comparisons: Comparisons
    sign_in: SignIn
    make_report: Callable[[Task, Cleaning], Report]
    clock: Callable[[], datetime]

    def issue(
        self,
        account: str,
        task_id: str,
        variant: Variant = Variant.AUGMENTED,
        choice: DownloadChoice = NOTHING_CHOSEN,
        *,
        session: str | None = None,
        identity: Identity = LOCAL_IDENTITY,
    ) -> DownloadLink:
        """Make a link to one of a project's files; see ``issue_export``."""
        export = Export(variant, choice)
        return self.issue_export(account, task_id, export, session=session, identity=identity)

    def issue_export(
        self,
        account: str,
        task_id: str,
        export: Export,
        *,
        session: str | None = None,
        identity: Identity = LOCAL_IDENTITY,
    ) -> DownloadLink:
        """Make a link that is valid for ``WINNOW_LINK_SECONDS`` and ends with its project.

        With a session it also ends with that: after sign-out none of its links works.

        The file has the verdicts of the account's own lists when the link is followed; only the
        original never changes.

        Raises:
            TaskUnknown, Gone: As ``Tasks.get``.
            ResultNotReady: Processing or failed.
            DoesNotFit: A workbook was chosen, and the list has more rows than a sheet holds.
        """
        stored = self.results.require_completed(account, task_id)
        self._require_fitting(stored, export)
        person = _name_caller(identity)
        link = StoredLink(task_id, self._find_end(stored), export, session=session, person=person)
        return DownloadLink(
            path=self._keep(link),
            file_name=_name(stored, export),
            expires_at=link.expires_at,
        )

    def issue_difference(
        self,
        account: str,
        before_id: str,
        now_id: str,
        *,
        session: str | None = None,
        identity: Identity = LOCAL_IDENTITY,
    ) -> DownloadLink:
        """Make a link to what differs between an earlier project and a later one.

        It ends with either project, and with a session as in ``issue``. The file has the verdicts
        of the own lists when the link is followed.

        Raises:
            TaskUnknown, Gone, ResultNotReady: As ``issue``, for either project.
        """
        before = self.results.require_completed(account, before_id)
        now = self.results.require_completed(account, now_id)
        expires_at = min(self._find_end(before), self._find_end(now))
        person = _name_caller(identity)
        link = StoredLink(now_id, expires_at, earlier_id=before_id, session=session, person=person)
        file_name = name_difference(now.task.project_name)
        return DownloadLink(self._keep(link), file_name, expires_at)

    def _find_end(self, stored: StoredTask) -> datetime:
        life = timedelta(seconds=self.settings.link_seconds)
        return min(self.clock() + life, stored.task.expires_at)

    def _keep(self, link: StoredLink) -> str:
        """Store a link under a new token; return its path."""
        token = secrets.token_urlsafe(TOKEN_BYTES)
        rows.insert_link(self.database, token, link)
        return f"{self.settings.public_path}{self.settings.base_path}/downloads/{token}"

    def open(self, token: str) -> OpenDownload:
        """Return the file of a link; one that is neither text nor stored is made first.

        Raises:
            Gone: The link has expired, its project is deleted, or its session has ended.
            TaskUnknown: There never was such a link, or it ended with its project.
            StorageFull: No space for that file.
            DoesNotFit: A cell or a row that the chosen workbook cannot hold.
        """
        try:
            link = rows.find_link(self.database, token)
        except KeyError as error:  # a filter that another release has
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
        opened = self._open_link(link, stored, rows.hash_token(token))
        task_ids = (link.task_id,) if link.earlier_id is None else (link.task_id, link.earlier_id)
        return replace(opened, session=link.session, task_ids=task_ids, person=link.person or "")

    def _open_link(self, link: StoredLink, stored: StoredTask, token_hash: str) -> OpenDownload:
        if link.earlier_id is not None:
            return self._open_difference(stored, link.earlier_id)
        opened = _Opened(stored, link.export, token_hash, partial(self.results.open_rows, stored))
        if link.export.variant is Variant.PACK:
            return self._open_pack(opened)
        if link.export.platform is not None:
            return self._open_limited(opened, link.export.platform)
        return self._open_one(opened, link.export)

    def _open_limited(self, opened: "_Opened", platform: PlatformFile) -> OpenDownload:
        """Open a platform's file, or a zip of numbered files if it exceeds the limits."""
        from winnow.lists.result.platform_file import find_parts

        parts = find_parts(opened.rows, opened.export, platform)
        if len(parts) < 2:
            return self._open_one(opened, opened.export)
        file_format, file_name = opened.file_format, _name(opened.stored, opened.export)

        def open_parts() -> Iterator[OpenDownload]:
            for number, part in enumerate(parts, start=1):
                one = self._open_one(opened, replace(opened.export, part=part))
                yield replace(one, file_name=name_part(file_name, file_format, number, len(parts)))

        name = name_zip(file_name, file_format)
        return self._open_zip(opened, name, open_parts)

    def _open_zip(
        self,
        opened: "_Opened",
        file_name: str,
        open_files: Callable[[], Iterator[OpenDownload]],
        make_report: Callable[[], Report] | None = None,
    ) -> OpenDownload:
        """Open a zip of lists and perhaps their report, written while it is sent."""
        task, result_bytes = opened.stored.task, self.results.measure_list(opened.stored)
        row_count = task.summary.rows_out if task.summary is not None else 0
        most_bytes = _GROWTH_MOST * result_bytes + _ADDED_MOST_BYTES * row_count
        is_packed = opened.file_format.traits.is_packed

        def list_members() -> Iterator[ZipMember]:
            if make_report is not None:
                report = make_report()
                yield ZipMember(report.file_name, iter((report.content,)))
            for one in open_files():
                yield ZipMember(one.file_name, one.read(), is_packed)

        made_at = task.completed_at or task.submitted_at
        return OpenDownload(
            *(file_name, ZIP_TYPE, None),
            stream=lambda: stream_zip(list_members(), made_at, most_bytes),
        )

    def _open_difference(self, stored: StoredTask, earlier_id: str) -> OpenDownload:
        task = stored.task
        stream = self.comparisons.open_stream(task.account, earlier_id, task.task_id)
        file_name = name_difference(task.project_name)
        return OpenDownload(file_name, FileFormat.CSV.traits.media_type, None, stream=stream)

    def _open_one(self, opened: "_Opened", export: Export) -> OpenDownload:
        plain = self._open_plain(opened, export)
        if opened.file_format.traits.unpacked is None:
            return plain
        pack = find_format(opened.file_format).pack
        return replace(plain, size_bytes=None, path=None, stream=lambda: pack(plain.read()))

    def _open_plain(self, opened: "_Opened", export: Export) -> OpenDownload:
        file_name = _name(opened.stored, export)
        media_type = opened.file_format.traits.media_type
        path = self._find_file(opened, export)
        if path is not None:
            try:
                return OpenDownload(file_name, media_type, path.stat().st_size, path)
            except FileNotFoundError:
                raise Gone("The project has been deleted.") from None
        rows_now = opened.rows  # measured and sent by the same own lists
        return OpenDownload(file_name, media_type, None, stream=lambda: rows_now.stream(export))

    def _open_pack(self, opened: "_Opened") -> OpenDownload:
        """Open the zip with every list and the report, written while it is sent."""
        if not opened.file_format.traits.is_text:  # what does not fit is said before a byte is sent
            self._find_file(opened, replace(opened.export, variant=Variant.AUGMENTED))
        policy = opened.export.choice.policy
        effect = weigh(policy, opened.rows.count_verdicts())

        def open_files() -> Iterator[OpenDownload]:
            for variant in PACKED:
                yield self._open_one(opened, replace(opened.export, variant=variant))

        def make_report() -> Report:
            return self.make_report(opened.stored.task, Cleaning(policy, effect))

        name = _name(opened.stored, opened.export)
        return self._open_zip(opened, name, open_files, make_report)

    def _find_file(self, opened: "_Opened", export: Export) -> Path | None:
        if self._is_stored(opened.stored, export):
            return self.results.fetch_list(opened.stored)
        if not opened.file_format.traits.is_text:
            return self.exports.make_file(opened.stored, opened.rows, export, opened.token_hash)
        return None

    def _is_stored(self, stored: StoredTask, export: Export) -> bool:
        """Return whether the file to send is the stored one."""
        if export.variant is Variant.ORIGINAL:
            return True
        return (
            export.is_whole
            and export.choice.keeps_bytes(stored.task.plan.file_format)
            and not self.results.is_altered(stored)
        )

    def _require_fitting(self, stored: StoredTask, export: Export) -> None:
        """Refuse a workbook for more rows than a sheet holds, before it is made."""
        summary, file_format = stored.task.summary, export.form.file_format
        most_rows = file_format.traits.most_rows if file_format else None
        if most_rows is None or summary is None:
            return
        row_count = summary.rows_out
        if row_count > most_rows and export.variant is not Variant.PACK:
            wanted = self.results.open_rows(stored).select(export)
            row_count = int(wanted.sum())
        if row_count > most_rows:
            raise DoesNotFit(
                "An Excel sheet holds {rows} below its header; this file has {wanted}.",
                rows=mark_many(most_rows, "{count} row", "{count} rows"),
                wanted=row_count,
                hint="Choose CSV.",
            )


@dataclass(eq=False, repr=False)
class _Opened:
    """A link that was followed."""

    stored: StoredTask
    export: Export
    token_hash: str
    open_rows: "Callable[[], ResultRows]"

    @cached_property
    def rows(self) -> "ResultRows":
        """The project's rows, with the own lists of now: the same for every file of a pack."""
        return self.open_rows()

    @property
    def file_format(self) -> FileFormat:
        """The format of the files."""
        return self.export.name_format(self.stored.task.plan.file_format)


def _name_caller(identity: Identity) -> str:
    return identity.person or identity.key


def _name(stored: StoredTask, export: Export) -> str:
    return name_download(
        stored.task.project_name,
        export.variant,
        export.name_format(stored.task.plan.file_format),
        takes_black=export.choice.policy.takes_black,
        platform=export.platform,
    )

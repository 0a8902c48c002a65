"""``/batch-…``: whole lists submitted, their status, their results."""

from collections.abc import AsyncIterator, Callable, Collection, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from functools import partial
from itertools import zip_longest
from typing import Any

import anyio.to_thread
from anyio import CapacityLimiter, Lock
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request

from winnow.api.json_body import JsonBodies, is_json
from winnow.api.middleware.authentication import Authentication
from winnow.api.middleware.shutdown import Shutdown
from winnow.api.multipart import Event, Field, FileBegin, FileBytes, FileEnd, FormDecoder
from winnow.api.operations import cut_to_seconds
from winnow.api.schemas.batch import Link, Status, Submitted, present_status
from winnow.api.schemas.pages import (
    ROWS_DEFAULT,
    ROWS_MAX,
    TASKS_DEFAULT,
    TASKS_MAX,
    RowPage,
    TaskPage,
)
from winnow.api.submission import (
    ITEMS_MAX,
    JSON_FILE_NAME,
    JSON_MAX_BYTES,
    WRITTEN_SO,
    Submission,
    read_json_fields,
    read_json_rows,
    write_csv,
)
from winnow.api.upload_stream import UploadStream, open_upload, read_content_length, receive_chunks
from winnow.core.errors import BadField, TaskUnknown
from winnow.core.identities import ApiKey
from winnow.core.lists.exports import Export
from winnow.core.lists.file_format import CONTRACT_FORMATS
from winnow.core.lists.rows import Variant
from winnow.core.lists.upload import Upload
from winnow.core.tasks.task import KeyType, Task, TaskState
from winnow.core.unicode_forms import number_names
from winnow.core.verdicts.verdict import Category
from winnow.services.services import Services
from winnow.services.tasks.tasks import Tasks

CURSOR_MAX = 10**12  # more rows than any list has
SUBMITTING_MAX = 8  # lists that are inspected or wait for it; threads are left for all others
SUBMITTED_MESSAGE = "The list is queued. Ask batch-check-status for its progress."


@dataclass(eq=False, repr=False)
class BatchOperations:
    """Submit a list, ask for its status, get a link to its result."""

    services: Callable[[], Services]
    authentication: Authentication
    bodies: JsonBodies
    shutdown: Shutdown

    def __post_init__(self) -> None:
        self._submitting = CapacityLimiter(SUBMITTING_MAX)
        self._turn = Lock()

    async def submit(self, request: Request) -> Submitted:
        """Stream a list to disk and queue it; a failure leaves nothing behind."""
        key = await run_in_threadpool(self.authentication.admit, request, Tasks.submit)
        submission = Submission()
        receive = self._receive_json if is_json(request) else self._receive
        try:
            with self.shutdown.transfer():
                await receive(request, key, submission)
            task = await anyio.to_thread.run_sync(
                self._submit,
                key,
                submission,
                request.headers.get("idempotency-key"),
                limiter=self._submitting,
            )
        except BaseException:
            if submission.upload is not None:
                await run_in_threadpool(
                    self.services().uploads.discard, key.account, submission.upload.upload_id
                )
            raise
        return Submitted(task.task_id, task.state, SUBMITTED_MESSAGE)

    async def _receive(self, request: Request, key: ApiKey, submission: Submission) -> None:
        decoder = FormDecoder(request.headers.get("content-type", ""))
        length, uploads = read_content_length(request), self.authentication.act_for(key).uploads
        async with AsyncExitStack() as stack:
            receiver: UploadStream | None = None
            async for event in _decode(request, decoder):
                match event:
                    case Field():
                        submission.take_field(event)
                    case FileBegin():
                        submission.check_file(event)
                        # Behind the file: CRLF, the boundary between two pairs of hyphens, CRLF.
                        others = event.bytes_before + len(decoder.boundary) + 8
                        declared = None if length is None else max(0, length - others)
                        file = (key.account, event.file_name, declared, CONTRACT_FORMATS)
                        begin = partial(uploads.begin, *file)
                        opened = open_upload(begin, self.services().drawn_pages, self._turn)
                        receiver = await stack.enter_async_context(opened)
                    case FileBytes(data) if receiver is not None:
                        await receiver.write(data)
                    case FileEnd() if receiver is not None:
                        submission.upload = await receiver.receive()

    async def _receive_json(self, request: Request, key: ApiKey, submission: Submission) -> None:
        async with self.bodies.open(request, JSON_MAX_BYTES, ITEMS_MAX) as body:
            for name, text in read_json_fields(body).items():
                submission.take_field(Field(name, text))
            submission.choices = WRITTEN_SO
            write = partial(self._write_list, key.account, body)
            submission.upload = await anyio.to_thread.run_sync(write, limiter=self._submitting)

    def _write_list(self, account: str, body: Mapping[str, Any]) -> Upload:
        columns, rows = read_json_rows(body)
        uploads, field = self.services().uploads, "rows" if body.get("rows") else "emails"
        with uploads.begin(account, JSON_FILE_NAME, None, CONTRACT_FORMATS) as writer:
            for block in write_csv(field, columns, rows):
                writer.write(block)
            return writer.receive()

    def _submit(self, key: ApiKey, submission: Submission, idempotency_key: str | None) -> Task:
        if submission.upload is None:
            raise BadField("file", "is missing", hint="Send the list as the part named file.")
        return self.authentication.act_for(key).tasks.submit(
            key.account,
            submission.upload,
            submission.make_request(),
            key_type=key.key_type,
            key_prefix=key.prefix,
            project_name=submission.fields.get("project_name"),
            idempotency_key=idempotency_key,
        )

    def status(self, request: Request) -> Status:
        """Answer the progress of a task."""
        return present_status(self._find(self.authentication.admit(request), request))

    def _find(self, key: ApiKey, request: Request) -> Task:
        """Return the task of a request; sandbox keys see those of sandbox keys only."""
        tasks, task_id = self.authentication.act_for(key).tasks, request.path_params["task_id"]
        task = tasks.get_kept(key.account, task_id)
        if key.key_type is KeyType.SANDBOX is not task.key_type:
            raise TaskUnknown("There is no such project.")
        return task

    def list_tasks(self, request: Request) -> TaskPage:
        """Answer some of the account's tasks."""
        key = self.authentication.admit(request)
        state = read_choice(request, "status", list(TaskState))
        tasks, following = self.authentication.act_for(key).tasks.list_page(
            key.account,
            limit=read_number(request, "limit", TASKS_DEFAULT, 1, TASKS_MAX),
            after=read_parameter(request, "cursor"),
            state=None if state is None else TaskState(state),
            only_sandbox=key.key_type is KeyType.SANDBOX,
        )
        return TaskPage([present_status(task) for task in tasks], following)

    def read_rows(self, request: Request) -> RowPage:
        """Answer some rows of a result."""
        key = self.authentication.admit(request)
        category = read_choice(request, "category", list(Category))
        limit = read_number(request, "limit", ROWS_DEFAULT, 1, ROWS_MAX)
        start = read_number(request, "cursor", 0, 0, CURSOR_MAX)
        columns, rows = self.authentication.act_for(key).results.read_original(
            key.account,
            self._find(key, request).task_id,
            None if category is None else Category(category),
            start,
            limit + 1,
        )
        names = name_columns(columns, len(rows[0]) if rows else 0)
        page = [dict(zip(names, row, strict=False)) for row in rows[:limit]]
        return RowPage(page, str(start + limit) if len(rows) > limit else None)

    def link(self, request: Request) -> Link:
        """Answer a temporary URL of the result."""
        key = self.authentication.admit(request)
        services = self.authentication.act_for(key)
        task_id = self._find(key, request).task_id
        link = services.downloads.issue(key.account, task_id, Export(Variant.ORIGINAL))
        host = f"{request.url.scheme}://{request.headers['host']}"  # validated
        url = (services.settings.public_origin or host) + link.path
        return Link(url, cut_to_seconds(link.expires_at))


async def _decode(request: Request, decoder: FormDecoder) -> AsyncIterator[Event]:
    async for chunk in receive_chunks(request):
        for event in decoder.feed(chunk):
            yield event
    decoder.close()


def read_parameter(request: Request, name: str) -> str | None:
    """Return a query parameter; None where it is missing.

    Raises:
        BadField: It is given more than once.
    """
    values = request.query_params.getlist(name)
    if len(values) > 1:
        raise BadField(name, "is given more than once")
    return values[0] if values else None


def read_number(request: Request, name: str, default: int, least: int, most: int) -> int:
    """Return a query parameter as a whole number.

    Raises:
        BadField: Not a number from ``least`` to ``most``, or given more than once.
    """
    text = read_parameter(request, name)
    if text is None:
        return default
    number = int(text) if text.isascii() and text.isdigit() and len(text) <= 18 else -1
    if not least <= number <= most:
        raise BadField(name, f"must be a whole number from {least} to {most}")
    return number


def read_choice(request: Request, name: str, choices: Collection[str]) -> str | None:
    """Return a query parameter that is one of several words; None where it is missing.

    Raises:
        BadField: Another word, or given more than once.
    """
    text = read_parameter(request, name)
    if text is not None and text not in choices:
        raise BadField(name, f"must be one of {', '.join(choices)}")
    return text


def name_columns(columns: Sequence[str], width: int) -> tuple[str, ...]:
    """Return different names for so many columns: positions from 1 for blank ones, _2 for twins."""
    named = zip_longest(columns, range(1, width + 1), fillvalue="")
    return number_names((name or str(place) for name, place in named), (), str)

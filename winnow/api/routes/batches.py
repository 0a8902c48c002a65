"""``/batch-…``: whole lists submitted, their status, their results."""

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import count
from typing import Any

import anyio.to_thread
from anyio import CapacityLimiter
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request

from winnow.api import json_list
from winnow.api.json_body import is_json, read_json
from winnow.api.middleware.authentication import Authentication
from winnow.api.middleware.shutdown import Shutdown
from winnow.api.multipart import Event, Field, FileBegin, FileBytes, FileEnd, FormDecoder
from winnow.api.query import read_choice, read_number, read_parameter
from winnow.api.schemas.batch import Link, Status, SubmitBatchBody, Submitted, present_status
from winnow.api.schemas.operations import cut_to_seconds
from winnow.api.schemas.pages import (
    ROWS_DEFAULT,
    ROWS_MAX,
    TASKS_DEFAULT,
    TASKS_MAX,
    RowPage,
    TaskPage,
)
from winnow.api.upload_stream import UploadStream, read_content_length, receive_chunks
from winnow.core.accounts import ApiKey, DownloadLink, Upload
from winnow.core.errors import BadField
from winnow.core.lists.file_format import CONTRACT_FORMATS
from winnow.core.lists.input_head import Choices
from winnow.core.lists.rows import Variant
from winnow.core.tasks.keep_rule import Keep, KeepChoice
from winnow.core.tasks.recipe import parse_recipe
from winnow.core.tasks.repair_choice import parse_repair
from winnow.core.tasks.run_request import RunRequest, refuse_judge_both
from winnow.core.tasks.task import Task, TaskState
from winnow.core.verdicts.verdict import Category
from winnow.services.services import Services

_TRUE = frozenset({"true", "1", "yes"})
_FALSE = frozenset({"false", "0", "no"})
FIELD_NAMES = frozenset(SubmitBatchBody.__struct_fields__) - {"file"}
CURSOR_MAX = 10**12  # more rows than any list has
SUBMITTING_MAX = 8  # lists that are inspected or wait for it; threads are left for all others
SUBMITTED_MESSAGE = "The list is queued. Ask batch-check-status for its progress."


@dataclass(slots=True)
class Submission:
    """Content of a body: known fields, and the one file once it is whole."""

    fields: dict[str, str] = field(default_factory=dict)
    upload: Upload | None = None
    choices: Choices = Choices()

    def take_field(self, event: Field) -> None:
        """Store a known field, checked as far as possible before the list is there.

        Raises:
            BadField: Given twice, or not valid. Unknown fields are ignored.
        """
        if event.name == "file":
            raise BadField("file", "must be sent as a file, with a file name")
        refuse_removed(event.name, event.value)
        if event.name in FIELD_NAMES:
            if event.name in self.fields:
                raise BadField(event.name, "is given more than once")
            self.fields[event.name] = event.value
            parse_switch(self.fields, "deduplicate", default=True)
            parse_switch(self.fields, "join_aliases", default=False)
            parse_keep_word(self.fields.get("keep"))
            parse_repair(self.fields.get("repair"))
            parse_recipe(self.fields.get("recipe", ""))

    def check_file(self, event: FileBegin) -> None:
        """Raise BadField unless this is the one file, with a name."""
        if event.name != "file":
            raise BadField("file", "a file came in a part of another name")
        if self.upload is not None:
            raise BadField("file", "is given more than once")
        if not event.file_name.strip():
            raise BadField("file", "has no file name", hint="Send the list with its file name.")


class BatchOperations:
    """Submit a list, ask for its status, get a link to its result."""

    def __init__(
        self, services: Callable[[], Services], authentication: Authentication, shutdown: Shutdown
    ) -> None:
        self._services = services
        self._authentication = authentication
        self._shutdown = shutdown
        self._submitting = CapacityLimiter(SUBMITTING_MAX)

    async def submit(self, request: Request) -> Submitted:
        """Stream a list to disk and queue it; a failure leaves nothing behind."""
        key = await run_in_threadpool(self._authentication.admit, request)
        submission = Submission()
        receive = self._receive_json if is_json(request) else self._receive
        try:
            with self._shutdown.transfer():
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
                    self._services().uploads.discard, key.account, submission.upload.upload_id
                )
            raise
        return Submitted(task.task_id, task.state, SUBMITTED_MESSAGE)

    async def _receive(self, request: Request, key: ApiKey, submission: Submission) -> None:
        decoder = FormDecoder(request.headers.get("content-type", ""))
        length = read_content_length(request)

        def begin_for(event: FileBegin) -> UploadStream:
            # Behind the file: CRLF, the boundary between two pairs of hyphens, CRLF.
            after = len(decoder.boundary) + 8
            declared = None if length is None else max(0, length - event.bytes_before - after)
            uploads = self._authentication.act_for(key).uploads
            return UploadStream(
                lambda: uploads.begin(key.account, event.file_name, declared, CONTRACT_FORMATS)
            )

        async with AsyncExitStack() as stack:
            receiver: UploadStream | None = None
            async for event in _decode(request, decoder):
                match event:
                    case Field():
                        submission.take_field(event)
                    case FileBegin():
                        submission.check_file(event)
                        receiver = await stack.enter_async_context(begin_for(event))
                    case FileBytes(data) if receiver is not None:
                        await receiver.write(data)
                    case FileEnd() if receiver is not None:
                        submission.upload = await receiver.receive()

    async def _receive_json(self, request: Request, key: ApiKey, submission: Submission) -> None:
        body = await read_json(request, json_list.BODY_MAX_BYTES, json_list.ITEMS_MAX)
        for name, text in json_list.read_fields(body).items():
            submission.take_field(Field(name, text))
        submission.choices = json_list.WRITTEN_SO
        write = partial(self._write_list, key.account, body)
        submission.upload = await anyio.to_thread.run_sync(write, limiter=self._submitting)

    def _write_list(self, account: str, body: Mapping[str, Any]) -> Upload:
        columns, rows = json_list.read_rows(body)
        uploads, field = self._services().uploads, "rows" if body.get("rows") else "emails"
        with uploads.begin(account, json_list.FILE_NAME, None, CONTRACT_FORMATS) as writer:
            for block in json_list.write_csv(field, columns, rows):
                writer.write(block)
            return writer.receive()

    def _submit(self, key: ApiKey, submission: Submission, idempotency_key: str | None) -> Task:
        if submission.upload is None:
            raise BadField("file", "is missing", hint="Send the list as the part named file.")
        return self._authentication.act_for(key).tasks.submit(
            key.account,
            submission.upload,
            make_request(submission),
            key_type=key.key_type,
            key_prefix=key.prefix,
            project_name=submission.fields.get("project_name"),
            idempotency_key=idempotency_key,
        )

    async def status(self, request: Request) -> Status:
        """Answer the progress of a task."""
        return await run_in_threadpool(self._status, request)

    def _status(self, request: Request) -> Status:
        key = self._authentication.admit(request)
        task_id = request.path_params["task_id"]
        return present_status(
            self._authentication.act_for(key).tasks.get_kept(key.account, task_id)
        )

    async def list_tasks(self, request: Request) -> TaskPage:
        """Answer some of the account's tasks."""
        return await run_in_threadpool(self._list_tasks, request)

    def _list_tasks(self, request: Request) -> TaskPage:
        key = self._authentication.admit(request)
        state = read_choice(request, "status", list(TaskState))
        tasks, following = self._authentication.act_for(key).tasks.list_page(
            key.account,
            limit=read_number(request, "limit", TASKS_DEFAULT, 1, TASKS_MAX),
            after=read_parameter(request, "cursor"),
            state=None if state is None else TaskState(state),
        )
        return TaskPage([present_status(task) for task in tasks], following)

    async def read_rows(self, request: Request) -> RowPage:
        """Answer some rows of a result."""
        return await run_in_threadpool(self._read_rows, request)

    def _read_rows(self, request: Request) -> RowPage:
        key = self._authentication.admit(request)
        category = read_choice(request, "category", list(Category))
        limit = read_number(request, "limit", ROWS_DEFAULT, 1, ROWS_MAX)
        start = read_number(request, "cursor", 0, 0, CURSOR_MAX)
        columns, rows = self._authentication.act_for(key).results.read_original(
            key.account,
            request.path_params["task_id"],
            None if category is None else Category(category),
            start,
            limit + 1,
        )
        names = name_columns(columns, len(rows[0]) if rows else 0)
        page = [dict(zip(names, row, strict=False)) for row in rows[:limit]]
        return RowPage(page, str(start + limit) if len(rows) > limit else None)

    async def link(self, request: Request) -> Link:
        """Answer a temporary URL of the result."""
        return await run_in_threadpool(self._link, request)

    def _link(self, request: Request) -> Link:
        key = self._authentication.admit(request)
        services = self._authentication.act_for(key)
        link = services.downloads.issue(
            key.account, request.path_params["task_id"], Variant.ORIGINAL
        )
        url = _absolute_url(request, link, services.settings.public_origin)
        return Link(url, cut_to_seconds(link.expires_at))


async def _decode(request: Request, decoder: FormDecoder) -> AsyncIterator[Event]:
    async for chunk in receive_chunks(request):
        for event in decoder.feed(chunk):
            yield event
    decoder.close()


def name_columns(columns: Sequence[str], width: int) -> list[str]:
    """Return different names for so many columns: positions from 1 for blank ones, _2 for twins."""
    names: dict[str, None] = {}
    for place in range(width):
        name = (columns[place] if place < len(columns) else "") or str(place + 1)
        free = (f"{name}_{number}" for number in count(2))
        names[next(free) if name in names else name] = None
    return list(names)


def _absolute_url(request: Request, link: DownloadLink, public_origin: str | None) -> str:
    """Prefix a path with the public address that is set, else with the validated Host."""
    base = public_origin or f"{request.url.scheme}://{request.headers['host']}"
    return base + link.path


def parse_switch(fields: Mapping[str, str], name: str, *, default: bool) -> bool:
    """Read a form field that is true or false.

    Raises:
        BadField: Other than true, false, 1, 0, yes or no, in any case.
    """
    word = fields[name].strip().lower() if name in fields else str(default).lower()
    if word not in _TRUE | _FALSE:
        raise BadField(name, "must be true or false")
    return word in _TRUE


def refuse_removed(field: str, text: str) -> None:
    """Raise BadField for a form field of a capability that was removed in 0.3."""
    if field == "judge_both":
        refuse_judge_both(text.strip().lower() in _TRUE)


def make_request(submission: Submission) -> RunRequest:
    """Return what the fields ask for; they go before those of a recipe.

    Raises:
        BadField: A field, or one of the recipe, is not valid.
    """
    recipe = parse_recipe(submission.fields.get("recipe", ""))
    fields, choices = {**recipe.form_fields, **submission.fields}, submission.choices
    if recipe.header is not None and choices.has_header is None:
        choices = replace(choices, has_header=recipe.header)
    return RunRequest(
        choices=choices,
        email_column=fields.get("email_column") or None,
        second_email_column=fields.get("second_email_column") or None,
        deduplicate=parse_switch(fields, "deduplicate", default=True),
        keep=parse_keep(fields),
        repair=parse_repair(fields.get("repair")) or recipe.repair,
    )


def parse_keep_word(text: str | None) -> Keep:
    """Read the form field ``keep``; without one, or empty, the last row stays.

    Raises:
        BadField: Another word.
    """
    word = (text or "").strip().lower() or Keep.LAST
    if word not in set(Keep):
        raise BadField("keep", "must be last, first, newest or complete")
    return Keep(word)


def parse_keep(fields: Mapping[str, str]) -> KeepChoice:
    """Read the form fields ``keep``, ``keep_by`` and ``join_aliases``.

    Raises:
        BadField: As for ``parse_keep_word``, or one field without the other that goes with it.
    """
    return KeepChoice(
        parse_keep_word(fields.get("keep")),
        fields.get("keep_by", "").strip() or None,
        parse_switch(fields, "join_aliases", default=False),
    )

"""Errors as answers: one map from error to status, and problem details (RFC 9457) from it.

The errors of HTTP itself are here, next to those of the core.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING, Annotated

from msgspec import UNSET, Struct, UnsetType

from winnow.api.operations import ENCODER, Count, about
from winnow.api.request_ids import request_id_of
from winnow.core import errors
from winnow.core.errors import WinnowError
from winnow.core.file_faults import FAULT_MEANINGS, FileFault
from winnow.words import translatable

if TYPE_CHECKING:  # commands need the errors alone
    from starlette.responses import Response
    from starlette.types import Scope

DOCS_PATH = "winnow.docs_path"
"""Key in a request's scope for the path of the reference page, which lists each code."""

RETRY_WHEN_STOPPING_SECONDS = 5  # a restart takes about two


class RouteUnknown(WinnowError):
    """Nothing is at this path; the hint names the reference."""

    code = "route_unknown"

    def __init__(self, docs_path: str) -> None:
        hint = translatable("The API, with its reference, is at {path}.", path=docs_path)
        super().__init__("There is nothing at this path.", hint=hint)


class MethodNotAllowed(WinnowError):
    """The path is right, the method is not."""

    code = "method_not_allowed"

    def __init__(self, allowed: str) -> None:
        super().__init__(f"This path answers to {allowed or 'no method'} only.")
        self.allowed = allowed


class HostRefused(WinnowError):
    """The Host header names none of the hosts that this server answers to."""

    code = "host_refused"


class HeadTooLarge(WinnowError):
    """The request has more headers than any client needs."""

    code = "head_too_large"


class NotServedHere(WinnowError):
    """The connection comes in beyond this machine and no sign-in is set up."""

    code = "not_served_here"


class CrossSiteRequest(WinnowError):
    """A page of another site sent this request."""

    code = "cross_site_request"


class SignInRequired(WinnowError):
    """The pages ask for a password."""

    code = "sign_in_required"


class RangeNotSatisfiable(WinnowError):
    """The range begins beyond the file's end."""

    code = "range_not_satisfiable"

    def __init__(self, size_bytes: int) -> None:
        super().__init__(f"The file has {size_bytes} bytes.")
        self.size_bytes = size_bytes


class InternalError(WinnowError):
    """Something unforeseen; the answer shows no internal details."""

    code = "internal_error"


class ProblemItem(Struct, frozen=True, kw_only=True):
    """The field, line or sheet that a problem is about."""

    field: str
    line: Annotated[int | UnsetType, about("The line, from 1.")] = UNSET
    sheet: Annotated[str | UnsetType, about("The sheet of a workbook.")] = UNSET
    detail: str


class Problem(Struct, frozen=True, kw_only=True):
    """Why a request was not done."""

    type: Annotated[str, about("Where this code is described.", format="uri-reference")]
    title: Annotated[str, about("The kind of problem.")]
    status: int
    detail: Annotated[str, about("What is wrong, and where.")]
    code: Annotated[str, about("Stable, for programs.")]
    fault: Annotated[FileFault | UnsetType, about(f"Of a file: {FAULT_MEANINGS}.")] = UNSET
    request_id: Annotated[str, about("The same as in X-Request-Id.")]
    error: Annotated[str | UnsetType, about("On 429: the same as detail.")] = UNSET
    hint: Annotated[str | UnsetType, about("How to mend it.")] = UNSET
    errors: Annotated[list[ProblemItem] | UnsetType, about("One entry a field, line or sheet.")] = (
        UNSET
    )
    used: Annotated[Count | UnsetType, about("On 413: bytes or items that there are.")] = UNSET
    limit: Annotated[Count | UnsetType, about("On 413: bytes or items allowed.")] = UNSET
    columns: Annotated[list[str] | UnsetType, about("Columns found where none is named email.")] = (
        UNSET
    )
    positions: Annotated[
        list[int] | UnsetType, about("Positions, from 1, of columns with the same name.")
    ] = UNSET


@dataclass(frozen=True, slots=True)
class Answer:
    """How one kind of error is answered; ``title`` is the same each time."""

    status: int
    title: str


ANSWERS: Mapping[type[WinnowError], Answer] = {
    WinnowError: Answer(500, "Something went wrong"),
    InternalError: Answer(500, "Something went wrong"),
    # Lists and fields.
    errors.InputError: Answer(400, "The list cannot be processed"),
    errors.UnsupportedFormat: Answer(400, "Not a list in CSV, TSV or XLSX"),
    errors.BrokenFile: Answer(400, "The file cannot be read through"),
    errors.MixedEscapes: Answer(400, "Rows disagree about backslashes"),
    errors.EmptyFile: Answer(422, "The list has no rows"),
    errors.EmailColumnMissing: Answer(422, "No email column"),
    errors.EmailColumnAmbiguous: Answer(422, "More than one email column"),
    errors.BadField: Answer(422, "A field cannot be used"),
    errors.AddressSyntaxError: Answer(422, "The address fails format validation"),
    errors.MalformedRequest: Answer(400, "The request cannot be read"),
    # Space.
    errors.TooLarge: Answer(413, "The file is too large"),
    errors.QuotaExceeded: Answer(413, "The storage is used up"),
    errors.BodyTooLarge: Answer(413, "The request is too large"),
    errors.DoesNotFit: Answer(422, "The rows do not fit into this file format"),
    errors.StorageFull: Answer(507, "The disk is full"),
    errors.StorageFailed: Answer(500, "The disk fails"),
    # Permissions.
    errors.KeyRejected: Answer(401, "The API key is missing or not accepted"),
    SignInRequired: Answer(401, "Sign-in is needed"),
    errors.Banned: Answer(403, "Banned after too many black answers"),
    errors.RoleRefused: Answer(403, "Not allowed to this role"),
    CrossSiteRequest: Answer(403, "Sent by a page of another site"),
    NotServedHere: Answer(403, "Not served beyond this machine"),
    HostRefused: Answer(400, "Not a host name of this server"),
    HeadTooLarge: Answer(431, "Too many headers"),
    errors.RateLimited: Answer(429, "Too many requests"),
    # Tasks.
    errors.TaskUnknown: Answer(404, "No such task"),
    errors.ResultNotReady: Answer(409, "The result is not there"),
    errors.ListChanged: Answer(412, "The list has changed"),
    errors.Gone: Answer(410, "No longer there"),
    errors.ResultLost: Answer(410, "The result is missing"),
    errors.FenceLost: Answer(409, "Another attempt took over"),
    # The server.
    RouteUnknown: Answer(404, "Nothing at this path"),
    MethodNotAllowed: Answer(405, "Not a method of this path"),
    RangeNotSatisfiable: Answer(416, "The range is beyond the file's end"),
    errors.OutOfMemory: Answer(503, "Not enough memory"),
    errors.InspectionLost: Answer(503, "The file was not looked into"),
    errors.ServerBusy: Answer(503, "The server is busy"),
    errors.QueryEnded: Answer(503, "The question was ended"),
    errors.ShuttingDown: Answer(503, "The server is stopping"),
    errors.StartRefused: Answer(503, "The server does not serve here"),
    errors.SettingsError: Answer(500, "A setting cannot be used"),
}
"""Every error class of the project, exactly: a test walks the tree."""


def answer_for(error: WinnowError) -> Answer:
    """Return the answer to an error; one that is not in the map is unforeseen."""
    return ANSWERS.get(type(error), ANSWERS[WinnowError])


def describe_problem(error: WinnowError, *, request_id: str, docs_path: str) -> Problem:
    """Return the problem details of an error, without internal details of a 500."""
    answer = answer_for(error)
    code, detail, hint = error.code, error.detail, error.hint
    is_inside = not isinstance(error, errors.StorageFailed)
    if answer.status == HTTPStatus.INTERNAL_SERVER_ERROR and is_inside:
        code, hint = InternalError.code, None
        detail = "The server met something unforeseen. The request id leads to its log line."
    is_limited = answer.status == HTTPStatus.TOO_MANY_REQUESTS
    return Problem(
        type=f"{docs_path}#{code}",
        title=answer.title,
        status=answer.status,
        detail=detail,
        code=code,
        fault=error.fault or UNSET,
        request_id=request_id,
        error=detail if is_limited else UNSET,
        hint=hint or UNSET,
        errors=_itemise(error) or UNSET,
        used=error.used if isinstance(error, errors.TooLarge) else UNSET,
        limit=error.limit if isinstance(error, errors.TooLarge) else UNSET,
        columns=error.columns if isinstance(error, errors.EmailColumnMissing) else UNSET,
        positions=error.positions if isinstance(error, errors.EmailColumnAmbiguous) else UNSET,
    )


def _itemise(error: WinnowError) -> list[ProblemItem]:
    """Return the field, line or sheet of an error."""
    match error:
        case errors.BadField() | errors.BodyTooLarge():
            return [ProblemItem(field=error.field, detail=error.problem)]
        case errors.InputError():
            line = UNSET if error.line is None else error.line
            sheet = UNSET if error.sheet is None else error.sheet
            return [ProblemItem(field="file", line=line, sheet=sheet, detail=error.detail)]
        case _:
            return []


def problem_headers(error: WinnowError) -> dict[str, str]:
    """Return the headers that go with an error's status."""
    match error:
        case errors.KeyRejected():
            return {"www-authenticate": 'ApiKey realm="winnow", header="X-API-Key"'}
        case SignInRequired():
            return {"www-authenticate": 'Cookie realm="winnow"'}
        case errors.RateLimited():
            return {"retry-after": str(error.retry_after_seconds)}
        case errors.ResultNotReady(retry_after_seconds=int(seconds)):
            return {"retry-after": str(seconds)}
        case errors.ShuttingDown() | errors.InspectionLost() | errors.ServerBusy():
            return {"retry-after": str(RETRY_WHEN_STOPPING_SECONDS)}
        case MethodNotAllowed():
            return {"allow": error.allowed}
        case RangeNotSatisfiable():
            return {"content-range": f"bytes */{error.size_bytes}"}
        case _:
            return {}


def respond_problem(error: WinnowError, scope: "Scope") -> "Response":
    """Return an error as an ``application/problem+json`` answer to a request."""
    from starlette.responses import Response

    docs_path = scope.get(DOCS_PATH, "docs")
    problem = describe_problem(error, request_id=request_id_of(scope), docs_path=docs_path)
    return Response(
        ENCODER.encode(problem),
        status_code=problem.status,
        headers=problem_headers(error),
        media_type="application/problem+json",
    )

"""Every error that is part of the product's behaviour.

WinnowError                  code, detail, hint
├── AddressSyntaxError       a Reason says what is wrong with one address
├── SettingsError            an environment variable has a wrong value
├── StartRefused             the data folder is in use or the address is not safe to serve
├── InputError               a list that cannot be processed; line or sheet where known
│   ├── UnsupportedFormat    400  the extension, or content that is not what it says
│   ├── BrokenFile           400  truncated, encrypted, unterminated, hostile
│   │   └── MixedEscapes     400  some rows escape with a backslash, others do not
│   ├── EmptyFile            422
│   ├── EmailColumnMissing   422  names the columns found
│   └── EmailColumnAmbiguous 422
├── BadField                 422  project_name, deduplicate, email …
├── MalformedRequest         400  multipart that cannot be read
├── TooLarge                 413  one file over its limit
│   ├── QuotaExceeded        413  used, limit
│   └── BodyTooLarge         413  names the field, or the body itself
├── DoesNotFit               422  rows or cells that a chosen file format cannot hold
├── StorageFull              507
├── StorageFailed            500  the disk reports an error
├── OutOfMemory                   a list needs more memory than there is
├── InspectionLost           503  the process that looked into a file was killed, or none starts
├── QueryEnded               503  a question about a project's rows takes too much time or memory
├── ServerBusy               503  as many large requests at once as are accepted
├── KeyRejected              401
├── Banned                   403
├── RoleRefused              403  the person's role does not allow it
├── RateLimited              429
├── TaskUnknown              404  also another account's
├── ResultNotReady           409  processing or failed
├── ListChanged              412  one of the own lists, since it was read
├── Gone                     410  purged, deleted, link expired
│   └── ResultLost           410  files of a finished project that are no longer there
├── FenceLost                     a worker's lease went to another attempt
└── ShuttingDown             503
"""

from collections.abc import Sequence
from typing import ClassVar

from winnow.core.file_faults import FileFault
from winnow.core.verdicts.reasons import Reason
from winnow.words import Field, Sentence, list_some, translatable


class WinnowError(Exception):
    """Base: ``code`` is stable; ``detail`` says what is wrong and where; ``hint`` how to fix it.

    Both are in English, filled with the fields; ``say`` returns them in other languages. Neither
    ever carries an address, a cell or a key. ``fault`` of a file says more than the code.
    """

    code: ClassVar[str] = "error"
    fault: FileFault | None = None

    def __init__(self, detail: str, *, hint: str | None = None, **fields: Field) -> None:
        self.detail = Sentence(detail, **fields) if fields else detail
        super().__init__(self.detail)
        self.hint = hint

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle it by its attributes, whatever arguments its constructor takes."""
        return type(self).__new__, (type(self), *self.args), self.__dict__


class AddressSyntaxError(WinnowError):
    """One address fails format validation."""

    code = "address_syntax"

    def __init__(self, reason: Reason) -> None:
        super().__init__(reason.value)
        self.reason = reason


class SettingsError(WinnowError):
    """An environment variable has a value that cannot be used."""

    code = "bad_setting"

    def __init__(self, variable: str, problem: str) -> None:
        super().__init__(f"{variable}: {problem}")
        self.variable = variable


class StartRefused(WinnowError):
    """The server will not start here and now."""

    code = "start_refused"


class InputError(WinnowError):
    """A list that cannot be processed. ``line`` counts physical lines from 1."""

    code = "bad_input"
    fault = FileFault.DAMAGED

    def __init__(
        self,
        detail: str,
        *,
        hint: str | None = None,
        fault: FileFault | None = None,
        line: int | None = None,
        sheet: str | None = None,
        **fields: Field,
    ) -> None:
        if line is not None:
            fields["line"] = line
        super().__init__(detail, hint=hint, **fields)
        self.fault = fault or self.fault
        self.line = line
        self.sheet = sheet


class UnsupportedFormat(InputError):
    """The extension is not accepted, or the content is not what the extension says."""

    code = "unsupported_format"
    fault = FileFault.NOT_A_LIST


class BrokenFile(InputError):
    """The file is of the right kind but cannot be read to its end."""

    code = "broken_file"


class MixedEscapes(BrokenFile):
    """Some rows read well only with backslash escapes, others only without; ``line`` is one."""

    code = "mixed_escapes"
    fault = FileFault.MIXED_ESCAPES


class EmptyFile(InputError):
    """No data row."""

    code = "empty_file"
    fault = FileFault.EMPTY_FILE


def word_columns(columns: Sequence[str]) -> str:
    """Return the first 20 names of columns for an error; the position where one has an at-sign."""
    shown = [
        repr(name[:60]) if "@" not in name else str(place)  # an error never carries an address
        for place, name in enumerate(columns, start=1)
    ]
    return list_some(shown) or translatable("none")


class EmailColumnMissing(InputError):
    """No column is named email. ``columns`` are the names found."""

    code = "no_email_column"
    fault = FileFault.NO_EMAIL_COLUMN

    def __init__(
        self, columns: Sequence[str], *, headerless: bool = False, hint: str | None = None
    ) -> None:
        detail = translatable(
            "No column is named email. Columns found: {names}.", names=word_columns(columns)
        )
        if headerless:
            detail = translatable(
                "No column is named email: the first row looks like a row of the list, so the file "
                "seems to have no header row."
            )
        super().__init__(detail, hint=hint)
        self.columns = [] if headerless else list(columns)
        self.headerless = headerless


class EmailColumnAmbiguous(InputError):
    """More than one column has the name that was asked for. ``positions`` count from 1.

    If no name was asked for, ``names`` are those of the columns that hold addresses.
    """

    code = "ambiguous_email_column"
    fault = FileFault.AMBIGUOUS_EMAIL_COLUMN

    def __init__(
        self,
        positions: Sequence[int],
        *,
        name: str = "email",
        names: Sequence[str] = (),
        field: str = "email_column",
    ) -> None:
        places = ", ".join(str(position) for position in positions)
        detail = translatable(
            "More than one column is named {name}: columns {places}.", name=name[:60], places=places
        )
        if names:
            shown = (  # an error never carries an address
                f"{position} ({name[:60]})" if name.strip() and "@" not in name else f"{position}"
                for position, name in zip(positions, names, strict=True)
            )
            detail = translatable(
                "More than one column holds addresses: columns {places}.", places=", ".join(shown)
            )
        super().__init__(
            detail,
            hint="Say in email_column, by its position, which one to check."
            if names
            else translatable("Name the column to use by its position in {field}.", field=field),
        )
        self.positions = list(positions)


class BadField(WinnowError):
    """A request field has a value that cannot be used."""

    code = "bad_field"

    def __init__(
        self, field: str, problem: str, /, *, hint: str | None = None, **fields: Field
    ) -> None:
        self.field = field
        self.problem = translatable(problem, **fields)
        super().__init__("{field}: {problem}", hint=hint, field=field, problem=self.problem)


class MalformedRequest(WinnowError):
    """The request's body cannot be read as what it says it is."""

    code = "malformed_request"


class TooLarge(WinnowError):
    """One file is over its limit. Sizes in bytes."""

    code = "file_too_large"

    def __init__(self, detail: str, *, used: int, limit: int, **fields: Field) -> None:
        super().__init__(detail, hint=None, used=used, limit=limit, **fields)
        self.used = used
        self.limit = limit


class QuotaExceeded(TooLarge):
    """The account's storage has no room for this upload and its result."""

    code = "quota_exceeded"


class BodyTooLarge(TooLarge):
    """A request's body has more bytes, or one of its fields more items, than are accepted."""

    code = "body_too_large"

    def __init__(self, field: str, problem: str, *, used: int, limit: int) -> None:
        super().__init__(f"{field}: {problem}", used=used, limit=limit)
        self.field = field
        self.problem = problem


class DoesNotFit(WinnowError):
    """A chosen file format cannot hold the rows."""

    code = "does_not_fit"


class StorageFull(WinnowError):
    """The disk is full."""

    code = "storage_full"


class StorageFailed(WinnowError):
    """The disk cannot be read or written."""

    code = "storage_failed"


class OutOfMemory(WinnowError):
    """A list needs more memory than there is."""

    code = "out_of_memory"

    def __init__(self) -> None:
        super().__init__(
            translatable("There was not enough memory for this list."),
            hint=translatable("Close other programs or split the list."),
        )


class InspectionLost(WinnowError):
    """The process that looked into a file was killed from outside; the file may be good.

    ``is_down``: no such process can be started.
    """

    code = "inspection_lost"

    def __init__(self, *, is_down: bool = False) -> None:
        if is_down:
            super().__init__(
                translatable("The process that looks into files cannot be started."),
                hint=translatable("Try again in a moment. The log of the server says why."),
            )
            return
        super().__init__(
            translatable("The system ended the process that looked into this file."),
            hint=translatable(
                "Try again in a moment. If it happens again, the machine is short of memory."
            ),
        )


class ServerBusy(WinnowError):
    """As many large requests as are accepted at once are being worked on."""

    code = "server_busy"


class QueryEnded(WinnowError):
    """A question about a project's rows takes too much time or memory; the project is unharmed."""

    code = "query_ended"

    def __init__(self) -> None:
        super().__init__(
            translatable("This search or sort takes longer or needs more memory than allowed."),
            hint=translatable("Narrow the rows with a filter first, or download the list."),
        )


class KeyRejected(WinnowError):
    """The API key is missing, unknown or revoked; the answer never says which of the last two."""

    code = "key_rejected"


class Banned(WinnowError):
    """This client address has used up its attempts."""

    code = "banned"


class RoleRefused(WinnowError):
    """The role of the person, or of the key's maker, does not allow this."""

    code = "role_refused"

    def __init__(self) -> None:
        super().__init__(
            translatable("Your role does not allow this."),
            hint=translatable("Ask an admin of this server."),
        )


class RateLimited(WinnowError):
    """Too many requests with one key in one minute."""

    code = "rate_limited"

    def __init__(self, detail: str, *, retry_after_seconds: int, limit: int) -> None:
        super().__init__(detail)
        self.retry_after_seconds = retry_after_seconds
        self.limit = limit


class TaskUnknown(WinnowError):
    """No such task in this account."""

    code = "task_unknown"


class ResultNotReady(WinnowError):
    """The task is processing (``retry_after_seconds`` set) or failed."""

    code = "result_not_ready"

    def __init__(self, detail: str, *, retry_after_seconds: int | None = None) -> None:
        super().__init__(detail)
        self.retry_after_seconds = retry_after_seconds


class ListChanged(WinnowError):
    """The list has other entries than those that the request was made from."""

    code = "list_changed"

    def __init__(self) -> None:
        super().__init__(
            "The list has changed since it was read.",
            hint="Read it again, repeat your change, and send it with the new ETag.",
        )


class Gone(WinnowError):
    """The project was deleted or purged, or the link expired."""

    code = "gone"


class ResultLost(Gone):
    """A finished project's files are missing without a deletion. ``has_list``: its list is not.

    The list that was uploaded can then be checked again.
    """

    code = "result_lost"

    def __init__(self, *, has_list: bool) -> None:
        super().__init__(
            "The result of this project is missing from the data folder.",
            hint="Check the list again: it is still there."
            if has_list
            else "Upload the list again: it is missing as well.",
        )
        self.has_list = has_list


class FenceLost(WinnowError):
    """Another attempt owns the task now; nothing of this one may be written."""

    code = "fence_lost"


class ShuttingDown(WinnowError):
    """The server is stopping."""

    code = "shutting_down"

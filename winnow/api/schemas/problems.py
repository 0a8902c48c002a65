"""Problem details: what every error is answered with (RFC 9457)."""

from typing import Annotated

from msgspec import UNSET, Struct, UnsetType

from winnow.api.schemas.values import Count, about


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
    request_id: Annotated[str, about("The same as in X-Request-Id.")]
    error: Annotated[str | UnsetType, about("On 429: the same as detail.")] = UNSET
    hint: Annotated[str | UnsetType, about("How to mend it.")] = UNSET
    errors: Annotated[list[ProblemItem] | UnsetType, about("One entry a field, line or sheet.")] = (
        UNSET
    )
    used: Annotated[Count | UnsetType, about("On 413: bytes in use.")] = UNSET
    limit: Annotated[Count | UnsetType, about("On 413: bytes allowed.")] = UNSET
    columns: Annotated[list[str] | UnsetType, about("Columns found where none is named email.")] = (
        UNSET
    )
    positions: Annotated[
        list[int] | UnsetType, about("Positions, from 1, of columns with the same name.")
    ] = UNSET

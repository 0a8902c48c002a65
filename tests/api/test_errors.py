"""Every error has its answer, and answers say what they must."""

import json
from collections.abc import Iterator

import pytest

from winnow.api import errors as api_errors
from winnow.api.errors import ANSWERS, DOCS_PATH, describe_problem, respond_problem
from winnow.api.operations import ENCODER
from winnow.core import errors
from winnow.core.errors import WinnowError
from winnow.core.verdicts.reasons import Reason


def walk(kind: type[WinnowError]) -> Iterator[type[WinnowError]]:
    yield kind
    for child in kind.__subclasses__():
        if child.__module__.startswith("winnow."):
            yield from walk(child)


def test_every_error_of_the_tree_has_exactly_one_answer() -> None:
    assert set(walk(WinnowError)) == set(ANSWERS)


def test_every_code_stands_for_one_error() -> None:
    codes = [kind.code for kind in ANSWERS]
    assert len(codes) == len(set(codes))


def describe(error: WinnowError) -> dict[str, object]:
    problem = describe_problem(error, request_id="r", docs_path="/docs")
    return dict(json.loads(ENCODER.encode(problem)))


STATUSES: dict[int, tuple[type[WinnowError], ...]] = {
    400: (errors.UnsupportedFormat, errors.BrokenFile, errors.MalformedRequest),
    401: (errors.KeyRejected,),
    403: (errors.Banned,),
    404: (errors.TaskUnknown, api_errors.RouteUnknown),
    405: (api_errors.MethodNotAllowed,),
    409: (errors.ResultNotReady,),
    412: (errors.ListChanged,),
    410: (errors.Gone, errors.ResultLost),
    413: (errors.TooLarge, errors.QuotaExceeded),
    422: (
        *(errors.EmailColumnMissing, errors.EmailColumnAmbiguous, errors.EmptyFile),
        *(errors.BadField, errors.AddressSyntaxError),  # the last never reaches a client as 500
    ),
    429: (errors.RateLimited,),
    500: (errors.StorageFailed, api_errors.InternalError),
    503: (
        *(errors.InspectionLost, errors.OutOfMemory, errors.QueryEnded, errors.ServerBusy),
        errors.ShuttingDown,
    ),
    507: (errors.StorageFull,),
}


def test_statuses_are_the_decided_ones() -> None:
    decided = {kind: status for status, kinds in STATUSES.items() for kind in kinds}
    assert {kind: ANSWERS[kind].status for kind in decided} == decided
    assert errors.AddressSyntaxError(Reason.EMPTY).detail == "invalid_empty"


def test_a_problem_has_the_fields_that_all_have_first() -> None:
    answer = respond_problem(errors.KeyRejected("No key."), {DOCS_PATH: "/v1/docs"})
    problem = json.loads(bytes(answer.body))
    assert answer.status_code == problem["status"] == 401
    assert answer.headers["content-type"] == "application/problem+json"
    assert list(problem)[:6] == ["type", "title", "status", "detail", "code", "request_id"]
    assert problem["type"] == f"/v1/docs#{problem['code']}"
    assert problem["detail"] == "No key."


@pytest.mark.parametrize(
    ("error", "header", "value"),
    [
        (errors.ResultNotReady("Wait.", retry_after_seconds=5), "retry-after", "5"),
        (errors.ShuttingDown("Stop."), "retry-after", "5"),
        (errors.InspectionLost(), "retry-after", "5"),
        (errors.RateLimited("Slow.", retry_after_seconds=9, limit=1), "retry-after", "9"),
        (api_errors.MethodNotAllowed("GET, HEAD"), "allow", "GET, HEAD"),
        (api_errors.RangeNotSatisfiable(7), "content-range", "bytes */7"),
        (
            errors.KeyRejected("No."),
            "www-authenticate",
            'ApiKey realm="winnow", header="X-API-Key"',
        ),
    ],
)
def test_statuses_bring_their_headers(error: WinnowError, header: str, value: str) -> None:
    answer = respond_problem(error, {})
    assert answer.headers[header].startswith(value)


def test_a_500_shows_nothing_of_the_inside() -> None:
    for error in (WinnowError("ana@x.de in row 7"), errors.SettingsError("WINNOW_X", "is secret")):
        problem = describe(error)
        assert problem["status"] == 500
        assert problem["code"] == "internal_error"
        assert "ana@" not in json.dumps(problem)
        assert "secret" not in json.dumps(problem)


def test_problems_say_what_they_are_about() -> None:
    assert describe(errors.QuotaExceeded("Full.", used=4, limit=5))["used"] == 4
    assert describe(errors.QuotaExceeded("Full.", used=4, limit=5))["limit"] == 5
    assert describe(errors.EmailColumnMissing(["Mail", "Name"]))["columns"] == ["Mail", "Name"]
    assert describe(errors.EmailColumnAmbiguous([2, 5]))["positions"] == [2, 5]
    assert describe(errors.BrokenFile("Quote.", line=31, hint="Close it.")) | {"type": ""} == {
        "type": "",
        "title": "The file cannot be read through",
        "status": 400,
        "detail": "Quote.",
        "code": "broken_file",
        "fault": "damaged",
        "request_id": "r",
        "hint": "Close it.",
        "errors": [{"field": "file", "line": 31, "detail": "Quote."}],
    }
    field = describe(errors.BadField("project_name", "is too long"))["errors"]
    assert field == [{"field": "project_name", "detail": "is too long"}]

"""Every error has its answer, and answers say what they must."""

import json
from collections.abc import Iterator

import pytest

from winnow.api import errors as api_errors
from winnow.api.errors import ANSWERS, DOCS_PATH, describe_problem, respond_problem
from winnow.api.schemas.operations import ENCODER
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


@pytest.mark.parametrize(
    ("error", "status"),
    [
        pytest.param(errors.KeyRejected("No key."), 401, id="key"),
        pytest.param(errors.UnsupportedFormat("What?"), 400, id="extension-or-content"),
        pytest.param(errors.BrokenFile("Quote never closes.", line=3), 400, id="broken-file"),
        pytest.param(errors.EmailColumnMissing(["a"]), 422, id="no-email-column"),
        pytest.param(errors.EmailColumnAmbiguous([1, 2]), 422, id="twin-columns"),
        pytest.param(errors.EmptyFile("No row."), 422, id="empty-file"),
        pytest.param(errors.BadField("project_name", "too long"), 422, id="bad-field"),
        pytest.param(errors.TooLarge("Large.", used=2, limit=1), 413, id="too-large"),
        pytest.param(errors.QuotaExceeded("Full.", used=2, limit=1), 413, id="quota"),
        pytest.param(errors.StorageFull("Disk."), 507, id="disk-full"),
        pytest.param(errors.StorageFailed("Disk."), 500, id="disk-fails"),
        pytest.param(errors.InspectionLost(), 503, id="inspection-lost"),
        pytest.param(errors.QueryEnded(), 503, id="query-ended"),
        pytest.param(errors.TaskUnknown("None."), 404, id="unknown-task"),
        pytest.param(errors.ResultNotReady("Wait."), 409, id="not-ready"),
        pytest.param(errors.Gone("Gone."), 410, id="gone"),
        pytest.param(errors.ResultLost(has_list=True), 410, id="lost"),
        pytest.param(
            errors.RateLimited("Slow.", retry_after_seconds=9, limit=100), 429, id="rate-limit"
        ),
        pytest.param(errors.Banned("Banned."), 403, id="banned"),
        pytest.param(errors.MalformedRequest("Multipart."), 400, id="malformed"),
        pytest.param(errors.ShuttingDown("Stopping."), 503, id="stopping"),
        pytest.param(api_errors.RouteUnknown("Nothing."), 404, id="route"),
        pytest.param(api_errors.MethodNotAllowed("GET"), 405, id="method"),
        pytest.param(api_errors.InternalError("Oh."), 500, id="unforeseen"),
    ],
)
def test_statuses_are_the_decided_ones(error: WinnowError, status: int) -> None:
    answer = respond_problem(error, {DOCS_PATH: "/v1/docs"})
    problem = json.loads(bytes(answer.body))
    assert answer.status_code == status
    assert answer.headers["content-type"] == "application/problem+json"
    assert list(problem)[:6] == ["type", "title", "status", "detail", "code", "request_id"]
    assert problem["status"] == status
    assert problem["type"] == f"/v1/docs#{problem['code']}"
    assert isinstance(problem["detail"], str)
    assert problem["detail"]


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
        "request_id": "r",
        "hint": "Close it.",
        "errors": [{"field": "file", "line": 31, "detail": "Quote."}],
    }
    field = describe(errors.BadField("project_name", "is too long"))["errors"]
    assert field == [{"field": "project_name", "detail": "is too long"}]


def test_address_syntax_never_reaches_a_client_as_500() -> None:
    assert ANSWERS[errors.AddressSyntaxError].status == 422
    assert errors.AddressSyntaxError(Reason.EMPTY).detail == "invalid_empty"

"""Lists over HTTP: submitted, polled, fetched; and everything that may be wrong with a request."""

import json
import re
from gzip import compress
from typing import Any
from uuid import UUID

import httpx
import pytest

from tests.api.conftest import OpenDesk
from tests.api.desk import BASE_PATH, LIST, ORIGIN, Desk, assert_nothing_is_left, call_raw, upload
from winnow.core.tasks.task import KeyType

SUBMIT = f"{BASE_PATH}/batch-check-emails"
BOUNDARY = "XtestX"
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")


def status_of(client: httpx.Client, task_id: str) -> dict[str, Any]:
    answer = client.get(f"{BASE_PATH}/batch-check-status/{task_id}")
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


def fetch(client: httpx.Client, task_id: str) -> bytes:
    """Return the file of a finished list."""
    link = client.get(f"{BASE_PATH}/batch-task-download/{task_id}").json()["download_url"]
    return client.get(link).content


def test_submit_poll_fetch(desk: Desk) -> None:
    caller = desk.caller()
    submitted = upload(caller, project_name="November", deduplicate="True")
    assert list(submitted) == ["task_id", "status", "message"]
    UUID(submitted["task_id"])
    assert submitted["status"] == "processing"

    waiting = status_of(caller, submitted["task_id"])
    assert list(waiting)[:4] == ["task_id", "status", "project_name", "progress"]
    assert (waiting["status"], waiting["project_name"]) == ("processing", "November")
    assert set(waiting["progress"]) == {"rows_done", "rows_total", "phase"}
    assert waiting["progress"]["phase"] == "queued"
    assert waiting["warnings"] == []
    assert waiting["completed_at"] is None
    assert "summary" not in waiting
    early = caller.get(f"{BASE_PATH}/batch-task-download/{submitted['task_id']}")
    assert early.status_code == 409
    assert int(early.headers["retry-after"]) > 0

    desk.work()
    done = status_of(caller, submitted["task_id"])
    assert done["status"] == "completed"
    assert done["summary"] | {"top_domains": [], "data_version": "", "by_reason": {}} == {
        "rows_in": 4,
        "rows_out": 3,
        "duplicates_removed": 1,
        "charged": 2,
        "by_category": {"white": 1, "black": 2},
        "by_domain_type": {"free": 1, "disposable": 1, "invalid": 1},
        "by_reason": {},
        "top_domains": [],
        "data_version": "",
    }
    for name in ("submitted_at", "completed_at", "expires_at"):
        assert TIME.fullmatch(done[name])

    answer = caller.get(f"{BASE_PATH}/batch-task-download/{submitted['task_id']}")
    link = answer.json()
    assert answer.status_code == 200
    assert list(link) == ["download_url", "expires_at"]
    assert TIME.fullmatch(link["expires_at"])
    assert link["download_url"].startswith(f"{ORIGIN}{BASE_PATH}/downloads/")
    result = desk.client().get(link["download_url"])
    assert result.content == (
        b"email,name,category,domain_type\n"
        b"bo@mailinator.com,2,black,disposable\n"
        b"ana@gmail.com,3,white,free\n"
        b"no-address,4,black,invalid\n"
    )
    assert sum(day.batch for day in desk.services.usage.days("local")) == 2


@pytest.mark.parametrize(
    ("word", "rows"), [("true", 3), ("YES", 3), ("1", 3), ("false", 4), ("No", 4), ("0", 4)]
)
def test_deduplicate_as_clients_write_it(desk: Desk, word: str, rows: int) -> None:
    caller = desk.caller()
    task_id = upload(caller, deduplicate=word)["task_id"]
    desk.work()
    assert status_of(caller, task_id)["summary"]["rows_out"] == rows


@pytest.mark.parametrize(
    ("fields", "left"),
    [
        pytest.param({}, "2", id="as-the-recipe-says"),
        pytest.param({"deduplicate": "false"}, "123", id="fields-go-first"),
    ],
)
def test_a_recipe(desk: Desk, fields: dict[str, str], left: str) -> None:
    rows = b"1,ana@gmail.com,31.01.2024\n2,Ana@gmail.com,01.02.2024\n3,ana@gmail.com,\n"
    content = b"id,Mail,Signed up\n" + rows
    recipe = 'email_column = "Mail"\nkeep = "newest"\nkeep_by = "Signed up"\npolicy = "any"\n'
    caller = desk.caller()
    task_id = upload(caller, content, recipe=recipe, **fields)["task_id"]
    desk.work()
    assert "".join(chr(line[0]) for line in fetch(caller, task_id).splitlines()[1:]) == left


@pytest.mark.parametrize("recipe", ["colour = 1", "email_column = ", "keep = 'best'", "\0"])
def test_what_is_no_recipe_is_refused(desk: Desk, recipe: str) -> None:
    answer = desk.caller().post(SUBMIT, files={"file": ("list.csv", LIST)}, data={"recipe": recipe})
    assert answer.status_code == 422
    assert answer.json()["detail"].startswith("recipe: ")
    assert desk.files() == []


def test_a_second_email_column(desk: Desk) -> None:
    caller = desk.caller()
    content = b"email,other\nana@gmail.com,\n,bo@gmail.com\n"
    task_id = upload(caller, content, second_email_column="other")["task_id"]
    desk.work()
    assert fetch(caller, task_id) == (
        b"email,other,email_used,category,domain_type\n"
        b"ana@gmail.com,,ana@gmail.com,white,free\n"
        b",bo@gmail.com,bo@gmail.com,white,free\n"
    )


@pytest.mark.parametrize("value", ["true", "Yes", "1"])
def test_judging_both_addresses_is_refused(desk: Desk, value: str) -> None:
    fields = {"second_email_column": "email", "judge_both": value}
    answer = desk.caller().post(SUBMIT, files={"file": ("list.csv", LIST)}, data=fields)
    assert (answer.status_code, answer.json()["code"]) == (422, "bad_field")
    assert "judge_both: was removed in 0.3; second_email_column" in answer.json()["detail"]


def test_the_email_column_by_name_or_position(desk: Desk) -> None:
    caller = desk.caller()
    content = b"mail,email\nana@gmail.com,no-address\n"
    for column, category in (("mail", "white"), ("1", "white"), ("email", "black"), ("2", "black")):
        task_id = upload(caller, content, email_column=column)["task_id"]
        desk.work()
        assert status_of(caller, task_id)["summary"]["by_category"] == {category: 1}


def test_a_sandbox_list_costs_nothing(desk: Desk) -> None:
    caller = desk.caller(KeyType.SANDBOX)
    content = b"email\ntest@disposable.com\nno-address\nbo@mailinator.com\n"
    task_id = upload(caller, content)["task_id"]
    desk.work()
    summary = status_of(caller, task_id)["summary"]
    assert summary["by_domain_type"] == {"disposable": 1, "unknown": 2}
    assert summary["charged"] == 0
    assert sum(day.batch for day in desk.services.usage.days("local")) == 0


def test_the_same_idempotency_key_and_file_is_the_same_task(desk: Desk) -> None:
    caller = desk.caller()
    headers = {"Idempotency-Key": "0b6f4a1e"}

    def submit(content: bytes) -> httpx.Response:
        return caller.post(SUBMIT, files={"file": ("list.csv", content)}, headers=headers)

    first, again, other = submit(LIST), submit(LIST), submit(LIST + b"c@x.de,5\n")
    assert first.json()["task_id"] == again.json()["task_id"]
    assert other.status_code == 422
    assert len(desk.services.tasks.list("local")) == 1
    assert len(desk.files()) == 1
    desk.work()
    assert submit(LIST).json()["task_id"] == first.json()["task_id"]
    chosen = ({"keep": "first"}, {"repair": "safe"})
    for field in ({"deduplicate": "false"}, {"project_name": "b"}, *chosen):
        changed = caller.post(
            SUBMIT, files={"file": ("list.csv", LIST)}, data=field, headers=headers
        )
        assert (changed.status_code, changed.json()["code"]) == (422, "bad_field"), field
    bad = caller.post(
        SUBMIT, files={"file": ("list.csv", LIST)}, headers={"Idempotency-Key": "x" * 256}
    )
    assert bad.status_code == 422
    assert len(desk.files()) == 1


MESSY = (
    b"email,n\nAna <ana@gmail.com>,1\nbo @mailinator.com,2\nana@gmail.com,3\n"
    b'"a@b.de; c@d.de",4\nana@gmial.com,5\n'
)


def test_safe_repairs_stand_in_a_column_of_their_own(desk: Desk) -> None:
    caller = desk.caller()
    task_id = upload(caller, MESSY, repair="safe")["task_id"]
    desk.work()
    done = status_of(caller, task_id)
    summary = done["summary"]
    assert (summary["repaired"], summary["by_repair"]) == (1, {"blanks": 1})
    assert (summary["rows_out"], summary["duplicates_removed"]) == (4, 1)
    assert summary["charged"] == 3
    assert sum(day.batch for day in desk.services.usage.days("local")) == 3
    assert fetch(caller, task_id) == (
        b"email,n,email_repaired,category,domain_type\n"
        b"bo @mailinator.com,2,bo@mailinator.com,black,disposable\n"
        b"ana@gmail.com,3,ana@gmail.com,white,free\n"
        b'"a@b.de; c@d.de",4,"a@b.de; c@d.de",black,invalid\n'
        b"ana@gmial.com,5,ana@gmial.com,grey,masked legitimate\n"
    )


def test_the_header_may_stand_below_a_title(desk: Desk) -> None:
    content = b"Report, made in May\n\nid,email\n1,a@x.de\n"
    caller = desk.caller()
    task_id = upload(caller, content)["task_id"]
    desk.work()
    status = status_of(caller, task_id)
    assert status["summary"]["rows_in"] == 1
    assert [one["code"] for one in status["warnings"]] == ["header_below_top"]
    other = caller.post(SUBMIT, files={"file": ("list.csv", content.replace(b"email", b"E-Mail"))})
    assert (other.status_code, other.json()["columns"]) == (422, ["id", "E-Mail"])


PDF = b"%PDF-1.7\n" + b"\0" * 100


@pytest.mark.parametrize(
    ("name", "content", "fields", "status", "code"),
    [
        pytest.param("list.pdf", LIST, {}, 400, "unsupported_format", id="wrong-extension"),
        pytest.param("list", LIST, {}, 400, "unsupported_format", id="no-extension"),
        pytest.param("list.txt", LIST, {}, 400, "unsupported_format", id="plain-text"),
        pytest.param("list.csv.gz", compress(LIST), {}, 400, "unsupported_format", id="packed"),
        pytest.param("list.parquet", b"PAR1", {}, 400, "unsupported_format", id="parquet"),
        pytest.param("list.xlsx", LIST, {}, 400, "unsupported_format", id="xlsx-that-is-csv"),
        pytest.param("list.csv", PDF, {}, 400, None, id="csv-that-is-pdf"),
        pytest.param("list.csv", b"", {}, 422, "empty_file", id="empty"),
        pytest.param("list.csv", b"email\n", {}, 422, "empty_file", id="header-only"),
        pytest.param("list.csv", b"a,b\n1,2\n", {}, 422, "no_email_column", id="no-email-column"),
        pytest.param(
            "list.csv", b"email,email\na,b\n", {}, 422, "ambiguous_email_column", id="twins"
        ),
        pytest.param("list.csv", b"a@x.de\nb@x.de\n", {}, 422, "no_email_column", id="no-header"),
        pytest.param("list.csv", b'email\n"ab\n', {}, 400, "broken_file", id="open-quote"),
        pytest.param("list.csv", LIST, {"project_name": "x" * 51}, 422, "bad_field", id="name-51"),
        pytest.param(
            "list.csv", LIST, {"project_name": "x" * 10_000_000}, 422, "bad_field", id="h"
        ),
        pytest.param("list.csv", LIST, {"deduplicate": "maybe"}, 422, "bad_field", id="dedup"),
        pytest.param("list.csv", LIST, {"repair": "likely"}, 422, "bad_field", id="repair"),
        pytest.param(
            "list.csv", LIST, {"second_email_column": "email"}, 422, "bad_field", id="second-first"
        ),
        pytest.param("list.csv", LIST, {"keep": "oldest"}, 422, "bad_field", id="keep"),
        pytest.param("list.csv", LIST, {"keep": "newest"}, 422, "bad_field", id="keep-by-nothing"),
        pytest.param("list.csv", LIST, {"keep_by": "1"}, 422, "bad_field", id="keep-by-alone"),
        pytest.param(
            "list.csv", LIST, {"keep": "newest", "keep_by": "nope"}, 422, "bad_field", id="no-dates"
        ),
        pytest.param("list.csv", LIST, {"email_column": "nope"}, 422, None, id="no-such-column"),
        pytest.param(
            "list.csv", LIST, {"deduplicate": ["true", "true"]}, 422, "bad_field", id="field-twice"
        ),
    ],
)
def test_what_cannot_be_taken_says_why_and_leaves_nothing(
    desk: Desk, name: str, content: bytes, fields: dict[str, Any], status: int, code: str | None
) -> None:
    answer = desk.caller().post(SUBMIT, files={"file": (name, content)}, data=fields)
    problem = answer.json()
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    assert code in {None, problem["code"]}
    assert problem["request_id"] == answer.headers["x-request-id"]
    assert_nothing_is_left(desk)


@pytest.mark.parametrize(
    "end",
    [
        pytest.param(b'bo@mailinator.com,"2\nana@gmail.com,3\n', id="open-quote"),
        pytest.param(b"bo\0@mailinator.com,2\n", id="nul"),
    ],
)
def test_a_fault_behind_the_first_mib_fails_the_task(desk: Desk, end: bytes) -> None:
    content = b"email,name\n" + b"ana@gmail.com,1\n" * 70_000 + end
    caller = desk.caller()
    task_id = upload(caller, content)["task_id"]
    desk.work()
    status = status_of(caller, task_id)
    assert status["status"] == "failed"
    assert (status["error"]["code"], status["error"]["line"]) == ("broken_file", 70_002)
    assert status["warnings"] == []
    assert sum(day.batch for day in desk.services.usage.days("local")) == 0


def test_a_list_without_header_says_so_and_shows_no_address(desk: Desk) -> None:
    answer = desk.caller().post(SUBMIT, files={"file": ("l.csv", b"ana@x.de\nbo@x.de\n")})
    assert "header" in answer.json()["detail"]
    assert "ana@" not in answer.text


def test_a_file_is_needed_with_a_name_once(desk: Desk) -> None:
    caller = desk.caller()
    one = ("list.csv", LIST)
    bodies: list[dict[str, Any]] = [
        {"files": {"project_name": (None, "x")}},
        {"files": {"file": (None, LIST)}},
        {"files": {"upload": one}},
        {"files": [("file", one), ("file", one)]},
    ]
    for body in bodies:
        answer = caller.post(SUBMIT, **body)
        assert answer.status_code == 422, answer.text
        assert answer.json()["errors"][0]["field"] == "file"
    assert_nothing_is_left(desk)


def multipart(*parts: tuple[bytes, bytes]) -> bytes:
    boundary = f"--{BOUNDARY}".encode()
    lines = [
        boundary + b"\r\nContent-Disposition: " + disposition + b"\r\n\r\n" + content + b"\r\n"
        for disposition, content in parts
    ]
    return b"".join(lines) + boundary + b"--\r\n"


FILE = (b'form-data; name="file"; filename="list.csv"', LIST)
WHOLE = multipart(FILE)
FORM = f"multipart/form-data; boundary={BOUNDARY}".encode()


def submit_raw(
    desk: Desk, chunks: list[bytes], content_type: bytes = FORM, **options: Any
) -> tuple[int | None, dict[str, Any]]:
    headers = [
        (b"host", b"127.0.0.1:8501"),
        (b"x-api-key", desk.key().encode()),
        (b"content-type", content_type),
    ]
    answer = call_raw(desk.app, "POST", SUBMIT, headers, chunks, **options)
    return answer.status, json.loads(answer.body) if answer.body else {}


@pytest.mark.parametrize(
    ("chunks", "content_type"),
    [
        pytest.param([WHOLE[:-8]], FORM, id="truncated"),
        pytest.param([LIST], b"", id="no-content-type"),
        pytest.param([], FORM, id="no-body"),
        pytest.param(
            [multipart((b'form-data; name="file"; filename="l.csv"\nX-Bad: 1\r\n\r\r', LIST))],
            FORM,
            id="bare-line-ends-in-headers",
        ),
    ],
)
def test_a_malformed_body_is_400_and_leaves_nothing(
    desk: Desk, chunks: list[bytes], content_type: bytes
) -> None:
    status, problem = submit_raw(desk, chunks, content_type)
    assert (status, problem["code"]) == (400, "malformed_request")
    assert_nothing_is_left(desk)


def test_parts_come_in_any_order_and_any_chunks(desk: Desk) -> None:
    body = multipart(FILE, (b'form-data; name="project_name"', b"Late name"))
    status, submitted = submit_raw(desk, [body[at : at + 1] for at in range(len(body))])
    assert status == 200
    task = desk.services.tasks.get("local", submitted["task_id"])
    assert task.project_name == "Late name"
    assert task.input_bytes == len(LIST)


@pytest.mark.parametrize("size", [20, 300, 3_000_000])
def test_an_aborted_upload_leaves_nothing(desk: Desk, size: int) -> None:
    body = multipart((FILE[0], b"email\n" + b"a@x.de\n" * 600_000))
    chunks = [body[at : at + 65_536] for at in range(0, size, 65_536)]
    chunks[-1] = chunks[-1][: size % 65_536 or 65_536]
    status, _ = submit_raw(desk, chunks, hang_up=True)
    assert status is None
    assert_nothing_is_left(desk)


def test_the_quota_holds_and_says_what_fits(desk_with: OpenDesk) -> None:
    desk = desk_with(WINNOW_QUOTA_BYTES="200000", WINNOW_RATE_LIMIT="off")
    caller = desk.caller()
    fits = b"email\n" + (b"x" * 59 + b"\n") * 800
    too_much = b"email\n" + b"x" * 70_000 + b"\n"
    for content, status in ((too_much, 413), (fits, 200), (fits, 413)):
        answer = caller.post(SUBMIT, files={"file": ("list.csv", content)})
        assert answer.status_code == status, answer.text
    problem = answer.json()
    assert problem["code"] == "quota_exceeded"
    assert problem["limit"] == 200_000
    assert problem["used"] > 0


def test_while_a_deletion_can_be_undone_the_state_stands_and_nothing_is_downloaded(
    desk: Desk,
) -> None:
    caller = desk.caller()
    task_id = upload(caller)["task_id"]
    desk.work()
    link = caller.get(f"{BASE_PATH}/batch-task-download/{task_id}").json()["download_url"]
    status = f"{BASE_PATH}/batch-check-status/{task_id}"
    before = caller.get(status).json()
    desk.services.deletions.delete("local", [task_id])
    assert caller.get(status).json() == before
    assert caller.get(f"{BASE_PATH}/batch-task-download/{task_id}").status_code == 410
    assert caller.get(link).status_code == 410
    desk.services.deletions.undo("local", [task_id])
    assert caller.get(link).status_code == 200
    desk.services.deletions.delete("local", [task_id])
    desk.clock.turn(seconds=60)
    assert caller.get(status).status_code == 410


def test_a_failed_task_has_no_result_and_no_retry(desk: Desk) -> None:
    caller = desk.caller()
    task_id = upload(caller)["task_id"]
    desk.services.tasks.cancel("local", task_id)
    status = status_of(caller, task_id)
    assert status["status"] == "failed"
    assert status["error"]["code"] == "cancelled"
    answer = caller.get(f"{BASE_PATH}/batch-task-download/{task_id}")
    assert answer.status_code == 409
    assert "retry-after" not in answer.headers

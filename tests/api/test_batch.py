"""Lists over HTTP: submitted, polled, fetched; and everything that may be wrong with a request."""

import asyncio
import json
import re
import time
from functools import partial
from gzip import compress
from typing import Any, cast
from uuid import UUID

import httpx
import pytest
from anyio import Lock

from tests.api.conftest import OpenDesk
from tests.api.desk import (
    BASE_PATH,
    LIST,
    ORIGIN,
    Caller,
    Desk,
    assert_nothing_is_left,
    call_raw,
)
from winnow.api import upload_stream
from winnow.api.upload_stream import open_upload
from winnow.core.identities import LOCAL_ACCOUNT
from winnow.core.lists.cleaning import WhoDecides
from winnow.core.lists.silence import SilenceColumn
from winnow.core.tasks.task import KeyType
from winnow.services.uploads.uploads import UploadWriter

SUBMIT = f"{BASE_PATH}/batch-check-emails"
BOUNDARY = "XtestX"
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")


def test_submit_poll_fetch(desk: Desk, caller: Caller) -> None:
    submitted = caller.submit(project_name="November", deduplicate="True").json()
    assert list(submitted) == ["task_id", "status", "message"]
    UUID(submitted["task_id"])
    assert submitted["status"] == "processing"

    task_id = submitted["task_id"]
    waiting = caller.read_status(task_id)
    assert list(waiting)[:4] == ["task_id", "status", "project_name", "progress"]
    assert (waiting["status"], waiting["project_name"]) == ("processing", "November")
    assert set(waiting["progress"]) == {"rows_done", "rows_total", "phase"}
    assert waiting["progress"]["phase"] == "queued"
    assert (waiting["warnings"], waiting["completed_at"]) == ([], None)
    assert "summary" not in waiting
    early = caller.get(f"/batch-task-download/{task_id}")
    assert early.status_code == 409
    assert int(early.headers["retry-after"]) > 0

    desk.work()
    done = caller.read_status(task_id)
    assert done["status"] == "completed"
    counted = done["summary"]
    for name in ("top_domains", "data_version", "by_reason"):
        del counted[name]
    assert counted == {
        "rows_in": 4,
        "rows_out": 3,
        "duplicates_removed": 1,
        "charged": 2,
        "by_category": {"white": 1, "grey": 0, "black": 2},
        "by_domain_type": {"free": 1, "disposable": 1, "invalid": 1},
        "do_not_mail": {"said_no": 0, "bounced": 0},
    }
    for name in ("submitted_at", "completed_at", "expires_at"):
        assert TIME.fullmatch(done[name])

    link = caller.get(f"/batch-task-download/{task_id}").json()
    assert list(link) == ["download_url", "expires_at"]
    assert TIME.fullmatch(link["expires_at"])
    assert link["download_url"].startswith(f"{ORIGIN}{BASE_PATH}/downloads/")
    assert desk.client().get(link["download_url"]).content == (
        b"email,name,category,domain_type\n"
        b"bo@mailinator.com,2,black,disposable\n"
        b"ana@gmail.com,3,white,free\n"
        b"no-address,4,black,invalid\n"
    )
    assert desk.count_charged() == (0, 2)


@pytest.mark.parametrize(
    ("word", "rows"), [("true", 3), ("YES", 3), ("1", 3), ("false", 4), ("No", 4), ("0", 4)]
)
def test_deduplicate_as_clients_write_it(desk: Desk, caller: Caller, word: str, rows: int) -> None:
    task_id = desk.complete(caller, deduplicate=word)
    assert caller.read_status(task_id)["summary"]["rows_out"] == rows


TWO = b"email,other\nana@gmail.com,no-address\n,bo@mailinator.com\n"
OF_TWO = ["email,other,category,domain_type"]
DATED = b"id,Mail,Signed up\n1,ana@gmail.com,31.01.2024\n2,Ana@gmail.com,01.02.2024\n"
OF_DATED = ["id,Mail,Signed up,category,domain_type"]
RECIPE = 'email_column = "Mail"\nkeep = "newest"\nkeep_by = "Signed up"\npolicy = "any"\n'
MESSY = b'email,n\nAna <ana@gmail.com>,1\nbo @mailinator.com,2\nana@gmail.com,3\n"a@b.de; c@d.de",4'


@pytest.mark.parametrize(
    ("content", "fields", "lines"),
    [
        pytest.param(
            DATED, {"recipe": RECIPE}, [*OF_DATED, "2,Ana@gmail.com,01.02.2024,white,free"],
            id="recipe",
        ),
        pytest.param(
            DATED,
            {"recipe": RECIPE, "deduplicate": "false"},
            [
                *OF_DATED,
                "1,ana@gmail.com,31.01.2024,white,free",
                "2,Ana@gmail.com,01.02.2024,white,free",
            ],
            id="fields-outrank-a-recipe",
        ),
        *(
            pytest.param(
                TWO,
                {"email_column": column},
                [
                    *OF_TWO,
                    f"ana@gmail.com,no-address,{first}",
                    f",bo@mailinator.com,{second}",
                ],
                id=f"column-{column}",
            )
            for column, first, second in (
                ("email", "white,free", "black,invalid"),
                ("1", "white,free", "black,invalid"),
                ("other", "black,invalid", "black,disposable"),
                ("2", "black,invalid", "black,disposable"),
            )
        ),
        pytest.param(
            TWO,
            {"second_email_column": "other"},
            [
                "email,other,email_used,category,domain_type",
                "ana@gmail.com,no-address,ana@gmail.com,white,free",
                ",bo@mailinator.com,bo@mailinator.com,black,disposable",
            ],
            id="second-column",
        ),
        pytest.param(
            b"email,n\nana @gmail.com,1\n",
            {"recipe": 'repair = "safe"', "repair": ""},
            ["email,n,category,domain_type", "ana @gmail.com,1,black,invalid"],
            id="no-repairs",
        ),
        pytest.param(
            MESSY,
            {"repair": "safe"},
            [
                "email,n,email_repaired,category,domain_type",
                "bo @mailinator.com,2,bo@mailinator.com,black,disposable",
                "ana@gmail.com,3,ana@gmail.com,white,free",
                '"a@b.de; c@d.de",4,"a@b.de; c@d.de",black,invalid',
            ],
            id="repairs",
        ),
    ],
)  # fmt: skip
def test_fields_of_a_list_are_obeyed(
    desk: Desk, caller: Caller, content: bytes, fields: dict[str, str], lines: list[str]
) -> None:
    task_id = desk.complete(caller, content, **fields)
    assert caller.fetch(task_id).decode().splitlines() == lines
    if fields.get("repair"):
        summary = caller.read_status(task_id)["summary"]
        assert (summary["repaired"], summary["by_repair"]) == (1, {"blanks": 1})
        assert (summary["rows_out"], summary["duplicates_removed"]) == (3, 1)
        assert summary["charged"] == 2
        assert desk.count_charged() == (0, 2)


def test_a_recipe_says_who_is_silent_and_who_decides(desk: Desk, caller: Caller) -> None:
    content = b"email,signed up,last click\na@x.de,2024-01-31,03/04/2024\n"
    recipe = 'silent_by = "last click"\nsilent_order = "month"\n'
    task_id = desk.complete(caller, content, recipe=recipe)
    found = desk.services.mail_choices.find_silence(LOCAL_ACCOUNT, task_id)
    assert found == SilenceColumn(2, others=(1,), dated=1, is_open=False)
    task_id = desk.complete(caller, content, recipe='who_decides = "kept"\n')
    assert desk.services.tasks.get(LOCAL_ACCOUNT, task_id).request.who_decides is WhoDecides.KEPT
    answer = caller.submit(content, recipe='silent_by = "opened"\n')
    assert (answer.status_code, answer.json()["detail"][:10]) == (422, "silent_by:")


def test_the_status_counts_people_who_must_not_be_mailed(desk: Desk, caller: Caller) -> None:
    """Each row of the whole file once, by what any row says: removed ones and aliases too."""
    said = (
        ("ana+news@gmail.com", "unsubscribed"), ("ana@gmail.com", "subscribed"),
        ("bo@web.de", "Opted out"), ("bo@web.de", "subscribed"), ("cy@web.de", "hard bounced"),
        ("di@web.de", "pending"), ("di@web.de", "hard bounced"), ("eve@web.de", "subscribed"),
    )  # fmt: skip
    content = "email,status\n" + "".join(f"{one},{word}\n" for one, word in said)
    task_id = desk.complete(caller, content.encode())
    summary = caller.read_status(task_id)["summary"]
    assert summary["do_not_mail"] == {"said_no": 4, "bounced": 1}
    assert len(caller.fetch(task_id).splitlines()) - 1 == summary["rows_out"] == 6


def test_a_sandbox_list_costs_nothing(desk: Desk) -> None:
    caller = desk.caller(KeyType.SANDBOX)
    task_id = desk.complete(caller, b"email\ntest@disposable.com\nno-address\nbo@mailinator.com\n")
    summary = caller.read_status(task_id)["summary"]
    assert summary["by_domain_type"] == {"disposable": 1, "unknown": 2}
    assert summary["charged"] == 0
    assert desk.count_charged() == (0, 0)


def test_the_same_idempotency_key_and_file_is_the_same_task(desk: Desk, caller: Caller) -> None:
    def submit(content: bytes = LIST, key: str = "0b6f4a1e", **fields: str) -> httpx.Response:
        return caller.submit(content, headers={"Idempotency-Key": key}, **fields)

    first, again = submit(), submit()
    assert first.json()["task_id"] == again.json()["task_id"]
    assert len(desk.services.tasks.list("local")) == 1
    desk.work()
    assert submit().json()["task_id"] == first.json()["task_id"]
    for changed in (
        *(submit(LIST + b"c@x.de,5\n"), submit(deduplicate="false"), submit(project_name="b")),
        *(submit(keep="first"), submit(repair="safe"), submit(key="x" * 256)),
        *(submit(recipe=f"header = {word}") for word in ("true", "false")),
    ):
        assert (changed.status_code, changed.json()["code"]) == (422, "bad_field")
    assert len(desk.files()) == 1


def test_the_header_may_stand_below_a_title(desk: Desk, caller: Caller) -> None:
    content = b"Report, made in May\n\nid,email\n1,a@x.de\n"
    status = caller.read_status(desk.complete(caller, content))
    assert status["summary"]["rows_in"] == 1
    assert [one["code"] for one in status["warnings"]] == ["header_below_top"]
    other = caller.submit(content.replace(b"email", b"E-Mail"))
    assert (other.status_code, other.json()["columns"]) == (422, ["id", "E-Mail"])


PDF = b"%PDF-1.7\n" + b"\0" * 100
HALF_UTF16 = "email\nana@gmail.com\n".encode("utf-16")[:-1]
FORMAT, FIELD = "unsupported_format", "bad_field"


@pytest.mark.parametrize(
    ("name", "content", "fields", "status", "said"),
    [
        pytest.param("list.pdf", LIST, {}, 400, FORMAT, id="wrong-extension"),
        pytest.param("list", LIST, {}, 400, '"fault":"wrong_extension"', id="no-extension"),
        pytest.param("list.txt", LIST, {}, 400, FORMAT, id="plain-text"),
        pytest.param("list.csv.gz", compress(LIST), {}, 400, FORMAT, id="packed"),
        pytest.param("list.parquet", b"PAR1", {}, 400, FORMAT, id="parquet"),
        pytest.param("list.xlsx", LIST, {}, 400, FORMAT, id="xlsx-that-is-csv"),
        pytest.param("list.csv", PDF, {}, 400, '"fault":"not_a_list"', id="csv-that-is-pdf"),
        pytest.param("list.csv", compress(LIST), {}, 400, '"Unpack it; ', id="csv-that-is-packed"),
        pytest.param("list.csv", HALF_UTF16, {}, 400, '"fault":"encoding"', id="half-a-letter"),
        pytest.param("list.csv", b"", {}, 422, "empty_file", id="empty"),
        pytest.param("list.csv", b"email\n", {}, 422, "empty_file", id="header-only"),
        pytest.param("list.csv", b"a,b\n1,2\n", {}, 422, "no_email_column", id="no-email-column"),
        pytest.param("a.csv", b"email,email\na,b\n", {}, 422, "ambiguous_email_column", id="twins"),
        pytest.param("list.csv", b"ana@x.de\nbo@x.de\n", {}, 422, "header", id="headless-said"),
        pytest.param("list.csv", b'email\n"ab\n', {}, 400, "broken_file", id="open-quote"),
        pytest.param("list.csv", LIST, {"project_name": "x" * 51}, 422, FIELD, id="name-51"),
        pytest.param("list.csv", LIST, {"project_name": "x" * 10**7}, 422, FIELD, id="name-huge"),
        pytest.param("list.csv", LIST, {"deduplicate": "maybe"}, 422, FIELD, id="dedup"),
        pytest.param("list.csv", LIST, {"repair": "likely"}, 422, FIELD, id="repair"),
        pytest.param("list.csv", LIST, {"second_email_column": "email"}, 422, FIELD, id="twice"),
        pytest.param("list.csv", LIST, {"keep": "oldest"}, 422, FIELD, id="keep"),
        pytest.param("list.csv", LIST, {"keep": "newest"}, 422, FIELD, id="keep-by-nothing"),
        pytest.param("list.csv", LIST, {"keep_by": "1"}, 422, FIELD, id="keep-by-alone"),
        pytest.param("a.csv", LIST, {"keep": "newest", "keep_by": "x"}, 422, FIELD, id="no-dates"),
        pytest.param("list.csv", LIST, {"email_column": "nope"}, 422, "", id="no-such-column"),
        pytest.param("list.csv", LIST, {"deduplicate": ["1", "1"]}, 422, FIELD, id="field-twice"),
        pytest.param("list.csv", LIST, {"recipe": "colour = 1"}, 422, "recipe: ", id="no-recipe"),
        pytest.param("list.csv", LIST, {"recipe": "\0"}, 422, "recipe: ", id="no-toml"),
        pytest.param(
            *("list.csv", LIST, {"second_email_column": "email", "judge_both": "Yes"}, 422),
            "judge_both: was removed; second_email_column",
            id="judge-both",
        ),
    ],
)
def test_what_cannot_be_taken_says_why_and_leaves_nothing(
    *, desk: Desk, caller: Caller,
    name: str, content: bytes, fields: dict[str, Any], status: int, said: str,
) -> None:  # fmt: skip
    answer = caller.submit(content, name, **fields)
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json()["request_id"] == answer.headers["x-request-id"]
    assert said in answer.text
    assert "ana@" not in answer.text
    assert_nothing_is_left(desk)


@pytest.mark.parametrize(
    ("end", "fault"),
    [
        pytest.param(b'bo@mailinator.com,"2\nana@gmail.com,3\n', "open_quote", id="open-quote"),
        pytest.param(b"bo\0@mailinator.com,2\n", "not_a_list", id="nul"),
    ],
)
def test_a_fault_behind_the_beginning_fails_the_task(
    desk: Desk, caller: Caller, end: bytes, fault: str
) -> None:
    content = b"email,name\n" + b"ana@gmail.com,1\n" * 100_000 + end
    status = caller.read_status(desk.complete(caller, content))
    assert (status["status"], status["warnings"]) == ("failed", [])
    assert (status["error"]["code"], status["error"]["line"]) == ("broken_file", 100_002)
    assert status["error"]["fault"] == fault
    assert desk.count_charged() == (0, 0)


def test_a_file_is_needed_with_a_name_once(desk: Desk, caller: Caller) -> None:
    one = ("list.csv", LIST)
    bodies: list[Any] = [
        {"project_name": (None, "x")},
        {"file": (None, LIST)},
        {"upload": one},
        [("file", one), ("file", one)],
    ]
    for body in bodies:
        answer = caller.post("/batch-check-emails", files=body)
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
ODD = (b'form-data; name="file"; filename="l.csv"\nX-Bad: 1\r\n\r\r', LIST)
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
        pytest.param([multipart(FILE)[:-8]], FORM, id="truncated"),
        pytest.param([LIST], b"", id="no-content-type"),
        pytest.param([], FORM, id="no-body"),
        pytest.param([multipart(ODD)], FORM, id="bare-line-ends-in-headers"),
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
    assert (task.project_name, task.input_bytes) == ("Late name", len(LIST))


@pytest.mark.parametrize("size", [20, 300, 3_000_000])
def test_an_aborted_upload_leaves_nothing(desk: Desk, size: int) -> None:
    body = multipart((FILE[0], b"email\n" + b"a@x.de\n" * 600_000))[:size]
    chunks = [body[at : at + 65_536] for at in range(0, size, 65_536)]
    assert submit_raw(desk, chunks, hang_up=True)[0] is None
    assert_nothing_is_left(desk)


def test_an_upload_lets_pages_go_first_but_not_for_ever(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(upload_stream, "BLOCK_BYTES", 1)
    pages, begin = desk.services.drawn_pages, desk.services.uploads.begin

    async def write() -> None:
        opened = open_upload(partial(begin, "local", "list.csv", 2), pages, Lock())
        async with opened as stream:
            with pages.draw():
                await stream.write(b"a")  # ends, however long the page takes
                monkeypatch.setattr(upload_stream, "PAGES_FIRST_SECONDS", 60.0)
                writing = asyncio.create_task(stream.write(b"b"))
                await asyncio.sleep(3 * upload_stream.PAGES_STEP_SECONDS)
                assert not writing.done()
            await writing

    asyncio.run(write())


class SlowWriter:
    """Writes nothing, and counts the writes that go on at once."""

    def __init__(self, going_on: list[int], most: list[int]) -> None:
        self.going_on, self.most = going_on, most

    def write(self, data: bytes) -> None:
        self.going_on.append(len(data))
        self.most.append(len(self.going_on))
        time.sleep(0.01)
        self.going_on.pop()

    def abort(self) -> None:
        """Remove nothing."""


def test_of_many_uploads_one_writes_at_a_time(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(upload_stream, "BLOCK_BYTES", 1)
    writer = cast(UploadWriter, SlowWriter([], most := []))

    async def send(turn: Lock) -> None:
        async with open_upload(lambda: writer, desk.services.drawn_pages, turn) as stream:
            for _ in range(3):
                await stream.write(b"a")

    async def send_many() -> None:
        turn = Lock()
        await asyncio.gather(*(send(turn) for _ in range(4)))

    asyncio.run(send_many())
    assert most == [1] * 12


def test_the_quota_holds_and_says_what_fits(desk_with: OpenDesk) -> None:
    caller = desk_with(WINNOW_QUOTA_BYTES="200000", WINNOW_RATE_LIMIT="off").caller()
    fits = b"email\n" + (b"x" * 59 + b"\n") * 800
    too_much = b"email\n" + b"x" * 70_000 + b"\n"
    for content, status in ((too_much, 413), (fits, 200), (fits, 413)):
        answer = caller.submit(content)
        assert answer.status_code == status, answer.text
    problem = answer.json()
    assert (problem["code"], problem["limit"]) == ("quota_exceeded", 200_000)
    assert problem["used"] > 0


def test_while_a_deletion_can_be_undone_the_state_stands_and_nothing_is_downloaded(
    desk: Desk, caller: Caller
) -> None:
    task_id = desk.complete(caller)
    link, before = caller.issue_link(task_id), caller.read_status(task_id)
    desk.services.deletions.delete("local", [task_id])
    assert caller.read_status(task_id) == before
    assert caller.get(f"/batch-task-download/{task_id}").status_code == 410
    assert caller.get(link).status_code == 410
    desk.services.deletions.undo("local", [task_id])
    assert caller.get(link).status_code == 200
    desk.services.deletions.delete("local", [task_id])
    desk.clock.turn(seconds=60)
    assert caller.get(f"/batch-check-status/{task_id}").status_code == 410


def test_a_failed_task_has_no_result_and_no_retry(desk: Desk, caller: Caller) -> None:
    task_id = caller.upload()
    desk.services.tasks.cancel("local", task_id)
    status = caller.read_status(task_id)
    assert (status["status"], status["error"]["code"]) == ("failed", "cancelled")
    answer = caller.get(f"/batch-task-download/{task_id}")
    assert answer.status_code == 409
    assert "retry-after" not in answer.headers

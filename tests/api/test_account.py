"""Tasks in pages, rows of a result, usage by key, and own lists over the API."""

from typing import Any

import httpx
import pytest

from tests.api.desk import Caller, Desk
from tests.applications import complete, delete_for_good
from winnow.core.identities import LOCAL_ACCOUNT
from winnow.core.tasks.task import KeyType

TASKS = "/batch-tasks"
ROWS = b"id,email,id,,id\r\n01,ana@gmail.com,x,,\r\n02,bo@mailinator.com,,y,z\r\n03,no,z,,\r\n"


def read_pages(caller: Caller, url: str, name: str, **params: Any) -> list[Any]:
    found, cursor = [], {}
    while True:
        answer = caller.get(url, params={**params, **cursor})
        assert answer.status_code == 200, answer.text
        found += answer.json()[name]
        if answer.json()["next_cursor"] is None:
            return found
        cursor = {"cursor": answer.json()["next_cursor"]}


def test_tasks_come_in_pages_newest_first(desk: Desk, caller: Caller) -> None:
    sent = []
    for number in range(5):
        desk.clock.turn(seconds=number % 2)  # some at the same moment
        sent.append(caller.upload(project_name=f"list {number}"))
    desk.caller(account="other").upload()
    found = read_pages(caller, TASKS, "tasks", limit=2)
    assert sorted(one["task_id"] for one in found) == sorted(sent)
    times = [one["submitted_at"] for one in found]
    assert times == sorted(times, reverse=True)
    assert found[0] == caller.read_status(found[0]["task_id"])


def test_tasks_are_filtered_by_status_and_survive_a_deleted_cursor(
    desk: Desk, caller: Caller
) -> None:
    done = desk.complete(caller)
    desk.clock.turn(seconds=1)
    waiting = [caller.upload() for _ in range(3)]
    completed = caller.get(TASKS, params={"status": "completed"}).json()["tasks"]
    assert [one["task_id"] for one in completed] == [done]
    assert caller.get(TASKS, params={"status": "failed"}).json()["tasks"] == []
    first = caller.get(TASKS, params={"limit": 1}).json()
    delete_for_good(desk.services, first["next_cursor"])
    rest = read_pages(caller, TASKS, "tasks", cursor=first["next_cursor"])
    assert {one["task_id"] for one in rest} == {*waiting, done} - {first["next_cursor"]}


def test_bad_parameters_of_a_page_are_422(desk: Desk, caller: Caller) -> None:
    foreign = desk.caller(account="other").upload()
    for query in (
        *("limit=0", "limit=101", "limit=x", "limit=1&limit=2", "status=done"),
        *("cursor=x", "cursor=%00", f"cursor={foreign}"),
    ):
        answer = caller.get(f"{TASKS}?{query}")
        field = query.partition("=")[0]
        assert (answer.status_code, answer.json()["errors"][0]["field"]) == (422, field), query


def test_rows_of_a_result_with_all_columns(desk: Desk, caller: Caller) -> None:
    task_id = caller.upload(ROWS)
    url = f"/batch-results/{task_id}"
    assert caller.get(url).status_code == 409
    desk.work()
    rows = read_pages(caller, url, "rows", limit=2)
    assert rows[1] == {
        "id": "02",
        "email": "bo@mailinator.com",
        "id_2": "",
        "4": "y",
        "id_3": "z",
        "category": "black",
        "domain_type": "disposable",
    }
    assert [row["id"] for row in rows] == ["01", "02", "03"]
    black = read_pages(caller, url, "rows", limit=1, category="black")
    assert [row["id"] for row in black] == ["02", "03"]
    for none in ("category=grey", "cursor=3"):
        assert caller.get(f"{url}?{none}").json() == {"rows": [], "next_cursor": None}
    for bad in ("category=red", "limit=1001"):
        assert caller.get(f"{url}?{bad}").status_code == 422
    assert desk.caller(account="other").get(url).status_code == 404


def test_a_finished_file_and_its_status_never_change(desk: Desk, caller: Caller) -> None:
    task_id = desk.complete(caller)

    def read() -> list[Any]:
        rows = caller.get(f"/batch-results/{task_id}").json()
        return [rows, caller.read_status(task_id), caller.fetch(task_id)]

    before = read()
    assert b"bo@mailinator.com,2,black,disposable\n" in before[-1]
    assert replace_list(caller, "keep", "mailinator.com").status_code == 200
    assert read() == before


def test_usage_by_key_and_month_is_exact(desk: Desk) -> None:
    one, two, sandbox = desk.caller(), desk.caller(), desk.caller(KeyType.SANDBOX)
    one.post("/check-emails", json={"emails": ["a@gmail.com", "no", "b@gmail.com"]})
    one.check("a@gmail.com")
    for caller in (one, two, sandbox):
        desk.complete(caller)
    desk.clock.turn(days=30)
    two.check("a@gmail.com")
    keys = [caller.headers["X-API-Key"].partition(".")[0] for caller in (one, two, sandbox)]
    months = one.get("/usage").json()["months"]
    assert all(month.pop("key_name") == "test" for month in months)
    assert months[0] == {"month": "2026-12", "key": keys[1], "single": 1, "batch": 0}
    assert sorted(months[1:], key=lambda month: keys.index(month["key"])) == [
        {"month": "2026-11", "key": keys[0], "single": 3, "batch": 2},
        {"month": "2026-11", "key": keys[1], "single": 0, "batch": 2},
        {"month": "2026-11", "key": keys[2], "single": 0, "batch": 0},
    ]
    assert desk.caller(account="other").get("/usage").json() == {"months": []}
    desk.clock.turn(days=31)
    complete(desk.application)
    month = one.get("/usage").json()["months"][0]
    assert month == {"month": "2027-01", "key": None, "key_name": None, "single": 0, "batch": 2}


def replace_list(caller: Caller, name: str, *entries: Any) -> httpx.Response:
    return caller.put(f"/lists/{name}", json={"entries": entries})


def read_list(caller: Caller, name: str) -> dict[str, str]:
    answer = caller.get(f"/lists/{name}")
    assert answer.status_code == 200
    return {one["pattern"]: one["note"] for one in answer.json()["entries"]}


def test_lists_are_read_replaced_and_emptied(desk: Desk, caller: Caller) -> None:
    assert read_list(caller, "keep") == {}
    ours = {"pattern": "*.firma.de", "note": "ours"}
    answer = replace_list(caller, "keep", "Firma.example.com", ours, "ana@gmail.com")
    assert answer.status_code == 200, answer.text
    after = {"firma.example.com": "", "*.firma.de": "ours", "ana@gmail.com": ""}
    assert read_list(caller, "keep") == after
    assert {one["pattern"] for one in answer.json()["entries"]} == set(after)
    replace_list(caller, "remove", "ana@gmail.com", "x.com")
    assert read_list(caller, "keep") == {"firma.example.com": "", "*.firma.de": "ours"}
    replace_list(caller, "remove", "x.com", "x.com", "y.com")
    assert read_list(caller, "remove") == {"x.com": "", "y.com": ""}
    assert caller.delete("/lists/keep").json() == {"entries": []}
    assert read_list(caller, "remove") == {"x.com": "", "y.com": ""}
    change = desk.services.own_lists.changes(LOCAL_ACCOUNT)[0]
    desk.services.own_lists.undo(LOCAL_ACCOUNT, change.change_id)
    assert len(read_list(caller, "keep")) == 2
    replace_list(caller, "keep")
    assert read_list(caller, "keep") == {}


def test_one_entry_at_a_time(desk: Desk, caller: Caller) -> None:
    def add(name: str, **entry: Any) -> tuple[int, Any]:
        answer = caller.post(f"/lists/{name}/entries", json=entry)
        return answer.status_code, answer.json().get("note")

    assert add("keep", pattern="Ana+1@Gmail.com", note="," * 200) == (201, "," * 200)
    assert add("keep", pattern="ana+1@gmail.com") == (200, "," * 200)
    assert add("keep", pattern="ana+1@gmail.com", note="") == (200, "")
    assert add("keep", pattern="ana+1@gmail.com", note="ours") == (200, "ours")
    assert add("remove", pattern="ana+1@gmail.com") == (201, "ours"), "it moved"
    assert add("remove", pattern="*.Firm.example.com") == (201, "")
    assert add("remove", pattern="com")[0] == add("remove", pattern="x.com", x=1)[0] == 422
    assert (read_list(caller, "keep"), len(read_list(caller, "remove"))) == ({}, 2)
    for name, pattern in (
        *(("keep", "*.firm.example.com"), ("remove", "not-there.com")),  # of another list; absent
        *(("remove", "ANA%2B1@gmail.com"), ("remove", "*.FIRM.example.com.")),
    ):
        before = len(read_list(caller, "remove"))
        answer = caller.delete(f"/lists/{name}/entries/{pattern}")
        assert (answer.status_code, answer.content) == (204, b"")
        assert len(read_list(caller, "remove")) == before - (before == 2 and "ANA" in pattern) - (
            before == 1
        )
    assert read_list(caller, "remove") == {}
    assert caller.delete("/lists/remove/entries/com").status_code == 422
    for entry, detail in (
        *(
            ({}, "pattern: must be a text"),
            ({"pattern": "x.com", "note": 7}, "note: must be a text"),
        ),
        ({"ana@x.de": 1, "pattern": "x.com"}, "entry: must have a pattern and a note only"),
    ):
        problem = caller.post("/lists/keep/entries", json=entry).json()
        assert problem["errors"][0]["field"] == detail.partition(":")[0]
        assert problem["detail"] == detail


def test_an_address_with_a_slash_is_one_entry(caller: Caller) -> None:
    replace_list(caller, "keep", "a/b@x.de", "y.com")
    assert caller.delete("/lists/keep/entries/a%2Fb@x.de").status_code == 204
    assert read_list(caller, "keep") == {"y.com": ""}
    assert caller.get("/lists/keep/entries/a%2Fb@x.de").status_code == 405
    assert caller.delete("/lists/keep/entries/%0Ab@x.de").status_code == 204


def test_a_list_that_changed_since_it_was_read_is_not_replaced(desk: Desk, caller: Caller) -> None:
    def put(name: str, tag: str, *entries: str) -> httpx.Response:
        body = {"entries": list(entries)}
        return caller.put(f"/lists/{name}", json=body, headers={"If-Match": tag})

    assert caller.get("/lists/white").status_code == 422  # no list has this name
    first = caller.get("/lists/keep").headers["ETag"]
    second = put("keep", first, "x.com").headers["ETag"]
    assert second == caller.get("/lists/keep").headers["ETag"] != first
    for stale in (first, f"W/{second}", '"x"', ""):
        answer = put("keep", stale, "y.com")
        assert (answer.status_code, answer.json()["code"]) == (412, "list_changed"), stale
        gone = caller.delete("/lists/keep", headers={"If-Match": stale})
        assert gone.status_code == 412, stale
    caller.post("/lists/remove/entries", json={"pattern": "z.com"})  # another list's
    assert put("keep", f'"x", {second}', "y.com").status_code == 200
    assert (
        put("keep", "*", "z.com").status_code == replace_list(caller, "keep", "v.com").status_code
    )
    assert (read_list(caller, "keep"), read_list(caller, "remove")) == ({"v.com": ""}, {})


@pytest.mark.parametrize(
    ("entries", "field"),
    [
        pytest.param(["x.com", "com"], "entries[1]", id="a-public-suffix"),
        pytest.param(["x.com", 7], "entries[1]", id="a-number"),
        pytest.param([None], "entries[0]", id="null"),
        pytest.param([["x.com"]], "entries[0]", id="nested"),
        pytest.param([{"pattern": {"x": 1}}], "entries[0]", id="nested-pattern"),
        pytest.param([{"pattern": "x.com", "color": "red"}], "entries[0]", id="unknown-field"),
        pytest.param([{"pattern": "x.com", "note": "n" * 201}], "entries[0]", id="long-note"),
        pytest.param(["a\0@x.com"], "entries[0]", id="nul"),
    ],
)
def test_one_bad_entry_changes_nothing(caller: Caller, entries: list[Any], field: str) -> None:
    replace_list(caller, "keep", "there.com")
    answer = replace_list(caller, "keep", *entries)
    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (422, field)
    assert read_list(caller, "keep") == {"there.com": ""}


@pytest.mark.slow
def test_too_many_entries_are_refused(caller: Caller) -> None:
    problem = replace_list(caller, "keep", *["x.com"] * 100_001).json()
    assert (problem["status"], problem["limit"]) == (413, 100_000)
    replace_list(caller, "keep", "there.com")
    problem = replace_list(caller, "remove", *(f"d{one}.com" for one in range(100_000))).json()
    assert (problem["status"], problem["code"]) == (422, "bad_field")
    assert read_list(caller, "remove") == {}


def test_a_sandbox_key_sees_the_projects_of_sandbox_keys_and_no_list(desk: Desk) -> None:
    live, sandbox = desk.caller(), desk.caller(KeyType.SANDBOX)
    replace_list(live, "keep", "x.com")
    lives, own = desk.complete(live), desk.complete(sandbox)
    ways = ("/batch-check-status/{}", "/batch-results/{}", "/batch-task-download/{}")
    for caller, task_id, status in ((sandbox, lives, 404), (sandbox, own, 200), (live, own, 200)):
        assert {caller.get(way.format(task_id)).status_code for way in ways} == {status}
    assert [one["task_id"] for one in read_pages(sandbox, TASKS, "tasks", limit=1)] == [own]
    assert len(read_pages(live, TASKS, "tasks")) == 2
    assert read_list(sandbox, "keep") == {}
    assert read_list(live, "keep") == {"x.com": ""}

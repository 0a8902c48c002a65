"""Tasks in pages, rows of a result, usage by key, and own lists over the API."""

from typing import Any

import httpx
import pytest

from tests.api.desk import BASE_PATH, Desk, upload
from tests.applications import complete
from winnow.core.accounts import LOCAL_ACCOUNT
from winnow.core.tasks.task import KeyType

TASKS, USAGE, LISTS = f"{BASE_PATH}/batch-tasks", f"{BASE_PATH}/usage", f"{BASE_PATH}/lists"


def read_pages(client: httpx.Client, url: str, name: str, **params: Any) -> list[Any]:
    found, cursor = [], {}
    while True:
        answer = client.get(url, params={**params, **cursor})
        assert answer.status_code == 200, answer.text
        found += answer.json()[name]
        if answer.json()["next_cursor"] is None:
            return found
        cursor = {"cursor": answer.json()["next_cursor"]}


def test_tasks_come_in_pages_newest_first(desk: Desk) -> None:
    client, other = desk.caller(), desk.caller(account="other")
    sent = []
    for number in range(5):
        desk.clock.turn(seconds=number % 2)  # some at the same moment
        sent.append(upload(client, project_name=f"list {number}")["task_id"])
    upload(other)
    found = read_pages(client, TASKS, "tasks", limit=2)
    assert sorted(one["task_id"] for one in found) == sorted(sent)
    times = [one["submitted_at"] for one in found]
    assert times == sorted(times, reverse=True)
    status = client.get(f"{BASE_PATH}/batch-check-status/{found[0]['task_id']}").json()
    assert found[0] == status


def test_tasks_are_filtered_by_status_and_survive_a_deleted_cursor(desk: Desk) -> None:
    client = desk.caller()
    done = upload(client)["task_id"]
    desk.work()
    desk.clock.turn(seconds=1)
    waiting = [upload(client)["task_id"] for _ in range(3)]
    completed = client.get(TASKS, params={"status": "completed"}).json()["tasks"]
    assert [one["task_id"] for one in completed] == [done]
    assert client.get(TASKS, params={"status": "failed"}).json()["tasks"] == []
    first = client.get(TASKS, params={"limit": 1}).json()
    desk.services.tasks.delete(LOCAL_ACCOUNT, first["next_cursor"])
    rest = read_pages(client, TASKS, "tasks", cursor=first["next_cursor"])
    assert {one["task_id"] for one in rest} == {*waiting, done} - {first["next_cursor"]}


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("limit=0", "limit"),
        ("limit=101", "limit"),
        ("limit=x", "limit"),
        ("limit=1&limit=2", "limit"),
        ("status=done", "status"),
        ("cursor=x", "cursor"),
        ("cursor=%00", "cursor"),
    ],
)
def test_bad_parameters_of_a_page_are_422(desk: Desk, query: str, field: str) -> None:
    answer = desk.caller().get(f"{TASKS}?{query}")
    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (422, field)


def test_a_cursor_of_another_account_is_unknown(desk: Desk) -> None:
    foreign = upload(desk.caller(account="other"))["task_id"]
    assert desk.caller().get(TASKS, params={"cursor": foreign}).status_code == 422


ROWS = b"id,email,id,\r\n01,ana@gmail.com,x,\r\n02,bo@mailinator.com,,y\r\n03,no,z,\r\n"


def test_rows_of_a_result_with_all_columns(desk: Desk) -> None:
    client = desk.caller()
    task_id = upload(client, ROWS)["task_id"]
    url = f"{BASE_PATH}/batch-results/{task_id}"
    assert client.get(url).status_code == 409
    desk.work()
    rows = read_pages(client, url, "rows", limit=2)
    assert rows[1] == {
        "id": "02",
        "email": "bo@mailinator.com",
        "id_2": "",
        "4": "y",
        "category": "black",
        "domain_type": "disposable",
    }
    assert [row["id"] for row in rows] == ["01", "02", "03"]
    black = read_pages(client, url, "rows", limit=1, category="black")
    assert [row["id"] for row in black] == ["02", "03"]
    assert client.get(url, params={"category": "grey"}).json() == {"rows": [], "next_cursor": None}
    assert client.get(url, params={"cursor": "3"}).json() == {"rows": [], "next_cursor": None}
    assert client.get(url, params={"category": "red"}).status_code == 422
    assert client.get(url, params={"limit": "1001"}).status_code == 422
    assert desk.caller(account="other").get(url).status_code == 404


def test_a_finished_file_and_its_status_never_change(desk: Desk) -> None:
    client = desk.caller()
    task_id = upload(client)["task_id"]
    desk.work()
    paths = [f"{BASE_PATH}/{name}/{task_id}" for name in ("batch-results", "batch-check-status")]

    def read() -> list[Any]:
        link = client.get(f"{BASE_PATH}/batch-task-download/{task_id}").json()["download_url"]
        return [*(client.get(path).json() for path in paths), desk.client().get(link).content]

    before = read()
    assert b"bo@mailinator.com,2,black,disposable\n" in before[-1]
    assert client.put(f"{LISTS}/keep", json={"entries": ["mailinator.com"]}).status_code == 200
    assert read() == before


def test_usage_by_key_and_month_is_exact(desk: Desk) -> None:
    one, two, sandbox = desk.caller(), desk.caller(), desk.caller(KeyType.SANDBOX)
    one.post(f"{BASE_PATH}/check-emails", json={"emails": ["a@gmail.com", "no", "b@gmail.com"]})
    one.post(f"{BASE_PATH}/check-email", params={"email": "a@gmail.com"})
    upload(one)
    upload(two)
    upload(sandbox)
    desk.work()
    desk.clock.turn(days=30)
    two.post(f"{BASE_PATH}/check-email", params={"email": "a@gmail.com"})
    keys = [client.headers["X-API-Key"].partition(".")[0] for client in (one, two, sandbox)]
    months = one.get(USAGE).json()["months"]
    assert all(month.pop("key_name") == "test" for month in months)
    assert months[0] == {"month": "2026-12", "key": keys[1], "single": 1, "batch": 0}
    assert sorted(months[1:], key=lambda month: keys.index(month["key"])) == [
        {"month": "2026-11", "key": keys[0], "single": 3, "batch": 2},
        {"month": "2026-11", "key": keys[1], "single": 0, "batch": 2},
        {"month": "2026-11", "key": keys[2], "single": 0, "batch": 0},
    ]
    other = desk.caller(account="other")
    assert other.get(USAGE).json() == {"months": []}


def test_usage_without_a_key_is_named_so(desk: Desk) -> None:
    complete(desk.application)
    (month,) = desk.caller().get(USAGE).json()["months"]
    assert month == {"month": "2026-11", "key": None, "key_name": None, "single": 0, "batch": 2}


def entries_of(client: httpx.Client, name: str) -> dict[str, str]:
    answer = client.get(f"{LISTS}/{name}")
    assert answer.status_code == 200
    return {one["pattern"]: one["note"] for one in answer.json()["entries"]}


def test_lists_are_read_replaced_and_emptied(desk: Desk) -> None:
    client = desk.caller()
    assert entries_of(client, "keep") == {}
    wanted = ["Firma.example.com", {"pattern": "*.firma.de", "note": "ours"}, "ana@gmail.com"]
    answer = client.put(f"{LISTS}/keep", json={"entries": wanted})
    assert answer.status_code == 200, answer.text
    after = {"firma.example.com": "", "*.firma.de": "ours", "ana@gmail.com": ""}
    assert entries_of(client, "keep") == after
    assert {one["pattern"] for one in answer.json()["entries"]} == set(after)
    client.put(f"{LISTS}/remove", json={"entries": ["ana@gmail.com", "x.com"]})
    assert entries_of(client, "keep") == {"firma.example.com": "", "*.firma.de": "ours"}
    client.put(f"{LISTS}/remove", json={"entries": ["x.com", "x.com", "y.com"]})
    assert entries_of(client, "remove") == {"x.com": "", "y.com": ""}
    assert client.delete(f"{LISTS}/keep").json() == {"entries": []}
    assert entries_of(client, "remove") == {"x.com": "", "y.com": ""}
    change = desk.services.own_lists.changes(LOCAL_ACCOUNT)[0]
    desk.services.own_lists.undo(LOCAL_ACCOUNT, change.change_id)
    assert len(entries_of(client, "keep")) == 2
    client.put(f"{LISTS}/keep", json={"entries": []})
    assert entries_of(client, "keep") == {}


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
def test_one_bad_entry_changes_nothing(desk: Desk, entries: list[Any], field: str) -> None:
    client = desk.caller()
    client.put(f"{LISTS}/keep", json={"entries": ["there.com"]})
    answer = client.put(f"{LISTS}/keep", json={"entries": entries})
    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (422, field)
    assert entries_of(client, "keep") == {"there.com": ""}


def test_too_many_entries_are_refused(desk: Desk) -> None:
    client = desk.caller()
    answer = client.put(f"{LISTS}/keep", json={"entries": ["x.com"] * 100_001}).json()
    assert (answer["status"], answer["limit"]) == (413, 100_000)
    client.put(f"{LISTS}/keep", json={"entries": ["there.com"]})
    many = [f"d{number}.com" for number in range(100_000)]
    answer = client.put(f"{LISTS}/remove", json={"entries": many}).json()
    assert (answer["status"], answer["code"]) == (422, "bad_field")
    assert entries_of(client, "remove") == {}


def test_a_list_of_another_name_and_a_sandbox_key_change_nothing(desk: Desk) -> None:
    client, sandbox = desk.caller(), desk.caller(KeyType.SANDBOX)
    assert client.get(f"{LISTS}/white").status_code == 422
    assert sandbox.put(f"{LISTS}/keep", json={"entries": ["x.com"]}).status_code == 422
    assert sandbox.delete(f"{LISTS}/keep").status_code == 422
    assert sandbox.get(f"{LISTS}/keep").json() == {"entries": []}

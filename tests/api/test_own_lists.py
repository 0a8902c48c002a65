"""Own lists to a client of the API: new answers follow them, finished files never change."""

import pytest

from tests.api.desk import BASE_PATH, Desk, upload
from winnow.core.tasks.task import KeyType
from winnow.core.verdicts.verdict import Category

RESULT = (
    b"email,name,category,domain_type\n"
    b"bo@mailinator.com,2,black,disposable\n"
    b"ana@gmail.com,3,white,free\n"
    b"no-address,4,black,invalid\n"
)


def download(desk: Desk, task_id: str) -> bytes:
    url = desk.caller().get(f"{BASE_PATH}/batch-task-download/{task_id}").json()["download_url"]
    return desk.client().get(url).content


def overrule(desk: Desk, account: str = "local") -> None:
    desk.services.own_lists.add(account, "mailinator.com", Category.WHITE, "our tests")
    desk.services.own_lists.add(account, "ana@gmail.com", Category.BLACK)


def test_a_finished_file_and_its_status_never_change(desk: Desk) -> None:
    caller = desk.caller()
    task_id = upload(caller)["task_id"]
    desk.work()
    status = caller.get(f"{BASE_PATH}/batch-check-status/{task_id}").json()
    assert download(desk, task_id) == RESULT
    overrule(desk)
    assert download(desk, task_id) == RESULT
    assert caller.get(f"{BASE_PATH}/batch-check-status/{task_id}").json() == status


def test_a_new_list_follows_them_at_the_same_charge(desk: Desk) -> None:
    overrule(desk)
    caller = desk.caller()
    task_id = upload(caller)["task_id"]
    desk.work()
    lines = download(desk, task_id).splitlines()
    assert lines[1:] == [
        b"bo@mailinator.com,2,white,white",
        b"ana@gmail.com,3,black,black",
        b"no-address,4,black,invalid",
    ]
    summary = caller.get(f"{BASE_PATH}/batch-check-status/{task_id}").json()["summary"]
    assert summary["charged"] == 2
    assert summary["by_reason"]["own_list_domain"] == 1


@pytest.mark.parametrize(
    ("key_type", "answer"),
    [(KeyType.LIVE, ("white", "white")), (KeyType.SANDBOX, ("white", "unknown"))],
)
def test_a_single_check_names_the_entry(
    desk: Desk, key_type: KeyType, answer: tuple[str, str]
) -> None:
    overrule(desk)
    check = f"{BASE_PATH}/check-email?email=bo@mailinator.com"
    fields = desk.caller(key_type).post(check).json()
    assert (fields["category"], fields["type"]) == answer
    if key_type is KeyType.LIVE:
        (evidence,) = fields["explanation"]["evidence"]
        assert evidence["matched"] == "mailinator.com"
        assert evidence["source"] == "your lists"
        assert fields["remaining_attempts_before_ban"] == 5


def test_another_account_is_not_touched(desk: Desk) -> None:
    desk.services.accounts.create("other")
    overrule(desk, "other")
    check = f"{BASE_PATH}/check-email?email=bo@mailinator.com"
    assert desk.caller().post(check).json()["category"] == "black"
    assert desk.caller(account="other").post(check).json()["category"] == "white"

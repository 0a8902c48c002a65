"""What is remembered is never older than the last commit, whoever made it."""

from pathlib import Path

from tests.applications import Clock, open_test_application
from winnow.core.accounts import LOCAL_ACCOUNT
from winnow.storage.database.query_cache import Memo
from winnow.wiring import Application


def test_a_value_is_read_once_until_anybody_commits(
    opened: Application, tmp_path: Path, clock: Clock
) -> None:
    reads: list[str] = []
    memo: Memo[str, int] = Memo(opened.database)

    def read(key: str) -> int:
        reads.append(key)
        return len(reads)

    assert [memo.get("a", read), memo.get("a", read), memo.get("b", read)] == [1, 1, 2]
    opened.services.accounts.create("by-this-process")
    assert [memo.get("a", read), memo.get("a", read)] == [3, 3]
    other = open_test_application(tmp_path, clock)
    other.services.accounts.create("by-another")
    assert memo.get("a", read) == 4
    opened.services.usage.days(LOCAL_ACCOUNT)
    assert memo.get("a", read) == 4
    other.database.close()


def test_a_value_read_while_somebody_commits_is_not_kept(opened: Application) -> None:
    memo: Memo[str, str] = Memo(opened.database)

    def read_while_it_changes(_: str) -> str:
        opened.services.accounts.create("meanwhile")
        return "old"

    assert memo.get("a", read_while_it_changes) == "old"
    assert memo.get("a", lambda _: "new") == "new"

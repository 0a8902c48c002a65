"""What is remembered is never older than the last commit, whoever made it."""

from pathlib import Path

from tests.houses import Clock, open_test_house
from winnow.bootstrap import House
from winnow.core.accounts import LOCAL_ACCOUNT
from winnow.storage.database.query_cache import Memo


def test_a_value_is_read_once_until_anybody_commits(
    house: House, tmp_path: Path, clock: Clock
) -> None:
    reads: list[str] = []
    memo: Memo[str, int] = Memo(house.database)

    def read(key: str) -> int:
        reads.append(key)
        return len(reads)

    assert [memo.get("a", read), memo.get("a", read), memo.get("b", read)] == [1, 1, 2]
    house.services.accounts.create("by-this-house")
    assert [memo.get("a", read), memo.get("a", read)] == [3, 3]
    other = open_test_house(tmp_path, clock)
    other.services.accounts.create("by-another")
    assert memo.get("a", read) == 4
    house.services.usage.days(LOCAL_ACCOUNT)
    assert memo.get("a", read) == 4
    other.database.close()


def test_a_value_read_while_somebody_commits_is_not_kept(house: House) -> None:
    memo: Memo[str, str] = Memo(house.database)

    def read_while_it_changes(_: str) -> str:
        house.services.accounts.create("meanwhile")
        return "old"

    assert memo.get("a", read_while_it_changes) == "old"
    assert memo.get("a", lambda _: "new") == "new"

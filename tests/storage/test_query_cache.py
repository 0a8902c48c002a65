"""What is remembered is never older than the last commit."""

from winnow.storage.database.query_cache import QueryCache


class Counter:
    """A change counter that tests turn."""

    def __init__(self) -> None:
        self.commits = 0

    def read(self) -> int:
        """Return the number of commits."""
        return self.commits


def test_a_value_is_read_once_until_anybody_commits() -> None:
    changes, reads = Counter(), list[str]()
    cache = QueryCache[str, int](changes)

    def read(key: str) -> int:
        reads.append(key)
        return len(reads)

    assert [cache.get("a", read), cache.get("a", read), cache.get("b", read)] == [1, 1, 2]
    changes.commits += 1
    assert [cache.get("a", read), cache.get("a", read)] == [3, 3]


def test_a_value_read_while_somebody_commits_is_not_kept() -> None:
    changes = Counter()
    cache = QueryCache[str, str](changes)

    def read_while_it_changes(_: str) -> str:
        changes.commits += 1
        return "old"

    assert cache.get("a", read_while_it_changes) == "old"
    assert cache.get("a", lambda _: "new") == "new"

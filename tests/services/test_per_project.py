"""The cache of what is computed once for a project."""

import threading
from concurrent.futures import ThreadPoolExecutor

from winnow.services.per_project import PerProject


def test_a_value_is_computed_once_also_by_several_threads() -> None:
    cache, computed = PerProject[str, int](2), []
    together = threading.Barrier(4)

    def ask(number: int) -> int:
        together.wait()
        return cache.get("a", lambda: computed.append(number) or 7)  # type: ignore[func-returns-value]

    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(ask, range(4))) == [7] * 4
    assert len(computed) == 1
    assert (cache.find_value("a"), cache.find_value("b")) == (7, None)


def test_one_that_is_computed_holds_up_no_other() -> None:
    cache = PerProject[str, str](2)
    assert cache.get("a", lambda: cache.get("b", lambda: "b") + "a") == "ba"


def test_a_value_that_is_not_enough_is_computed_again() -> None:
    cache = PerProject[str, int](2)
    assert cache.get("a", lambda: 1) == 1
    assert cache.get("a", lambda: 2, is_enough=lambda value: value > 1) == 2
    assert cache.get("a", lambda: 3) == 2


def test_the_least_used_is_dropped() -> None:
    cache = PerProject[str, int](2)
    for key in ("a", "b", "a", "c"):
        cache.get(key, lambda: 1)
    assert [cache.find_value(key) for key in ("a", "b", "c")] == [1, None, 1]

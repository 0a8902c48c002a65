"""Small parts of a run: duplicates, numbers of hashes, codes seen, what a judge prepares for."""

import platform
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import ArrayLike, NDArray

from tests.lists.delimited_support import clean
from winnow.core.judging.judge import Judge
from winnow.core.ports import StaticKnowledge
from winnow.lists.engine import duplicates, hash_numbers
from winnow.lists.engine.hash_numbers import HashNumbers
from winnow.lists.engine.row_codes import FIRST_DOMAIN, RowColumns
from winnow.lists.engine.row_ranks import RowRanks
from winnow.lists.engine.verdict_table import begin_seen, mark_seen
from winnow.lists.execution import row_store
from winnow.lists.execution.row_store import RowStore, find_gone
from winnow.lists.marks.keyed_hash import hash_texts

HASHES = st.integers(0, 40) | st.integers(2**64 - 5, 2**64 - 1) | st.integers(1, 2**64 - 1)
PUBLISHED = {  # SipHash-2-4 of so many bytes 0, 1, 2 …: the authors' own vectors
    0: "310e0edd47db6f72",
    1: "fd67dc93c539f874",
    2: "5a4fa9d909806c0d",
    3: "2d7efbd796666785",
    8: "6224939a79f5f593",
    15: "e545be4961ca29a1",
}


@given(st.lists(st.lists(HASHES, max_size=30), max_size=12))
def test_hashes_are_numbered_as_they_come(batches: list[list[int]]) -> None:
    """As a plain dictionary would; 0, the hash of nothing, counts as the next."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(hash_numbers, "_FIRST_SIZE", 4)  # it grows, and most stand in another's way
        table = HashNumbers()
    met: dict[int, int] = {}
    for drawn in batches:
        batch = [one or 1 for one in drawn]
        first = [place for place, one in enumerate(batch) if one not in {*met, *batch[:place]}]
        numbers, new = table.number(np.array(drawn, np.uint64))
        assert numbers.tolist() == [met.setdefault(one, len(met) + 1) for one in batch]
        assert new.tolist() == first
        assert len(table) == len(met)


def test_keyed_hashes_are_the_published_ones() -> None:
    data = [bytes(range(size)) for size in PUBLISHED]
    found = hash_texts(bytes(range(16)), pl.Series(data))
    assert [int(one).to_bytes(8, "little").hex() for one in found] == list(PUBLISHED.values())


def test_runs_share_nothing_that_they_have_seen() -> None:
    blank_rows = np.zeros(3, np.uint32)
    assert mark_seen(begin_seen(), blank_rows, np.zeros(3, np.uint8)).tolist() == [1]
    assert begin_seen().tolist() == [0]


class Listening(Judge):
    """Notes the domains that it should prepare for."""

    def __init__(self) -> None:
        super().__init__(StaticKnowledge({}))
        self.told: list[str] = []

    def prepare(self, domains: Iterable[str]) -> None:
        self.told = list(domains)
        assert list(domains) == self.told  # they can be gone through again


def test_the_domains_of_most_rows_are_asked_first(tmp_path: Path) -> None:
    often = [f"b{number}@often.example" for number in range(3)]
    twice = ["c@Twice.example", "d@twice.example", "no address"]
    addresses = ["a@once.example", *often, *twice, "e@last.example"]
    judge = Listening()
    clean("\n".join(["email", *addresses]).encode(), tmp_path, judge=judge)
    assert judge.told == ["often.example", "twice.example", "once.example", "last.example"]


ROW_COUNT = 5_000


@pytest.mark.parametrize("rows_per_group", [100, 1_000, ROW_COUNT])
@pytest.mark.parametrize("key_count", [3, 700, 1 << 62])
def test_last_rows_stay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rows_per_group: int, key_count: int
) -> None:
    monkeypatch.setattr(duplicates, "ROWS_PER_GROUP", rows_per_group)
    monkeypatch.setattr(row_store, "KEYS_AT_ONCE", 1_024)
    pick = np.random.default_rng(7)
    keys = pick.integers(0, key_count, ROW_COUNT, np.uint64) * np.uint64(0x5851F42D4C957F2D)
    codes = pick.integers(0, 9, ROW_COUNT).astype(np.uint32) + np.uint32(FIRST_DOMAIN)
    canonical = np.arange(FIRST_DOMAIN + 9, dtype=np.uint32)
    canonical[FIRST_DOMAIN + 8] = FIRST_DOMAIN  # two spellings of one domain
    kept = find_kept(tmp_path, keys, codes, canonical)
    indices = zip(keys.tolist(), canonical[codes].tolist(), strict=True)
    last = {key: row for row, key in enumerate(indices)}
    assert np.flatnonzero(kept).tolist() == sorted(last.values())


def test_a_row_met_a_million_times_is_held_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A group of equal rows once took the memory of all groups."""
    held: list[int] = []
    mark = duplicates._mark_duplicates

    def watch(is_gone: NDArray[np.bool_], part: duplicates._Rows) -> None:
        held.append(len(part.rows))
        mark(is_gone, part)

    monkeypatch.setattr(duplicates, "ROWS_PER_GROUP", 10_000)
    monkeypatch.setattr(duplicates, "MAX_ROWS_PER_GROUP", 10_000)
    monkeypatch.setattr(row_store, "KEYS_AT_ONCE", 1_024)
    monkeypatch.setattr(duplicates, "_mark_duplicates", watch)
    count = 100_000
    canonical = np.arange(FIRST_DOMAIN + 1, dtype=np.uint32)
    kept = find_kept(tmp_path, [7] * count, [FIRST_DOMAIN] * count, canonical)
    assert kept == [False] * (count - 1) + [True]
    assert max(held) <= 1_024


def find_kept(
    folder: Path, keys: ArrayLike, codes: ArrayLike, canonical: NDArray[np.uint32]
) -> list[bool]:
    """Return which rows stay of a list that is stored in two pieces."""
    store = RowStore(folder)
    all_keys, all_codes = np.array(keys, np.uint64), np.array(codes, np.uint32)
    for some in np.array_split(np.arange(len(all_keys)), 2):
        count = len(some)
        sizes, flags = np.full(count, 9, np.uint32), np.zeros(count, np.uint8)
        filled = np.full(count, 2, np.uint16)
        store.append(RowColumns(sizes, all_codes[some], flags, all_keys[some], filled))
    store.finish()
    return (~find_gone(store, canonical, RowRanks())).tolist()


_EIGHT_THREADS = """
import ctypes, threading
from winnow.lists.execution.memory import share_arenas

share_arenas()
library, together = ctypes.CDLL(None), threading.Barrier(8)
library.malloc.restype = ctypes.c_void_p

def take():
    library.malloc(100_000)
    together.wait()

threads = [threading.Thread(target=take) for _ in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
library.fdopen.restype = ctypes.c_void_p
out = ctypes.c_void_p(library.fdopen(1, b"w"))
library.malloc_info(0, out)
library.fflush(out)
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="arenas are glibc's")
def test_threads_share_two_arenas() -> None:
    found = subprocess.run([sys.executable, "-c", _EIGHT_THREADS], capture_output=True, check=True)
    assert 1 <= found.stdout.count(b"<heap nr=") <= 2

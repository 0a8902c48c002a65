"""Broken and hostile lists: a clear error with the line, bounded memory, nothing left running."""

import tracemalloc
from pathlib import Path

import pytest

from tests.lists.delimited_support import read, run_list
from tests.waiting import threads_end
from winnow.core.errors import BrokenFile, EmptyFile, FenceLost, InputError
from winnow.core.lists.file_format import FileFormat
from winnow.core.tasks.input_plan import InputPlan
from winnow.core.tasks.task import Phase, Progress
from winnow.lists.engine import domain_texts
from winnow.lists.text import block_reader

_PLAN = InputPlan(FileFormat.CSV, 0, ("email", "name"))
_HEAD = b"email,name\r\n"


@pytest.mark.parametrize("block_bytes", [3, 1 << 22])
@pytest.mark.parametrize(
    ("data", "line", "words"),
    [
        (b'a@x.de,"b\nc@x.de,d\n', 2, "never closes"),
        (b'a@x.de,5" x\n"b@x.de,c\nd@x.de,"e"\n', 3, "never closes"),
        (b'"a\r\nb",c\r\na@x.de,\x00\r\n', 4, "NUL"),
        (b"a@x.de,b\n" + b"x" * (1 << 20) + b"y,c\n", 3, "1 MiB"),
        (b"a@x.de" + b"," * 20_000 + b"\n", 2, "columns"),
    ],
    ids=["unterminated", "swallows-lines", "nul-below-a-break", "large-cell", "too-wide"],
)
def test_fault_names_the_line(
    data: bytes, line: int, words: str, block_bytes: int, tmp_path: Path
) -> None:
    if len(data) > 1 << 19 and block_bytes < 1 << 10:
        block_bytes = 1 << 16
    with pytest.raises(BrokenFile, match=words) as caught:
        run_list(_HEAD + data, _PLAN, tmp_path, block_bytes=block_bytes)
    assert caught.value.line == line
    assert caught.value.detail.startswith(f"Line {line}: ")
    assert "x.de" not in caught.value.detail


def test_a_long_row_below_many_duplicates_takes_its_memory_once(tmp_path: Path) -> None:
    longest = b"x@y.de," + b"a" * (1 << 20) + b"\n"  # of all that are taken
    assert read(_HEAD + longest).row_count == 1
    tracemalloc.start()
    try:
        run = run_list(_HEAD + b"x@y.de,1\n" * 50_000 + longest, _PLAN, tmp_path)
        assert tracemalloc.get_traced_memory()[1] < 100 << 20
    finally:
        tracemalloc.stop()
    assert run.outcome.summary.rows_out == 1


@pytest.mark.parametrize("data", [b"", b"\xef\xbb\xbf", b"email,name", b"\n\r\n  \n"])
def test_no_rows_is_an_empty_file(data: bytes, tmp_path: Path) -> None:
    with pytest.raises(EmptyFile):
        run_list(data, _PLAN, tmp_path)


@pytest.mark.parametrize(
    "filling",
    [
        pytest.param(b'a@x.de,"' + b"x" * (1 << 16), id="unterminated-quote"),
        pytest.param(b"x" * (1 << 16), id="one-cell"),
    ],
)
def test_endless_record_is_not_read_into_memory(
    filling: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(block_reader, "MAX_RECORD_BYTES", 1 << 20)
    data = _HEAD + filling + b"\n" * (1 if filling[:1] == b"a" else 0) + b"y" * (40 << 20)
    tracemalloc.start()
    tracemalloc.reset_peak()
    before, _ = tracemalloc.get_traced_memory()
    try:
        with pytest.raises(BrokenFile, match="Line 2: a cell is longer than 1 MiB"):
            run_list(data, _PLAN, tmp_path, block_bytes=1 << 18)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak - before < 30 << 20


@pytest.mark.parametrize("phase", [Phase.READING, Phase.LOOKING_UP, Phase.WRITING, Phase.INDEXING])
def test_cancelling_stops_at_once_and_leaves_no_thread(phase: Phase, tmp_path: Path) -> None:
    def report(progress: Progress) -> None:
        if progress.phase is phase:
            raise FenceLost("stop")

    data = _HEAD + b"".join(b"a%d@frei.de,b\n" % number for number in range(2000))
    with threads_end(), pytest.raises(FenceLost):
        run_list(data, _PLAN, tmp_path, block_bytes=512, report=report)


def test_ragged_rows_are_listed_with_their_physical_lines(tmp_path: Path) -> None:
    lines = b'"a\r\nb",c\r\n' + b"a@frei.de\r\n" * 150 + b"b@frei.de,1,2\r"
    run = run_list(_HEAD + lines, _PLAN, tmp_path, block_bytes=40)
    (notice,) = run.outcome.notices
    assert notice.code == "ragged_rows"
    assert notice.count == 151
    assert notice.lines == tuple(range(4, 104))


def test_more_domains_than_memory_holds_are_refused_in_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    weight = 300 * (domain_texts.TEXT_BYTES + 20)
    monkeypatch.setattr(domain_texts, "MOST_WEIGHT_BYTES", weight)
    plan = InputPlan(FileFormat.CSV, 0, ("email",))
    few = b"".join(b"a%d@firma%d.de\n" % (number, number // 100) for number in range(20_000))
    run_list(b"email\n" + few, plan, tmp_path, block_bytes=1 << 14)
    many = b"".join(b"a@firma%d.de\n" % number for number in range(400))
    with pytest.raises(InputError, match="too many different domains") as caught:
        run_list(b"email\n" + many, plan, tmp_path, block_bytes=1 << 12)
    assert "Split it" in str(caught.value.hint)
    long = b"".join(b"a@%s%d.de\n" % (b"x" * 60 + b".y" * 60, number) for number in range(290))
    with pytest.raises(InputError, match="too many different domains"):
        run_list(b"email\n" + long, plan, tmp_path)

"""A list cleaned in pieces is byte for byte what one machine makes of it, however it is cut."""

import csv
import io
import os
import random
import stat
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.engines.present import require_engine

require_engine("xxhash")

from tests.engines.cluster_lists import ask, clean_here, make_list, open_judge  # noqa: E402
from tests.engines.workers_here import AnswersHere, WorkersHere  # noqa: E402
from winnow.cluster.clean_list import Cutting, clean_on_cluster  # noqa: E402
from winnow.cluster.clean_request import ListChoices  # noqa: E402
from winnow.cluster.cluster_job import ClusterJob, Installation  # noqa: E402
from winnow.cluster.list_ranges import choose_range_bytes, find_record  # noqa: E402
from winnow.cluster.locations import Location, match_names, parse_location  # noqa: E402
from winnow.cluster.object_store import open_store  # noqa: E402
from winnow.cluster.part_pass import plan_parts, write_part  # noqa: E402
from winnow.cluster.range_pass import read_range  # noqa: E402
from winnow.cluster.run_folder import RunFolder, open_run  # noqa: E402
from winnow.core.errors import BadField, WinnowError  # noqa: E402
from winnow.core.lists.input_head import Choices  # noqa: E402
from winnow.core.own_lists.own_judge import put_own_first  # noqa: E402
from winnow.core.tasks.keep_rule import KEEP_LAST, Keep, KeepChoice  # noqa: E402
from winnow.core.tasks.repair_choice import SAFE_REPAIRS  # noqa: E402
from winnow.core.tasks.task import InputPlan  # noqa: E402
from winnow.core.verdicts.facts import DomainFacts  # noqa: E402
from winnow.core.verdicts.judge import LiveJudge  # noqa: E402
from winnow.core.verdicts.static_knowledge import StaticKnowledge  # noqa: E402
from winnow.library.checkers import read_own_lists  # noqa: E402
from winnow.lists.text.loose_lines import LooseLines  # noqa: E402

pytestmark = pytest.mark.engines

ONE_READER = "one_reader"


def compare(tmp_path: Path, data: bytes, chosen: ListChoices, cutting: Cutting) -> set[str]:
    """Clean a list both ways; return the codes of what was said in pieces."""
    source, target = tmp_path / "list.csv", tmp_path / "out.csv"
    source.write_bytes(data)
    wanted, outcome = clean_here(source, tmp_path, chosen)
    cleaned = clean_on_cluster(ask(source, target, chosen), WorkersHere(), cutting)
    assert target.read_bytes() == wanted
    ours, theirs = cleaned.outcome.summary, outcome.summary
    assert replace(ours, top_domains=()) == replace(theirs, top_domains=())
    told = {notice.code: notice for notice in cleaned.outcome.notices}
    assert {**told, ONE_READER: None} == {
        **{one.code: replace(one, lines=told[one.code].lines) for one in outcome.notices},
        ONE_READER: None,
    }
    assert sorted(os.listdir(tmp_path)) == ["list.csv", "out.csv"]
    return set(told)


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
@pytest.mark.parametrize(
    "cutting",
    [Cutting(), Cutting(9_000, 3), Cutting(2_111, 1), Cutting(40_000, 7)],
    ids=lambda cutting: f"{cutting.range_bytes}",
)
def test_bytes_and_counts_are_those_of_one_machine(
    tmp_path: Path, cutting: Cutting, line_end: str
) -> None:
    data = make_list(900, seed=2 + (cutting.range_bytes or 0), line_end=line_end)
    assert ONE_READER not in compare(tmp_path, data, ListChoices(), cutting)


@pytest.mark.parametrize(
    "chosen",
    [
        ListChoices(deduplicate=False),
        ListChoices(keep=KeepChoice(Keep.FIRST)),
        ListChoices(keep=KeepChoice(Keep.COMPLETE)),
        ListChoices(keep=KeepChoice(Keep.NEWEST, "seen")),
        ListChoices(email_column="name"),
        ListChoices(choices=Choices(has_header=False), email_column="2"),
    ],
    ids=["all", "first", "complete", "newest", "other-column", "no-header"],
)
def test_what_was_chosen_holds_in_pieces(tmp_path: Path, chosen: ListChoices) -> None:
    data = make_list(600)
    assert ONE_READER not in compare(tmp_path, data, chosen, Cutting(5_000, 3))


@pytest.mark.parametrize(
    "data",
    [
        b"\xef\xbb\xbfsep=;\r\nReport;of May\r\n\r\nname;email\r\nAna;ana@gmail.com\r\n" * 1
        + b"Bo;bo@mailinator.com\r\n" * 50,
        b"email\n" + b"ana@gmail.com\n\n" * 90,
        b"email,category\n" + b"ana@gmail.com,x\nbo@x.de,y\n" * 90,
        b'email,note\nana@gmail.com,"' + b"a\n" * 600 + b'"\n' + b"bo@x.de,y\n" * 90,
    ],
    ids=["above-and-bom", "one-column", "name-taken", "a-cell-of-several-ranges"],
)
def test_lists_of_other_shapes_are_cut_as_well(tmp_path: Path, data: bytes) -> None:
    assert ONE_READER not in compare(tmp_path, data, ListChoices(), Cutting(300, 2))


@pytest.mark.parametrize("keep", [Keep.LAST, Keep.FIRST, Keep.COMPLETE])
def test_an_address_that_fills_the_list_is_kept_once(tmp_path: Path, keep: Keep) -> None:
    header, _, rows = make_list(200, seed=2, is_tidy=True).partition(b"\n")
    crowd = [b"n%d,Ana@gmail.com,2026-01-01,%s\n" % (row, b"x" * (row % 3)) for row in range(900)]
    data = b"".join([header, b"\n", *crowd[:450], rows, *crowd[450:]])
    compare(tmp_path, data, ListChoices(keep=KeepChoice(keep)), Cutting(5_000, 4))


def test_entries_for_single_addresses_hold(tmp_path: Path) -> None:
    own = read_own_lists(
        {"user7@gmail.com": "black", "user9@mailinator.com": "white", "uni-koeln.de": "grey"}
    )
    judge = put_own_first(open_judge(), own)
    source, target = tmp_path / "list.csv", tmp_path / "out.csv"
    source.write_bytes(make_list(400))
    wanted, _ = clean_here(source, tmp_path, judge=judge)
    clean_on_cluster(ask(source, target, judge=judge), WorkersHere(), Cutting(4_000, 2))
    assert target.read_bytes() == wanted
    assert wanted != clean_here(source, tmp_path)[0]


def test_more_rows_than_a_rows_place_can_count(tmp_path: Path) -> None:
    """A place counts within its range: with one byte for it, as with four beyond 4.29 billion."""
    data = make_list(700, is_tidy=True)
    assert data.count(b"\n") > 2 * 256
    compare(tmp_path, data, ListChoices(), Cutting(256, 2, "uint8"))
    for terabytes in (1, 5, 40):
        assert choose_range_bytes(terabytes << 40) < 1 << 32  # no row has less than a byte


@pytest.mark.parametrize(
    ("data", "chosen"),
    [
        pytest.param(
            make_list(300) + b'\nn,late@gmail.com,,5" disk and 6" disk\n', ListChoices(), id="stray"
        ),
        pytest.param(make_list(300, line_end="\r", is_tidy=True), ListChoices(), id="cr-only"),
        pytest.param(
            make_list(300).decode().encode("utf-16"), ListChoices(), id="utf-16"
        ),
        pytest.param(
            make_list(300, is_tidy=True) + b"\nn,late@gmail.com,,\xe9t\xe9\n",
            ListChoices(),
            id="cp1252",
        ),
        pytest.param(
            b'name,email\n"a \\"b\\"",ana@gmail.com\nx,bo@x.de\n' * 9, ListChoices(), id="escapes"
        ),
        pytest.param(make_list(300), ListChoices(repair=SAFE_REPAIRS), id="repair"),
        pytest.param(
            make_list(300), ListChoices(second_email_column="note"), id="second-column"
        ),
    ],
)  # fmt: skip
def test_odd_lists_are_read_in_one_go_and_that_is_said(
    tmp_path: Path, data: bytes, chosen: ListChoices
) -> None:
    source, target = tmp_path / "list.csv", tmp_path / "out.csv"
    source.write_bytes(data)
    chosen = replace(chosen, email_column="email")
    wanted, _ = clean_here(source, tmp_path, chosen)
    cleaned = clean_on_cluster(ask(source, target, chosen), WorkersHere(), Cutting(5_000, 2))
    assert target.read_bytes() == wanted
    (said,) = (one.text for one in cleaned.outcome.notices if one.code == ONE_READER)
    assert said.startswith("The list was read in one go, by one worker: ")
    assert sorted(os.listdir(tmp_path)) == ["list.csv", "out.csv"]


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"", id="empty"),
        pytest.param(b"name,email\n", id="no-rows"),
        pytest.param(b"a,b\n1,2\n" * 300, id="no-email-column"),
        pytest.param(make_list(300) + b'\nn,"late@gmail.com,,x\n', id="open-quote"),
        pytest.param(make_list(300) + b"\nn,\0late@gmail.com,,x\n", id="nul"),
    ],
)
def test_what_cannot_be_cleaned_is_told_as_on_one_machine(tmp_path: Path, data: bytes) -> None:
    source, target = tmp_path / "list.csv", tmp_path / "out.csv"
    source.write_bytes(data)
    target.write_bytes(b"of before")
    with pytest.raises(WinnowError) as theirs:
        clean_here(source, tmp_path)
    with pytest.raises(type(theirs.value)) as ours:
        clean_on_cluster(ask(source, target), WorkersHere(), Cutting(5_000, 2))
    assert ours.value.detail == theirs.value.detail
    assert target.read_bytes() == b"of before"
    assert [name for name in os.listdir(tmp_path) if name not in ("list.csv", "work")] == [
        "out.csv"
    ]


class BreakingWorkers(WorkersHere):
    """Fail at a function, after some of its calls; remember what was called."""

    def __init__(self, function: object = None, after: int = 0) -> None:
        self._breaks, self._after = function, after
        self.called: list[tuple[object, int]] = []

    def begin(self, function: Callable[..., Any], calls: Sequence[tuple[Any, ...]]) -> Any:
        self.called.append((function, len(calls)))
        if function is self._breaks:
            AnswersHere(function, calls[: self._after]).wait()
            raise MemoryError
        return AnswersHere(function, calls)

    def count(self, function: object) -> int:
        return sum(count for name, count in self.called if name is function)


@pytest.mark.parametrize(("function", "after"), [(read_range, 4), (write_part, 0)])
def test_the_next_run_takes_finished_pieces_up(
    tmp_path: Path, function: Callable[..., Any], after: int
) -> None:
    source, target = tmp_path / "list.csv", tmp_path / "out.csv"
    source.write_bytes(make_list(600))
    wanted, _ = clean_here(source, tmp_path)
    cutting = Cutting(4_000, 3)
    with pytest.raises(MemoryError):
        clean_on_cluster(ask(source, target), BreakingWorkers(function, after), cutting)
    assert sorted(os.listdir(tmp_path)) == ["list.csv", "out.csv.winnow"]  # nothing half-written
    again = BreakingWorkers()
    clean_on_cluster(ask(source, target), again, cutting)
    ranges = -(-source.stat().st_size // 4_000)
    assert again.count(read_range) == (0 if function is write_part else ranges - after)
    assert target.read_bytes() == wanted
    assert sorted(os.listdir(tmp_path)) == ["list.csv", "out.csv"]


def test_folders_that_are_the_users_stay_though_nothing_is_in_them(tmp_path: Path) -> None:
    results = tmp_path / "mine" / "results"
    results.mkdir(parents=True)
    (source := tmp_path / "list.csv").touch()
    run = open_run(Location(None, str(source)), Location(None, str(results / "out.csv")), "f" * 32)
    run.store.put(run.folder.join("rows/000000").name, b"piece")
    run.remove()
    assert sorted(tmp_path.rglob("*")) == [source, tmp_path / "mine", results]


@pytest.mark.parametrize(
    ("place", "said"),
    [
        ("list.csv", "out: is the list itself"),
        ("link/list.csv", "out: is the list itself"),
        ("folder", "out: folder is no file"),
        ("nowhere/out.csv", "out: there is no such folder"),
        ("out.xlsx", "out: out.xlsx would be a CSV file by its content"),
    ],
)
def test_a_place_that_takes_no_result_is_refused_before_anything_is_written(
    tmp_path: Path, place: str, said: str
) -> None:
    data = make_list(20)
    (tmp_path / "list.csv").write_bytes(data)
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to(tmp_path)
    with pytest.raises(BadField) as raised:
        clean_on_cluster(ask(tmp_path / "list.csv", tmp_path / place), WorkersHere())
    assert raised.value.detail == said
    assert sorted(os.listdir(tmp_path)) == ["folder", "link", "list.csv"]
    assert (tmp_path / "list.csv").read_bytes() == data


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o644])
def test_result_and_pieces_are_for_those_who_may_read_the_list(tmp_path: Path, mode: int) -> None:
    source, target = tmp_path / "list.csv", tmp_path / "out.csv"
    source.write_bytes(make_list(50))
    source.chmod(mode)
    before = os.umask(0o022)
    try:
        with pytest.raises(MemoryError):
            clean_on_cluster(ask(source, target), BreakingWorkers(write_part))
        above = (tmp_path / "out.csv.winnow").stat().st_mode
        assert stat.S_IMODE(above) == {0o600: 0o700, 0o640: 0o750, 0o644: 0o755}[mode]
        clean_on_cluster(ask(source, target), WorkersHere())
    finally:
        os.umask(before)
    assert stat.S_IMODE(target.stat().st_mode) == mode


def test_a_folder_that_a_worker_does_not_share_is_not_made_there(tmp_path: Path) -> None:
    piece = tmp_path / "out.csv.winnow" / ("f" * 32) / "rows" / "000000"
    with pytest.raises(BadField, match="there is no such folder"):
        open_store(None).put(str(piece), b"piece")
    assert not list(tmp_path.iterdir())


def test_rubbish_of_former_runs_goes_and_that_of_others_stays(tmp_path: Path) -> None:
    source, target = tmp_path / "list.csv", tmp_path / "out.csv"
    source.write_bytes(make_list(300))
    with pytest.raises(MemoryError):
        clean_on_cluster(ask(source, target), BreakingWorkers(write_part), Cutting(4_000, 2))
    folder = tmp_path / "out.csv.winnow"
    (former,) = folder.iterdir()
    for name, note in (
        ("mine", None),
        ("theirs", '{"out": "elsewhere", "format": "winnow run 1"}'),
    ):
        (folder / name).mkdir()
        (folder / name / "notes.txt").write_text("keep")
        if note is not None:
            (folder / name / "run.json").write_text(note)
    source.write_bytes(make_list(301))  # another list: its pieces are no use
    wanted, _ = clean_here(source, tmp_path)
    clean_on_cluster(ask(source, target), WorkersHere(), Cutting(4_000, 2))
    assert target.read_bytes() == wanted
    assert not former.exists()
    assert sorted(path.name for path in folder.iterdir()) == ["mine", "theirs"]
    assert (folder / "theirs" / "notes.txt").read_text() == "keep"


@pytest.mark.parametrize("is_same", [True, False], ids=["same-list", "other-choices"])
def test_a_run_that_another_one_has_begun_over_writes_nothing(
    tmp_path: Path, is_same: bool
) -> None:
    source, target = tmp_path / "list.csv", tmp_path / "out.csv"
    source.write_bytes(make_list(300))

    class Overtaken(WorkersHere):
        def begin(self, function: Callable[..., Any], calls: Sequence[tuple[Any, ...]]) -> Any:
            if function is write_part:
                job: ClusterJob = calls[0][0]
                fingerprint = job.fingerprint if is_same else "another"
                taken.append(
                    open_run(job.source.location, Location(None, str(target)), fingerprint)
                )
            return super().begin(function, calls)

    taken: list[RunFolder] = []
    with pytest.raises(BadField, match="another run has begun"):
        clean_on_cluster(ask(source, target), Overtaken(), Cutting(4_000, 2))
    assert not target.exists()
    (other,) = taken
    other.require_own()  # nothing of it was touched
    assert (other.former_upload is not None) == is_same
    if other.former_upload is not None:
        assert Path(other.former_upload.number).exists()
    folders = list((tmp_path / "out.csv.winnow").iterdir())
    assert [str(folder) for folder in folders] == [other.folder.name]


def test_a_list_that_changes_meanwhile_is_refused(tmp_path: Path) -> None:
    source, target = tmp_path / "list.csv", tmp_path / "out.csv"
    source.write_bytes(make_list(300))

    class Changing(WorkersHere):
        def begin(self, function: Callable[..., Any], calls: Sequence[tuple[Any, ...]]) -> Any:
            if function is write_part:
                source.write_bytes(make_list(299))
            return super().begin(function, calls)

    with pytest.raises(BadField, match="changed while it was read"):
        clean_on_cluster(ask(source, target), Changing(), Cutting(4_000, 2))
    assert not target.exists()


def test_another_installation_refuses() -> None:
    here = Installation.here()
    here.require()
    with pytest.raises(BadField, match=r"has Winnow .*, the run began with Winnow 0\.0\.9"):
        replace(here, release="0.0.9").require()
    with pytest.raises(BadField, match="other domain data"):
        replace(here, sources="of another day").require()


CELLS = st.lists(st.sampled_from([*'ab,"\n; é', "\r\n"]), max_size=12).map("".join)


@given(
    rows=st.lists(st.lists(CELLS, min_size=2, max_size=3), min_size=1, max_size=20),
    step=st.integers(1, 40),
)
@settings(max_examples=150, deadline=None)
def test_ranges_begin_where_a_csv_writer_began_a_record(
    tmp_path_factory: pytest.TempPathFactory, rows: list[list[str]], step: int
) -> None:
    text, starts = io.StringIO(newline=""), []
    writer = csv.writer(text, lineterminator=random.Random(step).choice(["\n", "\r\n"]))
    for row in rows:
        starts.append(len(text.getvalue().encode()))
        writer.writerow(row)
    data = text.getvalue().encode()
    path = tmp_path_factory.mktemp("ranges") / "list.csv"
    path.write_bytes(data)
    source = open_store(None).find(str(path))
    assert source is not None
    plan = InputPlan("csv", 0, ("a", "b"))  # type: ignore[arg-type]
    loose = LooseLines(ord(","), 2, 0)
    job = ClusterJob(
        Installation.here(), source, Location(None, "/"), plan, b"", loose, KEEP_LAST, True,
        frozenset(), step, 1, False,
    )  # fmt: skip
    for number in range(1, job.range_count):
        bound = job.bound(number)
        is_inside = data[:bound].count(b'"') % 2 == 1
        wanted = min((start for start in starts if start > bound), default=len(data))
        assert find_record(job, number, is_inside=is_inside) == wanted


@given(
    sizes=st.lists(st.integers(0, 50), min_size=1, max_size=200),
    above=st.integers(0, 9),
    most=st.integers(3, 30),
)
def test_parts_are_as_a_bucket_takes_them(sizes: list[int], above: int, most: int) -> None:
    parts = plan_parts(list(range(len(sizes))), sizes, above, 20, most)
    assert [number for part in parts for number, _ in part.ranges] == list(range(len(sizes)))
    assert [part.place.number for part in parts] == list(range(1, len(parts) + 1))
    assert len(parts) <= most
    assert all(part.size_bytes >= 20 for part in parts[:-1])
    offset = 0
    for part in parts:
        assert part.place.offset == offset
        offset += part.size_bytes
    assert offset == above + sum(sizes)


@pytest.mark.parametrize(
    ("pattern", "wanted"),
    [
        ("s3://b/in/*.csv", ["in/a.csv", "in/b.csv"]),
        ("s3://b/**.csv", ["in/a.csv", "in/b.csv", "in/old/c.csv"]),
        ("s3://b/in/[!a].csv", ["in/b.csv"]),
        ("s3://b/in/?.tsv", []),
        ("s3://b/in/[z-a].csv", []),
        ("s3://b/in/[!z-a].csv", ["in/a.csv", "in/b.csv"]),
        ("s3://b/in/[!].csv", []),
        ("s3://b/in/[[&&a].csv", ["in/a.csv"]),
        ("s3://b/in[!x]a.csv", []),
        ("s3://b/in[--9]a.csv", []),
    ],
)
def test_wildcards_mean_the_names_that_they_mean_in_a_shell(
    pattern: str, wanted: list[str]
) -> None:
    names = ["in/b.csv", "in/a.csv", "in/old/c.csv", "in/ab.tsv", "other"]
    assert match_names(parse_location(pattern, "file"), names) == wanted


def test_domain_data_that_workers_do_not_have_is_judged_by_here(tmp_path: Path) -> None:
    class Idle(WorkersHere):
        def begin(self, function: Callable[..., Any], calls: Sequence[tuple[Any, ...]]) -> Any:
            raise AssertionError(f"{function} was sent to a worker")

    judge = LiveJudge(
        StaticKnowledge({"gmail.com": DomainFacts("gmail.com", machine_made=True, risky_tld=True)})
    )
    assert judge.data_version != open_judge().data_version
    source, target = tmp_path / "list.csv", tmp_path / "out.csv"
    source.write_bytes(make_list(300).decode().encode("utf-16"))
    wanted, _ = clean_here(source, tmp_path, judge=judge)
    cleaned = clean_on_cluster(ask(source, target, judge=judge), Idle())
    assert target.read_bytes() == wanted
    (said,) = (one.text for one in cleaned.outcome.notices if one.code == ONE_READER)
    assert said.startswith("The list was read in one go, by this machine: ")

"""Results seen through other own lists, and two results compared, against the plain way."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from tests.lists.delimited_support import (
    JUDGE,
    KNOWLEDGE,
    MadeList,
    clean,
    run_list,
    scratch_folder,
)
from tests.lists.test_delimited_properties import made_lists
from tests.tables import read_csv, write_csv
from winnow.core.addresses.address import duplicate_key
from winnow.core.judging.judge import Judge, judge_text
from winnow.core.lists.cleaning import CleaningPolicy
from winnow.core.lists.comparison import Difference
from winnow.core.lists.exports import Export
from winnow.core.lists.file_format import FileFormat
from winnow.core.lists.rows import RowFilter
from winnow.core.own_lists.patterns import OwnLists, parse_pattern
from winnow.core.ports import StaticKnowledge
from winnow.core.tasks.input_plan import InputPlan
from winnow.core.verdicts.facts import DomainFacts, OwnEntry
from winnow.core.verdicts.verdict import Action, Category
from winnow.lists.result import comparing
from winnow.lists.result.comparing import HEADER, ComparedProject, ComparedRows, PairedAddresses
from winnow.lists.result.result_rows import ResultRows
from winnow.lists.result.row_view import RowView

BASE = Judge(KNOWLEDGE)
USUAL = CleaningPolicy()
ACTIONS = {category.value: category.action for category in Category}
PATTERNS = (
    "frei.de", "wegwerf.net", "büro.de", "*.co.uk.de", "*.frei.de", "*.co.uk", "firm.co.uk",
    "ana@frei.de", "ANA+news@frei.de", "jörg@büro.de", "ana@bÜro.de", '"a b"@frei.de',
    '"a,b"@wegwerf.net', "info@frei.de", "a.b.c.d.e.f@frei.de", "o'hara@firm.co.uk", "x|y@frei.de",
    "sales@wegwerf.net", "kana@frei.de",
    "ana@*", "ANA+news@*", "jörg@*", '"a b"@*', "info@*", "no@*", "a.b.c.d.e.f@*", "x|y@*",
)  # fmt: skip


def build(version: int, chosen: dict[str, Category]) -> OwnLists:
    entries = []
    for text, category in chosen.items():
        pattern = parse_pattern(text, lambda _: False)
        entries.append(OwnEntry(category, pattern.text, pattern.kind.reason))
    return OwnLists.build(version, {entry.pattern: entry for entry in entries}.values())


own_lists = st.dictionaries(st.sampled_from(PATTERNS), st.sampled_from(Category), max_size=8)


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(made_lists(), own_lists, own_lists, st.booleans())
def test_seen_through_other_lists_is_judged_with_them(
    made: MadeList,
    then: dict[str, Category],
    now: dict[str, Category],
    deduplicate: bool,
) -> None:
    assume(made.rows())
    with scratch_folder() as folder:
        before, judge = (BASE.put_own_first(build(1, own)) for own in (then, now))
        options = {"deduplicate": deduplicate}
        run = run_list(made.data, made.plan, Path(folder), judge=before, **options)
        overlay = RowView.with_own_lists(run.cells, build(2, now))
        rows = ResultRows(run.folder, made.plan, overlay)
        expected = made.expected(judge, deduplicate=deduplicate)
        whole = b"".join(rows.stream())
        assert whole == expected
        assert (rows.find_added_cells(Export()) is None) == (expected == run.result)
        page = rows.page(RowFilter(), 0, 100)
        assert [row.verdict for row in page.rows] == [
            judge_text(judge, row.email).verdict for row in page.rows
        ]
        again = run_list(made.data, made.plan, Path(folder), judge=judge, **options)
        assert rows.facets(RowFilter()) == again.rows.facets(RowFilter())
        for place in range(len(made.plan.columns)):
            seen, wanted = (
                one.own_columns.split(place, CleaningPolicy()) for one in (rows, again.rows)
            )
            assert seen == wanted
        assert rows.summarise(run.outcome.summary) == again.outcome.summary
        assert again.outcome.summary.charged == run.outcome.summary.charged


def test_an_address_in_another_column_or_domain_is_not_taken_for_the_rows(tmp_path: Path) -> None:
    data = (
        b"email,old\n"
        b"bo@frei.de,ana@frei.de\n"
        b"ana@frei.de,bo@frei.de\n"
        b"ana@wegwerf.net,\n"
        b"nana@frei.de,\n"
        b"ana.frei.de,ana@frei.de\n"
    )
    run = clean(data, tmp_path, judge=BASE, deduplicate=False)
    own = build(1, {"ana@frei.de": Category.BLACK})
    rows = ResultRows(run.folder, run.plan, RowView.with_own_lists(run.cells, own))
    found = [row.verdict.domain_type.value for row in rows.page(RowFilter(), 0, 9).rows]
    assert found == ["free", "black", "disposable", "free", "invalid"]


EMAILS = (
    *("ana@frei.de", "ANA@Frei.DE", " bo@frei.de ", "bo+x@frei.de", "x@wegwerf.net", ""),
    *("y@wegwerf.net", "z@büro.de", "Z@xn--bro-hoa.de", "a@other.example.org", "not an address"),
    *("NOT an address", "n@bad_domain.de", "n@nodot", "n@nodot ", "n@ nodot", "n@büro..de"),
    *("N@BÜRO..de\t", '"quoted, one"@frei.de', " ", "日本@büro.de"),
)


LISTED = DomainFacts("other.example.org", listings=KNOWLEDGE.look_up("wegwerf.net").listings)
LATER = Judge(StaticKnowledge({"frei.de": KNOWLEDGE.look_up("frei.de"), LISTED.domain: LISTED}))
"""A judge that knows more: one domain became disposable, one is forgotten."""
NAMES = ("id", "email", "note")


def _write(emails: list[str], delimiter: str = ",") -> bytes:
    return write_csv([NAMES, *((n, email, "n") for n, email in enumerate(emails))], delimiter)


def _compare(
    before: list[str],
    now: list[str],
    folder: Path,
    *,
    delimiter: str = ",",
    deduplicate: bool = True,
) -> ComparedRows:
    sides = []
    for emails, judge, mark in ((before, JUDGE, ","), (now, LATER, delimiter)):
        plan, options = InputPlan(FileFormat.CSV, 1, NAMES, delimiter=mark), {"block_bytes": 1 << 8}
        run = run_list(
            _write(emails, mark), plan, folder, judge=judge, deduplicate=deduplicate, **options
        )
        sides.append(ComparedProject(run.cells, None))
    return pair(*sides)


def pair(before: ComparedProject, now: ComparedProject) -> ComparedRows:
    return ComparedRows(PairedAddresses.of(before, now.cells), now, USUAL, before)


def _last(emails: list[str], judge: Judge) -> dict[str, tuple[str, tuple[str, str]]]:
    found = {}
    for email in emails:
        if key := duplicate_key(email):
            verdict = judge_text(judge, email).verdict
            found[key] = email, (verdict.category.value, verdict.domain_type.value)
    return found


_lists = st.lists(st.sampled_from(EMAILS), min_size=1, max_size=40)


@settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))
@given(_lists, _lists, st.sampled_from([",", ";", "\t"]), st.booleans())
def test_a_comparison_equals_the_plain_way(
    before: list[str], now: list[str], delimiter: str, deduplicate: bool
) -> None:
    with scratch_folder() as folder:
        rows = _compare(before, now, Path(folder), delimiter=delimiter, deduplicate=deduplicate)
        text = b"".join(rows.open_stream()()).decode("utf-8-sig")
    old, new = _last(before, JUDGE), _last(now, LATER)
    changed = {key for key in old.keys() & new.keys() if old[key][1] != new[key][1]}
    bad = {key for key in changed if new[key][1][0] == "black" != old[key][1][0]}
    expected = {one: {} for one in Difference} | {
        Difference.GONE: {old[key][0]: (old[key][1], ("", "")) for key in old.keys() - new.keys()},
        Difference.NEW: {new[key][0]: (("", ""), new[key][1]) for key in new.keys() - old.keys()},
        Difference.TURNED_BAD: {new[key][0]: (old[key][1], new[key][1]) for key in bad},
        Difference.CHANGED: {new[key][0]: (old[key][1], new[key][1]) for key in changed - bad},
    }
    found: dict[Difference, dict[str, tuple[tuple[str, str], tuple[str, str]]]]
    found = {difference: {} for difference in Difference}
    header, *lines = read_csv(text)
    assert tuple(header) == HEADER
    for email, difference, *cells in lines:
        found[Difference(difference)][email] = (tuple(cells[:2]), tuple(cells[2:]))  # type: ignore[assignment]
    assert found == expected
    counts = rows.comparison
    for difference in Difference:
        assert counts.count(difference) == len(expected[difference])
        side = 0 if difference is Difference.GONE else 1
        categories = [cells[side][0] for cells in expected[difference].values()]
        assert counts.by_action[difference] == {
            action.value: sum(ACTIONS[category] is action for category in categories)
            for action in Action
        }
    shared = old.keys() & new.keys()
    assert counts.same + len(changed) == len(shared)


def test_pages_follow_the_order_of_the_list(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(comparing, "_ROWS_PER_PIECE", 7)
    now = [f"p{number}@frei.de" for number in range(40)]
    rows = _compare(["x@wegwerf.net"], now, tmp_path)
    found = [one.email for start in (0, 10, 20, 30) for one in rows.page(Difference.NEW, start, 10)]
    assert found == now
    assert rows.page(Difference.NEW, 40, 10) == ()
    assert rows.file_rows == 41
    assert b"".join(rows.open_stream()()).count(b"\r\n") == 42


def test_own_lists_of_today_hold(tmp_path: Path) -> None:
    run = clean(_write(["a@firm.de", "b@frei.de"]), tmp_path)
    seen = RowView.with_own_lists(run.cells, build(1, {"firm.de": Category.GREY}))
    rows = pair(*(ComparedProject(run.cells, one) for one in (None, seen)))
    (changed,) = rows.page(Difference.CHANGED, 0, 10)
    assert changed.now is not None
    assert (changed.email, changed.now.category) == ("a@firm.de", Category.GREY)

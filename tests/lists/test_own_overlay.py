"""A result seen through other your lists is, byte for byte, the result judged with them."""

from pathlib import Path

from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from tests.lists.delimited_support import KNOWLEDGE, MadeList, clean, run_list, scratch_folder
from tests.lists.test_delimited_properties import made_lists
from winnow.core.lists.cleaning import CleaningPolicy
from winnow.core.lists.exports import Export
from winnow.core.lists.rows import RowFilter
from winnow.core.own_lists.patterns import REASONS, OwnLists, parse_pattern
from winnow.core.verdicts.facts import OwnEntry
from winnow.core.verdicts.judge import Judge, judge_text
from winnow.core.verdicts.verdict import Category
from winnow.lists.result.result_rows import ResultRows
from winnow.lists.result.row_view import RowView

BASE = Judge(KNOWLEDGE)
PATTERNS = (
    "frei.de", "wegwerf.net", "büro.de", "*.co.uk.de", "*.frei.de", "*.co.uk", "firm.co.uk",
    "ana@frei.de", "ANA+news@frei.de", "jörg@büro.de", "ana@bÜro.de", '"a b"@frei.de',
    '"a,b"@wegwerf.net', "info@frei.de", "a.b.c.d.e@frei.de", "o'hara@firm.co.uk", "x|y@frei.de",
    "sales@wegwerf.net", "kana@frei.de",
)  # fmt: skip


def build(version: int, chosen: dict[str, Category]) -> OwnLists:
    entries = []
    for text, category in chosen.items():
        pattern = parse_pattern(text, lambda _: False)
        entries.append(OwnEntry(category, pattern.text, REASONS[pattern.kind]))
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
        overlay = RowView.lay_own(run.cells, build(2, now))
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
        for place in again.rows.own_columns.tables:
            seen, wanted = (
                one.own_columns.split(place, CleaningPolicy(), 99) for one in (rows, again.rows)
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
    rows = ResultRows(run.folder, run.plan, RowView.lay_own(run.cells, own))
    found = [row.verdict.domain_type.value for row in rows.page(RowFilter(), 0, 9).rows]
    assert found == ["free", "black", "disposable", "free", "invalid"]

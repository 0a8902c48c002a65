"""Columns and single values checked: the same verdict, whatever the column came as."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import winnow
from tests.lists.delimited_support import JUDGE
from tests.waiting import PATIENCE_SECONDS
from winnow.core.addresses.address import duplicate_key
from winnow.core.errors import BadField
from winnow.core.judging.judge import Judge, judge_text
from winnow.core.ports import StaticKnowledge
from winnow.core.verdicts.facts import DomainFacts
from winnow.core.verdicts.verdict import Category
from winnow.domain_data.look_up.look_up import Knowledge
from winnow.library import checker as checker_module
from winnow.library import repeated_values
from winnow.library.check_text import check_text, read_own_lists
from winnow.library.checker import SCHEMA
from winnow.library.checkers import MOST_DOMAINS, AnyChecker, RunJudge
from winnow.library.repeated_values import find_repeated

KNOWN = (
    "ana@frei.de", "ANA@frei.de", "ana+x@frei.de", "info@wegwerf.net", "a@xn--bro-hoa.de",
    "b@büro.de", "n/a", "", " ", "\t", '"a b"@frei.de', "Ana <ana@frei.de>", "a@b@frei.de",
    "a@frei.de\n", "\u00a0a@frei.de", "a@frei.de\x1f", "a.b.c.d.e.f@frei.de", "@frei.de", "a@",
    'a"b@frei.de', "ü@frei.de", "U\u0308@frei.de", "\u212a@frei.de", "a@FREI.de.", "\0",
    "a\\@frei.de", "'ana@frei.de", " 'ana@frei.de",
)  # fmt: skip
VALUES = st.lists(
    st.none()
    | st.sampled_from(KNOWN)
    | st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
    | st.builds("{}@{}".format, st.text(alphabet="aB.+ü\u212a\"' \x1f", max_size=6),
                st.sampled_from(["frei.de", "Frei.DE", "wegwerf.net", "büro.de", "x.local", "x"])),
    max_size=30,
)  # fmt: skip
ANY = AnyChecker(JUDGE)
_TEXT = pa.large_string()


@given(VALUES)
def test_a_list_is_judged_as_its_values_one_by_one(values: list[str | None]) -> None:
    answers = ANY.check_any(values)
    singles = [None if text is None else check_text(JUDGE, text) for text in values]
    assert answers == singles
    assert [one and one.evidence for one in answers] == [one and one.evidence for one in singles]
    for text, answer in zip(values, answers, strict=True):
        if text is not None:
            verdict = judge_text(JUDGE, text).verdict
            assert (answer.category, answer.domain_type) == (verdict.category, verdict.domain_type)
            assert answer.reasons == verdict.reasons


@given(VALUES)
def test_keys_are_those_of_the_single_value(values: list[str | None]) -> None:
    wanted = [None if text is None else duplicate_key(text) or None for text in values]
    assert ANY.key_any(values) == wanted


def test_one_long_value_takes_its_memory_once() -> None:
    values = ["\u00e9@frei.de"] * 100_000 + ["\u00e9" * 500_000]
    assert ANY.key_any(values) == [duplicate_key(text) for text in values]
    assert (pa.default_memory_pool().max_memory() or 0) < 8 << 30  # reserved by any test before


COLUMN = ["ana@frei.de", None, "x@wegwerf.net", "", "x"]
CATEGORIES = ["black", None, "black", "black", "black"]


def lay_out(kind: pa.DataType) -> pa.Array:
    return pa.array(COLUMN, pa.string()).cast(kind)


@pytest.mark.parametrize(
    "values",
    [
        pytest.param(lay_out(pa.string()), id="string"),
        pytest.param(lay_out(pa.large_string()), id="large_string"),
        pytest.param(lay_out(pa.string_view()), id="string_view"),
        pytest.param(lay_out(pa.string()).dictionary_encode(), id="dictionary"),
        pytest.param(pa.chunked_array([COLUMN[:2], COLUMN[2:]], pa.string()), id="chunked"),
        pytest.param(pa.chunked_array([[], COLUMN, []], pa.string()), id="empty-chunks"),
        pytest.param(pa.array(["left@out.de", *COLUMN, "left@out.de"]).slice(1, 5), id="sliced"),
    ],
)  # fmt: skip
def test_arrow_of_every_layout_comes_back_as_a_table(values: pa.Array) -> None:
    table = ANY.check_any(values)
    assert table.schema == SCHEMA
    assert table.column("category").to_pylist() == CATEGORIES
    assert table.column("domain").to_pylist() == ["frei.de", None, "wegwerf.net", None, None]
    keys = ["ana@frei.de", None, "x@wegwerf.net", None, "\0x"]
    assert ANY.key_any(values).to_pylist() == keys


@pytest.mark.parametrize("kind", ["object", "str", "string", "category"])
def test_pandas_gives_a_frame_on_the_same_index(kind: str) -> None:
    series = pd.Series(COLUMN, index=[7, 8, 9, 3, 1], name="email", dtype=kind)
    frame = ANY.check_any(series)
    assert list(frame.index) == [7, 8, 9, 3, 1]
    assert [None if pd.isna(one) else one for one in frame["category"]] == CATEGORIES
    keys = ANY.key_any(series)
    assert (keys.name, list(keys.index)) == ("email", [7, 8, 9, 3, 1])
    assert keys[7] == "ana@frei.de"


def test_polars_and_whatever_hands_over_arrow_is_a_column() -> None:
    frame = ANY.check_any(pl.Series("email", COLUMN))
    assert frame["category"].to_list() == CATEGORIES
    assert ANY.key_any(pl.Series("email", COLUMN)).name == "email"
    relation = duckdb.sql("select unnest(['ana@frei.de', null]) as email").to_arrow_table()
    assert ANY.check_any(relation["email"]).column("category").to_pylist() == ["black", None]
    assert ANY.check_any(np.array(["x@wegwerf.net"], object))[0].category is Category.BLACK


@pytest.mark.parametrize("null", [None, float("nan"), pd.NA, pd.NaT])
def test_beside_a_lone_surrogate_nulls_stay_and_numbers_are_refused(null: object) -> None:
    values = ["info@frei.de", "\ud800@frei.de", null]
    assert [one and one.domain for one in ANY.check_any(values)] == ["frei.de", None, None]
    assert ANY.key_any(values) == ["info@frei.de", "\0\uffff@frei.de", None]
    for ask in (ANY.check_any, ANY.key_any):
        with pytest.raises(TypeError, match="not every value is a text"):
            ask([*values, 1])


def test_a_series_with_a_lone_surrogate_is_answered_in_kind() -> None:
    series = pd.Series(["\ud800@frei.de", None, "info@frei.de"], [7, 8, 9], object, name="email")
    frame, usual = ANY.check_any(series), ANY.check_any(series.iloc[1:])
    pd.testing.assert_frame_equal(frame.iloc[1:], usual, check_categorical=False)
    assert frame["domain_type"].tolist()[0] == "invalid"
    keys = ANY.key_any(series)
    assert (keys.index.tolist(), keys.name) == ([7, 8, 9], "email")
    assert keys.tolist()[0] == "\0\uffff@frei.de"
    pd.testing.assert_series_equal(keys.iloc[1:], ANY.key_any(series.iloc[1:]), check_dtype=False)


@pytest.mark.parametrize(
    "values",
    [
        *(pd.Series([float("nan")] * 2, [3, 4]), pd.Series([], dtype=float)),
        *(pa.nulls(2), pa.nulls(0), pa.array([], pa.string()), pa.chunked_array([], pa.string())),
    ],
)
def test_a_column_without_a_value_is_one_of_nulls_whatever_its_type(values: Any) -> None:
    checked = ANY.check_any(values)
    frame = checked if isinstance(values, pd.Series) else checked.to_pandas()
    assert frame.isna().all(axis=None)
    assert len(frame) == len(ANY.key_any(values)) == len(values)


@pytest.mark.parametrize("value", [None, 3, b"ana@frei.de", ["ana@frei.de"]])
def test_a_single_value_that_is_no_text_is_refused(value: Any) -> None:
    with pytest.raises(TypeError, match="is no text"):
        winnow.check(value)


@pytest.mark.parametrize(
    "values",
    ["ana@frei.de", b"x", 5, [1], [b"x"], pa.array([1]), pd.Series([1.5]), pl.Series([True])],
)
def test_what_is_no_column_of_texts_is_refused(values: object) -> None:
    with pytest.raises(TypeError, match=r"text|column"):
        ANY.check_any(values)


def test_stretches_do_not_matter(knowledge: Knowledge, monkeypatch: pytest.MonkeyPatch) -> None:
    checker = AnyChecker(Judge(knowledge))
    values = pa.array([*KNOWN, None, "ana@gmial.com", "info@aol.con", "b@gmial.com"] * 3)
    whole = checker.check_any(values)
    for rows_at_once in (1, 7, len(values)):
        for module in (checker_module, repeated_values):
            monkeypatch.setattr(module, "ROWS_AT_ONCE", rows_at_once)
        assert checker.check_any(values).to_pylist() == whole.to_pylist()
        assert checker.check_any(values).schema == SCHEMA
    assert whole["suggestion"].drop_null().to_pylist().count("ana@gmail.com") == 3


@given(VALUES.filter(len), st.permutations(range(40)))
def test_a_column_of_few_different_values_is_judged_as_each_row(
    values: list[str | None], order: list[int]
) -> None:
    rows = pa.chunked_array([pa.array([values[place % len(values)] for place in order] * 9, _TEXT)])
    repeated = find_repeated(rows)
    assert repeated is not None
    assert repeated.different.to_pylist() == list(dict.fromkeys(rows.to_pylist()))
    table = ANY.check_column(rows)
    assert table.equals(ANY._check_rows(rows))
    assert [column.null_count for column in table.columns[:2]] == [rows.null_count] * 2
    assert find_repeated(pa.chunked_array([pa.array(map(str, order), _TEXT)])) is None


@pytest.mark.parametrize("other", ["bo@wegwerf.net", None])
def test_values_of_one_hash_are_not_taken_for_one(
    other: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = pa.chunked_array([pa.array(["ana@frei.de", other] * 9, _TEXT)])
    assert find_repeated(rows) is not None
    alike = pl.Series([7] * len(rows), dtype=pl.UInt64)
    monkeypatch.setattr(pl.Series, "hash", lambda texts: alike)
    assert find_repeated(rows) is None


_FORK = """
import os, warnings, winnow
warnings.simplefilter("ignore")
winnow.check("ana@frei.de")
for work in (lambda: None, lambda: winnow.check_column(["ana@frei.de"])):
    work()
    child = os.fork()
    if not child:
        try:
            winnow.duplicate_keys(["ana@frei.de"])
        except RuntimeError as error:
            print("spawn" in str(error), flush=True)
        os._exit(0)
    os.waitpid(child, 0)
"""


@pytest.mark.slow
def test_a_forked_child_works_or_says_why_not() -> None:
    ran = subprocess.run(
        [sys.executable, "-c", _FORK], capture_output=True, text=True, timeout=PATIENCE_SECONDS
    )
    assert (ran.stdout, ran.stderr, ran.returncode) == ("True\n", "", 0)


def test_threads_do_not_meet() -> None:
    columns = [[f"a{number}@frei.de", f"b{number}@wegwerf.net", "x"] * 50 for number in range(40)]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(ANY.check_any, columns)) == list(map(ANY.check_any, columns))


def test_aliases_have_the_key_of_their_mailbox() -> None:
    has_tags = DomainFacts("gmail.com", has_plus_tags=True)
    judge = Judge(StaticKnowledge({"gmail.com": has_tags, "googlemail.com": has_tags}))
    values = ["An.a+x@googlemail.com", "ana@gmail.com", "ana+x@frei.de", "ana+x@", None, " "]
    keys = AnyChecker(judge).key_any(values, join_aliases=True)
    assert keys == ["ana@gmail.com", "ana@gmail.com", "ana+x@frei.de", "\0ana+x@", None, None]


def test_own_lists_outrank_what_is_known() -> None:
    lists = {"Wegwerf.NET": "white", "x@frei.de": "black", "*.büro.de": "grey", "y@*": "grey"}
    values = ["a@wegwerf.net", "X@frei.de", "y+a@frei.de", "a@sub.büro.de", "Y@frei.de", "y@"]
    for own in (lists, {"y@*": "grey"}):
        judge = Judge(StaticKnowledge({})).put_own_first(read_own_lists(own))
        answers = AnyChecker(judge).check_any(values)
        assert answers == [check_text(judge, text) for text in values]
        expected = ["white", "black", "white", "grey"] if own is lists else ["white"] * 4
        assert [one.category.value for one in answers] == [*expected, "grey", "black"]


@pytest.mark.parametrize("entries", [{"x.de": "red"}, {"": "white"}, {"com": "black"}])
def test_own_lists_that_are_none_are_refused(entries: dict[str, str]) -> None:
    with pytest.raises(BadField):
        read_own_lists(entries)


MIXED = (
    "gmail.com gmial.com mailinator.com acme-tools.de xkqzwvjp.top a.xyz web.de simplelogin.com "
    "uni-koeln.de x.hotmial.com BÜCHER.de"
)


@pytest.mark.parametrize("most_domains", [MOST_DOMAINS, 3, 0])
def test_columns_of_a_run_are_judged_as_by_a_fresh_judge(
    knowledge: Knowledge, most_domains: int
) -> None:
    kept = AnyChecker(RunJudge(knowledge, most_domains))
    for start in range(8):
        names = MIXED.split()[start : start + 1 + start % 5]
        column = [f"{local}@{name}" for name in names for local in ("ana", "a+b", "info", "a b")]
        fresh = Judge(knowledge)
        assert kept.check_any(column) == [check_text(fresh, text) for text in column]


def test_numbers_are_those_of_the_knowledge_and_bounded(knowledge: Knowledge) -> None:
    judge = RunJudge(knowledge, most_domains=100)
    for start in range(0, 300, 20):
        domains = [f"shop-{number % 70}.de" for number in range(start, start + 40)]
        assert judge.number_alike(domains) == knowledge.number_alike(domains)
        assert len(judge._numbers) <= 100

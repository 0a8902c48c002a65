"""The charts' counts, against a recount row by row under any filter."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.lists.delimited_support import scratch_folder
from tests.lists.row_files import write_row_files
from winnow.core.lists.cleaning import CleaningPolicy
from winnow.core.lists.dimensions import (
    ACTION,
    CATEGORY,
    DIMENSIONS,
    DOMAIN,
    DOMAIN_TYPE,
    PROVIDER,
    REASON,
    Bar,
    Dimension,
    Facet,
)
from winnow.core.lists.file_format import FileFormat
from winnow.core.lists.rows import Chosen, RowFilter
from winnow.core.tasks.input_plan import InputPlan
from winnow.core.verdicts.domain_types import DomainType
from winnow.core.verdicts.reasons import Reason
from winnow.core.verdicts.verdict import Action, Category, Verdict
from winnow.lists.result import filters, row_index
from winnow.lists.result.result_rows import ResultRows

_PLAN = InputPlan(FileFormat.XLSX, 0, ("email",))
_FREE = Verdict(Category.WHITE, DomainType.FREE, (Reason.FREE_PROVIDER,))
_TAGGED = Verdict(
    Category.GREY,
    DomainType.SUSPICIOUS,
    (Reason.PLUS_TAG, Reason.FREE_PROVIDER, Reason.ROLE_ACCOUNT),
)
_RELAY = Verdict(Category.GREY, DomainType.MULTI_ALIAS, (Reason.RELAY,))
_UNLISTED = Verdict(Category.WHITE, DomainType.UNLISTED, (Reason.UNLISTED,))
_NO = Verdict(Category.WHITE, DomainType.UNLISTED, (Reason.UNLISTED, Reason.UNSUBSCRIBED))
_ROLE = Verdict(Category.WHITE, DomainType.UNLISTED, (Reason.UNLISTED, Reason.ROLE_ACCOUNT))
_BLACK = Verdict(Category.BLACK, DomainType.DISPOSABLE, (Reason.DISPOSABLE_LISTED,))
_INVALID = Verdict(Category.BLACK, DomainType.INVALID, (Reason.NO_AT_SIGN,))
_MAILBOXES = (_FREE, _TAGGED)
_DOMAINS: dict[str, tuple[Verdict, ...]] = {
    "": (_INVALID,),
    **dict.fromkeys(("gmail.com", "gmx.de", "gmx.at", "yahoo.co.uk"), _MAILBOXES),
    **dict.fromkeys(("some-mailbox.example", "hotmail.example", "notgmail.com"), (_FREE,)),
    **dict.fromkeys(("duck.com", "ana.anonaddy.com"), (_RELAY,)),
    **dict.fromkeys(("firma.de", "outlook.business.fr"), (_UNLISTED, _ROLE, _NO)),
    **dict.fromkeys(("xn--80akhbyknj4f.xn--p1ai", "shop.firma.de"), (_UNLISTED,)),
    "wegwerf.de": (_BLACK, replace(_BLACK, reasons=(*_BLACK.reasons, Reason.DO_NOT_MAIL))),
}
_PROVIDERS = {
    "gmail.com": "Gmail",
    **dict.fromkeys(("gmx.de", "gmx.at"), "GMX"),
    "yahoo.co.uk": "Yahoo",
    **{name: name for name in ("some-mailbox.example", "hotmail.example", "notgmail.com")},
    "duck.com": "DuckDuckGo",
    "ana.anonaddy.com": "addy.io",
}

Made = tuple[str, str, Verdict]
"""Local part, domain, verdict."""


def _values(row: Made, dimension: Dimension) -> Sequence[str]:
    _, domain, verdict = row
    values: dict[Dimension, Sequence[str]] = {
        ACTION: [CleaningPolicy().find_action(verdict).value],
        CATEGORY: [verdict.category.value],
        DOMAIN_TYPE: [verdict.domain_type.value],
        REASON: [reason.value for reason in verdict.reasons],
        DOMAIN: [domain] if domain else [],
        PROVIDER: [_PROVIDERS[domain]] if domain in _PROVIDERS else [],
    }
    return values[dimension]


def _passes(row: Made, row_filter: RowFilter, leave: Dimension | None) -> bool:
    local, domain, _ = row
    return row_filter.text in f"{local}@{domain}" and all(
        not (wanted := row_filter.chosen.of(one)) or not wanted.isdisjoint(_values(row, one))
        for one in DIMENSIONS
        if one is not leave
    )


def _recount(rows: Sequence[Made], row_filter: RowFilter, dimension: Dimension) -> Facet:
    passing = [row for row in rows if _passes(row, row_filter, dimension)]
    counts: Counter[tuple[str, str]] = Counter(
        (value, _values(row, ACTION)[0]) for row in passing for value in _values(row, dimension)
    )
    bars = sorted(
        (
            Bar(value, tuple(counts[value, action.value] for action in Action))
            for value in {value for value, _ in counts}
        ),
        key=lambda bar: (-bar.total, bar.value),
    )
    return Facet(tuple(bars), len(passing), counts.total(), len(bars))


def _write(folder: Path, rows: Sequence[Made]) -> ResultRows:
    write_row_files(
        folder,
        ((f"{local}@{domain}\n".encode(), verdict, domain) for local, domain, verdict in rows),
    )
    return ResultRows(folder, _PLAN)


_ROWS = st.lists(
    st.sampled_from(sorted(_DOMAINS)).flatmap(
        lambda domain: st.tuples(
            st.sampled_from(["ana", "info", "bo"]),
            st.just(domain),
            st.sampled_from(_DOMAINS[domain]),
        )
    ),
    max_size=40,
)


_CHOICES = {
    ACTION: [action.value for action in Action],
    CATEGORY: [category.value for category in Category],
    DOMAIN_TYPE: ["free", "unlisted", "invalid", "disposable"],
    REASON: ["role_account", "free_provider", "relay", "invalid_no_at_sign"],
    DOMAIN: [*sorted(_DOMAINS)[1:], "nobody.example"],
    PROVIDER: ["GMX", "Gmail", "addy.io", "Nobody"],
}
_FILTERS = st.builds(
    RowFilter,
    chosen=st.builds(
        lambda values: Chosen(frozenset((one, value) for one in values for value in values[one])),
        st.fixed_dictionaries(
            {
                one: st.frozensets(st.sampled_from(values), max_size=2)
                for one, values in _CHOICES.items()
            }
        ),
    ),
    text=st.sampled_from(["", "", "ana", "a@g"]),
)


@settings(max_examples=50, deadline=None)
@given(_ROWS, st.lists(_FILTERS, min_size=1, max_size=3))
@example([("ana", domain, verdicts[0]) for domain, verdicts in _DOMAINS.items()], [RowFilter()])
def test_facets_equal_a_recount_row_by_row(rows: list[Made], filters: list[RowFilter]) -> None:
    with scratch_folder() as folder:
        opened = _write(Path(folder), rows)
        for row_filter in filters:
            facets = opened.facets(row_filter)
            for dimension in DIMENSIONS:
                expected = _recount(rows, row_filter, dimension)
                assert facets[dimension] == expected, dimension.name
            found = opened.page(row_filter, 0, 1)
            assert found.matching == sum(_passes(row, row_filter, None) for row in rows)


def test_the_largest_domains_and_the_chosen_one_have_bars_and_the_rest_is_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rows at 5,000 domains, read in short runs."""
    monkeypatch.setattr(row_index, "ROWS_PER_RUN", 777)
    monkeypatch.setattr(row_index, "_NAMES_CHUNK_BYTES", 1000)
    made = [
        ("x", f"d{code:05d}.de", _UNLISTED) for code in range(1, 5_001) for _ in range(code % 3 + 1)
    ]
    made += [("x", f"d{code:05d}.de", _ROLE) for code in range(4_000, 4_020) for _ in range(9)]
    rows = _write(tmp_path, made)
    found = rows.facets(RowFilter())[DOMAIN]
    assert (found.whole, found.valued, found.distinct) == (len(made), len(made), 5_000)
    assert len(found.bars) == filters.BARS_MAX
    largest = {f"d{code:05d}.de" for code in range(4_000, 4_020)}
    assert {bar.value for bar in found.bars[:20]} == largest
    totals = [bar.total for bar in found.bars]
    assert totals == sorted(totals, reverse=True)
    chosen = RowFilter(Chosen().choose(DOMAIN, "d00003.de"))
    facets = rows.facets(chosen)
    assert facets[DOMAIN].find("d00003.de") == 1
    assert facets[DOMAIN].whole > 1
    assert facets[REASON].whole == rows.page(chosen, 0, 0).matching == 1


def test_one_row_by_its_number(tmp_path: Path) -> None:
    rows = _write(tmp_path, [("ana", "gmx.de", _FREE), ("bo", "firma.de", _UNLISTED)])
    assert rows.row(2).email == "bo@firma.de"
    for number in (0, 3, -1):
        with pytest.raises(IndexError):
            rows.row(number)

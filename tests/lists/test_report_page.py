"""The report as a page: true counts, nothing fetched, nothing run, no address."""

import re
from dataclasses import replace
from datetime import UTC, datetime
from html import unescape

import pytest

from tests.applications import make_task
from winnow.core.errors import ResultNotReady
from winnow.core.lists.cleaning import Cleaning, CleaningPolicy, weigh
from winnow.core.lists.merging import Merge, MergedFile
from winnow.core.lists.notices import Notice
from winnow.core.meaning.columns import ColumnMeaning, HeadingKind, WordMet
from winnow.core.meaning.outcomes import Outcome
from winnow.core.tasks.run_request import RunRequest
from winnow.core.tasks.task import Summary, Task
from winnow.core.verdicts.domain_types import DomainType, Ground
from winnow.core.verdicts.reasons import Reason
from winnow.core.verdicts.verdict import Action, Category, Verdict, name_action
from winnow.lists.reports.review import SaidOfMail
from winnow.services.results.reports import make_report

MADE_AT = datetime(2026, 11, 21, 9, 30, tzinfo=UTC)

SUMMARY = Summary(
    rows_in=12,
    rows_out=10,
    duplicates_removed=2,
    invalid=1,
    charged=9,
    by_category={"white": 7, "black": 3},
    by_domain_type={"unlisted": 7, "disposable": 2, "invalid": 1},
    by_reason={"unlisted": 7, "disposable_reviewed": 2, "invalid_no_at_sign": 1},
    by_category_and_type=(
        ("white", "unlisted", 7),
        ("black", "disposable", 2),
        ("black", "invalid", 1),
    ),
    top_domains=(("kurz.de", "white", 7),),
    data_version="static",
)


def make_finished(name: str = "=1+1", summary: Summary | None = SUMMARY) -> Task:
    return make_task(name, file_name="+list.csv", summary=summary)


WHITE = Verdict(Category.WHITE, DomainType.UNLISTED, (Reason.UNLISTED,))
ROLE = Verdict(Category.WHITE, DomainType.UNLISTED, (Reason.UNLISTED, Reason.ROLE_ACCOUNT))
GREY = Verdict(Category.GREY, DomainType.SUSPICIOUS, (Reason.PLUS_TAG,))
BLACK = Verdict(Category.BLACK, DomainType.DISPOSABLE, (Reason.DISPOSABLE_REVIEWED,))
INVALID = Verdict(Category.BLACK, DomainType.INVALID, (Reason.NO_AT_SIGN,))
SAID_NO = Verdict(Category.WHITE, DomainType.UNLISTED, (Reason.UNLISTED, Reason.UNSUBSCRIBED))
BOUNCED = Verdict(Category.WHITE, DomainType.UNLISTED, (Reason.UNLISTED, Reason.BOUNCED_HARD))
TYPO = Verdict(Category.GREY, DomainType.MASKED, (Reason.PLUS_TAG,))


POLICY = CleaningPolicy()


def weigh_rows(*counts: tuple[Verdict, int], policy: CleaningPolicy = POLICY) -> Cleaning:
    return Cleaning(policy, weigh(policy, counts))


USUAL = weigh_rows((WHITE, 7), (BLACK, 2), (INVALID, 1))
ADDRESS = re.compile(r"[\w.+-]+@[\w-]+")


def read_rows(page: bytes) -> list[list[str]]:
    """Return the texts of the cells of each row of each table."""
    rows = re.findall(r"<tr.*?</tr>", page.decode(), re.DOTALL)
    cells = [re.findall(r"<t[dh].*?>(.*?)</t[dh]>", row, re.DOTALL) for row in rows]
    return [[unescape(re.sub(r"<[^>]*>", "", cell)) for cell in row] for row in cells]


def read_tags(page: bytes) -> set[str]:
    return set(re.findall(r"<(\w+)", page.decode()))


def test_counts_stand_in_it() -> None:
    report = make_report(make_finished("Spring"), MADE_AT, USUAL)
    assert (report.file_name, report.media_type) == ("Spring-report.html", "text/html")
    rows = read_rows(report.content)
    assert [name_action(Action.KEEP), "7", "70.0 %", "no known problem (white in files)"] in rows
    assert "Of 12 rows in the file, 7 are to be mailed." in report.content.decode()
    assert [row[-2:] for row in rows if row[0] == "disposable"] == [["2", "20.0 %"]]
    assert [row[-2:] for row in rows if row[0] == "kurz.de"] == [["7", "70.0 %"]]
    text = report.content.decode()
    keep, review, remove = map(name_action, Category)
    no = name_action(Action.DO_NOT_MAIL)
    assert f"10 rows: 7 {keep}, 0 {review}, 0 {no}, 3 {remove}" in text
    assert "21 Nov 2026, 09:30 UTC" in text
    assert "Version of the domain lists: static." in text
    assert {float(one) for one in re.findall(r"width:([\d.]+)%", text)} == {100, 50, 28.57, 14.29}
    assert "A row may have several reasons." in text


def test_it_runs_and_fetches_nothing() -> None:
    report = make_report(make_finished(), MADE_AT, USUAL)
    assert not read_tags(report.content) & {"script", "link", "img", "iframe", "object"}
    page = report.content.decode()
    assert not re.search(r"\son\w+=|url\(|https?:|@import", page)
    assert "default-src 'none'" in unescape(page)


@pytest.mark.parametrize(
    "name",
    [
        *("<script>alert(1)</script>", '"><img src=x onerror=alert(1)>'),
        *("{{ title }} {% x %} {#", "a & b"),
    ],
)
def test_names_are_only_text(name: str) -> None:
    summary = replace(SUMMARY, top_domains=((name, "white", 1),))
    task = replace(make_finished(name, summary), file_name=name, notices=(Notice("x", name),))
    content = make_report(task, MADE_AT, USUAL).content
    assert not read_tags(content) & {"script", "img"}
    assert unescape(content.decode()).count(name) >= 5  # title twice, origin, domain, notice


def test_no_address_stands_in_it() -> None:
    notices = (Notice("header", "The first row holds ana@kurz.de; it was read as a header."),)
    task = replace(make_finished("for ana@kurz.de"), file_name="ana@kurz.de.csv", notices=notices)
    content = make_report(task, MADE_AT, USUAL).content.decode()
    assert "ana@" not in content
    assert "The first row holds (address); it was read as a header." in content


def test_an_unfinished_project_has_none() -> None:
    with pytest.raises(ResultNotReady):
        make_report(make_finished(summary=None), MADE_AT, USUAL)


def test_what_goes_is_told_with_its_reasons() -> None:
    policy = CleaningPolicy(frozenset({Ground.BLACK, Ground.ROLE_ACCOUNT}))
    cleaning = weigh_rows((WHITE, 4), (ROLE, 3), (GREY, 1), (BLACK, 2), policy=policy)
    content = make_report(make_finished(), MADE_AT, cleaning).content
    assert not ADDRESS.search(content.decode())
    rows = read_rows(content)
    review = name_action(Action.REVIEW)
    assert [review, "1", "10.0 %"] in [row[:3] for row in rows]
    assert f"Chosen: {Ground.BLACK.words}, {Ground.ROLE_ACCOUNT.words}." in content.decode()
    lost = [(row[0], row[-2:]) for row in rows if row[-1] in ("60.0 %", "40.0 %")]
    assert lost == [
        ("Role account: names a function, not a person", ["3", "60.0 %"]),
        ("Disposable service, reviewed by hand", ["2", "40.0 %"]),
    ]


STATUS = ColumnMeaning(
    *(1, "status of ana@kurz.de", HeadingKind.MAIL_STATUS),
    *(True, True, True),
    (WordMet("never subscribed", Outcome.NEVER, 6, True, True),),
)
DAY = (WordMet("2026-05-03", Outcome.MAIL, 2, True, True),)
CONSENT = replace(STATUS, name="Newsletter", kind=HeadingKind.CONSENT_IN, words=())
GIVEN = replace(CONSENT, name=" Werbung ", words=DAY)
SAID = {Outcome.COMPLAINED: ((SAID_NO, 1),), Outcome.NEVER: ((WHITE, 5), (BLACK, 1))}
NONE, NO_SUCH = "\N{EN DASH}", "not in this list: no such column"


@pytest.mark.parametrize(
    ("said", "columns", "repaired", "expected"),
    [
        pytest.param(
            SaidOfMail((STATUS, CONSENT, GIVEN), SAID),
            ("E-Mail", "Quelle", "OPTIN_TIME", "Opt-in IP", "Customer since", "Newsletter"),
            {"blanks": 4},
            {
                "Hard bounces": ["3", "left out"],
                "Complaints": ["1", "left out"],
                "Typing mistakes": ["4", "corrected"],
                "Never subscribed": ["6", "5 kept, 1 left out"],
                "Source of consent": [NONE, "kept in Quelle, Opt-in IP"],
                "Date of consent": [NONE, "kept in OPTIN_TIME, Werbung"],
                "Inactive": [NONE, "not looked for"],
            },
            id="columns-that-say-so",
        ),
        pytest.param(
            SaidOfMail((CONSENT,)),
            ("email", "Source file", "Customer since", "Sign-up newsletter"),
            {},
            {
                "Inactive": [NONE, "not looked for"],
                "Complaints": [NONE, NO_SUCH],
                "Typing mistakes": ["0", NONE],
                "Never subscribed": ["0", NONE],
                "Source of consent": [NONE, NO_SUCH],
                "Date of consent": [NONE, NO_SUCH],
            },
            id="no-such-column",
        ),
    ],
)
def test_it_begins_with_the_lines_of_published_checklists(
    said: SaidOfMail,
    columns: tuple[str, ...],
    repaired: dict[str, int],
    expected: dict[str, list[str]],
) -> None:
    cleaning = weigh_rows(
        (WHITE, 1), (ROLE, 2), (BOUNCED, 3), (SAID_NO, 4), (TYPO, 5), (BLACK, 2), (INVALID, 1)
    )
    task = make_finished(summary=replace(SUMMARY, repaired=repaired))
    task = replace(task, plan=replace(task.plan, columns=columns))
    page = make_report(task, MADE_AT, cleaning, said).content
    assert not ADDRESS.search(page.decode())
    (head, *rows) = read_rows(page)[:15]
    assert head == ["What lists are cleaned of", "Rows", "What was done"]
    assert {title: rest for title, *rest in rows} == {
        "Hard bounces": ["3", "left out"],
        "Invalid addresses": ["1", "left out"],
        "Unsubscribed": ["4", "left out"],
        "On do-not-mail files": ["0", NONE],
        "Likely typing mistakes": ["5", "to review"],
        "Role accounts": ["2", "kept"],
        "Duplicates": ["2", "removed"],
        "Disposable addresses": ["2", "left out"],
        **expected,
    }


def test_files_that_a_list_was_merged_from_are_told_in_their_order() -> None:
    files = (MergedFile("jan.csv", 7), MergedFile("<b> of ana@x.de.csv", 1_234))
    task = replace(make_finished(), request=RunRequest(merge=Merge(files, 0)))
    content = make_report(task, MADE_AT, USUAL).content
    rows = read_rows(content)
    place = rows.index(["jan.csv", "7"])
    assert rows[place + 1][1] == "1,234"
    assert "ana@x.de" not in content.decode()

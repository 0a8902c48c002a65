"""The words and figures that people read."""

from datetime import UTC, datetime, timedelta

import pytest

from components.frame.html import escape_markdown
from components.kit.notices import word_notice
from components.kit.progress import (
    PHASE_WORDS,
    describe_progress,
    find_fraction,
    find_rate,
    measure_pace,
)
from components.kit.verdict import ADVICE, write_sentence
from winnow.core.figures import (
    round_estimate,
    show_days_left,
    show_duration,
    show_share,
    show_size,
)
from winnow.core.judging.check_result import CheckResult
from winnow.core.lists.file_format import FileFormat
from winnow.core.lists.notices import Notice
from winnow.core.tasks.task import Phase, Progress
from winnow.core.verdicts.domain_types import DomainType
from winnow.core.verdicts.reasons import Reason
from winnow.core.verdicts.verdict import ALWAYS_SHOWN, Action, Category, Verdict

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "lines", "file_format", "expected"),
    [
        pytest.param("Odd", (2,), FileFormat.XLSX, "Odd Row 2.", id="row-of-a-workbook"),
        pytest.param("Odd", (2, 1200), FileFormat.TXT, "Odd Lines 2, 1,200.", id="lines-of-a-text"),
        pytest.param("Odd from row 2, on", (2,), FileFormat.CSV, "Odd from row 2, on", id="named"),
        pytest.param("Line 1,200 is", (1200,), FileFormat.TSV, "Line 1,200 is", id="thousands"),
        pytest.param("Row 20 is", (2,), FileFormat.CSV, "Row 20 is Line 2.", id="another-named"),
    ],
)
def test_a_note_says_each_line_once(
    text: str, lines: tuple[int, ...], file_format: FileFormat, expected: str
) -> None:
    assert word_notice(Notice("code", text, lines, len(lines)), file_format) == expected


def test_every_code_has_its_words() -> None:
    assert len({action.shape for action in Action}) == len(Action)
    assert {category.action for category in Category} == {*ALWAYS_SHOWN} - {Action.DO_NOT_MAIL}
    assert set(ADVICE) == set(Category)
    assert set(PHASE_WORDS) == set(Phase)


@pytest.mark.parametrize("domain_type", DomainType)
def test_every_domain_type_makes_a_whole_sentence(domain_type: DomainType) -> None:
    verdict = Verdict(Category.WHITE, domain_type, (Reason.UNLISTED,))
    result = CheckResult({"email": "a@b.example", "domain": "b.example"}, verdict, (), None, "")
    sentence = write_sentence(result)
    assert sentence.endswith(".")
    assert "{" not in sentence
    assert " valid" not in sentence


@pytest.mark.parametrize(
    ("email", "domain", "domain_type", "reasons", "said"),
    [
        pytest.param(
            *("ana+news@gmail.com", "gmail.com", DomainType.SUSPICIOUS),
            (Reason.PLUS_TAG, Reason.FREE_PROVIDER),
            "This address deserves a second look: tag after a plus sign.",
            id="the-domain-is-not-blamed-for-the-local-part",
        ),
        pytest.param(
            *("jörg@müller.example", "xn--mller-kva.example", DomainType.UNLISTED),
            (Reason.UNLISTED,),
            "xn--mller-kva.example (müller.example) is on no list",
            id="another-script-is-named-by-its-letters-too",
        ),
        *(
            pytest.param(
                *("x@guest.example.com", "guest.example.com", DomainType.MULTI_ALIAS, (reason,)),
                "guest.example.com ",
                id=f"{reason}-is-no-relay",
            )
            for reason in (Reason.MEDIATED_MAIL, Reason.OWNER_PRIVACY, Reason.CODE_HOST)
        ),
    ],
)
def test_the_sentence_of_a_verdict(
    email: str, domain: str, domain_type: DomainType, reasons: tuple[Reason, ...], said: str
) -> None:
    verdict = Verdict(Category.GREY, domain_type, reasons)
    fields = {"email": email, "domain": domain}
    sentence = write_sentence(CheckResult(fields, verdict, (), None, ""))
    assert sentence.startswith(said)
    assert "Real people" not in sentence


def show_left(**left: int) -> str:
    return show_days_left(NOW + timedelta(**left), NOW)


@pytest.mark.parametrize(
    ("shown", "expected"),
    [
        (show_share(0, 10), "0 %"),
        (show_share(1, 10_000_000), "< 0.1 %"),  # never nothing for something
        (show_share(9_999_999, 10_000_000), "99.9 %"),
        (show_share(10, 10), "100 %"),
        (show_share(1, 3), "33.3 %"),
        (show_share(0, 0), "0 %"),
        ([*map(round_estimate, (0, 7, 97, 103, 1_049))], [0, 7, 97, 100, 1_000]),
        ([*map(round_estimate, (103_111, 986_000))], [100_000, 990_000]),
        (show_size(0), "0 bytes"),
        (show_size(1), "1 byte"),
        (show_size(999), "999 bytes"),
        (show_size(1_000), "1.0 kB"),  # decimal, as the quota counts
        (show_size(118_000), "118 kB"),
        (show_size(2_400_000_000), "2.4 GB"),
        (show_size(5_000_000_000_000_000), "5,000 TB"),
        (show_duration(2), "a few seconds"),
        (show_duration(42), "about 40 seconds"),
        (show_duration(60), "about 1 minute"),
        (show_duration(190), "about 3 minutes"),
        (show_duration(3600), "1 hour"),
        (show_duration(5430), "about 1 hour 30 min"),
        (show_left(days=30), "30 days left"),
        (show_left(days=29, hours=23, minutes=59), "30 days left"),
        (show_left(days=1), "1 day left"),
        (show_left(days=1, hours=3), "2 days left"),
        (show_left(hours=3), "less than a day left"),
        (show_left(), "expired"),
    ],
    ids=str,
)
def test_figures_as_people_read_them(shown: object, expected: object) -> None:
    assert shown == expected


def test_markdown_reads_no_sign_of_a_name() -> None:
    assert escape_markdown("*a* [b](c) :red[d] $e$\n# f") == (
        "\\*a\\* \\[b\\](c) \\:red\\[d\\] \\$e\\$ \\# f"
    )
    assert "ana@x.example" not in escape_markdown("ana@x.example")


def test_progress_tells_rate_and_time_left_once_they_are_known() -> None:
    start = Progress(Phase.READING, 0, 1000)
    later = Progress(Phase.READING, 400, 1000)
    since = measure_pace(start, None, 10.0)
    assert find_rate(start, since, 10.5) is None
    rate = find_rate(later, measure_pace(later, since, 14.0), 14.0)
    assert rate == 100
    assert describe_progress(later, rate) == (
        "Reading: 400 of 1,000 rows, 100 rows per second, about 5 seconds left in this step"
    )
    assert find_fraction(later) == 0.4
    writing = Progress(Phase.WRITING, 0)  # a new phase or attempt is measured anew
    assert measure_pace(writing, since, 15.0).seconds == 15.0
    again = measure_pace(later, None, 10.0)
    assert measure_pace(Progress(Phase.READING, 10), again, 15.0).rows_done == 10


def test_time_left_goes_by_bytes_while_nobody_has_counted_the_rows() -> None:
    quarter = Progress(Phase.READING, 1000, None, 25, 100)
    assert describe_progress(quarter, 100.0).endswith("about 30 seconds left in this step")
    assert "left" not in describe_progress(Progress(Phase.READING, 0, None, 0, 100), 100.0)
    assert find_fraction(Progress(Phase.READING, 5, None, 30, 60)) == 0.5
    assert find_fraction(Progress(Phase.QUEUED)) == 0.0

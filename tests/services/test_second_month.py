"""The same list a month later: what differs, by pandas, and what a mail platform is to get."""

import io
from collections.abc import Sequence
from dataclasses import dataclass, replace

import pandas as pd
import pytest

from tests.applications import (
    Clock,
    OpenApplication,
    complete,
    delete_for_good,
    receive,
    run,
    send,
    submit,
)
from tests.services.test_never_mail import TAGGED
from tests.services.test_own_files import forbid
from tests.tables import write_csv
from tests.workbooks import write_sheets
from winnow.core.errors import Gone, InputError, ResultNotReady, TaskUnknown
from winnow.core.identities import LOCAL_ACCOUNT
from winnow.core.lists.cleaning import WhoDecides
from winnow.core.lists.comparison import NEVER_MAIL, Difference, Since, Wanted
from winnow.core.lists.exports import NOTHING_CHOSEN, DownloadChoice, Export
from winnow.core.lists.input_head import Choices
from winnow.core.lists.platforms import Platform, PlatformFile
from winnow.core.lists.rows import Variant
from winnow.core.lists.side_files import OwnFileKind
from winnow.core.tasks.repair_choice import SAFE_REPAIRS
from winnow.core.tasks.task import KeyType, Task
from winnow.core.verdicts.verdict import Action
from winnow.wiring import Application

COLUMNS = ("Email", "Status", "Country")
KINDS = ("Subscribed", "Unsubscribed", "Complained", "Bounced", "Subscribed", "Subscribed")
BAD = "throwaway.example"


def make_month(first: int, shift: int) -> pd.DataFrame:
    """Return 240 people from a number on, each with a status that changes with the shift."""
    rows = [
        (
            f"P{n}@{BAD if n % 11 == shift else 'firma.example'}",
            KINDS[(n + shift * (n % 3)) % 6],
            "",
        )
        for n in range(first, first + 240)
    ]
    return pd.DataFrame([*rows, rows[5], (rows[7][0].upper(), "Unsubscribed", "")], columns=COLUMNS)


OCTOBER, NOVEMBER = make_month(0, 0), make_month(40, 1)


def to_csv(frame: pd.DataFrame) -> bytes:
    return frame.to_csv(index=False).encode()


@dataclass(frozen=True)
class Month:
    """People by pandas: who is there, who says no, whose mail bounced, who is to be removed."""

    everyone: set[str]
    noes: set[str]
    hard: set[str]
    bad: set[str]

    @classmethod
    def read(cls, frame: pd.DataFrame) -> "Month":
        email, status = frame["Email"].str.lower(), frame["Status"]
        noes = set(email[status.isin(["Unsubscribed", "Complained"])])
        hard = set(email[status == "Bounced"])
        bad = set(email[email.str.endswith(BAD)])
        return cls(set(email), noes, hard, bad)

    @property
    def left_out(self) -> set[str]:
        """Who is left out, but not by a word of their own that comes first."""
        return self.bad | (self.hard - self.noes)


BEFORE, NOW = Month.read(OCTOBER), Month.read(NOVEMBER)


@pytest.fixture
def opened(open_application: OpenApplication) -> Application:
    return open_application(known=TAGGED)


def clean(opened: Application, clock: Clock, content: bytes, name: str) -> Task:
    clock.advance(days=1)
    return complete(opened, content, project_name=name, name=f"{name}.csv")


@pytest.fixture
def months(opened: Application, clock: Clock) -> tuple[Task, Task]:
    october = clean(opened, clock, to_csv(OCTOBER), "october")
    clean(opened, clock, b"email\nother@firma.example\n", "other")
    return october, clean(opened, clock, to_csv(NOVEMBER), "november")


NAMES = {
    Wanted.ADD: ("add-klaviyo", "add"),
    Wanted.SUPPRESS: ("klaviyo-suppression", "suppress"),
}


def read_people(
    opened: Application,
    now: Task,
    earlier_id: str,
    wanted: Wanted,
    choice: DownloadChoice = NOTHING_CHOSEN,
) -> set[str]:
    variant = Variant.SELECTION if wanted is Wanted.ADD else Variant.REMOVED
    platform = PlatformFile(Platform.KLAVIYO, wanted is Wanted.SUPPRESS)
    found = []
    for file in (platform, None):
        export = Export(variant, choice, Since(earlier_id, wanted), file)
        name, content = send(opened, now, export)
        assert name == f"{now.project_name}-{NAMES[wanted][file is None]}.csv"
        content = content.removeprefix(b"\xef\xbb\xbf")
        table = pd.read_csv(io.BytesIO(content)).rename(columns=str.lower)
        found.append(set(table["email"].str.lower()))
    assert found[0] == found[1]
    return found[0]


def test_counts_and_files_equal_those_of_pandas(
    opened: Application, clock: Clock, months: tuple[Task, Task]
) -> None:
    october, november = months
    comparisons = opened.services.comparisons
    (earlier,) = comparisons.list_earlier(LOCAL_ACCOUNT, november.task_id)
    assert earlier.earlier_id == october.task_id, "not that with other headings"
    found = comparisons.compare(LOCAL_ACCOUNT, october.task_id, november.task_id)
    both = BEFORE.everyone & NOW.everyone
    said_no = both & (NOW.noes - NOW.bad - BEFORE.noes)
    expected = {
        Difference.NEW: NOW.everyone - BEFORE.everyone,
        Difference.GONE: BEFORE.everyone - NOW.everyone,
        Difference.SAID_NO: both & (NOW.noes - BEFORE.noes),
        Difference.TURNED_BAD: (both & (NOW.left_out - BEFORE.left_out)) - (NOW.noes - BEFORE.noes),
        Difference.SAID_YES: both & BEFORE.noes - NOW.noes - NOW.left_out,
    }
    assert said_no
    assert {one: found.count(one) for one in expected} == {
        one: len(people) for one, people in expected.items()
    }
    for one, people in expected.items():
        page = comparisons.addresses(LOCAL_ACCOUNT, october.task_id, november.task_id, one, 0, 999)
        assert {address.email.lower() for address in page} == people
    forbidden = NOW.noes | NOW.hard
    added = read_people(opened, november, october.task_id, Wanted.ADD)
    assert added == expected[Difference.NEW] - forbidden - NOW.bad
    suppressed = read_people(opened, november, october.task_id, Wanted.SUPPRESS)
    assert suppressed == forbidden - (BEFORE.noes | BEFORE.hard)
    assert not suppressed & (NOW.everyone - forbidden)


EVERY_NO = write_csv(
    [
        ("email", "status", "Complained", "Email hard bounce reason"),
        ("an.na+news@gmail.com", "Unsubscribed", "", ""),
        ("ben@firma.example", "Subscribed", "yes", ""),
        ("cara@firma.example", "Subscribed", "", "UNKNOWN_USER"),
        ("dora@firma.example", "Pending", "", ""),
        ("eve@firma.example", "Opted out", "", ""),
        ("Eve@firma.example", "Subscribed", "", ""),  # the row that stays
        ("Fay <fay@firma.example>", "Unsubscribed", "", ""),
        ("gil@firma.example", "Subscribed", "", ""),
        ("hal@firma.example", "Subscribed", "", ""),  # in a do-not-mail file
    ]
)
PEOPLE = ("ann.a@googlemail.com", "ben@firma.example", "cara@firma.example", "dora@firma.example",
          "EVE@firma.example", "fay@firma.example", "gil@firma.example", "hal@firma.example",
          "ida@firma.example")  # fmt: skip
LATER = write_csv(
    [
        ("status", "email", "Complained", "Email hard bounce reason"),  # in another order
        *(("Subscribed", one, "", "") for one in PEOPLE),
        ("Unsubscribed", "jo@firma.example", "", ""),
    ]
)


@pytest.mark.parametrize("remembers", [False, True], ids=["", "never-mail"])
def test_who_said_no_last_month_is_not_added_in_any_spelling(
    opened: Application, clock: Clock, remembers: bool
) -> None:
    opened.services.never_mail.turn(LOCAL_ACCOUNT, is_on=remembers)
    october = clean(opened, clock, EVERY_NO, "october")
    forbid(opened, october, b"hal@firma.example\n")
    november = clean(opened, clock, LATER, "november")
    ids = LOCAL_ACCOUNT, october.task_id, november.task_id
    assert read_people(opened, november, october.task_id, Wanted.ADD) == {"ida@firma.example"}
    named = {"ann.a@googlemail.com", "fay@firma.example"} if remembers else set()
    suppressed = read_people(opened, november, october.task_id, Wanted.SUPPRESS)
    assert suppressed == {"jo@firma.example", *named}, "new spellings of remembered people"
    counts = opened.services.comparisons.compare(*ids)
    back = 0 if remembers else 4  # by their rows: ben, eve, hal, and dora, who has confirmed
    assert counts.count(Difference.SAID_YES) == back + remembers
    assert counts.count(Difference.NEW) == 4
    if remembers:
        assert read_people(opened, november, NEVER_MAIL, Wanted.SUPPRESS) == {"jo@firma.example"}
        found = opened.services.comparisons.list_earlier(*ids[::2])
        assert [one.earlier_id for one in found] == [october.task_id, NEVER_MAIL]


def test_the_same_list_twice_a_list_of_one_row_and_a_project_that_is_gone(
    opened: Application, clock: Clock
) -> None:
    comparisons = opened.services.comparisons
    one = b"email,status,status\r\na@firma.example,Subscribed,\r\n"
    first = clean(opened, clock, one, "one")
    twice = [clean(opened, clock, LATER, "twice") for _ in range(2)]
    assert comparisons.list_earlier(LOCAL_ACCOUNT, twice[1].task_id) == ()
    changed = clean(opened, clock, one.replace(b"Subscribed", b"Unsubscribed"), "one")
    (earlier,) = comparisons.list_earlier(LOCAL_ACCOUNT, changed.task_id)
    assert earlier.earlier_id == first.task_id
    ids = LOCAL_ACCOUNT, first.task_id, changed.task_id
    assert comparisons.compare(*ids).count(Difference.SAID_NO) == 1
    export = Export(Variant.REMOVED, rows=Since(first.task_id, Wanted.SUPPRESS))
    link = opened.services.downloads.issue(LOCAL_ACCOUNT, changed.task_id, export)
    delete_for_good(opened.services, first.task_id)
    assert comparisons.list_earlier(LOCAL_ACCOUNT, changed.task_id) == ()
    with pytest.raises((Gone, TaskUnknown)):
        comparisons.compare(*ids)
    with pytest.raises((Gone, TaskUnknown)):
        b"".join(opened.services.downloads.open(link.path.rpartition("/")[2]).read_content())


def test_a_corrected_copy_stands_for_its_project_only_among_corrected_ones(
    opened: Application, clock: Clock
) -> None:
    def correct(task: Task) -> Task:
        clock.advance(days=1)
        made = opened.services.repairs.run(LOCAL_ACCOUNT, task.task_id, SAFE_REPAIRS)
        run(opened)
        return made

    def compare(task: Task) -> tuple[str, int]:
        before = opened.services.comparisons.list_earlier(LOCAL_ACCOUNT, task.task_id)[0].earlier_id
        found = opened.services.comparisons.compare(LOCAL_ACCOUNT, before, task.task_id)
        return before, found.count(Difference.NEW)

    october = clean(opened, clock, b"email\r\nana@@firma.example\r\nbo@firma.example\r\n", "one")
    october_mended = correct(october)
    november = clean(opened, clock, b"email\r\nana@@firma.example\r\ncy@firma.example\r\n", "two")
    assert compare(november) == (october.task_id, 1)
    assert compare(correct(november)) == (october_mended.task_id, 1)
    delete_for_good(opened.services, october.task_id)
    assert compare(november)[0] == october_mended.task_id


@pytest.mark.parametrize("asked", [None, *WhoDecides])
@pytest.mark.parametrize("usual", [WhoDecides.ANY_NO, WhoDecides.KEPT])
def test_who_decides_in_the_later_project_or_its_download_holds_for_its_comparison(
    opened: Application, clock: Clock, usual: WhoDecides, asked: WhoDecides | None
) -> None:
    policies, comparisons = opened.services.policies, opened.services.comparisons
    default = policies.find_default(LOCAL_ACCOUNT)
    choice = replace(default.choice, policy=default.choice.policy.let_decide(usual))
    policies.change(LOCAL_ACCOUNT, default.policy_id, choice=choice)
    october = clean(opened, clock, write_csv([HEAD, (BEN, YES), (IDA, YES)]), "october")
    torn = [(one, said) for one in (BEN, KIM) for said in (NO, YES)]
    clock.advance(days=1)
    november = complete(opened, write_csv([HEAD, *torn, (IDA, YES)]), who_decides=asked)
    own = asked or usual
    assert policies.find_usual(LOCAL_ACCOUNT, november).policy.who_decides is own
    found = comparisons.compare(LOCAL_ACCOUNT, october.task_id, november.task_id)
    is_no = own is WhoDecides.ANY_NO or own is WhoDecides.NEWEST  # without dates
    assert found.count(Difference.SAID_NO) == is_no
    assert found.by_action[Difference.NEW][Action.KEEP] == (not is_no)
    for one in (WhoDecides.ANY_NO, WhoDecides.KEPT):  # as chosen on the project's page
        form = DownloadChoice(choice.policy.let_decide(one))
        noes = {BEN, KIM} if one is WhoDecides.ANY_NO else set()
        ids = november, october.task_id
        assert read_people(opened, *ids, Wanted.SUPPRESS, form) == noes
        assert read_people(opened, *ids, Wanted.ADD, form) == {KIM} - noes


@pytest.mark.parametrize("remembers", [False, True], ids=["", "never-mail"])
def test_an_earlier_file_is_compared_and_not_kept(
    opened: Application, clock: Clock, remembers: bool
) -> None:
    services = opened.services
    services.never_mail.turn(LOCAL_ACCOUNT, is_on=remembers)
    november = clean(opened, clock, to_csv(NOVEMBER), "november")
    october = to_csv(OCTOBER)
    for content in (b"email\nx@firma.example\n", october):  # the second takes the first's place
        received = receive(opened, content, "october.csv")
        made = services.own_files.add_earlier(LOCAL_ACCOUNT, november.task_id, received)
    assert not list(opened.folder.inputs.glob(f"{received.upload_id}*"))
    earlier = services.comparisons.list_earlier(LOCAL_ACCOUNT, november.task_id)[0]
    assert (earlier.earlier_id, earlier.name) == (made.file_id, "october.csv")
    found = services.comparisons.compare(LOCAL_ACCOUNT, made.file_id, november.task_id)
    both = BEFORE.everyone & NOW.everyone
    assert found.count(Difference.NEW) == len(NOW.everyone - BEFORE.everyone)
    assert found.count(Difference.SAID_NO) == len(both & (NOW.noes - BEFORE.noes))
    assert found.count(Difference.GONE) == len(BEFORE.everyone - NOW.everyone)
    assert found.count(Difference.SAID_YES) == 0, "their noes count here"
    gone = services.comparisons.addresses(
        LOCAL_ACCOUNT, made.file_id, november.task_id, Difference.GONE, 0, 9
    )
    assert gone == ()
    mailed = pd.read_csv(io.BytesIO(send(opened, november, Export(Variant.CLEANED))[1]))["Email"]
    kept = NOW.everyone - NOW.noes - NOW.hard - NOW.bad
    assert set(mailed.str.lower()) == kept - BEFORE.noes - BEFORE.hard
    assert read_people(opened, november, made.file_id, Wanted.ADD) == kept - BEFORE.everyone
    suppressed = read_people(opened, november, made.file_id, Wanted.SUPPRESS)
    assert suppressed == (NOW.noes | NOW.hard) - BEFORE.noes - BEFORE.hard
    delete_for_good(services, november.task_id)
    remembered = [one.kind for one in services.never_mail.list(LOCAL_ACCOUNT)]
    assert (OwnFileKind.BOUNCES in remembered) is remembers
    assert OwnFileKind.EARLIER not in remembered


Rows = Sequence[tuple[str, ...]]
YES, NO = ("Subscribed", "Unsubscribed")
BEN, IDA, KIM = ("ben@firma.example", "ida@firma.example", "kim@firma.example")
TWO, TWICE = ("work email", "private email", "status"), ("email", "status", "email")
IN_SECOND = {"email_column": "work email", "second_email_column": "private email"}
HEAD = ("email", "status")


def test_no_spelling_of_who_says_no_in_one_list_is_in_the_difference(
    opened: Application, clock: Clock
) -> None:
    rows = [HEAD, (BEN, YES)]
    said, other = (
        clean(opened, clock, write_csv([*rows, *some]), "list")
        for some in ([("an.na+news@gmail.com", NO)], [("anna@googlemail.com", YES), (KIM, YES)])
    )
    for one, two in ((said, other), (other, said)):
        ids = LOCAL_ACCOUNT, one.task_id, two.task_id
        found = b"".join(opened.services.comparisons.open_stream(*ids)())
        assert (KIM.encode() in found, b"mail.com" in found) == (True, False)


def add_file(opened: Application, now: Task, content: bytes, name: str = "october.csv") -> str:
    received = receive(opened, content, name)
    return opened.services.own_files.add_earlier(LOCAL_ACCOUNT, now.task_id, received).file_id


def read_mailed(opened: Application, now: Task, file_id: str) -> set[str]:
    """Return who is in the main download, or in that of who is to be added."""
    platform = PlatformFile(Platform.KLAVIYO, False)
    found = set[str]()
    for export in (
        Export(Variant.CLEANED, platform=platform),
        Export(Variant.SELECTION, rows=Since(file_id, Wanted.ADD), platform=platform),
    ):
        found |= set(pd.read_csv(io.BytesIO(send(opened, now, export)[1]))["Email"])
    return found


def write_list(rows: Rows, sheet: str) -> tuple[bytes, str]:
    """Return rows as CSV, or as a sheet of a workbook behind another one with addresses."""
    if not sheet:
        return write_csv(rows), "list.csv"
    return write_sheets({"Staff": [HEAD, (IDA, YES)], sheet: rows}), "list.xlsx"


@pytest.mark.parametrize(
    ("now", "options", "last", "sheet"),
    [
        ([TWO, (IDA, "", YES), ("", BEN, YES)], IN_SECOND,
         [TWO, (IDA, "", YES), ("", BEN, NO)], ""),
        ([HEAD, (BEN, YES), (IDA, YES)], {"choices": Choices(sheet="People")},
         [HEAD, (BEN, NO), (IDA, YES)], "People"),
        ([("Ida", IDA, YES), ("Ben", BEN, YES)],
         {"choices": Choices(has_header=False, email_column=1)},
         [("Ida", IDA, YES), ("Ben", BEN, NO)], ""),
        ([TWICE, (KIM, YES, BEN), (KIM, YES, IDA)], {"choices": Choices(email_column=2)},
         [TWICE, (KIM, NO, BEN), (KIM, YES, IDA)], ""),
        ([HEAD, (BEN, YES), (IDA, YES)], {}, [("Status", "Adresse"), (NO, BEN), (YES, IDA)], ""),
    ],
    ids=["second column", "sheet", "no header", "position", "another name"],
)  # fmt: skip
def test_an_earlier_file_is_read_as_the_project_was(
    opened: Application,
    now: Rows,
    options: dict[str, object],
    last: Rows,
    sheet: str,
) -> None:
    content, name = write_list(now, sheet)
    task = complete(opened, content, name=name, **options)
    file_id = add_file(opened, task, *write_list(last, sheet))
    found = opened.services.comparisons.compare(LOCAL_ACCOUNT, file_id, task.task_id)
    assert found.count(Difference.NEW) == 0
    assert read_mailed(opened, task, file_id) == {IDA}


@pytest.mark.parametrize(
    ("options", "last", "sheet", "said"),
    [
        ({}, [("email", "mail2", "status"), ("", BEN, NO), ("", IDA, YES)], "", "column 'email'"),
        ({}, [HEAD, ("7", NO), ("8", YES)], "", "column 'email'"),
        ({}, [HEAD, ("", NO), ("", YES)], "", "column 'email'"),
        (IN_SECOND, [("work email", "home", "status"), (IDA, "", YES), ("", BEN, NO)], "",
         "column 'private email'"),
        ({"choices": Choices(sheet="People")}, [HEAD, (BEN, NO)], "Members", "sheet 'People'"),
    ],
    ids=["addresses elsewhere", "no addresses", "blank", "no second column", "no sheet"],
)  # fmt: skip
def test_an_earlier_file_that_cannot_be_read_so_is_refused_in_words(
    opened: Application, options: dict[str, object], last: Rows, sheet: str, said: str
) -> None:
    rows = [TWO, (BEN, "", YES)] if options is IN_SECOND else [HEAD, (BEN, YES)]
    content, name = write_list(rows, "People" if sheet else "")
    task = complete(opened, content, name=name, **options)
    with pytest.raises(InputError, match=said) as error:
        add_file(opened, task, *write_list(last, sheet))
    assert error.value.hint
    assert not opened.services.own_files.list_of_task(LOCAL_ACCOUNT, task.task_id)


def test_the_noes_of_an_earlier_file_go_with_it(opened: Application) -> None:
    services = opened.services
    services.never_mail.turn(LOCAL_ACCOUNT, is_on=True)
    people = [(one, YES) for one in (BEN, IDA, "annaka@gmail.com")]
    task = complete(opened, write_csv([HEAD, *people]))
    add_file(opened, task, write_csv([HEAD, (BEN, NO), (IDA, NO)]), "wrong.csv")
    right = write_csv([HEAD, ("anna.ka+news@gmail.com", NO)])
    for _ in range(2):
        file_id = add_file(opened, task, right)
        [file] = services.own_files.list_of_task(LOCAL_ACCOUNT, task.task_id)
        assert file.file_name == "october.csv"
        assert services.never_mail.list(LOCAL_ACCOUNT) == (file,)
        assert file.counts.noes == services.never_mail.count(LOCAL_ACCOUNT) == 1, "one person"
    assert read_mailed(opened, task, file_id) == {BEN, IDA}
    cited = services.never_mail.find_noes(LOCAL_ACCOUNT, "annaka@gmail.com")
    assert [one.source for one in cited[0]] == ["your list october.csv"]
    delete_for_good(services, task.task_id)
    assert services.never_mail.find_noes(LOCAL_ACCOUNT, "annaka@gmail.com") == cited
    assert not services.own_files.list(LOCAL_ACCOUNT, OwnFileKind.BOUNCES), "it is no bounce file"


@pytest.mark.parametrize(
    ("name", "is_no"),
    [
        ("unsubscribed_members_export_8f2.csv", True),
        ("Cleaned_Email_Audience_Export_8f2.csv", True),
        ("suppression_spam_reports.csv", True),
        ("Abgemeldete Kontakte.csv", True),
        ("cleaned may.csv", False),  # a list that was cleaned
        ("october-cleaned.csv", False),
    ],
)
def test_the_name_of_an_earlier_file_says_who_is_in_it(
    opened: Application, name: str, is_no: bool
) -> None:
    task = complete(opened, write_csv([("email",), (BEN,), (IDA,)]))
    file_id = add_file(opened, task, write_csv([("email",), (BEN.upper(),)]), name)
    assert read_mailed(opened, task, file_id) == ({IDA} if is_no else {BEN, IDA})


@pytest.mark.parametrize("remembers", [False, True], ids=["", "never-mail"])
def test_a_later_yes_is_offered_after_a_no_of_an_earlier_file(
    opened: Application, clock: Clock, remembers: bool
) -> None:
    services = opened.services
    services.never_mail.turn(LOCAL_ACCOUNT, is_on=remembers)
    rows = [("email", "OPTIN_TIME"), (BEN, "2026-11-01"), (IDA, "2026-11-01"), (KIM, "2026-10-01")]
    task = clean(opened, clock, write_csv(rows), "november")
    noes = [("email", "UNSUB_TIME", "bounced"), (BEN, "2026-10-05", ""),
            (IDA, "2026-10-05", "hard"), (KIM, "2026-10-05", "")]  # fmt: skip
    file_id = add_file(opened, task, write_csv(noes))
    [yes] = services.never_mail.find_later_yes(LOCAL_ACCOUNT, task.task_id)
    assert (yes.number, f"{yes.said_no}", f"{yes.said_yes}") == (1, "2026-10-05", "2026-11-01")
    assert read_mailed(opened, task, file_id) == set()
    services.never_mail.mail_again(LOCAL_ACCOUNT, task.task_id, yes.number)
    assert read_mailed(opened, task, file_id) == {BEN}


def test_an_unfinished_project_takes_no_earlier_file_and_a_sandbox_asks_nothing(
    opened: Application,
) -> None:
    waiting = submit(opened, LATER)
    with pytest.raises(ResultNotReady, match="not finished"):
        add_file(opened, waiting, LATER)
    rows = [HEAD, (f"ben@{BAD}", YES), (IDA, YES)]
    sandbox = complete(opened, write_csv(rows), key_type=KeyType.SANDBOX)
    file_id = add_file(opened, sandbox, write_csv(rows))
    found = opened.services.comparisons.compare(LOCAL_ACCOUNT, file_id, sandbox.task_id)
    assert not any(map(found.count, Difference)), "the same list, judged in the same way"

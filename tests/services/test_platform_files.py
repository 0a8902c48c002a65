"""Files for mail platforms, read back by Python's csv; split where they pass a limit."""

import random
from dataclasses import replace

import pytest

from tests.applications import complete, send
from tests.services.test_downloads import unpack
from tests.tables import read_csv, write_csv
from winnow.core.identities import LOCAL_ACCOUNT
from winnow.core.lists import platforms
from winnow.core.lists.cleaning import USUAL_GROUNDS, CleaningPolicy
from winnow.core.lists.contact_fields import ContactField
from winnow.core.lists.dimensions import DOMAIN
from winnow.core.lists.exports import DownloadChoice, Export
from winnow.core.lists.file_format import FileFormat
from winnow.core.lists.input_head import Choices
from winnow.core.lists.platforms import Platform, PlatformFile
from winnow.core.lists.rows import Chosen, RowFilter, Variant
from winnow.core.verdicts.domain_types import Ground
from winnow.wiring import Application

DOMAINS = ("mailboxes.example", "throwaway.example", "firm-a.de", "")
NAMES = ("Ana", "Bo", "Ĉu", 'says "hi"', "a, b", "two\nlines", "", "=1+1", "Ümit")


def make_rows(count: int) -> list[tuple[str, str, str, str]]:
    chance = random.Random(count)
    return [
        (
            chance.choice(NAMES),
            f"{' ' * chance.choice((0, 0, 1))}p{number}@{chance.choice(DOMAINS)}".rstrip("@"),
            f"{chance.choice(NAMES)}{number}",
            str(number),
        )
        for number in range(count)
    ]


ROWS = make_rows(300)
LIST = write_csv([("Vorname", "Email", "Nachname", "Kundennummer"), *ROWS], delimiter=";")
VALID = [row for row in ROWS if "@" in row[1]]
KEPT = [row for row in VALID if "throwaway" not in row[1]]
GONE = [row for row in VALID if "throwaway" in row[1]]


def test_contacts_and_suppression_are_files_of_their_own(opened: Application) -> None:
    task, traits = complete(opened, LIST), Platform.MAILCHIMP.traits
    choice = DownloadChoice(adds_reason=True, safe_for_excel=True, file_format=FileFormat.XLSX)
    export = Export(Variant.CLEANED, choice, platform=PlatformFile(Platform.MAILCHIMP))
    file_name, sent = send(opened, task, export)
    assert file_name == "spring-mailchimp.csv"
    head, *rows = read_csv(sent)
    names = (traits.fields[one] for one in (ContactField.FIRST_NAME, ContactField.LAST_NAME))
    assert head == [traits.email, *names]
    assert rows == [[email.strip(), first, last] for first, email, last, _ in KEPT]
    file = PlatformFile(Platform.MAILCHIMP, is_suppression=True)
    file_name, sent = send(opened, task, Export(Variant.REMOVED, platform=file))
    assert file_name == "spring-mailchimp-suppression.csv"
    assert read_csv(sent) == [[traits.suppression], *([row[1].strip()] for row in GONE)]


@pytest.mark.parametrize("variant", [Variant.REMOVED, Variant.SELECTION, Variant.CLEANED])
@pytest.mark.parametrize("grounds", [USUAL_GROUNDS, frozenset(Ground)])
def test_a_suppression_file_has_no_row_that_may_be_mailed(
    opened: Application, grounds: frozenset[Ground], variant: Variant
) -> None:
    said = [f"{email},{'yes' if '9' in email else 'no'}" for _, email, *_ in VALID]
    task = complete(opened, "\r\n".join(["email,unsubscribed", *said]).encode())
    choice = DownloadChoice(CleaningPolicy(grounds))
    file = PlatformFile(Platform.KLAVIYO, is_suppression=True)
    _, sent = send(opened, task, Export(variant, choice, platform=file))
    wanted = [row[1].strip() for row in VALID if row in GONE or "9" in row[1]]
    assert [row[0] for row in read_csv(sent)[1:]] == wanted, "free providers are only left out"


def test_the_preview_is_what_the_file_begins_with(opened: Application) -> None:
    task, platform = complete(opened, LIST), Platform.MAILCHIMP
    file = PlatformFile(platform, adds_verdict=True, adds_others=True)
    export = Export(Variant.CLEANED, DownloadChoice(CleaningPolicy(frozenset())), platform=file)
    seen = opened.services.results.preview_platform(LOCAL_ACCOUNT, task.task_id, export, 7)
    head, *rows = read_csv(send(opened, task, export)[1])
    assert list(seen.layout.header) == head
    assert [list(row) for row in seen.rows] == rows[:7]
    count = opened.services.results.measure(LOCAL_ACCOUNT, task.task_id, export)
    assert (count, seen.unusable) == (len(VALID), len(ROWS) - len(VALID))
    assert len(rows) == len(VALID)
    verdicts = {row[head.index(platform.traits.verdict)] for row in rows}
    assert verdicts == {f"{platform.traits.verdict_prefix}{one}" for one in ("white", "black")}
    assert [row[head.index("Kundennummer")] for row in rows] == [row[3] for row in VALID]


def test_what_is_filtered_or_ticked_is_a_platforms_file_as_well(opened: Application) -> None:
    task = complete(opened, LIST)
    file = PlatformFile(Platform.KLAVIYO)
    chosen = RowFilter(Chosen().choose(DOMAIN, "firm-a.de"))
    file_name, sent = send(opened, task, Export(Variant.SELECTION, rows=chosen, platform=file))
    assert file_name == "spring-selection-klaviyo.csv"
    wanted = [row[1].strip() for row in VALID if row[1].endswith("@firm-a.de")]
    assert [row[0] for row in read_csv(sent)[1:]] == wanted
    number = ROWS.index(KEPT[0]) + 1
    ticked = Export(Variant.SELECTION, rows=frozenset({number}), platform=file)
    assert read_csv(send(opened, task, ticked)[1])[1:] == [[KEPT[0][1].strip(), *KEPT[0][0:3:2]]]


def test_a_list_without_header_has_its_addresses(opened: Application) -> None:
    content = b"Ana;ana@firm-a.de;B;1\r\n"
    task = complete(opened, content, choices=Choices(has_header=False, email_column=1))
    file = PlatformFile(Platform.BREVO, adds_others=True)
    head, *rows = read_csv(send(opened, task, Export(Variant.CLEANED, platform=file))[1])
    assert head == ["EMAIL", "column 1", "column 3", "column 4"]
    assert rows == [["ana@firm-a.de", "Ana", "B", "1"]]


@pytest.mark.parametrize("most_bytes", [1, 60, 700, 4000])
def test_a_file_is_split_at_the_platforms_size(
    opened: Application, most_bytes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = complete(opened, LIST)
    export = Export(Variant.CLEANED, platform=PlatformFile(Platform.KLAVIYO, adds_others=True))
    head, *rows = read_csv(send(opened, task, export)[1])
    small = replace(Platform.KLAVIYO.traits, most_bytes=most_bytes, most_rows=50)
    records = {**platforms.PLATFORMS, Platform.KLAVIYO: small}
    monkeypatch.setattr(platforms, "PLATFORMS", records)
    files = list(unpack(send(opened, task, export)[1]).values())
    read_back = [read_csv(content) for content in files]
    assert all(part[0] == head for part in read_back)
    assert [row for part in read_back for row in part[1:]] == rows
    assert all(len(part) - 1 <= 50 for part in read_back)
    header_bytes = files[0].index(b"\r\n") + 2
    for this, following in zip(files, [*files[1:], b""], strict=True):
        count = len(read_csv(this)) - 1
        assert len(this) <= most_bytes or count == 1  # a row that is larger stands alone
        if following and count < 50:
            first = following[header_bytes : following.index(b"\r\n", header_bytes) + 2]
            assert len(this) + len(first) > most_bytes or b'"' in first


def test_a_project_without_rows_has_a_header(opened: Application) -> None:
    task = complete(opened, b"email,first name\nx,Ana\n")
    export = Export(Variant.CLEANED, platform=PlatformFile(Platform.BREVO))
    assert send(opened, task, export) == ("spring-brevo.csv", b"EMAIL,FIRSTNAME\r\n")


def test_salesforce_gets_the_contact_id_to_upsert_by() -> None:
    file = PlatformFile(Platform.SALESFORCE)
    layout = platforms.lay_out(file, ("Contact ID", "Last Name", "Email", "id"), 2)
    assert layout.header == ("Email", "Id", "LastName")
    assert [column.source for column in layout.columns] == [2, 0, 1]

"""Every way to a file of people to mail leaves out who said no: one list with each kind of no."""

from dataclasses import replace

import pytest

from tests.applications import complete, explain, send
from tests.services.test_downloads import unpack
from tests.tables import read_csv, write_csv
from winnow.core.identities import LOCAL_ACCOUNT
from winnow.core.lists.cleaning import USUAL_GROUNDS, CleaningPolicy
from winnow.core.lists.exports import DownloadChoice, Export
from winnow.core.lists.file_format import FileFormat
from winnow.core.lists.platforms import Platform, PlatformFile
from winnow.core.lists.rows import RowFilter, Variant
from winnow.core.tasks.task import Task
from winnow.core.verdicts.domain_types import Ground
from winnow.core.verdicts.verdict import Category
from winnow.wiring import Application

COLUMNS = ("email", "status", "Email hard bounce reason", "Complained")
ROWS = (
    ("own@firma.example", "unsubscribed", "", ""),
    ("removed@firma.example", "Opted out", "", ""),
    ("complained@firma.example", "subscribed", "", "yes"),
    ("pending@firma.example", "pending", "", ""),
    ("bounced@firma.example", "subscribed", "UNKNOWN_USER", ""),
    ("yes@firma.example", "subscribed", "", ""),
    ("removed@firma.example", "subscribed", "", ""),
    ("never@firma.example", "never subscribed", "", ""),
    ("unknown@firma.example", "gone fishing", "", ""),
)
KEPT = ["yes@firma.example", "never@firma.example", "unknown@firma.example"]
LEFT_OUT = ["own@firma.example", "complained@firma.example", "pending@firma.example",
            "bounced@firma.example", "removed@firma.example"]  # fmt: skip
CLEANED = Export(Variant.CLEANED)
KLAVIYO = PlatformFile(Platform.KLAVIYO)
ALL_TICKED = frozenset(range(1, 1_000))
DOORS = [
    *map(Export, (Variant.CLEANED, Variant.REVIEW)),
    Export(Variant.SELECTION, rows=RowFilter()),
    Export(Variant.SELECTION, rows=ALL_TICKED),
    *(Export(Variant.CLEANED, platform=PlatformFile(one)) for one in Platform),
]


def read_first(data: bytes) -> list[str]:
    return [row[0] for row in read_csv(data.removeprefix(b"\xef\xbb\xbf"))][1:]


@pytest.fixture
def task(opened: Application) -> Task:
    return complete(opened, write_csv([COLUMNS, *ROWS]))


@pytest.mark.parametrize(
    "export",
    [
        pytest.param(CLEANED, id="main"),
        pytest.param(replace(CLEANED, platform=KLAVIYO), id="platform"),
        pytest.param(replace(CLEANED, choice=DownloadChoice(adds_reason=True)), id="reasons"),
        pytest.param(
            replace(CLEANED, choice=DownloadChoice(file_format=FileFormat.TSV)), id="format"
        ),
        pytest.param(Export(Variant.SELECTION, rows=RowFilter(text="firma")), id="these-rows"),
        pytest.param(Export(Variant.SELECTION, rows=ALL_TICKED), id="ticked"),
        pytest.param(Export(rows=RowFilter(text="firma")), id="these-rows-of-older-links"),
        pytest.param(Export(platform=KLAVIYO), id="whole-list-for-a-platform"),
    ],
)
def test_a_link(opened: Application, task: Task, export: Export) -> None:
    sent = send(opened, task, export)[1]
    if export.choice.file_format is FileFormat.TSV:
        sent = sent.replace(b"\t", b",")
    assert read_first(sent) == KEPT


def test_suppression_files_and_the_whole_list_hold_them(opened: Application, task: Task) -> None:
    file = PlatformFile(Platform.KLAVIYO, is_suppression=True)
    found = read_first(send(opened, task, Export(Variant.REMOVED, platform=file))[1])
    assert sorted(found) == sorted(LEFT_OUT)
    for variant in (Variant.AUGMENTED, Variant.ORIGINAL):
        assert len(read_first(send(opened, task, Export(variant))[1])) == 8


def test_a_zip(opened: Application, task: Task) -> None:
    found = unpack(send(opened, task, Export(Variant.PACK))[1])
    assert read_first(found["spring-cleaned.csv"]) == KEPT
    assert sorted(read_first(found["spring-removed.csv"])) == sorted(LEFT_OUT)


def test_a_difference(opened: Application, task: Task) -> None:
    before = complete(opened, write_csv([COLUMNS, ("old@firma.example", "subscribed", "", "")]))
    services = opened.services
    stream = services.comparisons.open_stream(LOCAL_ACCOUNT, before.task_id, task.task_id)
    assert read_first(b"".join(stream())) == ["old@firma.example", *KEPT]
    again = services.comparisons.open_stream(LOCAL_ACCOUNT, task.task_id, before.task_id)
    assert read_first(b"".join(again())) == [*KEPT, "old@firma.example"]


@pytest.mark.parametrize(
    ("kept", "back"),
    [
        pytest.param({Ground.SAID_ELSEWHERE, Ground.SAID_BEFORE}, [LEFT_OUT[4]], id="kept-row"),
        pytest.param({Ground.SAID_BEFORE}, [], id="newest-row-without-dates"),
        pytest.param({Ground.BOUNCED}, ["bounced@firma.example"], id="bounces-stay"),
    ],
)
def test_a_policy_may_keep_some(
    opened: Application, task: Task, kept: set[Ground], back: list[str]
) -> None:
    policy = CleaningPolicy(USUAL_GROUNDS - kept)
    assert CleaningPolicy.from_json(policy.to_json()) == policy
    choice = DownloadChoice(policy)
    found = read_first(send(opened, task, Export(Variant.CLEANED, choice))[1])
    assert sorted(found) == sorted([*KEPT, *back])


def test_the_row_of_the_no_is_named(opened: Application, task: Task) -> None:
    texts = (str(one.rule) for number in range(1, 9) for one in explain(opened, task, number))
    said = [text for text in texts if text.startswith("Row ")]
    assert said == ["Row 3 of list.csv says “Opted out” in the column status."]


SILENT_ROWS = (
    ("email", "status", "Last click"),
    ("old@firma.example", "subscribed", "2024-01-05"),
    ("new@firma.example", "subscribed", "2026-11-01"),
    ("undated@firma.example", "subscribed", ""),
    ("old-no@firma.example", "unsubscribed", "2024-01-05"),
    ("new-no@firma.example", "unsubscribed", "2026-11-01"),
    ("old@throwaway.example", "subscribed", "2024-01-05"),
    ("kept@firma.example", "subscribed", "2024-01-05"),
)
SILENT = DownloadChoice(CleaningPolicy(silent_months=12))
MAILED = ["new@firma.example", "undated@firma.example", "kept@firma.example"]
SUPPRESSED = ["new-no@firma.example", "old-no@firma.example"]


@pytest.fixture
def silent_task(opened: Application) -> Task:
    opened.services.own_lists.add(LOCAL_ACCOUNT, "kept@firma.example", Category.WHITE, "")
    return complete(opened, write_csv(SILENT_ROWS))


@pytest.mark.parametrize(
    ("variant", "wanted"),
    [
        (Variant.CLEANED, MAILED),
        (Variant.SELECTION, MAILED),
        (Variant.LATER, ["old@firma.example"]),
        (Variant.REMOVED, [*SUPPRESSED, "old@throwaway.example"]),
        (Variant.AUGMENTED, [row[0] for row in SILENT_ROWS[1:]]),
    ],
)
@pytest.mark.parametrize("form", ["own", "tsv", "platform", "ticked"])
def test_silent_people_are_not_mailed_and_not_suppressed(
    opened: Application, silent_task: Task, variant: Variant, wanted: list[str], form: str
) -> None:
    """Over every door; who said no stays in the suppression file, silent or not."""
    export = Export(variant, SILENT)
    if form == "tsv":
        export = replace(export, choice=replace(SILENT, file_format=FileFormat.TSV))
    if form == "ticked":
        export = replace(export, rows=ALL_TICKED)
    if form == "platform" or (form == "ticked" and variant is Variant.AUGMENTED):
        use = PlatformFile(Platform.KLAVIYO, is_suppression=variant is Variant.REMOVED)
        export = replace(export, platform=use)
    if variant is Variant.AUGMENTED and export.platform is not None:
        wanted = [one for one in wanted if one not in SUPPRESSED]  # as links before 0.4
    sent = send(opened, silent_task, export)[1].replace(b"\t", b",")
    assert sorted(read_first(sent)) == sorted(wanted)


def test_a_zip_has_them_in_a_file_of_their_own(opened: Application, silent_task: Task) -> None:
    packed = unpack(send(opened, silent_task, Export(Variant.PACK, SILENT))[1])
    assert read_first(packed["spring-not-mailed.csv"]) == ["old@firma.example"]
    without = unpack(send(opened, silent_task, Export(Variant.PACK))[1])
    assert "spring-not-mailed.csv" not in without


def test_the_choice_survives_as_codes() -> None:
    policy = CleaningPolicy(USUAL_GROUNDS - {Ground.BOUNCED}, 24)
    assert CleaningPolicy.from_json(policy.to_json()) == policy
    assert CleaningPolicy.from_json(["black", "silent-7", "silent-"]).silent_months is None

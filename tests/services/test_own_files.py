"""Do-not-mail files of a list and imported bounces: what they take from it, and their end."""

import re
from datetime import timedelta
from functools import partial
from pathlib import Path

import pytest

from tests.applications import (
    Clock,
    Interrupted,
    OpenApplication,
    complete,
    delete_for_good,
    download,
    follow,
    measure_use,
    receive,
    run,
    stage,
    sweep,
)
from winnow.core.blobs import BlobKind
from winnow.core.errors import EmptyFile, Gone, QuotaExceeded
from winnow.core.identities import LOCAL_ACCOUNT
from winnow.core.lists.cleaning import CleaningEffect, CleaningPolicy
from winnow.core.lists.dimensions import REASON
from winnow.core.lists.exports import DownloadChoice, Export
from winnow.core.lists.file_format import FileFormat
from winnow.core.lists.rows import Chosen, RowFilter, Variant
from winnow.core.lists.side_files import MailOutcome, OwnFile, OwnFileKind
from winnow.core.lists.upload import Upload
from winnow.core.tasks.task import KeyType, Task
from winnow.core.verdicts.domain_types import Ground
from winnow.core.verdicts.facts import Evidence
from winnow.core.verdicts.reasons import Reason
from winnow.core.verdicts.verdict import Category, Verdict
from winnow.storage.repositories.own_files import begin_file
from winnow.wiring import Application

LIST = (
    b"id,email\n1,ana@mailboxes.example\n2,bo@throwaway.example\n3,cy@firma.example\n"
    b"4,di@sub.firma.example\n5,not an address\n6,eve@other.example\n"
)
FORBIDDEN = b"Email Address,Why\nANA@mailboxes.example,asked\nbo@throwaway.example,asked\n"
BOUNCED = (
    b"email,bounce_type,date\nANA@mailboxes.example,hard,2026-05-03\n"
    b"cy@firma.example,soft,2026-05-04\neve@other.example,delivered,2026-05-05\n"
    b"bo@throwaway.example,hard,2026-05-06\n"
)

STANDARD = CleaningPolicy()


def forbid(
    opened: Application, of: Task | Upload, data: bytes = FORBIDDEN, name: str = "do-not-mail.csv"
) -> OwnFile:
    """Add a do-not-mail file to a project, or to an upload."""
    files, received = opened.services.own_files, receive(opened, data, name)
    if isinstance(of, Task):
        return files.add_to_task(LOCAL_ACCOUNT, of.task_id, received)
    kind = OwnFileKind.DO_NOT_MAIL
    return files.add(LOCAL_ACCOUNT, kind, received, upload_id=of.upload_id)


def list_files(opened: Application, task: Task) -> list[tuple[str, int]]:
    """Return name and matched rows of a project's do-not-mail files, the oldest first."""
    files = opened.services.own_files
    counts = files.count_rows(LOCAL_ACCOUNT, task.task_id) or {}
    found = files.list_of_task(LOCAL_ACCOUNT, task.task_id)
    return [(file.file_name, counts[file.file_id]) for file in found]


def bounce(opened: Application, content: bytes = BOUNCED) -> OwnFile:
    received = receive(opened, content, "bounces.csv")
    return opened.services.own_files.add(LOCAL_ACCOUNT, OwnFileKind.BOUNCES, received)


def list_ids(opened: Application, task: Task, variant: Variant = Variant.CLEANED) -> str:
    return "".join(re.findall(r"^\d", download(opened, task, variant).decode(), re.MULTILINE))


def judge_row(
    opened: Application, task: Task, number: int = 1
) -> tuple[Verdict, tuple[Evidence, ...]]:
    results = opened.services.results
    row = results.row(LOCAL_ACCOUNT, task.task_id, number)
    return row.verdict, results.explain(LOCAL_ACCOUNT, task.task_id, row).evidence


def weigh(opened: Application, task: Task, policy: CleaningPolicy = STANDARD) -> CleaningEffect:
    return opened.services.results.weigh(LOCAL_ACCOUNT, task.task_id, policy)


def test_a_file_takes_its_rows_from_a_cleaned_list_at_once(
    opened: Application, clock: Clock
) -> None:
    task = complete(opened, LIST)
    before = download(opened, task)
    forbid(opened, task)
    clock.advance(seconds=1)
    forbid(opened, task, b"*.firma.example\n", "domains.txt")
    assert list_files(opened, task) == [("do-not-mail.csv", 2), ("domains.txt", 1)]
    assert list_ids(opened, task) == "36"
    assert list_ids(opened, task, Variant.REMOVED) == "1245"
    assert download(opened, task) == before
    effect = weigh(opened, task)
    assert effect.lost_by_reason[Reason.DO_NOT_MAIL] == 2  # the third is removed anyway
    assert effect.by_ground[Ground.BLACK] == 2
    assert weigh(opened, task, CleaningPolicy(frozenset({Ground.BLACK}))).lost == 2
    chosen = RowFilter(Chosen().choose(REASON, Reason.DO_NOT_MAIL.value))
    found = opened.services.results.rows(LOCAL_ACCOUNT, task.task_id, chosen, 0, 10)
    assert [row.number for row in found.rows] == [1, 2, 4]


def test_a_file_of_an_upload_goes_with_it_into_the_project_and_its_copies(
    opened: Application,
) -> None:
    files, upload = opened.services.own_files, stage(opened, LIST)
    waiting = forbid(opened, upload)
    assert waiting.counts.addresses == 2
    assert files.list(LOCAL_ACCOUNT, OwnFileKind.DO_NOT_MAIL, upload.upload_id) == (waiting,)
    task = opened.services.tasks.submit(LOCAL_ACCOUNT, upload.upload_id)
    assert files.count_rows(LOCAL_ACCOUNT, task.task_id) is None
    run(opened)
    names = [blob.key.name for blob in opened.blobs.list(BlobKind.OWN_FILE)]
    assert sum(name.endswith(f".{task.task_id}") for name in names) == 1, "found before a page asks"
    forbid(opened, upload, b"eve@other.example\n", "late.txt")
    assert sorted(list_files(opened, task)) == [("do-not-mail.csv", 2), ("late.txt", 1)]
    again = opened.services.tasks.submit_again(LOCAL_ACCOUNT, task.task_id)
    run(opened)
    delete_for_good(opened.services, task.task_id)
    assert sorted(list_files(opened, again)) == [("do-not-mail.csv", 2), ("late.txt", 1)]
    assert list_ids(opened, again) == "34"


def test_a_workbook_made_for_a_link_follows_the_files(opened: Application) -> None:
    task = complete(opened, LIST)
    export = Export(Variant.CLEANED, DownloadChoice(file_format=FileFormat.XLSX))
    link = opened.services.downloads.issue(LOCAL_ACCOUNT, task.task_id, export)
    before = follow(opened, link).path
    file = forbid(opened, task)
    after = follow(opened, link).path
    opened.services.own_files.remove(LOCAL_ACCOUNT, file.file_id)
    assert before == follow(opened, link).path != after


@pytest.mark.usefixtures("damages")
def test_files_are_there_after_a_restart_and_matched_no_more(
    opened: Application, open_application: OpenApplication, tmp_path: Path
) -> None:
    task = complete(opened, LIST)
    forbid(opened, task)
    assert list_files(opened, task) == [("do-not-mail.csv", 2)]
    opened.database.close()
    (tmp_path / "data" / "results" / f"{task.task_id}.1" / "rows.names").unlink()
    assert list_files(open_application(), task) == [("do-not-mail.csv", 2)]


@pytest.mark.parametrize("end", ["deleted", "expired", "discarded"])
def test_what_a_file_named_goes_with_its_list(opened: Application, clock: Clock, end: str) -> None:
    services = opened.services
    if end == "discarded":
        upload = stage(opened, LIST)
        forbid(opened, upload)
        services.uploads.discard(LOCAL_ACCOUNT, upload.upload_id)
        with pytest.raises(Gone):
            forbid(opened, upload, name="late.csv")
        upload = stage(opened, LIST)
        discard = partial(services.uploads.discard, LOCAL_ACCOUNT, upload.upload_id)
        services.file_store.blobs = Interrupted(opened.blobs, "size", discard)
        with pytest.raises(Gone):  # while its hashes were written
            forbid(opened, upload)
    else:
        task = complete(opened, LIST)
        forbid(opened, task)
        assert len(opened.blobs.list(BlobKind.OWN_FILE)) == 2  # hashes, and the rows they match
        if end == "deleted":
            delete_for_good(services, task.task_id)
        else:
            clock.advance(days=31)
    assert (end == "expired") is (measure_use(opened) != (0, 0))
    sweep(opened)
    assert not opened.blobs.list(BlobKind.OWN_FILE)
    assert measure_use(opened) == (0, 0)


def test_a_removed_file_gives_its_rows_back(opened: Application) -> None:
    task, files = complete(opened, LIST), opened.services.own_files
    before = measure_use(opened)
    file = forbid(opened, task)
    assert measure_use(opened) > before
    assert not files.remove("other", file.file_id)
    assert list_files(opened, task)
    assert files.remove(LOCAL_ACCOUNT, file.file_id)
    assert not files.remove(LOCAL_ACCOUNT, file.file_id)
    assert "1" in list_ids(opened, task)
    assert measure_use(opened) == before
    assert list_files(opened, task) == []


def test_a_file_that_names_nobody_leaves_nothing(opened: Application) -> None:
    task = complete(opened, LIST)
    used = measure_use(opened)
    with pytest.raises(EmptyFile):
        forbid(opened, task, b"name\nAna\nBo\n", "names.csv")
    assert measure_use(opened) == used
    assert not opened.blobs.list(BlobKind.OWN_FILE)
    assert list_files(opened, task) == []


def test_hashes_count_toward_the_quota(open_application: OpenApplication) -> None:
    opened = open_application(quota_bytes=90_000)
    task = complete(opened, LIST)
    many = b"".join(b"user%d@firma.example\n" % number for number in range(1000))
    used, _ = measure_use(opened)
    forbid(opened, task, many[:4000], "many.txt")
    hashes = (one.key for one in opened.blobs.list(BlobKind.OWN_FILE) if "." not in one.key.name)
    assert measure_use(opened)[0] - used == sum(map(opened.blobs.size, hashes))
    forbid(opened, task, many, "more.txt")
    with pytest.raises(QuotaExceeded):
        forbid(opened, task, many * 3, "most.txt")


def test_what_broke_off_is_swept(opened: Application, clock: Clock) -> None:
    file_id, kind = "0" * 8 + "-0000-0000-0000-" + "0" * 12, OwnFileKind.DO_NOT_MAIL
    begin_file(opened.database, OwnFile(file_id, LOCAL_ACCOUNT, kind, "half.csv", clock()))
    for name in (f"{file_id}.tmp", file_id):
        (opened.folder.own_files / name).write_bytes(b"half")
    opened.services.retention.sweep(clock() + timedelta(minutes=5))
    assert (opened.folder.own_files / file_id).exists()
    for later in (timedelta(hours=2), timedelta(days=31)):
        opened.services.retention.sweep(clock() + later)
    assert not list(opened.folder.own_files.iterdir())


@pytest.mark.parametrize("kind", [OwnFileKind.BOUNCES, OwnFileKind.DO_NOT_MAIL])
def test_no_address_is_kept_of_a_file(
    opened: Application, caplog: pytest.LogCaptureFixture, kind: OwnFileKind
) -> None:
    """Whom a file names stands in no database, no stored file, and no log."""
    caplog.set_level("DEBUG")
    task = complete(opened, LIST)
    if kind is OwnFileKind.BOUNCES:
        bounce(opened, b"email,type\nSecret.Person@hidden.example,hard\n")
    else:
        forbid(opened, task, b"Secret.Person@hidden.example\nquiet.example\n", "x.txt")
    judge_row(opened, task)
    kept = b"".join(path.read_bytes() for path in opened.folder.root.rglob("*") if path.is_file())
    for word in (b"secret.person", b"Secret.Person", b"hidden.example", b"quiet.example"):
        assert word not in kept
        assert word.decode() not in caplog.text


def test_rows_that_bounced_for_good_are_left_out(opened: Application) -> None:
    task = complete(opened, LIST)
    assert list_ids(opened, task) == "1346"
    bounce(opened)
    for number, reason in ((1, Reason.BOUNCED_HARD), (3, Reason.BOUNCED_SOFT)):
        assert judge_row(opened, task, number)[0].reasons[-1] is reason
    assert Reason.BOUNCED_SOFT not in judge_row(opened, task, 6)[0].reasons
    assert list_ids(opened, task) == "346"
    effect = weigh(opened, task)
    assert effect.by_ground[Ground.BOUNCED] == 2  # of which the black one goes as black
    assert effect.lost_by_reason[Reason.BOUNCED_HARD] == 1
    opened.services.own_lists.add(LOCAL_ACCOUNT, "mailboxes.example", Category.WHITE)
    effect = weigh(opened, task)  # a keep list outranks a bounce; the other is black
    assert (effect.by_ground[Ground.BOUNCED], effect.lost_by_reason[Reason.BOUNCED_HARD]) == (1, 0)


def test_a_bounce_is_evidence_with_its_day_and_file(opened: Application) -> None:
    bounce(opened)
    check = opened.services.checks.check_address
    told = check(LOCAL_ACCOUNT, "Ana@Mailboxes.example").evidence[-1]
    assert (told.reason, f"{told.dated}") == (Reason.BOUNCED_HARD, "2026-05-03")
    assert told.source == "your bounce file bounces.csv"
    assert "arrived" in check(LOCAL_ACCOUNT, "eve@other.example").evidence[-1].rule
    _, evidence = judge_row(opened, complete(opened, LIST))
    assert evidence[0].source == told.source
    assert [one.reason for one in evidence].count(Reason.BOUNCED_HARD) == 1
    sandbox = complete(opened, LIST, key_type=KeyType.SANDBOX)  # which knows of none
    assert Reason.BOUNCED_HARD not in judge_row(opened, sandbox)[0].reasons


def test_of_several_files_the_newest_event_counts(opened: Application, clock: Clock) -> None:
    task = complete(opened, LIST)
    for content, reason in (
        (BOUNCED, Reason.BOUNCED_HARD),
        (b"email,type,date\nana@mailboxes.example,delivered,2026-06-01\n", Reason.FREE_PROVIDER),
        (b"email,type,date\nana@mailboxes.example,soft,2026-07-01\n", Reason.BOUNCED_SOFT),
    ):
        bounce(opened, content)
        assert judge_row(opened, task)[0].reasons[-1] is reason
        clock.advance(seconds=1)


def test_imports_outlive_a_restart_and_their_projects(
    opened: Application, open_application: OpenApplication, clock: Clock
) -> None:
    task = complete(opened, LIST)
    bounce(opened)
    delete_for_good(opened.services, task.task_id)
    opened.services.retention.sweep(clock())
    opened.database.close()
    again = open_application()
    [kept] = again.services.own_files.list(LOCAL_ACCOUNT, OwnFileKind.BOUNCES)
    assert kept.counts.by_outcome == {
        MailOutcome.HARD: 2,
        MailOutcome.SOFT: 1,
        MailOutcome.DELIVERED: 1,
    }
    assert judge_row(again, complete(again, LIST))[0].reasons[-1] is Reason.BOUNCED_HARD

"""Files behind links: ranges, names, no compression, an end after an hour."""

import io
import zipfile
from threading import Event

import httpx
import pytest
from starlette.applications import Starlette
from starlette.routing import Route

from tests.api.desk import LIST, Desk, call_raw
from tests.applications import delete_for_good
from tests.waiting import PATIENCE_SECONDS
from winnow.api.middleware.shutdown import Shutdown
from winnow.api.routes.downloads import DownloadOperation, write_disposition
from winnow.core.errors import TaskUnknown
from winnow.core.lists.exports import NOTHING_CHOSEN, DownloadChoice, Export
from winnow.core.lists.file_format import FileFormat
from winnow.core.lists.rows import Variant
from winnow.services.results.link_files import OpenDownload

RESULT = (
    b"email,name,category,domain_type\n"
    b"bo@mailinator.com,2,black,disposable\n"
    b"ana@gmail.com,3,white,free\n"
    b"no-address,4,black,invalid\n"
)


def issue(
    desk: Desk,
    variant: Variant = Variant.AUGMENTED,
    choice: DownloadChoice = NOTHING_CHOSEN,
    content: bytes = LIST,
    **fields: str,
) -> str:
    """Return the path of a link to a file of a new project."""
    task_id = desk.complete(content=content, **fields)
    return desk.services.downloads.issue("local", task_id, Export(variant, choice)).path


def get(desk: Desk, path: str, **headers: str) -> httpx.Response:
    return desk.client(**headers).get(path)


def test_a_link_serves_the_file_as_it_lies(desk: Desk) -> None:
    answer = get(desk, issue(desk, project_name="Käufer \r\n 2026"))
    assert (answer.status_code, answer.content) == (200, RESULT)
    for name, value in {
        "content-length": str(len(RESULT)),
        "content-type": "text/csv",
        "content-encoding": "identity",
        "accept-ranges": "bytes",
        "cache-control": "no-store",
        "x-content-type-options": "nosniff",
    }.items():
        assert answer.headers[name] == value
    disposition = answer.headers["content-disposition"]
    assert disposition.startswith('attachment; filename="Kaufer')
    assert "filename*=UTF-8''K%C3%A4ufer" in disposition


def test_ranges(desk: Desk) -> None:
    path, size = issue(desk), len(RESULT)
    etag = get(desk, path).headers["etag"]
    cases: list[tuple[str, int, bytes | None, dict[str, str]]] = [
        ("bytes=0-4", 206, RESULT[:5], {}),
        ("bytes=6-", 206, RESULT[6:], {}),
        ("bytes=-5", 206, RESULT[-5:], {}),
        ("bytes=0-999999", 206, RESULT, {}),
        *((odd, 200, RESULT, {}) for odd in ("bytes=9-2", "lines=1-2", "bytes=a-b", "bytes=")),
        ("bytes=0-" + "9" * 400, 200, RESULT, {}),
        ("bytes=5-", 206, RESULT[5:], {"If-Range": etag}),
        ("bytes=5-", 200, RESULT, {"If-Range": '"another"'}),
        *((beyond, 416, None, {}) for beyond in (f"bytes={size}-", "bytes=-0", "bytes=9999-,-0")),
        ("bytes=0-4,9999-", 206, RESULT[:5], {}),
        ("bytes=9999-, -0, 6-", 206, RESULT[6:], {}),
        ("bytes=0-4, 10-14", 206, None, {}),
    ]
    for wanted, status, content, more in cases:
        answer = get(desk, path, Range=wanted, **more)
        assert answer.status_code == status, wanted
        assert content in (None, answer.content), wanted
        if status == 416:
            assert answer.json()["code"] == "range_not_satisfiable"
            assert answer.headers["content-range"] == f"bytes */{size}"
    assert answer.headers["content-type"].startswith("multipart/byteranges")


@pytest.mark.parametrize("variant", Variant)
def test_head_tells_the_length_of_a_stored_file(desk: Desk, variant: Variant) -> None:
    path = issue(desk, variant)
    head, whole = desk.client().head(path), get(desk, path)
    assert head.status_code == whole.status_code == 200
    assert head.content == b""
    assert head.headers.get("content-length") in {None, str(len(whole.content))}
    is_stored = variant in (Variant.ORIGINAL, Variant.AUGMENTED)
    assert ("content-length" in head.headers) is is_stored
    assert head.headers["content-disposition"] == whole.headers["content-disposition"]


def test_a_link_ends_after_an_hour_to_the_second(desk: Desk) -> None:
    path = issue(desk)
    desk.clock.turn(minutes=59, seconds=59)
    assert get(desk, path).status_code == 200
    desk.clock.turn(seconds=1)
    answer = get(desk, path)
    assert (answer.status_code, answer.json()["code"]) == (410, "gone")


def test_a_file_that_vanished_is_gone(desk: Desk) -> None:
    path = issue(desk)
    for folder in desk.application.folder.results.iterdir():
        for file in folder.iterdir():
            file.unlink()
        folder.rmdir()
    answer = get(desk, path)
    assert (answer.status_code, answer.json()["code"]) == (410, "result_lost")
    assert "still there" in answer.json()["hint"]


@pytest.mark.parametrize(
    ("name", "plain", "whole"),
    [
        ("list-checked.csv", "list-checked.csv", "list-checked.csv"),
        ("Käufer.csv", "Kaufer.csv", "K%C3%A4ufer.csv"),
        ('a"b\\c%d.csv', "a_b_c_d.csv", "a%22b%5Cc%25d.csv"),
        ("a\r\nSet-Cookie: x.csv", "a__Set-Cookie: x.csv", "a__Set-Cookie%3A%20x.csv"),
        ("清單.csv", ".csv", "%E6%B8%85%E5%96%AE.csv"),
        ("\u202eexe.csv", "_exe.csv", "_exe.csv"),
    ],
)
def test_disposition_names(name: str, plain: str, whole: str) -> None:
    expected = f"attachment; filename=\"{plain}\"; filename*=UTF-8''{whole}"
    assert write_disposition(name) == expected


RISKY = b"email,note\n=cmd@gmail.com,-1\nana@gmail.com,+49 30\nbo@mailinator.com,@x\n"


def test_what_the_api_gives_is_never_escaped_or_cut(desk: Desk) -> None:
    caller = desk.caller()
    content = caller.fetch(desk.complete(caller, RISKY))
    added = (b",category,domain_type", b",white,free", b",white,free", b",black,disposable")
    lines = zip(RISKY.splitlines(), added, strict=True)
    assert content == b"".join(line + cells + b"\n" for line, cells in lines)


def test_all_files_in_one_zip(desk: Desk) -> None:
    answer = get(desk, issue(desk, Variant.PACK, DownloadChoice(adds_reason=True), RISKY))
    assert answer.headers["content-type"] == "application/zip"
    assert answer.headers["accept-ranges"] == "none"
    assert '"list-files.zip"' in answer.headers["content-disposition"]
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        assert archive.testzip() is None
        removed = archive.read("list-removed.csv").decode().splitlines()
    assert removed[0] == "email,note,category,domain_type,reason"
    assert removed[1].startswith("bo@mailinator.com,@x,black,disposable,disposable_reviewed; ")


@pytest.mark.parametrize("variant", [Variant.CLEANED, Variant.PACK])
def test_a_cell_that_no_workbook_holds_is_a_problem_with_a_way_out(
    desk: Desk, variant: Variant
) -> None:
    content = b"email,note\nana@gmail.com," + b"x" * 40_000 + b"\n"
    answer = get(desk, issue(desk, variant, DownloadChoice(file_format=FileFormat.XLSX), content))
    assert (answer.status_code, answer.json()["code"]) == (422, "does_not_fit")
    assert answer.json()["hint"] == "Choose CSV."
    assert list(desk.application.folder.variants.iterdir()) == []


def compare(desk: Desk) -> tuple[str, str, str]:
    """Return the ids of an earlier and a later project, and a link to their difference."""
    before, now = (
        desk.complete(content=content, project_name="Käufer 2026")
        for content in (LIST, LIST.replace(b"no-address", b"+new@gmail.com"))
    )
    return before, now, desk.services.downloads.issue("local", now, earlier_id=before).path


def test_the_difference_of_two_projects_is_streamed_to_their_owner(desk: Desk) -> None:
    before, now, path = compare(desk)
    answer = get(desk, path)
    assert answer.status_code == 200
    assert answer.headers["accept-ranges"] == "none"
    assert answer.headers["content-type"] == "text/csv"
    assert "K%C3%A4ufer%202026-difference.csv" in answer.headers["content-disposition"]
    assert answer.content.decode("utf-8-sig").splitlines() == [
        "email,difference,category_before,domain_type_before,category,domain_type",
        "no-address,gone,black,invalid,,",
        "'+new@gmail.com,new,,,white,free",  # Excel would take it for a formula
    ]
    for method, has_body in (("GET", True), ("HEAD", False)):
        raw = call_raw(desk.app, method, path, [(b"host", b"127.0.0.1:8501")])
        assert (raw.status, raw.is_whole, bool(raw.body)) == (200, True, has_body)
        assert b"content-length" not in dict(raw.headers), "no one knows it"
    desk.services.accounts.create("other")
    for one, other in ((before, now), (now, before)):
        with pytest.raises(TaskUnknown):
            desk.services.downloads.issue("other", other, earlier_id=one)


@pytest.mark.parametrize("side", [0, 1], ids=["earlier", "later"])
def test_a_difference_dies_with_either_project(desk: Desk, side: int) -> None:
    *ids, path = compare(desk)
    delete_for_good(desk.services, ids[side])
    answer = get(desk, path)
    assert (answer.status_code, answer.json()["code"]) == (410, "gone")


@pytest.mark.slow
@pytest.mark.parametrize("is_deleted", [True, False])
def test_what_is_being_sent_breaks_off_when_its_project_is_deleted(
    desk: Desk, is_deleted: bool
) -> None:
    content = b"email\n" + b"ana@gmail.com\n" * 100_000
    task_id = desk.complete(content=content, deduplicate="false")
    link = desk.services.downloads.issue("local", task_id)

    def delete() -> None:
        desk.services.deletions.delete("local", [task_id] if is_deleted else [])

    answer = call_raw(desk.app, "GET", link.path, [(b"host", b"localhost")], on_body=delete)
    assert answer.status == 200
    assert (len(answer.body) < len(content)) is is_deleted


def test_a_browser_sees_a_page_at_once_while_a_workbook_is_made(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = issue(desk, Variant.CLEANED, DownloadChoice(file_format=FileFormat.XLSX))
    may_open, open_link = Event(), desk.services.downloads.open

    def open_later(token: str) -> OpenDownload:
        assert may_open.wait(PATIENCE_SECONDS)
        return open_link(token)

    monkeypatch.setattr(desk.services.downloads, "open", open_later)
    operation = DownloadOperation(lambda: desk.services, Shutdown(), language="de", wait_seconds=0)
    app = Starlette(routes=[Route("/{token}", operation)])
    address, browser = f"/{path.rpartition('/')[2]}", [(b"accept", b"text/html,*/*")]
    first = call_raw(app, "GET", address, browser)
    may_open.set()
    answer = first
    while b"refresh" in answer.body:
        answer = call_raw(app, "GET", address, browser)
    assert first.status == 200
    assert "Ihre Datei wird erstellt" in first.body.decode()
    assert answer.body[:2] == b"PK"
    assert call_raw(app, "GET", address, []).body == answer.body  # other clients wait


def test_a_refused_link_is_refused_to_a_browser_too(desk: Desk) -> None:
    operation = DownloadOperation(lambda: desk.services, Shutdown(), wait_seconds=PATIENCE_SECONDS)
    app = Starlette(routes=[Route("/{token}", operation)])
    with pytest.raises(TaskUnknown):
        call_raw(app, "GET", "/none", [(b"accept", b"text/html")])

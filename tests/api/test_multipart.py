"""Multipart bodies in any chunks give the same events; broken ones give one clear error."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from winnow.api.multipart import (
    FIELD_MAX_BYTES,
    PARTS_MAX,
    Event,
    Field,
    FileBegin,
    FileBytes,
    FileEnd,
    FormDecoder,
)
from winnow.core.errors import BadField, MalformedRequest

BOUNDARY = "XtestX"
CONTENT_TYPE = f'multipart/form-data; boundary="{BOUNDARY}"'


def part(disposition: str, content: bytes, *headers: str) -> bytes:
    lines = [f"Content-Disposition: {disposition}", *headers]
    head = "\r\n".join([f"--{BOUNDARY}", *lines, "", ""])
    return head.encode(errors="surrogateescape") + content + b"\r\n"


def body(*parts: bytes) -> bytes:
    return b"".join(parts) + f"--{BOUNDARY}--\r\n".encode()


def file_part(content: bytes, name: str = "list.csv") -> bytes:
    return part(f'form-data; name="file"; filename="{name}"', content, "Content-Type: text/csv")


def decode(data: bytes, cuts: tuple[int, ...] = ()) -> list[Event]:
    decoder = FormDecoder(CONTENT_TYPE)
    events: list[Event] = []
    edges = [0, *sorted(cut % (len(data) + 1) for cut in cuts), len(data)]
    for start, end in itertools.pairwise(edges):
        events += decoder.feed(data[start:end])
    decoder.close()
    return join(events)


def join(events: list[Event]) -> list[Event]:
    joined: list[Event] = []
    for event in events:
        if isinstance(event, FileBytes) and joined and isinstance(joined[-1], FileBytes):
            joined[-1] = FileBytes(joined[-1].data + event.data)
        else:
            joined.append(event)
    return joined


@given(
    content=st.binary(max_size=300)
    | st.lists(st.sampled_from([b"\r\n", b"--", BOUNDARY.encode(), b"\r", b"a"])).map(b"".join),
    cuts=st.lists(st.integers(0, 1000), max_size=8).map(tuple),
)
def test_any_content_in_any_chunks_comes_back(content: bytes, cuts: tuple[int, ...]) -> None:
    if f"\r\n--{BOUNDARY}".encode() in b"\r\n" + content + b"\r\n":
        return  # no client may choose a boundary that its content holds
    data = body(part('form-data; name="project_name"', "Läufe".encode()), file_part(content))
    events = decode(data, cuts)
    assert events[0] == Field("project_name", "Läufe")
    assert isinstance(events[1], FileBegin)
    assert (events[1].name, events[1].file_name) == ("file", "list.csv")
    assert b"".join(e.data for e in events if isinstance(e, FileBytes)) == content
    assert events[-1] == FileEnd()


def test_the_bytes_before_a_file_are_counted_to_the_byte() -> None:
    field = part('form-data; name="deduplicate"', b"true")
    data = body(field, file_part(b"email\na@b.de\n"))
    [begin] = [event for event in decode(data) if isinstance(event, FileBegin)]
    assert data[begin.bytes_before :].startswith(b"email\n")


@pytest.mark.parametrize(
    ("names", "wanted"),
    [
        pytest.param('filename="Käufer \\"2026\\".csv"', 'Käufer "2026".csv', id="utf-8"),
        pytest.param('filename="K\udce4ufer.csv"', "Käufer.csv", id="latin-1"),
        pytest.param("filename*=UTF-8''K%C3%A4ufer.csv", "Käufer.csv", id="old-requests"),
        pytest.param(
            "filename=\"=?utf-8?B?S8OkdWZlci5jc3Y=?=\"; filename*=utf-8''K%C3%A4ufer.csv",
            "Käufer.csv",
            id="dotnet",
        ),
        pytest.param("filename=a.csv; filename*=iso-8859-1'de'K%E4ufer.csv", "Käufer.csv", id="l1"),
        pytest.param(
            "filename=\"a; filename*=UTF-8''b.csv\"", "a; filename*=UTF-8''b.csv", id="in-quotes"
        ),
        pytest.param('filename="a.csv"; filename*=K%C3%A4ufer.csv', "a.csv", id="malformed"),
    ],
)
def test_names_arrive_as_clients_write_them(names: str, wanted: str) -> None:
    [begin, _] = decode(body(part(f'form-data; name="file"; {names}', b"")))
    assert isinstance(begin, FileBegin)
    assert begin.file_name == wanted


FILE = file_part(b"x")
TWICE = part('form-data; name="a"', b"x", 'Content-Disposition: form-data; name="b"')
BASE64 = part('form-data; name="file"', b"eA==", "Content-Transfer-Encoding: base64")
MANY_HEADERS = part('form-data; name="a"', b"x", *(f"X-{n}: 1" for n in range(20)))
MANY_PARTS = (part(f'form-data; name="f{n}"', b"") for n in range(PARTS_MAX + 1))


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"", id="empty"),
        pytest.param(b"hello", id="no-boundary-at-all"),
        pytest.param(body(FILE)[:-6], id="closing-boundary-cut"),
        pytest.param(FILE, id="no-closing-boundary"),
        pytest.param(f"--{BOUNDARY}\r\nContent-Disp".encode(), id="cut-in-header"),
        pytest.param(body(FILE).replace(BOUNDARY.encode(), b"other"), id="another-boundary"),
        pytest.param(body(part("form-data", b"x")), id="part-without-name"),
        pytest.param(body(part('attachment; name="file"', b"x")), id="not-form-data"),
        pytest.param(body(f"--{BOUNDARY}\r\n\r\nx\r\n".encode()), id="part-without-headers"),
        pytest.param(body(TWICE), id="disposition-twice"),
        pytest.param(body(BASE64), id="base64"),
        pytest.param(body(MANY_HEADERS), id="too-many-part-headers"),
        pytest.param(body(part(f'form-data; name="{"n" * 9000}"', b"x")), id="huge-part-header"),
        pytest.param(body(*MANY_PARTS), id="too-many-parts"),
    ],
)
def test_what_is_no_multipart_body_is_malformed(data: bytes) -> None:
    with pytest.raises(MalformedRequest):
        decode(data)


def test_other_content_types_are_malformed() -> None:
    no_boundary = ("multipart/form-data", f"multipart/form-data; boundary={'b' * 300}")
    for content_type in ("", "application/json", "multipart/mixed; boundary=x", *no_boundary):
        with pytest.raises(MalformedRequest):
            FormDecoder(content_type)


def test_a_field_has_a_limit_is_text_and_a_strange_name_is_not_repeated() -> None:
    with pytest.raises(BadField, match="project_name: is longer"):
        decode(body(part('form-data; name="project_name"', b"n" * (FIELD_MAX_BYTES + 1))))
    with pytest.raises(BadField, match="project_name: is not UTF-8"):
        decode(body(part('form-data; name="project_name"', b"\xff\xfe")))
    with pytest.raises(BadField, match=r"^field: "):
        decode(body(part('form-data; name="ana@x.de"', b"n" * (FIELD_MAX_BYTES + 1))))


def test_text_after_the_end_is_left_alone() -> None:
    assert decode(body(file_part(b"x")) + b"epilogue") == decode(body(file_part(b"x")))

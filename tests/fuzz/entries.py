"""What takes bytes from outside, each as one function that fails only on what nobody decided."""

import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.lists.delimited_support import JUDGE
from tests.lists.zips import write_zip
from winnow.api.errors import answer_for
from winnow.api.multipart import Field, FileBegin, FileBytes, FormDecoder
from winnow.api.routes.checks import read_email
from winnow.api.routes.downloads import write_disposition
from winnow.api.submission import read_field
from winnow.core.addresses.address import domain_as_given, duplicate_key, normalise
from winnow.core.addresses.repairs import suggest_address
from winnow.core.errors import WinnowError
from winnow.core.judging.judge import judge_text
from winnow.core.lists.input_head import Choices
from winnow.core.own_lists.patterns import parse_pattern
from winnow.lists.batch import run_batch
from winnow.lists.inspect import plan_input, read_head
from winnow.lists.inspection.signature import split_file_name
from winnow.lists.requests import BatchRequest
from winnow.lists.side_files.named_file import list_entries
from winnow.services.names import read_name

BOUNDARY = b"b"


def decide(call: Callable[[], object]) -> object:
    """Return what a call returns, or None where it ends in an error that has an answer below 500.

    Its text is one that may be shown: no trace of the inside.
    """
    refused: WinnowError
    try:
        return call()
    except WinnowError as error:
        refused = error
    assert answer_for(refused).status < 500, refused.code
    assert refused.detail
    assert "Traceback" not in refused.detail
    return None


def parse_form(data: bytes) -> None:
    """Decode a multipart body in chunks whose size the body itself decides."""
    step = 1 + (data[0] if data else 0) % 50

    def parse() -> None:
        decoder = FormDecoder("multipart/form-data; boundary=" + BOUNDARY.decode())
        taken = 0
        for start in range(0, len(data), step):
            for event in decoder.feed(data[start : start + step]):
                match event:
                    case Field(name, value):
                        taken += len(name) + len(value.encode())
                    case FileBegin(name, file_name):
                        taken += len(name) + len(file_name)
                    case FileBytes(content):
                        taken += len(content)
        assert taken <= 3 * len(data), "more came out than went in"
        decoder.close()

    decide(parse)


def parse_content_type(data: bytes) -> None:
    """Open a form by any content type."""
    decide(lambda: FormDecoder(data.decode("latin-1")).feed(b"--b\r\n"))


def clean_delimited(data: bytes) -> None:
    """Inspect a CSV or TSV list and, where it is one, run it."""
    for name in ("list.csv", "list.tsv"):
        clean_list(data, name)


def clean_workbook(data: bytes) -> None:
    """Inspect a workbook and, where it is one, run it."""
    clean_list(data, "list.xlsx")


def clean_parts(parts: Mapping[str, bytes]) -> None:
    """Inspect a workbook of these parts and, where it is one, run it."""
    clean_workbook(write_zip(parts, zipfile.ZIP_DEFLATED))


def clean_packed(data: bytes) -> None:
    """Unpack a list and, where it is one, run it."""
    clean_list(data, "list.csv.gz" if data[:1] == b"\x1f" else "list.csv.zst")


def clean_list(data: bytes, name: str) -> None:
    """Do with a file what an upload does, and then what the worker does."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "input"
        path.write_bytes(data)
        clean_file(path, name)
        decide(lambda: read_head(path, name, Choices(encoding="cp1252", delimiter=";")))
        decide(lambda: read_head(path, name, Choices(has_header=False, sheet="Data")))


def clean_file(path: Path, name: str) -> None:
    """Inspect a file that is there and, where it is a list, run it."""
    with TemporaryDirectory() as folder:

        def clean() -> None:
            head = read_head(path, name)
            assert len(head.columns) <= 16_384
            wanted = None if head.email_columns else 0
            plan = plan_input(head, email_column=wanted)
            work_dir = Path(folder) / "work"
            work_dir.mkdir()
            request = BatchRequest(path, plan, JUDGE, work_dir, lambda progress: None)
            summary = run_batch(request).summary
            assert summary.rows_out + summary.duplicates_removed == summary.rows_in
            assert (work_dir / "result").is_file()

        decide(clean)


def judge_address(data: bytes) -> None:
    """Judge any text as an address, a domain, a pattern of the your lists."""
    text = data.decode("utf-8", "replace")
    judged = judge_text(JUDGE, text)
    address = judged.address
    assert (address is None) == (judged.verdict.domain_type.value == "invalid") or JUDGE.exact
    domain_as_given(text).encode()
    duplicate_key(text)
    normalise(text)
    suggest_address(text, JUDGE.knowledge.look_up)
    if address is not None:
        assert str(address).isprintable()
        assert address.domain.isascii()
    decide(lambda: parse_pattern(text, lambda domain: domain == "co.uk"))
    decide(lambda: read_email(b"email=" + data))
    decide(lambda: read_field("deduplicate", text))


def import_own_list(data: bytes) -> None:
    """Read a file of your lists."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "file"
        path.write_bytes(data)

        def read() -> None:
            found = list_entries(path, "own.csv", lambda domain: False, Path(folder), most=1000)
            for entry in found.entries:
                parse_line(entry.pattern)

        decide(read)


def parse_line(pattern: str) -> None:
    """Parse one pattern, which may be refused."""
    decide(lambda: parse_pattern(pattern, lambda domain: False))


def name_things(data: bytes) -> None:
    """Use any text as the name of a file or a project."""
    text = data.decode("utf-8", "replace")
    split = decide(lambda: split_file_name(text))
    if isinstance(split, tuple):
        assert not {"/", "\\"} & set(split[0])
    header = write_disposition(text)
    assert header.isascii()
    assert header.isprintable(), "a header with a line break"
    assert header.count('"') == 2
    name = decide(lambda: read_name("project_name", text))
    if isinstance(name, str):
        assert 1 <= len(name) <= 50

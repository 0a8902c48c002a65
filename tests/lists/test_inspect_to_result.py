"""What inspection says of an odd file is what the engine needs: the result is compared in bytes."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.lists.delimited_support import make_judge, run_list
from winnow.core.lists.exports import DownloadChoice, Export
from winnow.core.lists.input_head import Choices
from winnow.lists.inspection.inspect import plan_input, read_head

BOM = b"\xef\xbb\xbf"
TABLE = (
    'id;email;note\r\n1;ana@x.de;"Jörg\nZoë"\r\n2;b@wegwerf.net;\r\n'
    "3;ANA@X.DE;last\r\n4;nobody;=1+1\r\n5;;\r\n6;info@müller.de;00\r\n"
)
RESULT = (
    "id;email;note;category;domain_type\r\n2;b@wegwerf.net;;black;disposable\r\n"
    "3;ANA@X.DE;last;white;unlisted\r\n4;nobody;=1+1;black;invalid\r\n5;;;black;invalid\r\n"
    "6;info@müller.de;00;white;unlisted\r\n"
)


@pytest.mark.parametrize(
    "write",
    [
        pytest.param(lambda text: text.encode(), id="utf-8"),
        pytest.param(lambda text: BOM + text.encode(), id="bom"),
        pytest.param(lambda text: text.encode("cp1252"), id="cp1252"),
        pytest.param(lambda text: text.encode("utf-16"), id="utf-16"),
        pytest.param(lambda text: text.encode("utf-16-be"), id="utf-16 without mark"),
        pytest.param(lambda text: BOM + text.encode("cp1252"), id="a mark that lies"),
        pytest.param(lambda text: f"sep=;\r\n{text}".encode(), id="sep line"),
        pytest.param(lambda text: BOM + f"sep=;\r\n\r\n{text}".encode(), id="bom, sep, blank"),
        pytest.param(lambda text: f"sep=;\r\n{text}".encode("utf-16"), id="utf-16, sep line"),
        pytest.param(lambda text: f"\r\n  \r\n{text}".encode(), id="blank lines first"),
        pytest.param(lambda text: text.replace("\r\n", "\r").encode(), id="cr"),
        pytest.param(lambda text: text.replace(";", "|").encode(), id="vertical bar"),
        pytest.param(lambda text: text.removesuffix("\r\n").encode(), id="no last line end"),
    ],
)
def test_the_result_of_an_odd_file_is_right(tmp_path: Path, write: Callable[[str], bytes]) -> None:
    path = tmp_path / "list.csv"
    path.write_bytes(write(TABLE))
    plan = plan_input(read_head(path, path.name))
    assert run_list(path.read_bytes(), plan, make_judge(), tmp_path).result == write(RESULT)


def test_a_list_without_a_header_row_has_none_afterwards(tmp_path: Path) -> None:
    path = tmp_path / "list.csv"
    path.write_bytes(TABLE.partition("\r\n")[2].encode())
    plan = plan_input(read_head(path, path.name, Choices(has_header=False)))
    result = run_list(path.read_bytes(), plan, make_judge(), tmp_path).result
    assert result == RESULT.partition("\r\n")[2].encode()


def test_added_cells_that_hold_the_delimiter_are_quoted(tmp_path: Path) -> None:
    path = tmp_path / "list.csv"
    path.write_bytes(b"id email\n1 a+tag@frei.de\n2 b@x.de\n")
    plan = plan_input(read_head(path, path.name, Choices(delimiter=" ")))
    run = run_list(path.read_bytes(), plan, make_judge(), tmp_path)
    assert run.result == (
        b'id email category domain_type\n1 a+tag@frei.de grey "suspicious signs"\n'
        b"2 b@x.de white unlisted\n"
    )
    sent = b"".join(run.rows.stream(Export(choice=DownloadChoice(adds_reason=True))))
    assert sent.splitlines()[1:] == [
        b'1 a+tag@frei.de grey "suspicious signs" "plus_tag; free_provider"',
        b"2 b@x.de white unlisted unlisted",
    ]

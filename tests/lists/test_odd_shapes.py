"""What looks like a list and is none is refused in words; odd lists are read rightly."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.lists.delimited_support import JUDGE, clean, read
from tests.tables import read_csv
from winnow.core.errors import BrokenFile
from winnow.core.lists.exports import DownloadChoice, Export
from winnow.core.lists.input_head import Choices
from winnow.lists.inspect import plan_input
from winnow.lists.preview import preview_list

ROWS = (("1", "ana@firm.example.com", "Ana"), ("2", "ben@firm.example.com", "Ben"))


def clean_as_foreseen(folder: Path, content: bytes) -> bytes:
    """Run a list; what the preview tells of it must be what comes out."""
    run = clean(content, folder)
    foreseen = preview_list(folder / "list.csv", run.plan, JUDGE, folder)
    assert foreseen.rows == run.outcome.summary.rows_in == read(content).row_count
    return run.result


def join(joint: str, rows: tuple[tuple[str, ...], ...] = ROWS) -> bytes:
    lines = [("id", "email", "name"), *rows]
    return "".join(joint.join(line) + "\n" for line in lines).encode()


@pytest.mark.parametrize("joint", ["::", "##", ":", "!", " ", "   ", "§"])
def test_columns_that_cannot_be_told_apart_are_refused(joint: str) -> None:
    for content in (join(joint), b"\n\n" + join(joint), b'"email" "id"\n"a@x.de" "1"\n'):
        with pytest.raises(BrokenFile, match="not separated by a comma") as caught:
            read(content)
        assert "x.de" not in caught.value.detail


@pytest.mark.parametrize("joint", ["^", "~", "\x01", "\x1f", ", ", "; ", " | "])
def test_cells_parted_by_a_sign_that_few_lists_have_are_read(joint: str) -> None:
    head = read(join(joint))
    assert [name.strip() for name in head.columns] == ["id", "email", "name"]
    assert head.suggested_column == 1
    assert head.delimiter == joint.strip(" ")


BLANK_CELLS = (("1", "", "x"), ("2", "ben@x.de", "y"), ("", "cem@x.de", ""), ("4", "", "z"))


@pytest.mark.parametrize("header", [(), (("id", "email", "name"),)], ids=["none", "header"])
@pytest.mark.parametrize("sign", ["~", "^", "\x01", "\x1f"])
def test_blank_cells_hide_no_separator(sign: str, header: tuple) -> None:
    text = "".join(sign.join(row) + "\n" for row in (*header, *BLANK_CELLS))
    head = read(text.encode(), choices=Choices(has_header=bool(header)))
    assert (head.delimiter, len(head.columns)) == (sign, 3)
    assert [tuple(row) for row in head.sample_rows] == [*BLANK_CELLS]
    assert "delimiter_assumed" in [notice.code for notice in head.notices]


AMOUNTS = (
    *(("1", "Ana", "", "0,50"), ("2", "Bob, jun.", "bob@web.de", "1,20")),
    *(("3", "Cem", "", "3"), ("", "Dora", "dora@web.de", "1.004,50")),
)


@pytest.mark.parametrize("quote", ["", '"'], ids=["plain", "quoted"])
@pytest.mark.parametrize(
    "header",
    [
        *(("Id", "Name", "E-Mail", "Amount"), ("Id", "Name", "email", "Amount, EUR")),
        *(("", "Name", "E-Mail", "Amount"), None),
    ],
    ids=["header", "comma-in-header", "blank-name", "no-header"],
)
@pytest.mark.parametrize("sign", ["~", "^", "\x01", "\x1f", "|", ";", "\t"])
def test_decimal_commas_below_a_header_are_no_delimiter(
    sign: str, header: tuple[str, ...] | None, quote: str
) -> None:
    for rows in (AMOUNTS[:2], AMOUNTS, AMOUNTS[1:]):
        shown = [[f"{quote}{cell}{quote}" for cell in row] for row in (header or (), *rows) if row]
        content = "".join(sign.join(row) + "\n" for row in shown).encode()
        head = read(content, choices=Choices(has_header=None if header else False))
        assert (head.delimiter, head.suggested_column, head.row_count) == (sign, 2, len(rows))
        assert header is None or head.columns == header


@pytest.mark.parametrize("joint", [":", "¦", "§"])
def test_decimal_commas_do_not_hide_that_columns_cannot_be_told_apart(joint: str) -> None:
    for rows in (AMOUNTS[:1] + AMOUNTS[3:], AMOUNTS[2:], AMOUNTS):
        text = "".join(joint.join(row) + "\n" for row in (("Id", "Name", "E-Mail", "EUR"), *rows))
        with pytest.raises(BrokenFile, match="not separated by a comma"):
            read(text.encode())


@pytest.mark.parametrize("line", ["mailto:a{}@x.de", "Ana <a{}@x.de>", "a{}@x.de", "(a{}@x.de)"])
def test_signs_beside_an_address_are_no_separator(line: str) -> None:
    content = "".join(line.format(n) + "\n" for n in range(9)).encode()
    assert len(read(content, choices=Choices(has_header=False)).columns) == 1


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(b"id;;email\n1;;a@x.de\n", id="a-column-without-name-or-cells"),
        pytest.param(b"id,,email,,,\n1,,a@x.de,,,\n", id="several"),
        pytest.param(b"id|a|email\n1||a@x.de\n2||b@x.de\n", id="empty-cells-below-a-name"),
        pytest.param(b"email\nmailto:a@x.de\nmailto:b@x.de\n", id="mailto"),
        pytest.param(b"email\nAna <a@x.de>\nBen <b@x.de>\n", id="display-names"),
        pytest.param(b"email\n'a@x.de'\nb@x.de\nc@x.de\n", id="few-in-single-quotes"),
        pytest.param(b"email,note\na@x.de,'see b@x.de'\n", id="remarks-in-single-quotes"),
        pytest.param(b"email,note\na@x.de,'b@x.de'\n", id="a-second-in-single-quotes"),
        pytest.param(b"email,note\n,';@;'\n", id="no-address-in-single-quotes"),
        pytest.param(b"id,email\n-,a@x.de\n", id="a-dash-for-nothing"),
        pytest.param(b"Report\n======\n\nid,email\n1,a@x.de\n", id="an-underlined-title"),
        pytest.param(b"name\nAna  Maria\nBen  Otto\n", id="two-blanks-in-a-name"),
    ],
)
def test_what_only_looks_odd_is_taken(content: bytes) -> None:
    assert read(content).row_count


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(" id | email\n----+-----\n 1 | a@x.de\n", id="psql"),
        pytest.param("| id | email |\n|---|:--:|\n| 1 | a@x.de |\n", id="markdown"),
        pytest.param("+--+---+\n|id|email|\n+--+---+\n|1|a@x.de|\n", id="mysql"),
        pytest.param("id,email\n--,-----\n1,a@x.de\n", id="sqlcmd"),
    ],
)
def test_drawn_lines_are_rows_without_an_address(tmp_path: Path, content: str) -> None:
    lines = clean_as_foreseen(tmp_path, content.encode()).decode().splitlines()
    drawn, row = lines[-2:]
    assert "-" in drawn
    assert drawn.rpartition("black")[2][1:].startswith("invalid")
    assert "white" in row


@pytest.mark.parametrize("cell", ["no, really", "a;b, c", "tab\tand, comma"])
def test_one_column_comes_back_as_it_came(tmp_path: Path, cell: str) -> None:
    content = f'email\r\nana@firm.example.com\r\n"{cell}"\r\n'.encode()
    result = clean_as_foreseen(tmp_path, content)
    assert result == (
        b"email,category,domain_type\r\nana@firm.example.com,white,unlisted\r\n"
        + f'"{cell}",black,invalid\r\n'.encode()
    )
    assert [row[0] for row in read_csv(result)] == ["email", "ana@firm.example.com", cell]


def test_a_header_without_the_first_column_s_name_is_refused() -> None:
    content = b'"email","name"\n"1","ana@firm.example.com","Ana"\n"2","ben@x.de","Ben"\n'
    with pytest.raises(BrokenFile, match="one name less"):
        read(content)


def test_a_delimiter_behind_each_row_shifts_nothing() -> None:
    head = read(b"email,name\nana@x.de,Ana,\nben@x.de,Ben,\n")
    assert (head.columns, plan_input(head).email_column) == (("email", "name"), 0)


@pytest.mark.parametrize("end", [b"\r\n\x1a", b"\x1a", b"\r\n\x1a\x1a\x1a", b"\r\n\x1a\r\n"])
@pytest.mark.parametrize("head", [b"email", b"id,email"])
def test_the_sign_that_ends_a_file_of_dos_is_no_row(
    tmp_path: Path, head: bytes, end: bytes
) -> None:
    row = b"ana@firm.example.com" if head == b"email" else b"1,ana@firm.example.com"
    behind = b",white,unlisted"
    expected = row + (end + behind if end == b"\x1a" else behind + end)
    result = clean_as_foreseen(tmp_path, head + b"\r\n" + row + end)
    assert result == head + b",category,domain_type\r\n" + expected


@pytest.mark.parametrize("line", ["# exported,", "id,email", "Total,2"])
def test_comments_headers_and_totals_below_the_header_are_rows(tmp_path: Path, line: str) -> None:
    text = f"# made 2026\nid,email\n1,ana@firm.example.com\n{line}\n"
    assert clean_as_foreseen(tmp_path, text.encode()).decode() == (
        "# made 2026\nid,email,category,domain_type\n1,ana@firm.example.com,white,unlisted\n"
        f"{line},black,invalid\n"
    )


TABLE = (
    'id;email;note\r\n1;ana@x.de;"Jörg\nZoë"\r\n2;b@wegwerf.net;\r\n'
    "3;ANA@X.DE;last\r\n4;nobody;=1+1\r\n5;;\r\n6;info@müller.de;00\r\n"
)
RESULT = (
    "id;email;note;category;domain_type\r\n2;b@wegwerf.net;;black;disposable\r\n"
    "3;ANA@X.DE;last;white;unlisted\r\n4;nobody;=1+1;black;invalid\r\n5;;;black;invalid\r\n"
    "6;info@müller.de;00;white;unlisted\r\n"
)
BOM = b"\xef\xbb\xbf"
WRITINGS: dict[str, Callable[[str], bytes]] = {
    "utf-8": lambda text: text.encode(),
    "bom": lambda text: BOM + text.encode(),
    "cp1252": lambda text: text.encode("cp1252"),
    "utf-16": lambda text: text.encode("utf-16"),
    "utf-16 without mark": lambda text: text.encode("utf-16-be"),
    "a mark that lies": lambda text: BOM + text.encode("cp1252"),
    "sep line": lambda text: f"sep=;\r\n{text}".encode(),
    "bom, sep, blank": lambda text: BOM + f"sep=;\r\n\r\n{text}".encode(),
    "utf-16, sep line": lambda text: f"sep=;\r\n{text}".encode("utf-16"),
    "blank lines first": lambda text: f"\r\n  \r\n{text}".encode(),
    "cr": lambda text: text.replace("\r\n", "\r").encode(),
    "vertical bar": lambda text: text.replace(";", "|").encode(),
    "no last line end": lambda text: text.removesuffix("\r\n").encode(),
}


@pytest.mark.parametrize("write", WRITINGS.values(), ids=WRITINGS)
def test_the_result_of_an_odd_file_is_right(tmp_path: Path, write: Callable[[str], bytes]) -> None:
    assert clean(write(TABLE), tmp_path).result == write(RESULT)


def test_added_cells_that_hold_the_delimiter_are_quoted(tmp_path: Path) -> None:
    content = b"id email\n1 a+tag@frei.de\n2 b@x.de\n"
    run = clean(content, tmp_path, choices=Choices(delimiter=" "))
    assert run.result == (
        b'id email category domain_type\n1 a+tag@frei.de grey "suspicious signs"\n'
        b"2 b@x.de white unlisted\n"
    )
    sent = b"".join(run.rows.stream(Export(choice=DownloadChoice(adds_reason=True))))
    assert sent.splitlines()[1:] == [
        b'1 a+tag@frei.de grey "suspicious signs" "plus_tag; free_provider"',
        b"2 b@x.de white unlisted unlisted",
    ]

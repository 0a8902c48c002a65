"""What looks like a list and is none is refused in words; odd lists are read rightly."""

import csv
import io
from pathlib import Path

import pytest

from tests.lists.xlsx_support import build_judge, ignore_progress
from winnow.core.errors import BrokenFile, UnsupportedFormat
from winnow.core.lists.exports import DownloadChoice, Export
from winnow.core.lists.file_format import FileFormat
from winnow.core.lists.input_head import Choices, Head
from winnow.core.lists.rows import RowFilter, Variant
from winnow.lists.batch import run_batch
from winnow.lists.inspection.inspect import find_column, plan_input, read_head
from winnow.lists.preview.preview import preview_list
from winnow.lists.requests import BatchRequest
from winnow.lists.result.result_rows import ResultRows

ROWS = (("1", "ana@firm.example.com", "Ana"), ("2", "ben@firm.example.com", "Ben"))


def read(folder: Path, content: bytes, choices: Choices = Choices()) -> Head:
    (folder / "list.csv").write_bytes(content)
    return read_head(folder / "list.csv", "list.csv", choices)


def clean(folder: Path, content: bytes) -> bytes:
    """Run a list; what the preview tells of it must be what comes out."""
    head = read(folder, content)
    plan = plan_input(head, email_column=find_column(head))
    work = folder / "work"
    work.mkdir()
    judge = build_judge()
    foreseen = preview_list(folder / "list.csv", plan, judge, folder)
    outcome = run_batch(
        BatchRequest(
            folder / "list.csv", plan, judge, work, deduplicate=True, report=ignore_progress
        )
    )
    assert foreseen.rows == outcome.summary.rows_in == head.row_count
    return (work / "result").read_bytes()


def join(joint: str, rows: tuple[tuple[str, ...], ...] = ROWS) -> bytes:
    lines = [("id", "email", "name"), *rows]
    return "".join(joint.join(line) + "\n" for line in lines).encode()


@pytest.mark.parametrize("joint", ["||", "|||", "|~|", "~|~", "^|^", "::", "~~", "##", "||*||"])
def test_cells_parted_by_several_signs_are_refused_by_name(tmp_path: Path, joint: str) -> None:
    for content in (join(joint), b"Report\n\n" + join(joint)):
        with pytest.raises(BrokenFile) as caught:
            read(tmp_path, content)
        assert f"“{joint}”" in caught.value.detail
        assert caught.value.hint


@pytest.mark.parametrize("joint", ["^", "~", "\x01", "\x1f", "!", ", ", "; ", " | "])
def test_cells_parted_by_a_sign_that_few_lists_have_are_read(tmp_path: Path, joint: str) -> None:
    head = read(tmp_path, join(joint))
    assert [name.strip() for name in head.columns] == ["id", "email", "name"]
    assert head.suggested_column == 1
    assert head.delimiter == joint.strip(" ")


BLANK_CELLS = (("1", "", "x"), ("2", "ben@x.de", "y"), ("", "cem@x.de", ""), ("4", "", "z"))


@pytest.mark.parametrize("header", [(), (("id", "email", "name"),)], ids=["none", "header"])
@pytest.mark.parametrize("sign", ["~", "^", ":", "\x01", "\x1f", "!", "#"])
def test_blank_cells_hide_no_separator(tmp_path: Path, sign: str, header: tuple) -> None:
    text = "".join(sign.join(row) + "\n" for row in (*header, *BLANK_CELLS))
    head = read(tmp_path, text.encode(), Choices(has_header=bool(header)))
    assert (head.delimiter, len(head.columns)) == (sign, 3)
    assert [tuple(row) for row in head.sample_rows] == [*BLANK_CELLS]
    assert "delimiter_assumed" in [notice.code for notice in head.notices]


@pytest.mark.parametrize("encoding", ["utf-8", "cp1252"])
@pytest.mark.parametrize("sign", ["¦", "§"])
def test_a_separator_beyond_ascii_is_refused_by_name(
    tmp_path: Path, sign: str, encoding: str
) -> None:
    rows = [sign.join((str(n), f"a{n}@x.de" if n % 3 else "", "xü")) + "\n" for n in range(50)]
    with pytest.raises(BrokenFile, match=f"“{sign}”"):
        read(tmp_path, "".join(rows).encode(encoding))


@pytest.mark.parametrize("line", ["mailto:a{}@x.de", "Ana <a{}@x.de>", "a{}@x.de", "(a{}@x.de)"])
def test_signs_beside_an_address_are_no_separator(tmp_path: Path, line: str) -> None:
    content = "".join(line.format(n) + "\n" for n in range(9)).encode()
    assert len(read(tmp_path, content, Choices(has_header=False)).columns) == 1


@pytest.mark.parametrize(
    ("content", "name"),
    [
        (b"BEGIN:VCALENDAR\r\nVERSION:2.0\r\nATTENDEE;CN=A:mailto:a@x.de\r\n", "an iCalendar"),
        (b"From a@x.de Fri Jul  8 12:08:34 2011\nTo: b@x.de\n\nHello\n", "mbox"),
        (b"# made by slapcat\nversion: 1\n\ndn: cn=Ana,dc=x\nmail: a@x.de\n", "LDIF"),
        (b"dn:: Y249QW5hLGRjPXg=\nmail: a@x.de\n", "LDIF"),
        ("email,name\na@x.de,Ana\nb@x.de,Ben\n".encode("cp037"), "EBCDIC"),
        ("email;name\r\na@x.de;Jörg\r\n".encode("cp273"), "EBCDIC"),
    ],
)
def test_a_text_of_another_kind_is_refused_by_name(
    tmp_path: Path, content: bytes, name: str
) -> None:
    with pytest.raises(UnsupportedFormat, match=name):
        read(tmp_path, content)


@pytest.mark.parametrize(
    ("name", "encoding"),
    [
        ("имя", "cp1251"),
        ("имя", "koi8-r"),
        ("имя", "cp866"),
        ("名前", "cp932"),
        ("邮箱", "gb18030"),
    ],
)
def test_a_list_of_few_ascii_letters_is_no_ebcdic(tmp_path: Path, name: str, encoding: str) -> None:
    text = f"{name};{name}\n{name};{name}@{name}.{name}\n"
    head = read(tmp_path, text.encode(encoding), Choices(encoding=encoding))
    assert head.columns == (name, name)


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
def test_what_only_looks_odd_is_taken(tmp_path: Path, content: bytes) -> None:
    assert read(tmp_path, content).row_count


@pytest.mark.parametrize(
    ("content", "line", "word"),
    [
        pytest.param("'id','email'\n'1','a@x.de'\n'2','b@x.de'\n", 2, "single quotes", id="single"),
        pytest.param("email\n'a@x.de'\n", 2, "single quotes", id="single-one-column"),
        pytest.param(" id | email\n----+-----\n 1 | a@x.de\n(1 row)\n", 2, "draws", id="psql"),
        pytest.param("| id | email |\n|---|:--:|\n| 1 | a@x.de |\n", 2, "draws", id="markdown"),
        pytest.param("+--+---+\n|id|email|\n+--+---+\n|1|a@x.de|\n", 3, "draws", id="mysql"),
        pytest.param("id,email\n--,-----\n1,a@x.de\n", 2, "draws", id="sqlcmd"),
        pytest.param("id   email\n1    a@x.de\n2    b@x.de\n", 2, "blanks", id="fixed-width"),
        pytest.param('"email" "name"\n"1" "a@x.de" "Ana"\n', 2, "write.table", id="r"),
        pytest.param('"email"\n"1" "a@x.de"\n"2" "b@x.de"\n', 2, "write.table", id="r-one-column"),
        pytest.param("email name\n1 a@x.de Ana\n2 b@x.de B\n", 2, "write.table", id="r-unquoted"),
        pytest.param('"1" "a@x.de" "A"\n"2" "b@x.de" "B"\n', 2, "blanks", id="r-without-header"),
    ],
)
def test_what_is_no_list_is_refused_by_its_line(
    tmp_path: Path, content: str, line: int, word: str
) -> None:
    with pytest.raises(BrokenFile) as caught:
        read(tmp_path, content.encode())
    assert caught.value.line == line
    assert word in caught.value.detail
    assert "x.de" not in caught.value.detail


@pytest.mark.parametrize("cell", ["no, really", "a;b, c", "tab\tand, comma"])
def test_one_column_comes_back_as_it_came(tmp_path: Path, cell: str) -> None:
    content = f'email\r\nana@firm.example.com\r\n"{cell}"\r\n'.encode()
    result = clean(tmp_path, content)
    assert result == (
        b"email,category,domain_type\r\nana@firm.example.com,white,unlisted\r\n"
        + f'"{cell}",black,invalid\r\n'.encode()
    )
    found = list(csv.reader(io.StringIO(result.decode(), newline="")))
    assert [row[0] for row in found] == ["email", "ana@firm.example.com", cell]


def test_r_s_header_is_one_cell_short(tmp_path: Path) -> None:
    content = (
        b'"email","name"\n"1","ana@firm.example.com","Ana"\n"2","ben@trash.example.com","Ben"\n'
    )
    head = read(tmp_path, content)
    assert (head.columns, plan_input(head).email_column) == (("", "email", "name"), 1)
    assert [notice.code for notice in head.notices] == ["header_short"]
    assert clean(tmp_path, content).decode() == (
        '"email","name",category,domain_type\n'
        '"1","ana@firm.example.com","Ana",white,unlisted\n'
        '"2","ben@trash.example.com","Ben",black,disposable\n'
    )


def test_a_delimiter_behind_each_row_shifts_nothing(tmp_path: Path) -> None:
    head = read(tmp_path, b"email,name\nana@x.de,Ana,\nben@x.de,Ben,\n")
    assert (head.columns, plan_input(head).email_column) == (("email", "name"), 0)


@pytest.mark.parametrize("end", [b"\r\n\x1a", b"\x1a", b"\r\n\x1a\x1a\x1a", b"\r\n\x1a\r\n"])
@pytest.mark.parametrize("head", [b"email", b"id,email"])
def test_the_sign_that_ends_a_file_of_dos_is_no_row(
    tmp_path: Path, head: bytes, end: bytes
) -> None:
    row = b"ana@firm.example.com" if head == b"email" else b"1,ana@firm.example.com"
    behind = b",white,unlisted"
    expected = row + (end + behind if end == b"\x1a" else behind + end)
    result = clean(tmp_path, head + b"\r\n" + row + end)
    assert result == head + b",category,domain_type\r\n" + expected


LOOSE = [
    pytest.param("id,email\n# a note\n1,a@x.de\n", 1, id="comment"),
    pytest.param("id,email\n1,a@x.de\n# of 2026, perhaps\n2,b@x.de\n", 2, id="comment-with-comma"),
    pytest.param("id,email\n1,a@x.de\n# note,\n2,b@x.de\n", 2, id="padded-comment"),
    pytest.param("email\n# gone: c@x.de\na@x.de\n#b@x.de\n", 2, id="comment-beside-an-address"),
    pytest.param("id,email\n1,a@x.de\n# it's \"new\n2,b@x.de\n", 2, id="comment-with-a-quote"),
    pytest.param("id,email\n1,a@x.de\nid,email\n2,b@x.de\n", 2, id="header-again"),
    pytest.param(
        '"id","e\nmail"\n1,a@x.de\n"id","e\nmail"\n2,b@x.de\n', 2, id="header-of-two-lines"
    ),
    pytest.param("id,email\n1,a@x.de\n2,b@x.de\n\n(2 rows affected)\n", 2, id="sql-server"),
    pytest.param("id,email\n1,a@x.de\n2,b@x.de\nTotal: 2 rows\n", 2, id="total"),
    pytest.param("id,email\n1,a@x.de\n2,b@x.de\nTotal,2\n", 2, id="total-in-cells"),
    pytest.param("email\na@x.de\n1 row(s) returned\n", 1, id="total-of-one-column"),
    pytest.param("# made 2026\nid,email\n# note\n1,a@x.de\n# end", 1, id="all-over"),
]


@pytest.mark.parametrize(("text", "row_count"), LOOSE)
def test_lines_that_are_no_rows_pass_through(tmp_path: Path, text: str, row_count: int) -> None:
    assert read(tmp_path, text.encode()).row_count == row_count
    result = clean(tmp_path, text.encode()).decode()
    added = (",white,unlisted", ",category,domain_type")
    for cells in added:
        result = result.replace(cells, "")
    assert result == text


@pytest.mark.parametrize(
    "row",
    [
        "#124,,Bob",
        "#125,c@x.de,Bob",
        '"#126",no address,Bob',
        "# 7,no address,Bob",
        "Total Wine,c,d",
    ],
)
def test_rows_that_only_look_like_comments_are_rows(tmp_path: Path, row: str) -> None:
    text = f"id,email,name\n1,a@x.de,Ana\n{row}\n"
    assert read(tmp_path, text.encode()).row_count == 2
    assert clean(tmp_path, text.encode()).decode().count("\n1,a@x.de,Ana,white,unlisted\n") == 1


def test_a_header_with_a_number_sign_stays_a_header(tmp_path: Path) -> None:
    assert clean(tmp_path, b"#email\na@x.de\n#email\nb@x.de\n") == (
        b"#email,category,domain_type\na@x.de,white,unlisted\n#email\nb@x.de,white,unlisted\n"
    )


def test_lines_that_are_no_rows_stay_out_of_other_formats(tmp_path: Path) -> None:
    text = b"Title\n\nid,email\n# one\n1,a@x.de\nid,email\n2,b@trash.example.com\n"
    text += b"# two\n3,c@x.de\nTotal\n"
    clean(tmp_path, text)
    plan = plan_input(read(tmp_path, text))
    rows = ResultRows(tmp_path / "work", plan)
    as_tsv = DownloadChoice(file_format=FileFormat.TSV)
    assert b"".join(rows.stream(Export(Variant.AUGMENTED, as_tsv))).decode() == (
        "Title\r\nid\temail\tcategory\tdomain_type\r\n1\ta@x.de\twhite\tunlisted\r\n"
        "2\tb@trash.example.com\tblack\tdisposable\r\n3\tc@x.de\twhite\tunlisted\r\n"
    )
    with_reason = DownloadChoice(adds_reason=True)
    kept = b"".join(rows.stream(Export(Variant.CLEANED, with_reason))).decode()
    assert kept.startswith("Title\n\nid,email,category,domain_type,reason\n# one\n1,a@x.de,white")
    assert kept.endswith("# two\n3,c@x.de,white,unlisted,unlisted\n")
    assert [row.cells for row in rows.page(RowFilter(), 0, 9).rows][2] == ("3", "c@x.de")


def test_escaped_backslashes_beside_addresses_part_no_cells(tmp_path: Path) -> None:
    text = '"note","email"\n"a\\\\b\nana@firm.example.com\\\\c","ana@firm.example.com"\n'
    head = read(tmp_path, text.encode(), Choices(escape="\\"))
    assert head.columns == ("note", "email")

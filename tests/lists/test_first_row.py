"""A list is found below titles, comments and blank lines, which come back as they were."""

from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.lists.delimited_support import clean, read, scratch_folder
from tests.lists.test_inspect import LANGUAGES
from tests.tables import read_csv, write_csv
from tests.workbooks import write_workbook
from winnow.core.errors import BadField, EmailColumnMissing
from winnow.core.lists.input_head import Choices
from winnow.lists.inspect import find_column, plan_input

TITLES = (
    "Report",
    "Report generated 2026-11-01 10:15",
    "Newsletter, spring; all | countries",
    "Exported by ana@firm.example.com on Monday",
    "# made by an export, do not edit",
    "// nothing",
    'The "big" list of 5" disks',
    "Konto 4711",
)
BODY = (
    ("ana@firm.example.com", "Ana, the first", "01"),
    ("", "nobody", "02"),
    ("ben@wegwerf.net", "Ben", ""),
    ("cem@firm.example.com", "line\nbreak", "04"),
)


@st.composite
def tables(draw: st.DrawFn) -> tuple[list[str], list[str], list[tuple[str, ...]], bool]:
    """Titles ("" is a blank line), a header, rows; and whether short rows are padded."""
    above = draw(st.lists(st.sampled_from(TITLES), max_size=4))
    if above and draw(st.booleans()):
        above.insert(draw(st.integers(0, len(above))), "")
    name = draw(st.sampled_from(["email", *LANGUAGES.values()]))
    order = draw(st.permutations(range(3)))
    header = [(name, "name", "no")[place] for place in order]
    rows = [tuple(row[place] for place in order) for row in BODY]
    return above, header, rows, draw(st.booleans())


@settings(deadline=None, max_examples=30)
@given(
    table=tables(),
    delimiter=st.sampled_from(",;\t|"),
    encoding=st.sampled_from(("utf-8", "utf-8-sig", "utf-16")),
    newline=st.sampled_from(("\n", "\r\n")),
)
@example((["Report", ""], ["no", "メール", "name"], list(BODY), True), ",", "utf-8", "\n")
def test_a_text_list_is_found_below_anything(table, delimiter, encoding, newline) -> None:
    above, header, rows, is_padded = table
    top = "".join(title + newline for title in above)  # with no thought of delimiters
    if is_padded:
        padded = [[title, "", ""] for title in above]
        top = write_csv(padded, delimiter, lineterminator=newline).decode()
    body = write_csv([header, *rows], delimiter, lineterminator=newline).decode()
    content = (top + body).encode(encoding)
    name = "list.tsv" if delimiter == "\t" else "list.csv"
    head = read(content, name)
    assert head.columns == tuple(header)
    assert head.first_row == len(above) + 1
    assert head.row_count == len(rows)
    with scratch_folder() as folder:
        result = clean(content, Path(folder), name).result
    assert result.startswith(top.encode(encoding))
    text = result.decode(encoding).removeprefix(top)
    found = read_csv(text, delimiter)
    assert found[0] == [*header, "category", "domain_type"]
    assert [tuple(row[:3]) for row in found[1:]] == [tuple(row) for row in rows]
    assert [row[3] for row in found[1:]].count("black") == 2  # the empty one, the disposable one


@pytest.mark.parametrize(
    ("text", "row", "column"),
    [
        pytest.param("Konto;4711\nName;Kundenmail\nAna;a@x.de\n", 2, 1, id="pairs-by-name"),
        pytest.param("name,contact,by\nBob,,email\nAna,a@x.de,email\n", 1, 1, id="email-in-body"),
        pytest.param("E-Mail\nName;E-Mail\nAna;a@x.de\nBob;b@x.de\n", 2, 1, id="title-named-so"),
        pytest.param("#,Name,Email\n1,Bob,a@x.de\n", 1, 2, id="number-sign-as-a-name"),
        pytest.param("id,email\n\nBob,\nAna,a@x.de\n", 1, 1, id="gap-below-the-header"),
        pytest.param("Title\n\nKontakte\na@x.de\nb@x.de\n", 3, 0, id="one-column"),
        pytest.param("Export\nName;Telefon\nAna;1\nBob;2\n", 2, None, id="no-address-anywhere"),
        pytest.param("id,name\n1,Ana\n2,a@x.de\n", 1, 1, id="a-row-without-address-first"),
    ],
)
def test_the_header_is_told_from_what_is_none(text, row, column) -> None:
    head = read(text.encode())
    assert (head.first_row, head.suggested_column) == (row, column)


@pytest.mark.parametrize("wanted", ["1", "2", "3", " 4 "])
def test_a_position_does_not_move_the_header(wanted: str) -> None:
    head = read(b"id,name,Kontakt,score\n1,Ana,,3\n2,4,b@x.de,4\n", email_column=wanted)
    assert (head.first_row, head.columns) == (1, ("id", "name", "Kontakt", "score"))
    assert plan_input(head, email_column=wanted).email_column == int(wanted) - 1


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("1,Ana,,3\n2,Bob,bob@x.de,4\n3,Cem,cem@x.de,5\n", id="numbers"),
        pytest.param("1,Ana,n/a,3\n2,Bob,bob@x.de,4\n3,Cem,cem@x.de,5\n", id="no-address"),
        pytest.param("x,Bonn,\ny,Kiel,bob@x.de\nz,Bonn,cem@x.de\n", id="a-text-again"),
        pytest.param("Ana;;2024-01-05\nBob;bob@x.de;2024-02-01\n", id="dates"),
        pytest.param("2,b@x.de\n4,c@x.de\n", id="an-address"),
    ],
)
@pytest.mark.parametrize("wanted", [None, "2"])
def test_a_first_row_like_the_others_is_not_lost_as_the_header(text, wanted) -> None:
    head = read(text.encode())
    assert head.headerless_guess
    with pytest.raises(EmailColumnMissing) as caught:
        plan_input(head, email_column=find_column(head) if wanted is None else wanted)
    assert (caught.value.headerless, caught.value.columns) == (True, [])
    assert "x.de" not in caught.value.detail  # an address of it is not repeated
    found = read(text.encode(), choices=Choices(has_header=False))
    assert found.row_count == text.count("\n")
    plan = plan_input(read(text.encode(), choices=Choices(has_header=True)), email_column=1)
    assert plan.has_header


@pytest.mark.parametrize(
    ("text", "is_told"),
    [
        ("id,name,Kontakt,2023\n1,Ana,a@x.de,5\n2,Bob,b@x.de,6\n", True),
        ("Ana,Bonn,\nBob,Kiel,b@x.de\nCem,Ulm,c@x.de\n", True),
        ("id,name,E-Mail,2023\n1,Ana,a@x.de,5\n", False),
        ("id,name,Mail of the manager\n1,Ana,a@x.de\n", False),
        ("id,name\n1,Ana\n", False),
    ],
)
def test_a_header_that_is_only_assumed_is_told(text, is_told) -> None:
    head = read(text.encode())
    assert not head.headerless_guess
    assert ("header_assumed" in [notice.code for notice in head.notices]) is is_told


def test_titles_over_a_list_without_header_are_no_header() -> None:
    content = b"Newsletter\n\nAna,x,a@x.de\nBob,y,b@x.de\n"
    assert read(content).headerless_guess
    head = read(content, choices=Choices(has_header=False))
    assert (head.row_count, head.first_row, head.suggested_column) == (2, 3, 2)


def test_the_header_s_row_is_the_analyst_s_to_say(tmp_path: Path) -> None:
    text = b"Title\r\n\r\nno,mobile\r\nname,contact\r\nAna,a@x.de\r\n"
    assert read(text).first_row == 3
    for wanted, columns, rows in ((4, ("name", "contact"), 1), (1, ("Title", ""), 3)):
        head = read(text, choices=Choices(first_row=wanted))
        assert (head.columns, head.row_count) == (columns, rows)
        assert [number for number, _ in head.rows_above] == [1, 3][: wanted // 2]
        assert head.row_numbers[-1] == 5
    result = clean(text, tmp_path, choices=Choices(first_row=4)).result
    assert result.startswith(b"Title\r\n\r\nno,mobile\r\nname,contact,category,domain_type\r\n")
    for wanted in (0, -1, 9):
        with pytest.raises(BadField):
            read(text, choices=Choices(first_row=wanted))


def test_a_sheet_s_header_is_the_analyst_s_to_say(tmp_path: Path) -> None:
    rows = [("email",), (), ("name", "contact"), ("Ana", "a@x.de")]
    content = write_workbook(tmp_path / "book.xlsx", rows).read_bytes()
    choices = Choices(first_row=2, has_header=False)  # row 2 is blank: the next one begins it
    head = read(content, "list.xlsx", choices)
    assert (head.first_row, head.row_count, head.row_numbers) == (3, 2, (3, 4))
    found = clean(content, tmp_path, "list.xlsx", choices).read_sheet()
    assert [row[2] for row in found] == [None, None, "black", "white"]


def test_titles_are_no_rows_of_a_sheet_s_estimate(tmp_path: Path) -> None:
    rows = [("Our list",), ("of May",), ("email",), *((f"a{n}@x.de",) for n in range(60))]
    head = read(write_workbook(tmp_path / "book.xlsx", rows).read_bytes(), "list.xlsx")
    assert (head.first_row, head.row_count, head.row_estimate) == (3, None, 60)

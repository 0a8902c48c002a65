"""What is said of an uploaded list before it is taken, and of every kind of wrong one."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.lists.delimited_support import read
from tests.lists.test_packed import PACKERS
from tests.lists.xlsx_support import make_workbook
from tests.server import PROJECT
from winnow.core.errors import (
    BadField,
    BrokenFile,
    EmailColumnAmbiguous,
    EmailColumnMissing,
    EmptyFile,
    UnsupportedFormat,
)
from winnow.core.lists.file_format import FileFormat
from winnow.core.lists.input_head import NAMES_NOES, Choices, EncodingDoubt, doubt_column
from winnow.core.lists.notices import OTHER_SHEETS
from winnow.lists.inspect import plan_input, read_head
from winnow.lists.inspection.signature import split_file_name

BOM = b"\xef\xbb\xbf"
MIB = 1 << 20


LIST_SHEET: tuple[str, list[list[object]]] = ("List", [["Name", "email"], ["a", "a@x.de"]])


QUESTIONS = [
    ("email,other\nfoo,ana@a.example\nbar,bo@b.example\n", "Addresses are in other."),
    ('id, email, name\n1, "ana@a.example", "K, Ana"\n', "quotation marks are part"),
    ("'id','email'\n'1','ana@a.example'\n", "quotation marks are part"),
    ("email,name\nnobody,Ana\n", "Is this the right column?"),
    ("email,name\nana@a.example,Ana\nnobody,Bo\n", ""),
    ("email,name\n,Ana\n", ""),
]


@pytest.mark.parametrize(("text", "said"), QUESTIONS)
def test_a_column_without_an_address_is_asked_about(text: str, said: str) -> None:
    head = read(text.encode())
    assert head.suggested_column is not None
    texts = [str(notice.text) for notice in doubt_column(head, head.suggested_column)]
    assert len(texts) == bool(said)
    assert all(said in one and "@" not in one for one in texts)


NAMES = {
    ("list", "csv"): ("list.csv", "../../etc/list.csv", "list.csv. ", "  list.csv"),
    ("LIST", "csv"): ("LIST.CSV",),
    ("a.b", "tsv"): ("a.b.tsv",),
    ("list.csv", "xlsx"): ("list.csv.xlsx",),
    ("May list", "xlsx"): (r"C:\exports\May list.Xlsx",),
    ("", "csv"): (".csv",),
}


@pytest.mark.parametrize(
    ("name", "is_doubted"),
    [("unsubscribed_members_export_1.csv", True), ("cleaned may.csv", False)],
)
def test_a_list_that_is_named_as_an_export_of_noes_is_doubted(
    tmp_path: Path, name: str, is_doubted: bool
) -> None:
    (tmp_path / "list").write_text("email\nana@a.example\n")
    notices = read_head(tmp_path / "list", name).notices
    assert [one.code for one in notices] == [NAMES_NOES] * is_doubted


@pytest.mark.parametrize(("stem", "file_format"), NAMES)
def test_format_comes_from_the_last_extension(stem: str, file_format: str) -> None:
    for name in NAMES[stem, file_format]:
        assert split_file_name(name) == (stem, FileFormat(file_format))


@pytest.mark.parametrize(
    "name",
    ["list", "", ".", "csv", "list.xlsx.pdf", "list.xlsb", "list.csv/", "list.ana@x.de", "a.xlsm"],
)
def test_other_extensions_are_refused_without_repeating_the_name(name: str) -> None:
    with pytest.raises(UnsupportedFormat) as caught:
        split_file_name(name)
    assert "@" not in caught.value.detail


EMPTY_TABLE = pa.BufferOutputStream()
pq.write_table(pa.table({"email": pa.array([], pa.string())}), EMPTY_TABLE)
NO_ROWS = (
    *(BOM, b"\n\n\r\n", b"   \n", b"sep=;\r\n", b"email\n", b"a;email;b", b"\n\nemail\r\n\r\n"),
    "email\n".encode("utf-16"),
)


@pytest.mark.parametrize(
    ("content", "name"),
    [
        *((b"", f"list.{extension}") for extension in ("csv", "xlsx", "tsv")),
        *((content, "list.csv") for content in NO_ROWS),
        (make_workbook(("List", [["email"]])), "list.xlsx"),
        (make_workbook(("List", [])), "list.xlsx"),
        (EMPTY_TABLE.getvalue().to_pybytes(), "list.parquet"),
        *((pack(b""), f"list.csv.{packing}") for packing, pack in PACKERS.items()),
    ],
)
def test_a_list_without_a_row_is_empty(content: bytes, name: str) -> None:
    with pytest.raises(EmptyFile):
        read(content, name)


@pytest.mark.slow
def test_rows_that_begin_late_are_rows() -> None:
    head = read(b"email\n" + b"\n" * 2 * MIB + b"a@x.de\n")
    assert head.row_count is None


HEADERS = {
    "name;email": 1, "name; E-MAIL ;EMAIL": 2, "name; Email ": 1, "Email;email;EMAIL": 1,
    '"email";name': 0, "\ufeffemail;name": 0, "  EMAIL\t;name": 0,
}  # fmt: skip


@pytest.mark.parametrize(("header", "position"), HEADERS.items())
def test_the_column_is_found_by_name(header, position) -> None:
    row = ";".join(("a", "a@x.de", "b")[: header.count(";") + 1])
    head = read(f"{header}\n{row}\n".encode())
    assert plan_input(head).email_column == position


def test_without_the_column_the_error_lists_what_there_is() -> None:
    head = read(b"Name;E-Mail;City\na;a@x.de;Bonn\n")
    with pytest.raises(EmailColumnMissing) as caught:
        plan_input(head)
    assert caught.value.columns == ["Name", "E-Mail", "City"]
    assert "'E-Mail'" in caught.value.detail
    assert head.suggested_column == 1


@pytest.mark.parametrize(
    ("header", "cells", "suggested", "holding"),
    [
        pytest.param("Twitter,E-Mail", ("@ana,a@x.de", "@bob,b@x.de"), 1, (1,), id="handles"),
        pytest.param("a,b", ("x@y,a@x.de", "z@,b@x.de"), 1, (1,), id="valid-beats-malformed"),
        pytest.param("a,b", ("a@x.de,b@x.de",), None, (0, 1), id="two-hold-addresses"),
        pytest.param("email,b", ("a@x.de,b@x.de",), 0, (0, 1), id="one-is-named-email"),
        pytest.param("a,mél", ("1,ana", "2,bob"), 1, (), id="by-name-alone"),
        pytest.param("a,b", ("1,ana@x", "2,bob@y"), 1, (), id="malformed-ones-only"),
        pytest.param("a,b", ("@1,ana", "@2,bob"), None, (), id="nothing"),
        pytest.param(
            "note,b", ("talk,a@x.de", "c@x.de,d@x.de", "-,e@x.de"), 1, (1,), id="one-in-a-note"
        ),
    ],
)
def test_the_column_is_told_by_valid_addresses(header, cells, suggested, holding) -> None:
    head = read("\n".join((header, *cells)).encode())
    assert (head.suggested_column, head.address_columns) == (suggested, holding)


LANGUAGES = {
    "en": "Email Address", "de": "E-MAIL-ADRESSE", "fr": "Adresse electronique", "es": "Correo",
    "pt": "Endereço de e-mail", "it": "indirizzo", "ca": "Correu electrònic", "nl": "E-mailadres",
    "sv": "E-post", "fi": "Sähköposti", "is": "Netfang", "lv": "e-pasts", "lt": "El. paštas",
    "pl": "Adres e-mail", "cs": "E-mailová adresa", "sl": "E-poštni naslov", "hu": "E-mail cím",
    "ro": "Adresă de e-mail", "el": "Ηλεκτρονικό ταχυδρομείο", "bg": "Имейл",
    "ru": "Электронная почта", "uk": "Електронна пошта", "tr": "e-posta", "he": "אימייל",
    "ar": "البريد الإلكتروني", "hi": "ईमेल", "th": "อีเมล", "vi": "Thư điện tử", "id": "Surel",
    "ja": "メール", "ko": "이메일", "zh": "电子邮箱",
}  # fmt: skip


@pytest.mark.parametrize("name", LANGUAGES.values(), ids=LANGUAGES)
def test_a_column_is_known_by_its_name_in_many_languages(name) -> None:
    head = read(f"Liste\n\nx,{name}\nana,not yet known\nben,neither\n".encode())
    assert (head.columns, head.suggested_column, head.is_named) == (("x", name), 1, True)


def test_twin_columns_need_a_position() -> None:
    head = read(b"Email,x,EMAIL\na@x.de,1,b@x.de\n")
    with pytest.raises(EmailColumnAmbiguous) as caught:
        plan_input(head)
    assert caught.value.positions == [1, 3]
    assert plan_input(head, email_column=2).email_column == 2
    assert plan_input(head, email_column="3").email_column == 2
    with pytest.raises(EmailColumnAmbiguous):
        plan_input(head, email_column="email ")


def test_the_wanted_column_may_be_a_name_a_position_or_a_choice() -> None:
    content = b"Name,2,E-Mail\na,b,a@x.de\n"
    head = read(content)
    assert plan_input(head, email_column="e-mail").email_column == 2
    assert plan_input(head, email_column=" 3 ").email_column == 2
    assert plan_input(head, email_column="2").email_column == 1  # the name comes first
    assert plan_input(head, email_column=0).email_column == 0
    assert plan_input(read(content, choices=Choices(email_column=2))).email_column == 2
    for wanted in (3, -1, "4", "0", "mail", "", "-1", "9" * 30):
        with pytest.raises(BadField):
            plan_input(head, email_column=wanted)
    with pytest.raises(BadField):
        read(content, choices=Choices(email_column=3))


@pytest.mark.parametrize(
    ("content", "line", "words"),
    [
        (b'name;email\nx;a@x.de\n"y;b@x.de\nz;c@x.de\n', 3, "Line 3"),
        (b'name;email\n"x\ny";a@x.de\n"y;b@x.de\n"z";c@x.de\n', 4, "never closes"),
        (b"email\r\na\0@x.de\r\n", 2, "NUL"),
        (b"email\r\n" + b"a@example.com\r\n" * 60_000 + b"a\0@x.de\r\n", 60_002, "NUL"),
        ("email\na@x.de\nb@x.de\n".encode("utf-16")[:-1], 3, "UTF-16"),
        ((b"x" * 900_000 + b",") * 4, 1, "Line 1"),
    ],
    ids=["quote", "quote-below-a-break", "nul", "nul-late", "half-utf-16", "no-end-of-a-row"],
)
def test_what_breaks_a_list_is_named_by_its_line(content: bytes, line: int, words: str) -> None:
    with pytest.raises(BrokenFile, match=words) as caught:
        read(content)
    assert caught.value.line == line


def test_a_long_but_fair_cell_is_read() -> None:
    cell = b'"' + b"y" * (MIB - 100) + b'"'
    head = read(b"email,note\na@x.de," + cell + b"\nb@x.de,\n")
    assert head.row_count == 2
    assert len(head.sample_rows[0][1]) <= 200


@pytest.mark.parametrize(
    ("header", "wanted", "words"),
    [
        (b"Name,email", "Mail", "no column 'Mail'. Columns found: 'Name', 'email'"),
        (b"Name,email", "3", "no column '3'. Columns found: 'Name', 'email'"),
        (b"Name,email", "a@x.de", "no such column. Columns found: 'Name', 'email'"),
        (b"@work,email", "Mail", "no column 'Mail'. Columns found: 1, 'email'"),
        (b"Ana,a@x.de", "Mail", "no column 'Mail'"),
    ],
)
def test_a_column_that_is_missing_is_named_with_those_found(header, wanted, words) -> None:
    with pytest.raises(BadField) as caught:
        plan_input(read(header + b"\nb,b@x.de\n"), email_column=wanted)
    assert caught.value.problem == f"the list has {words}"


def test_too_many_columns_are_refused() -> None:
    read(b"email" + b"," * 16_383 + b"\na@x.de\n")
    with pytest.raises(BrokenFile, match="columns"):
        read(b"email" + b"," * 16_384 + b"\na@x.de\n")


def test_a_nul_byte_is_named_before_the_encoding_is_settled() -> None:
    with pytest.raises(BrokenFile, match="NUL"):
        read(b"email\n\xff\0\n" + b"a@x.de\n" * 10, choices=Choices(encoding="utf-8"))


def test_an_umlaut_in_row_90000_changes_the_encoding() -> None:
    rows = b"Anna;anna@example.com\r\n" * 90_000
    head = read(b"name;email\r\n" + rows + "Jörg;j@example.com\r\n".encode("cp1252"))
    assert head.encoding == "cp1252"
    (notice,) = head.notices
    assert notice.lines == (90_002,)
    assert head.row_count is None
    assert head.row_estimate == pytest.approx(90_001, rel=0.01)


def test_an_assumed_encoding_knows_every_byte() -> None:
    head = read(b"name;email\nJ\xf6rg\x81\x8d\x8f\x90\x9d;a@x.de\n")
    bytes(range(0x80, 0x100)).decode(head.encoding)


@pytest.mark.parametrize(
    ("content", "line"),
    [
        (BOM + b"name;email\nJ\xf6rg;a@x.de\n", 2),
        ("name;email\nJörg;a@x.de\n".encode() + b"J\xf6rg;b@x.de\n", 3),
    ],
    ids=["a-mark-that-lies", "two-encodings"],
)
def test_a_file_of_two_encodings_is_doubtful(content: bytes, line: int) -> None:
    head = read(content)
    assert (head.encoding, head.columns) == ("cp1252", ("name", "email"))
    assert head.encoding_doubt is EncodingDoubt.GREAT
    [notice] = head.notices
    assert (notice.code, notice.lines) == ("encoding_assumed", (line,))


def test_choices_overrule_and_are_checked() -> None:
    content = "name;email\nJörg;a@x.de\n".encode("cp1252")
    assert read(content, choices=Choices(encoding="windows-1250")).encoding == "cp1250"
    head = read(content, choices=Choices(delimiter="|"))
    assert (head.delimiter, head.columns) == ("|", ("name;email",))
    wrong = [Choices(encoding=one) for one in ("utf-8", "utf-16", "rot13", "no such", "a\0b")]
    wrong += [Choices(delimiter=one) for one in ("", '"', "ab", "é", "\n")]
    for choices in wrong:
        with pytest.raises(BadField):
            read(content, choices=choices)
    with pytest.raises(BadField):
        read("email\na@x.de\n".encode("utf-16"), choices=Choices(encoding="cp1252"))


@pytest.mark.parametrize(
    ("content", "delimiter"),
    [
        (b"id;email;sum\n1;a@x.de;1,5\n2;b@x.de;2,25\n", ";"),
        (b'id,email,note\n1,a@x.de,"x;y;z"\n2,b@x.de,"p;q;r"\n', ","),
        (b"id|email|note\n1|a@x.de|a, b\n2|b@x.de|c, d\n", "|"),
        (b"id\temail\n1\ta@x.de\n", "\t"),
        (b'"Name, first";email\n"Doe, J";a@x.de\n', ";"),
        (b"Kontakt;Ort\na@x.de;Bonn, Nord\nb@x.de;Ulm, Alb\n", ";"),
        (b"name,email\nA;B,a@x.de\nC;D,b@x.de\n", ","),
        (b"email\na@x.de\n", ","),
        (b"email\nno, really\na@x.de\nb@x.de\n", ";"),
        (b'id,email,d\n1,a@x.de,5" disk\n2,b@x.de,"7"" disk"\n', ","),
        (b"a,b;c\n1,2;3\n4,5;6\n", None),  # doubtful, and admitted
    ],
)
def test_the_delimiter_is_told_from_what_comes_out(content, delimiter) -> None:
    head = read(content)
    assert delimiter in (head.delimiter, None)
    codes = [notice.code for notice in head.notices]
    assert ("delimiter_assumed" in codes) == (delimiter is None)


@pytest.mark.parametrize(
    ("content", "delimiter"),
    [
        (b"a,b\temail\n1,2\ta@x.de\n", "\t"),
        (b"a;email\n1;a@x.de\n", ";"),
        (b"email\na@x.de\n", "\t"),
    ],
)
def test_tsv_means_tab_unless_there_is_none(content, delimiter) -> None:
    head = read(content, "list.tsv")
    assert (head.delimiter, head.notices) == (delimiter, ())


@pytest.mark.parametrize("line", [b"sep=|\r\n", b'"SEP=|"\r\n'])
def test_the_line_by_which_excel_names_the_delimiter(line) -> None:
    head = read(line + b"\r\nname|email,no\r\nana|a@x.de,1\r\n")
    plan = plan_input(head, email_column=1)
    assert (plan.delimiter, plan.preamble_lines, plan.columns) == ("|", 2, ("name", "email,no"))
    assert head.row_count == 1


def test_the_first_visible_sheet_with_the_column_is_taken() -> None:
    content = make_workbook(
        ("Hidden", [["email"], ["h@x.de"]]),
        ("Cover", [["About"], ["this"]]),
        LIST_SHEET,
        ("Other", [["Email"], ["o@x.de"]]),
        hidden=("Hidden",),
    )
    head = read(content, "list.xlsx")
    assert (head.sheet, head.sheets) == ("List", ("Cover", "List", "Other"))
    plan = plan_input(head)
    assert (plan.sheet, plan.email_column, plan.columns) == ("List", 1, ("Name", "email"))
    assert head.sample_rows == (("a", "a@x.de"),)
    assert read(content, "list.xlsx", Choices(sheet="Other")).sheet == "Other"
    with pytest.raises(BadField):
        read(content, "list.xlsx", Choices(sheet="Nowhere"))
    draft = make_workbook(("Draft", [["email"], ["later"]]), LIST_SHEET)
    assert read(draft, "list.xlsx").sheet == "Draft"


def test_other_sheets_with_addresses_are_named() -> None:
    def make(name: str, count: int) -> tuple[str, list[list[object]]]:
        return name, [["Email", "n"], *([f"p{n}@{name.lower()}.de", n] for n in range(count))]

    cover = ("Cover", [["Ask"], ["boss@firm.de"]])
    content = make_workbook(
        cover, make("May", 3), make("June", 2), make("Old", 9), make("July", 4), hidden=("Old",)
    )
    (notice,) = read(content, "list.xlsx").notices
    assert notice.code == OTHER_SHEETS
    assert notice.text.startswith("Only the sheet May is checked.")
    assert notice.text.endswith("not checked: June, July.")
    chosen = read(content, "list.xlsx", Choices(sheet="July")).notices
    assert chosen[0].text.endswith("not checked: May, June.")
    assert not read(make_workbook(cover, make("May", 3)), "list.xlsx").notices


def test_the_sample_list_is_understood() -> None:
    head = read_head(PROJECT / "winnow/lists/data/sample.csv", "sample.csv")
    assert (head.row_count, head.encoding) == (200, "utf-8")
    assert plan_input(head).email_column == 3
    assert head.notices == ()

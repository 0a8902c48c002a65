"""Lists with backslash escapes: read as others read them, written so that they read them again."""

import csv
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from tests.lists.delimited_support import JUDGE, clean, read, scratch_folder
from tests.tables import read_csv, write_csv
from winnow.core.errors import BrokenFile, MixedEscapes
from winnow.core.file_faults import FileFault
from winnow.core.judging.judge import judge_text
from winnow.core.lists.exports import DownloadChoice, Export
from winnow.core.lists.file_format import FileFormat
from winnow.core.lists.input_head import Choices
from winnow.core.lists.rows import RowFilter, Variant
from winnow.lists.result.cell_grid import read_grid, read_own_cells
from winnow.lists.result.row_text import RESULT_NAME, RowText
from winnow.lists.text.escapes import read_plainly

ESCAPES = Choices(escape="\\")
WORDS = st.text(st.sampled_from('ab\\\\""\'é,;|\t\n @N='), max_size=8)
EMAILS = st.one_of(
    st.builds(
        "{}@{}".format,
        st.sampled_from(("ana", "o'hara", '"a\\"b"', '"a,b"', "jörg", "a\\b", "info+x")),
        st.sampled_from(("frei.de", "wegwerf.net", "büro.de", "x\\.de", "firm.co.uk")),
    ),
    WORDS,
)
TABLES = st.lists(st.tuples(WORDS, EMAILS, WORDS), min_size=1, max_size=8)
DIALECTS = st.tuples(
    st.sampled_from(",;\t|"),
    st.sampled_from(("\n", "\r\n")),
    st.sampled_from((csv.QUOTE_MINIMAL, csv.QUOTE_ALL, csv.QUOTE_NONE)),
)
HEADER = ("name", "email", "note")
DIALECT: dict[str, Any] = {"doublequote": False, "escapechar": "\\"}


def read_again(text: str, delimiter: str) -> list[tuple[str, ...]]:
    return [tuple(row) for row in read_csv(text, delimiter, strict=False, **DIALECT)]


@pytest.mark.slow
@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(TABLES, DIALECTS, st.sampled_from((1, 7, 64, 1 << 22)))
@example([("", "jörg@büro.de", "")], (",", "\n", csv.QUOTE_MINIMAL), 1)
@example([("", "", "';@;'")], (",", "\n", csv.QUOTE_MINIMAL), 1)
@example([("a", '"\\"', "\\\\")], (",", "\n", csv.QUOTE_ALL), 1)
def test_cells_are_those_that_python_reads_before_and_after(table, dialect, block_bytes) -> None:
    delimiter, newline, quoting = dialect
    written = {"lineterminator": newline, "quoting": quoting, **DIALECT}
    text = write_csv([HEADER, *table], delimiter, **written).decode()
    truth = read_again(text, delimiter)
    assert truth == [HEADER, *table]
    with scratch_folder() as folder:
        found = clean(
            text.encode(), Path(folder), choices=Choices(escape="\\", delimiter=delimiter),
            deduplicate=False, block_bytes=block_bytes,
        )  # fmt: skip
        page = found.rows.page(RowFilter(), 0, 100)
        assert [row.cells for row in page.rows] == table
        verdicts = [judge_text(JUDGE, email).verdict for _, email, _ in table]
        assert [row.verdict for row in page.rows] == verdicts
        result = found.result.decode()
        added = [(verdict.category.value, verdict.domain_type.value) for verdict in verdicts]
        expected = [("category", "domain_type"), *added]
        again = read_again(result, delimiter)
        assert again == [(*row, *cells) for row, cells in zip(truth, expected, strict=True)]
        choice = DownloadChoice(file_format=FileFormat.CSV)
        other = b"".join(found.rows.stream(Export(Variant.AUGMENTED, choice))).decode()
        assert [tuple(row) for row in read_csv(other)] == again
        for needle in ('"', "\\"):
            matching = found.rows.page(RowFilter(text=needle), 0, 100).rows
            wanted = [place for place, row in enumerate(table, 1) if needle in "".join(row)]
            assert [row.number for row in matching] == wanted


def test_mysql_exports_are_known_by_themselves(tmp_path) -> None:
    text = (
        "email\tname\tnote\neva@frei.de\tO\\\tHara\t\\N\n"
        "bob@frei.de\ttwo\\\nlines\tC:\\\\x\n\\N\tc\td\n"
    )
    head = read(text.encode(), "list.tsv")
    assert head.escape == "\\"
    assert head.row_count == 3
    assert head.sample_rows == (
        ("eva@frei.de", "O\tHara", ""),
        ("bob@frei.de", "two\nlines", "C:\\x"),
        ("", "c", "d"),
    )
    found = clean(text.encode(), tmp_path, "list.tsv")
    lines = found.result.decode().splitlines(keepends=True)
    assert lines[1] == "eva@frei.de\tO\\\tHara\t\\N\twhite\tfree\n"
    assert lines[2:4] == ["bob@frei.de\ttwo\\\n", "lines\tC:\\\\x\twhite\tfree\n"]


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        pytest.param("email\tnote\na@x.de\tone\\ntwo\\\\nü\n\\N\t\\N\n", "utf-8", id="bare"),
        pytest.param('"email";"note"\n"é@x.de";"5\\" d\\n"\n\\N;""\n', "cp1252", id="nulls"),
        pytest.param('"email","note"\n"a@x.de","5\\" 表"\n', "cp932", id="multi-byte"),
        pytest.param('email,note\r\na@x.de,"\\"a"\r\n', "utf-16-le", id="utf-16"),
    ],
)
def test_what_is_put_back_is_as_it_was(tmp_path, text, encoding) -> None:
    delimiter = next(one for one in text if one in ",;\t")
    choices = Choices(escape="\\", encoding=encoding, delimiter=delimiter)
    found = clean(text.encode(encoding), tmp_path, choices=choices)
    result = found.result.decode(encoding)
    own = [line.rsplit(delimiter, 2)[0] for line in result.splitlines()]
    assert own == text.splitlines()
    again = b"".join(found.rows.stream(Export(Variant.AUGMENTED)))
    assert again == found.result


def test_projects_of_0_2_keep_their_escapes() -> None:
    """Their result is what was uploaded, and the rows are read from it."""
    text = (
        'email,note,category,domain_type\na@x.de,"5\\" d",white,business\n\\N,C:\\\\,black,black\n'
    )
    form = RowText(RESULT_NAME, width=2, has_verdicts=True, escape="\\")
    assert read_grid(text.encode(), form).cells.to_pylist()[4:] == [
        b"a@x.de", b'5" d', b"white", b"business", b"", b"C:\\", b"black", b"black",
    ]  # fmt: skip
    assert read_own_cells(text.splitlines()[2].encode(), form) == ("", "C:\\")


@pytest.mark.parametrize(
    "text",
    [
        pytest.param('name,email\n"a ""b""",x@frei.de\n"C:\\",y@frei.de\n', id="path-in-quotes"),
        pytest.param('json,email\n"{""a"":""b\\""c""}",x@frei.de\n', id="json-in-csv"),
        pytest.param(
            'name,email\nDOM\\ana,x@frei.de\nDOM\\"bob",y@frei.de\n', id="names-of-domains"
        ),
        pytest.param('a,email\n"x ""y""",x@frei.de\n\\N,y@frei.de\n', id="null-word-in-csv"),
    ],
)
def test_plain_backslashes_stay_text(text) -> None:
    head = read(text.encode())
    assert head.escape == ""
    assert list(head.sample_rows) == [tuple(row) for row in read_csv(text, strict=False)][1:]


@pytest.mark.parametrize(
    ("escape", "odd"),
    [("", "x\\, y,late@frei.de,z\n"), ("\\", "C:\\,late@frei.de,z\n")],
)
def test_a_body_that_disagrees_with_its_head_has_rows_of_odd_width(tmp_path, escape, odd) -> None:
    quote = escape or '"'
    rows = "".join(f'{n},user{n}@frei.de,"he said {quote}"{n}{quote}""\n' for n in range(9))
    content = f"name,email,note\n{rows}{odd}".encode()
    found = clean(content, tmp_path, choices=Choices(escape=escape))
    assert [(n.code, n.lines) for n in found.outcome.notices] == [("ragged_rows", (11,))]


@pytest.mark.parametrize("odd", ['"x ""y""",late@frei.de\n', '"C:\\",late@frei.de\n'])
def test_quotes_that_contradict_the_escapes_are_refused_by_their_line(tmp_path, odd) -> None:
    rows = "".join(
        f'"he said \\"{n}\\"",user{n}@frei.de\n' for n in range(20_000)
    )  # several blocks
    with pytest.raises(MixedEscapes, match="backslash") as caught:
        clean(f"name,email\n{rows}{odd}{rows}".encode(), tmp_path, choices=ESCAPES)
    assert (caught.value.line, caught.value.fault) == (20_002, FileFault.MIXED_ESCAPES)


@pytest.mark.parametrize("choices", [ESCAPES, Choices()], ids=["chosen", "found"])
@pytest.mark.parametrize("end", ["\\", "\\\n", "\\\r\n"])
def test_a_file_that_ends_behind_a_backslash_is_refused(tmp_path, end, choices) -> None:
    text = f'name,email\n"a\\"",x@frei.de\nb,y@frei.de{end}'
    with pytest.raises(BrokenFile, match="backslash"):
        clean(text.encode(), tmp_path, choices=choices)


def test_a_long_cell_is_refused_as_long() -> None:
    rows = 'email,text\na@x.de,"says \\"hi\\""\n' * 2 + 'b@x.de,"' + "x" * (2 << 20)
    with pytest.raises(BrokenFile, match="Line 5: a cell is longer than 1 MiB"):
        read_plainly(rows.encode(), ",", is_whole=False)


def test_escapes_are_found_where_what_is_looked_at_ends_within_a_cell() -> None:
    row = f'a@firm.example.com,"she said \\"{"yes " * 10_000}\\""\n'
    head = read(f"email,text\n{row * 20}".encode())
    assert head.escape == "\\"


def test_an_escaped_delimiter_behind_a_closing_quote_parts_no_cells(tmp_path) -> None:
    text = 'name,email\n"a\\"",x@frei.de\n"b"\\, c,y@frei.de\n'
    found = clean(text.encode(), tmp_path, choices=ESCAPES, deduplicate=False)
    cells = [row.cells for row in found.rows.page(RowFilter(), 0, 9).rows]
    assert cells == [('a"', "x@frei.de"), ("b, c", "y@frei.de")]


def test_runs_and_broken_bytes_of_stored_rows_are_read() -> None:
    runs = RowText(RESULT_NAME, width=9, has_verdicts=True, has_runs=True)
    row = b"a\xff\xf9\xf9\xf8\xf8\xf8\xc3\xbc,white,free\n"
    assert read_own_cells(row, runs) == ("a", *[""] * 7, "ü")
    broken = RowText(RESULT_NAME, width=2, has_verdicts=True)
    assert read_own_cells(b"a,\xe9,white,free\n", broken) == ("a", "\ufffd")

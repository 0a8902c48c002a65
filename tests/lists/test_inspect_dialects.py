"""Any table written in any dialect is understood again; any bytes at all get an answer."""

import csv

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.lists.delimited_support import read
from tests.tables import read_csv, write_csv
from winnow.core.errors import InputError
from winnow.lists.execution.blocks import find_lines
from winnow.lists.formats.delimited.encoding import find_invalid_utf8
from winnow.lists.inspect import plan_input
from winnow.lists.text.splitter import split_records

ENCODINGS = ("utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be")
WORDS = st.text(st.sampled_from("abcXYZ019 äöüßłé€,;|\t'=+-.\"\n"), max_size=8)
NAMES = st.text(st.sampled_from("abcdefgh ÄÖü_"), min_size=1, max_size=8)  # hyphens part as well
ADDRESSES = st.builds(
    "{}@{}.{}".format,
    st.text(st.sampled_from("abc.+_9"), min_size=1, max_size=8),
    st.text(st.sampled_from("abcdeü-9"), min_size=2, max_size=8),
    st.sampled_from(("de", "com", "fr")),
)


@st.composite
def tables(draw: st.DrawFn) -> tuple[list[str], list[list[str]]]:
    """A table with a column email whose cells are mostly addresses."""
    before, after = draw(st.integers(0, 3)), draw(st.integers(0, 3))
    names = draw(st.lists(NAMES, min_size=before + after, max_size=before + after))
    names = [name for name in names if name.strip().lower() != "email"]
    names += ["other"] * (before + after - len(names))
    header = [*names[:before], draw(st.sampled_from(("email", "Email", "EMAIL"))), *names[before:]]
    rows = [
        [
            *draw(st.lists(WORDS, min_size=before, max_size=before)),
            draw(ADDRESSES),
            *draw(st.lists(WORDS, min_size=after, max_size=after)),
        ]
        for _ in range(draw(st.integers(1, 6)))
    ]
    return header, rows


@settings(deadline=None, max_examples=60)
@given(
    table=tables(),
    delimiter=st.sampled_from(",;\t|"),
    newline=st.sampled_from(("\n", "\r\n", "\r")),
    encoding=st.sampled_from(ENCODINGS),
    quoting=st.sampled_from((csv.QUOTE_MINIMAL, csv.QUOTE_ALL)),
    ends_in_newline=st.booleans(),
)
def test_any_table_in_any_dialect_is_understood_again(
    table, delimiter, newline, encoding, quoting, ends_in_newline
) -> None:
    header, rows = table
    if newline == "\r":
        quoting = csv.QUOTE_ALL  # the csv module of Python 3.11 leaves a lone LF unquoted there
    written = write_csv([header, *rows], delimiter, lineterminator=newline, quoting=quoting)
    text = written.decode()
    if not ends_in_newline:
        text = text.removesuffix(newline)
    head = read(text.encode(encoding), "list.tsv" if delimiter == "\t" else "list.csv")
    assert head.columns == tuple(header)
    assert head.sample_rows == tuple(map(tuple, rows))
    assert head.row_count == len(rows)
    assert plan_input(head).email_column == head.columns.index(
        "email" if "email" in head.columns else next(n for n in header if n.lower() == "email")
    )
    if len(header) > 1:
        assert head.delimiter == delimiter
    expected = {"utf-8-sig": "utf-8", "utf-16": "utf-16-le"}.get(encoding, encoding)
    assert head.encoding == expected


TEXTS = st.text(st.sampled_from('ab;"\r\n \t'), max_size=60)


@settings(deadline=None, max_examples=100)
@given(TEXTS)
def test_the_careful_reader_agrees_with_the_csv_module(text) -> None:
    try:
        records = list(split_records(text, ";", is_whole=True))
    except InputError:
        return
    begins = [0, *(record.end for record in records)]
    cells = [
        list(record.cells) if text[begin : record.end].strip("\r\n") else []
        for begin, record in zip(begins, records, strict=False)
    ]
    assert cells == read_csv(text, ";", strict=False)


@given(st.text(st.sampled_from("a\r\n"), max_size=30), st.integers(1, 5), st.integers(0, 30))
def test_lines_are_found_over_any_blocks(text, size, until) -> None:
    assume(text[until - 1 : until + 1] != "\r\n")  # the line feed is of the line that it ends
    content = text.encode()
    blocks = [content[place : place + size] for place in range(0, len(content), size)]
    part = text[:until]
    expected = part.count("\n") + part.count("\r") - part.count("\r\n")
    assert find_lines(iter(blocks), [until]) == [1 + expected]


@given(st.text(max_size=40), st.integers(1, 5), st.binary(max_size=2))
def test_utf8_is_checked_over_any_blocks(text, size, rubbish) -> None:
    content = text.replace("\0", "").encode() + rubbish.replace(b"\0", b"")
    blocks = [content[place : place + size] for place in range(0, len(content), size)]
    at = find_invalid_utf8(iter(blocks))
    assert at == find_fault(content)


def find_fault(content: bytes) -> int | None:
    try:
        content.decode()
    except UnicodeDecodeError as error:
        return error.start
    return None

"""Several lists as one: every cell where csv says that it belongs."""

import csv
import gzip
from collections.abc import Callable, Sequence
from datetime import date
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.lists.delimited_support import find_plan
from tests.tables import read_csv, write_csv
from tests.workbooks import write_workbook
from winnow.core.lists.file_format import FileFormat
from winnow.core.lists.input_head import Choices
from winnow.core.lists.merging import FileColumns, Merge, MergedFile, lay_out_merge
from winnow.lists.merging import choose_format, merge_files, name_merge

Rows = list[dict[str, str]]


def merge(paths: Sequence[Path], out_path: Path, choices: Sequence[Choices] | None = None) -> Merge:
    """Merge files as they are, each read as a single list is."""
    plans = list(map(find_plan, paths, choices or [Choices()] * len(paths)))
    names, folder = [path.name for path in paths], out_path.parent

    def read(number: int, write_rows: Callable[[Path, Path], MergedFile]) -> MergedFile:
        return write_rows(paths[number], folder)

    with out_path.open("wb") as out:
        return merge_files(names, plans, out.write, read, folder / "rows")


def read_rows(path: Path, delimiter: str = ",") -> Rows:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter=delimiter, strict=True))


def write(path: Path, text: str, encoding: str = "utf-8") -> Path:
    path.write_bytes(text.encode(encoding))
    return path


def test_stray_quotes_and_backslashes_are_text(tmp_path: Path) -> None:
    stray = write(tmp_path / "stray.csv", 'email,size\na@x.de,5" disk\nb@x.de,"6, ""x"""\n')
    lines = "".join(f'e{number}@x.de,"say \\"hi\\", {number}"\n' for number in range(20))
    escaped = write(tmp_path / "escaped.csv", f"email,size\n{lines}f@x.de,\\N\n")
    merge([stray, escaped], tmp_path / "out.csv", [Choices(), Choices(escape="\\")])
    found = read_rows(tmp_path / "out.csv")
    wanted = ['5" disk', '6, "x"', *(f'say "hi", {number}' for number in range(20)), ""]
    assert [row["size"] for row in found] == wanted


def test_rows_of_odd_width_keep_every_cell(tmp_path: Path) -> None:
    lines = "".join(f"r{number}@x.de,x,y\n" for number in range(50))
    odd = write(tmp_path / "odd.csv", f'email,b,c\na@x.de\nb@x.de,1,2,3,"4,5"\n{lines}')
    other = write(tmp_path / "other.csv", "c,email\n9,q@x.de\n")
    merge([odd, other], tmp_path / "out.csv")
    rows = read_csv((tmp_path / "out.csv").read_bytes())
    assert rows[0] == ["email", "b", "c", "source_file"]
    assert rows[1] == ["a@x.de", "", "", "odd.csv"]
    assert rows[2] == ["b@x.de", "1", "2", "odd.csv", "3", "4,5"]
    assert rows[-1] == ["q@x.de", "", "9", "other.csv"]


def test_what_is_above_the_header_is_left_out(tmp_path: Path) -> None:
    first = write(tmp_path / "a.csv", "Title\n\n# made by a program\nid,email,n\n1,a@x.de,x\n\n")
    second = write(tmp_path / "b.csv", 'n,email\n# vip,c@x.de\n"# q",d@x.de\n')
    third = write(tmp_path / "c.csv", "n,id,email\n#,1,e@x.de\n")
    merge([second, first, third], tmp_path / "out.csv")
    told = [(row["n"], row["id"], row["email"]) for row in read_rows(tmp_path / "out.csv")]
    assert told == [
        ("# vip", "", "c@x.de"),
        ("# q", "", "d@x.de"),
        ("x", "1", "a@x.de"),
        ("#", "1", "e@x.de"),
    ]


def test_workbooks_give_what_their_cells_show(tmp_path: Path) -> None:
    rows = [
        ("Customers of 2026",),
        (),
        ("E-Mail", "since", "zip", "sum", "note"),
        ("a@x.de", date(2026, 3, 1), "00123", 1.5, 'he said "no", then\nleft'),
        ("b@x.de", pd.Timestamp("2026-03-01 12:30"), "00124", 2, None),
        (),
        ("c@x.de", None, None, 10_000_000_000, "ü"),
    ]
    text = write(tmp_path / "text.csv", "zip,email\n007,z@x.de\n")
    merge([text, write_workbook(tmp_path / "book.xlsx", rows)], tmp_path / "out.csv")
    found = read_rows(tmp_path / "out.csv")
    assert list(found[0]) == ["zip", "email", "since", "sum", "note", "source_file"]
    assert [tuple(row.values()) for row in found] == [
        ("007", "z@x.de", "", "", "", "text.csv"),
        ("00123", "a@x.de", "2026-03-01", "1.5", 'he said "no", then\nleft', "book.xlsx"),
        ("00124", "b@x.de", "2026-03-01 12:30:00", "2", "", "book.xlsx"),
        ("", "c@x.de", "", "10000000000", "ü", "book.xlsx"),
    ]


def test_tsv_files_alone_become_tsv(tmp_path: Path) -> None:
    one = write(tmp_path / "a.tsv", 'email\tn\na@x.de\t"x\ty"\n')
    two = tmp_path / "b.tsv.gz"
    two.write_bytes(gzip.compress(b"n\temail\n1,2\tb@x.de\n"))
    merge([one, two], tmp_path / "out.tsv")
    found = read_rows(tmp_path / "out.tsv", "\t")
    assert [row["n"] for row in found] == ["x\ty", "1,2"]


@pytest.mark.parametrize(
    "name", ["=1+1.csv", 'a,b "c";d.csv', "@home.csv", "名前.csv", "# x.csv", "'.csv", "-.csv"]
)
def test_hostile_file_names_are_one_cell(tmp_path: Path, name: str) -> None:
    path = write(tmp_path / name, "email;n\na@x.de;1\n")
    merge([path, path], tmp_path / "out.csv")
    found = read_rows(tmp_path / "out.csv")
    assert [row["source_file"] for row in found] == [name, f"{name} (2)"]


CELL = st.text(st.characters(codec="utf-8", exclude_characters="\0\ufeff", max_codepoint=0x2FF))


@settings(max_examples=30, deadline=None)
@given(
    st.lists(
        st.tuples(st.sampled_from(",;\t|"), st.permutations(["email", "a", "b"]), st.data()),
        min_size=2,
        max_size=4,
    )
)
def test_any_cells_in_any_dialect_come_through(
    tmp_path_factory: pytest.TempPathFactory,
    files: list[tuple[str, list[str], st.DataObject]],
) -> None:
    folder = tmp_path_factory.mktemp("merge")
    paths, wanted, choices = [], [], []
    for number, (mark, names, data) in enumerate(files):
        rows = data.draw(st.lists(st.tuples(CELL, CELL), min_size=1, max_size=5))
        path = folder / f"{number}.csv"
        found = [
            {"email": f"p{place}@x.de", "a": one, "b": other}
            for place, (one, other) in enumerate(rows)
        ]
        lines = [names, *([row[name] for name in names] for row in found)]
        path.write_bytes(write_csv(lines, mark, quoting=csv.QUOTE_ALL))
        wanted += [{**row, "source_file": path.name} for row in found]
        paths.append(path)
        choices.append(Choices(encoding="utf-8", delimiter=mark, escape=""))
    merge(paths, folder / "out.csv", choices)
    assert read_rows(folder / "out.csv") == wanted


MATCHED = {  # with an at-sign before the name of an email column
    "case-and-blanks-aside": (
        ["@email|Name", " NAME |@e-mail"], "email|Name|source_file", [(0, 1), (1, 0)],
    ),
    "byte-order-mark": (
        ["@\ufeffemail|x", "@email|\ufeffX"], "email|x|source_file", [(0, 1), (0, 1)],
    ),
    "unmatched-columns-stay": (
        ["@email|a", "b|@email"], "email|a|b|source_file", [(0, 1, None), (1, None, 0)],
    ),
    "repeated-and-nameless-in-order": (
        ["@email|n|n|", "n|@email||n|"], "email|n|n|||source_file",
        [(0, 1, 2, 3, None), (1, 0, 3, 2, 4)],
    ),
    "source-file-is-taken": (
        ["@email|source_file", "@email|Source_File_2"],
        "email|source_file|Source_File_2|source_file_3", [(0, 1, None), (0, None, 1)],
    ),
    "the-first-name-of-the-email-column": (
        ["@E-Mail|x", "@contact|e-mail"], "E-Mail|x|e-mail|source_file",
        [(0, 1, None), (0, None, 1)],
    ),
    "a-nameless-email-column": (["@", "@"], "email|source_file", [(0,), (0,)]),
}  # fmt: skip


@pytest.mark.parametrize(("headers", "names", "places"), MATCHED.values(), ids=MATCHED)
def test_columns_are_matched_by_their_names(
    headers: list[str], names: str, places: list[tuple[int | None, ...]]
) -> None:
    files = []
    for number, header in enumerate(headers):
        email_column = header[: header.index("@")].count("|")
        columns = tuple(header.replace("@", "").split("|"))
        files.append(FileColumns(f"{number}.csv", columns, email_column))
    layout = lay_out_merge(files)
    assert "|".join(layout.names) == names
    assert [layout.list_indices(number) for number in range(len(files))] == places
    assert layout.columns[layout.email_column].places == tuple(one.email_column for one in files)


def test_files_of_one_name_are_told_apart() -> None:
    files = [FileColumns(name, ("email",), 0) for name in ("a", "a (2)", "a", "a", "b")]
    assert lay_out_merge(files).labels == ("a", "a (2)", "a (3)", "a (4)", "b")


def test_a_merged_list_is_named_by_its_first_file() -> None:
    assert name_merge(["jan.tsv.gz", "b", "c"], FileFormat.CSV) == "jan and 2 more.csv"
    long = name_merge([f"{'x' * 300}.csv"] * 20, FileFormat.CSV)
    assert len(long.removesuffix(".csv")) <= 50


@pytest.mark.parametrize(
    ("formats", "here", "by_cluster"),
    [
        ("tsv tsv.gz", "tsv", "tsv"),
        ("tsv csv", "csv", "csv"),
        ("csv xlsx", "csv", "csv"),
        ("parquet parquet", "csv", "parquet"),
    ],
)
def test_the_format_is_that_of_all_files_or_csv(formats: str, here: str, by_cluster: str) -> None:
    files = [FileFormat(one) for one in formats.split()]
    kept = (FileFormat.TSV, FileFormat.PARQUET)
    assert (choose_format(files), choose_format(files, kept)) == (here, by_cluster)

"""The lists are what they are meant to be, and the oracle sees what is wrong with a result."""

import csv
import io
from pathlib import Path

import openpyxl
import pytest
from disposable_email_domains import blocklist

from tests.made_lists import make_lists, make_sample, oracle
from winnow.core.addresses.address import duplicate_key
from winnow.core.lists.file_format import FileFormat
from winnow.core.verdicts.judge import SandboxJudge
from winnow.lists.inspection.inspect import plan_input, read_head

ROWS = 3_000


def write(kind: str, path: Path) -> Path:
    if kind == "xlsx":
        return make_lists.write_xlsx(path, ROWS)
    if kind == "tsv":
        return make_lists.write_tsv(path, ROWS)
    encoding = "cp1252" if kind == "cp1252" else "utf-8-sig"
    return make_lists.write_csv(path, ROWS, encoding=encoding)


def test_the_list_is_what_a_european_excel_exports(tmp_path: Path) -> None:
    first = write("csv", tmp_path / "a.csv").read_bytes()
    assert write("csv", tmp_path / "b.csv").read_bytes() == first
    assert first.startswith(b"\xef\xbb\xbf")
    rows = list(csv.DictReader(io.StringIO(first[3:].decode(), newline=""), delimiter=";"))
    assert len(rows) == ROWS
    emails = [row["email"] for row in rows]
    keys = [duplicate_key(email) for email in emails]
    duplicates = len(keys) - len(set(keys))
    assert 0.14 < duplicates / ROWS < 0.22
    disposable = sum(email.rpartition("@")[2].lower() in blocklist for email in emails)
    assert 0.015 < disposable / ROWS < 0.05
    assert any(not email.strip() for email in emails)
    assert any(email.isupper() for email in emails)
    assert any("@" in email and not email.isascii() for email in emails)
    assert any("\n" in row["Notiz"] for row in rows)
    assert all(row["Kd-Nr"].startswith("0") for row in rows)


@pytest.mark.parametrize("kind", ["csv", "cp1252", "tsv", "xlsx"])
def test_each_list_is_understood_and_expected(tmp_path: Path, kind: str) -> None:
    path = write(kind, tmp_path / f"list.{'csv' if kind == 'cp1252' else kind}")
    head = read_head(path, path.name)
    plan = plan_input(head)
    assert plan.columns == make_lists.COLUMNS
    assert plan.email_column == 3
    if kind == "xlsx":  # a workbook that does not state its size
        assert 0.8 * ROWS < head.row_estimate < 1.2 * ROWS
    else:
        assert head.row_count == ROWS
    assert plan.encoding == ("cp1252" if kind == "cp1252" else "utf-8")
    expected = oracle.expect(path, plan, SandboxJudge(), deduplicate=True)
    assert expected.rows_in == ROWS
    assert expected.charged + expected.invalid == expected.rows_out
    assert expected.columns[-2:] == ("category", "domain_type")
    if plan.file_format is not FileFormat.XLSX:
        data = path.read_bytes()
        start, records = oracle.read_raw(data, plan)
        assert start + b"".join(record.body + record.newline for record in records) == data


def test_the_workbook_has_types_formats_widths_and_a_second_sheet(tmp_path: Path) -> None:
    book = openpyxl.load_workbook(write("xlsx", tmp_path / "list.xlsx"))
    sheet = book["Kunden"]
    assert sheet["I2"].is_date
    assert sheet["I2"].number_format == "dd.mm.yyyy"
    assert "€" in sheet["H2"].number_format
    assert sheet["A2"].value == "0000001"
    assert sheet.column_dimensions["D"].width == 38
    assert book.sheetnames == ["Kunden", "Hinweise"]


def test_the_committed_sample_is_the_made_one(tmp_path: Path) -> None:
    make_sample.make_sample(tmp_path / "sample.csv")
    made = (tmp_path / "sample.csv").read_bytes()
    committed = make_sample.SAMPLE_PATH.read_bytes()
    assert committed.replace(b"\r\n", b"\n") == made.replace(b"\r\n", b"\n")

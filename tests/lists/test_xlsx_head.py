"""What is seen of a workbook before it is processed."""

from pathlib import Path

from tests.lists.xlsx_support import build_list, save, share_strings
from winnow.lists.formats.xlsx.head import read_xlsx_head


def test_every_sheet_is_described_in_order(tmp_path: Path) -> None:
    workbook = build_list([["notes"], ["x"]], title="Notes")
    hidden = workbook.create_sheet("Old", 0)
    hidden.append(["email"])
    hidden.sheet_state = "hidden"
    sheet = workbook.create_sheet("Lists & more")
    for row in (["Our list"], [], ["id", "E-Mail", " Email "]):
        sheet.append(row)
    for number in range(50):
        sheet.append([number, None, f"u{number}@firm.example.com"])
    head = read_xlsx_head(share_strings(save(workbook, tmp_path)))
    assert [(found.name, found.visible) for found in head] == [
        ("Old", False),
        ("Notes", True),
        ("Lists & more", True),
    ]
    found = head[2]
    assert found.columns == ("id", "E-Mail", " Email ")
    assert found.header_row == 3
    assert found.row_count == 50
    assert len(found.sample_rows) == 20
    assert found.sample_rows[1] == ("1", "", "u1@firm.example.com")


def test_an_empty_sheet_has_no_columns(tmp_path: Path) -> None:
    (sheet,) = read_xlsx_head(save(build_list([]), tmp_path))
    assert (sheet.columns, sheet.sample_rows, sheet.row_count) == ((), (), 0)

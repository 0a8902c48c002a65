"""References move as a spreadsheet program moves them when rows 3 and 5 are deleted."""

import pytest

from backend.files.workbook.formula import (
    FormulaShifter,
    LostReference,
    RowMap,
    offset_formula,
    parse_formula,
    write_formula,
)

SHIFTER = FormulaShifter("My Data", ["A", "My Data", "C"], RowMap([3, 5]))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("B2*2", "B2*2"),
        ("SUM(A2:A10)+B$4", "SUM(A2:A8)+B$3"),
        ("SUM(A3:A5)", "SUM(A3:A3)"),
        ('"A4"&A4', '"A4"&A3'),
        ("Other!A4+A4", "Other!A4+A3"),
        ("'My Data'!A4", "'My Data'!A3"),
        ("'my data'!$A$4:B6", "'my data'!$A$3:B4"),
        ("List[Col A4]+A6", "List[Col A4]+A4"),
        ("$4:6", "$3:4"),
        ("SUM(A:A)", "SUM(A:A)"),
        ("A1:A1048576", "A1:A1048576"),
        ("[1]Foo!A4+1E5", "[1]Foo!A4+1E5"),
        ("foo.A4(3)+LOG10(A4)", "foo.A4(3)+LOG10(A3)"),
        ("Rate_A4*2", "Rate_A4*2"),
    ],
)
def test_moves_what_points_at_the_sheet(before: str, after: str) -> None:
    assert write_formula(SHIFTER.shift(parse_formula(before), at_home=True)) == after


@pytest.mark.parametrize("formula", ["A3", "A3:A3", "SUM(5:5)", "A:C!B4", "'A:My Data'!B4"])
def test_says_what_it_cannot_move(formula: str) -> None:
    with pytest.raises(LostReference):
        SHIFTER.shift(parse_formula(formula), at_home=True)


def test_elsewhere_only_named_references_move() -> None:
    formula = SHIFTER.shift(parse_formula("A4+'My Data'!A4"), at_home=False)
    assert write_formula(formula) == "A4+'My Data'!A3"


def test_a_filled_formula_keeps_its_distance() -> None:
    assert write_formula(offset_formula(parse_formula("B2+$B$2+B$2"), 3, 1)) == "C5+$B$2+C$2"
    with pytest.raises(LostReference):
        offset_formula(parse_formula("A1"), -1, 0)

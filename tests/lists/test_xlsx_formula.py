"""References move as a spreadsheet program moves them when rows 3 and 5 are deleted."""

import pytest

from winnow.lists.formats.xlsx.references.formula import (
    LostReference,
    offset_formula,
    parse_formula,
    write_formula,
)
from winnow.lists.formats.xlsx.references.mover import ReferenceMover

SHIFTER = ReferenceMover("My Data", [3, 5])


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
        ("\\A4+A4", "\\A4+A3"),
        ("RC4+R1C4+R4C[-1]+R4", "RC3+R1C4+R4C[-1]+R3"),
        ("SUM($A:B,B:$B,4:$4)", "SUM($A:B,B:$B,3:$3)"),
        ("'My Data'!A4:'My Data'!B6", "'My Data'!A3:B4"),
        ("A4:INDEX(B:B,A6)", "A3:INDEX(B:B,A4)"),
        ("List[[#This Row],[it']s A4]]*A4", "List[[#This Row],[it']s A4]]*A3"),
        ("'C:\\x\\[b.xlsx]My Data'!A4", "'C:\\x\\[b.xlsx]My Data'!A4"),
        ("#REF!A4+'My Data'!#REF!+A4", "#REF!A4+'My Data'!#REF!+A3"),
        ("A:C!B4+A:C!B:B", "A:C!B4+A:C!B:B"),
        ("XFE:XFE+XFE4+A4", "XFE:XFE+XFE4+A3"),
    ],
)
def test_moves_what_points_at_the_sheet(before: str, after: str) -> None:
    moved, is_lost = SHIFTER.shift(parse_formula(before), at_home=True)
    assert (write_formula(moved), is_lost) == (after, False)


@pytest.mark.parametrize("formula", ["A3", "A3:A3", "SUM(5:5)"])
def test_says_what_it_cannot_move(formula: str) -> None:
    assert SHIFTER.shift(parse_formula(formula), at_home=True)[1]


def test_elsewhere_only_named_references_move() -> None:
    formula, _ = SHIFTER.shift(parse_formula("A4+'My Data'!A4"), at_home=False)
    assert write_formula(formula) == "A4+'My Data'!A3"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("B2+$B$2+B$2", "C5+$B$2+C$2"),
        ("SUM(F:G)", "SUM(G:H)"),
        ("SUM($F:G)", "SUM($F:H)"),
        ("SUM(F:$G,$F:$G)", "SUM(G:$G,$F:$G)"),
        ("SUM(Other!F:G)+F1", "SUM(Other!G:H)+G4"),
        ("SUM(5:6,$5:6,$5:$6)", "SUM(8:9,$5:9,$5:$6)"),
    ],
)
def test_a_filled_formula_keeps_its_distance(before: str, after: str) -> None:
    assert write_formula(offset_formula(parse_formula(before), 3, 1)) == after


@pytest.mark.parametrize(("formula", "rows", "columns"), [("A1", -1, 0), ("SUM(XFC:XFD)", 0, 1)])
def test_what_would_leave_the_sheet_is_lost(formula: str, rows: int, columns: int) -> None:
    with pytest.raises(LostReference):
        offset_formula(parse_formula(formula), rows, columns)


@pytest.mark.parametrize(
    ("formula", "is_covered"),
    [
        ("SUM(A:A)", True),
        ("SUM(Other!A:A)", False),
        ("SUM(2:2)", False),
        ("SUM(2:4)", True),
        ("A:C!B4", False),
        ("SUM(A:C!B4:B9)", False),
        ("List[n]", True),
    ],
)
def test_says_which_values_are_out_of_date(formula: str, *, is_covered: bool) -> None:
    assert SHIFTER.covers_removed(parse_formula(formula), at_home=True) is is_covered

"""Whatever names rows moves with them, in every legal spelling; the schema says what that is."""

import re
import xml.etree.ElementTree as ET
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.lists import reference_cases as cases
from tests.lists.reference_cases import CASES, Case
from tests.lists.spellings import SPELLINGS
from tests.lists.xlsx_support import remove_rows
from tests.lists.zips import read_zip, write_zip
from winnow.lists.formats.xlsx.markup import edit_elements
from winnow.lists.formats.xlsx.references.formula import (
    MAX_FORMULA_CHARACTERS,
    LostReference,
    offset_formula,
    parse_formula,
    write_formula,
)
from winnow.lists.formats.xlsx.references.mover import BrokenReferences, ReferenceMover

_PREFIXES = "r x14 xm xdr a a14 xlrd2 v x c c15 cx cdr ax mc xlpda xlpds"
_NAMESPACES = {
    "": "http://schemas.openxmlformats.org/spreadsheetml/2006/main",
    **{prefix: f"urn:{prefix}" for prefix in _PREFIXES.split()},
}
_DECLARED = "".join(
    f' xmlns{":" + prefix if prefix else ""}="{uri}"' for prefix, uri in _NAMESPACES.items()
)
_KINDS = {
    cases.TABLE: "table", cases.COMMENTS: "comments", cases.THREADS: "threadedComment",
    cases.DRAWING: "drawing", cases.VML: "vmlDrawing", cases.PIVOT: "pivotTable",
}  # fmt: skip
_ROWS = "".join(f'<row r="{row}"><c r="A{row}"><v>{row}</v></c></row>' for row in range(1, 11))


def _relate(targets: Mapping[str, str]) -> str:
    entries = "".join(
        f'<Relationship Id="rId{place}" Type="t/{kind}" Target="/{target}"/>'
        for place, (target, kind) in enumerate(targets.items(), start=1)
    )
    return f"<Relationships>{entries}</Relationships>"


def _fill(part: str, fragment: str) -> str:
    """Return a whole part with a fragment in it."""
    if part == cases.WORKBOOK:
        sheets = '<sheet name="Data" sheetId="1" r:id="rId1"/>'
        sheets += '<sheet name="Other" sheetId="2" r:id="rId2"/>'
        body = f"<workbook><sheets>{sheets}</sheets>{fragment}</workbook>"
    elif part in (cases.SHEET, cases.OTHER):
        is_head = fragment.startswith(("<sheetPr", "<sheetViews"))
        head, tail = (fragment, "") if is_head else ("", fragment)
        body = f"<worksheet>{head}<sheetData>{_ROWS}</sheetData>{tail}</worksheet>"
    else:
        body = fragment
    return re.sub(r"<([\w:]+)", rf"<\1{_DECLARED}", body, count=1)


def _build(part: str, content: str | bytes) -> bytes:
    parts: dict[str, str | bytes] = {
        "[Content_Types].xml": '<Types><Override PartName="/xl/calc.xml" '
        'ContentType="x.calcChain+xml"/></Types>',
        "_rels/.rels": _relate({cases.WORKBOOK: "officeDocument"}),
        cases.WORKBOOK: _fill(cases.WORKBOOK, '<calcPr fullCalcOnLoad="1"/>'),
        "xl/_rels/workbook.xml.rels": _relate(
            {
                cases.SHEET: "worksheet",
                cases.OTHER: "worksheet",
                cases.CACHE: "pivotCacheDefinition",
                "xl/calc.xml": "calcChain",
                "xl/volatile.xml": "volatileDependencies",
            }
        ),
        "xl/calc.xml": '<calcChain><c r="A3" i="1"/></calcChain>',
        "xl/volatile.xml": '<volTypes><tr r="A3" s="1"/></volTypes>',
        cases.SHEET: _fill(cases.SHEET, ""),
        cases.OTHER: _fill(cases.OTHER, ""),
        "xl/sheets/_rels/data.xml.rels": _relate(_KINDS),
        "xl/sheets/_rels/other.xml.rels": _relate({cases.OTHER_DRAWING: "drawing"}),
        cases.DRAWING_LINKS: _relate({cases.CHART: "chart"}),
    }
    for name in {*_KINDS, cases.OTHER_DRAWING, cases.CHART}:
        parts.setdefault(name, "<empty/>")
    parts[cases.CACHE] = "<empty/>"
    return write_zip({**parts, part: content})


def _rewrite(folder: Path, package: bytes) -> tuple[dict[str, bytes], BrokenReferences]:
    path, out = folder / "in.xlsx", folder / "out.xlsx"
    path.write_bytes(package)
    losses = remove_rows(path, out, (3, 5))
    return read_zip(out), losses


def _read(content: str | bytes) -> str:
    """Return XML in the one form that the W3C gives it, without its rows."""
    text = content.decode() if isinstance(content, bytes) else content
    text = re.sub(r"(?s)(<(?:\w+:)?sheetData\s*>).*(</(?:\w+:)?sheetData\s*>)", r"\1\2", text)
    text = re.sub(r"^<\?xml[^>]*>\s*", "", text)
    return ET.canonicalize(text, strip_text=True, rewrite_prefixes=True)


FORMS = (  # the first is as Excel writes
    "shared-texts",
    "references-of-letters",
    "other-quotes",
    "spaced-out",
    "prefixed",
)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.covers.replace(" ", "+"))
def test_what_names_rows_moves_with_them(case: Case, form: str, tmp_path: Path) -> None:
    is_relations = case.part.endswith(".rels")  # whose root has no other namespace here
    respell = SPELLINGS[FORMS[0] if is_relations and form == "prefixed" else form]
    before = respell(_fill(case.part, case.before).encode())
    written, losses = _rewrite(tmp_path, _build(case.part, before))
    assert _read(written[case.part]) == _read(_fill(case.part, case.after))
    assert bool(losses.pointless or losses.pivots) is case.tells


def test_what_programs_make_anew_is_left_out_everywhere(tmp_path: Path) -> None:
    written, _ = _rewrite(tmp_path, _build("x", ""))
    assert not {"xl/calc.xml", "xl/volatile.xml"} & set(written)
    for name, content in written.items():
        if name.endswith((".rels", "Types].xml")):
            assert not re.search(b"calc.xml|volatile", content), name


@pytest.mark.parametrize(
    "kind", ["revisionHeaders", "namedSheetView", "wsSortMap", "chartEx", "ctrlProp", "control"]
)
def test_parts_that_stay_as_they_are_are_named(tmp_path: Path, kind: str) -> None:
    links = _relate({cases.SHEET: "worksheet", cases.OTHER: "worksheet", "x": kind})
    package = _build("xl/_rels/workbook.xml.rels", links)
    _, losses = _rewrite(tmp_path, package)
    assert losses.untouched == []  # the part is missing
    with_part = {**read_zip(package), "x": b"<a ref='A3:A9'/>"}
    written, losses = _rewrite(tmp_path, write_zip(with_part))
    assert len(losses.untouched) == 1
    assert written["x"] == b"<a ref='A3:A9'/>"


@pytest.mark.parametrize(
    ("part", "content"),
    [
        (cases.WORKBOOK, '<calcPr fullCalcOnLoad="1"/><oleSize ref="A1:B6"/>'),
        (
            cases.SHEET,
            '<scenarios sqref="A4"><scenario name="a"><inputCells r="A3" val="1"/></scenario>'
            "</scenarios>",
        ),
        (
            cases.SHEET,
            '<dataConsolidate><dataRefs count="1"><dataRef ref="A2:A6" sheet="Data"/></dataRefs>'
            "</dataConsolidate>",
        ),
        (cases.SHEET, '<customSheetViews><customSheetView topLeftCell="A4"/></customSheetViews>'),
        (cases.SHEET, '<controls><control><controlPr linkedCell="A4"/></control></controls>'),
        (cases.SHEET, '<cellWatches><cellWatch r="A4"/></cellWatches>'),
        (
            cases.VML,
            "<xml><v:shape><x:ClientData><x:FmlaLink>$A$4</x:FmlaLink></x:ClientData></v:shape>"
            "</xml>",
        ),
    ],
)
def test_marks_that_stay_as_they_are_are_named(tmp_path: Path, part: str, content: str) -> None:
    filled = _fill(part, content)
    written, losses = _rewrite(tmp_path, _build(part, filled))
    assert _read(written[part]) == _read(filled)
    assert len(losses.untouched) == 1


@pytest.mark.parametrize(
    "content",
    [
        "<a " * 300_000,
        "<a '" * 300_000,
        "<c>" + "</b>" * 90_000,
        f"<c {'a' * 300_000}/>",
        f"<c {' a' * 300_000}/>",
    ],
    ids=lambda content: content[:6],
)
def test_hostile_markup_takes_no_longer_than_its_length(content: str) -> None:
    """A look at each byte for each other one would take hours."""
    edit_elements(content.encode(), ("c",), lambda element: None)


@pytest.mark.parametrize("mark", ["[", "'", '"', "#", "A1:", "A:", "[a'", "''!", "$"])
def test_hostile_formulas_take_no_longer_than_their_length(mark: str) -> None:
    text = (mark * MAX_FORMULA_CHARACTERS)[:MAX_FORMULA_CHARACTERS]
    for _ in range(10):
        assert write_formula(parse_formula(text)) == text


def test_a_formula_without_text_stays_and_is_no_loss(tmp_path: Path) -> None:
    rows = _ROWS.replace("<v>6</v>", "<f></f><v>6</v>")
    sheet = _fill(cases.SHEET, "").replace(_ROWS, rows)
    written, losses = _rewrite(tmp_path, _build(cases.SHEET, sheet))
    assert b'<c r="A4"><f></f><v>6</v></c>' in written[cases.SHEET]
    assert losses == BrokenReferences()
    name = '<definedNames><definedName name="nothing"></definedName></definedNames>'
    _, losses = _rewrite(tmp_path, _build(cases.WORKBOOK, _fill(cases.WORKBOOK, name)))
    assert losses == BrokenReferences()


SHIFTER = ReferenceMover("My Data", [3, 5])


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("SUM(A2:A10)+B$4", "SUM(A2:A8)+B$3"),
        ("SUM(A3:A5)", "SUM(A3:A3)"),
        ('"A4"&A4', '"A4"&A3'),
        ("Other!A4+A4", "Other!A4+A3"),
        ("'my data'!$A$4:B6", "'my data'!$A$3:B4"),
        ("List[Col A4]+A6", "List[Col A4]+A4"),
        ("$4:6", "$3:4"),
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
        *(("A3", "#REF!"), ("A3:A3", "#REF!"), ("SUM(5:5)", "SUM(#REF!)")),
    ],
)
def test_moves_what_points_at_the_sheet_or_says_that_it_is_lost(before: str, after: str) -> None:
    moved, is_lost = SHIFTER.shift(parse_formula(before), at_home=True)
    assert write_formula(moved) == after
    assert is_lost is (after.count("#REF!") > before.count("#REF!"))


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

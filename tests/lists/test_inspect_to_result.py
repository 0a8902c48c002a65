"""What inspection says of an odd file is what the engine needs: the result is compared in bytes."""

from pathlib import Path

import pytest

from tests.made_lists import oracle
from winnow.core.lists.input_head import Choices
from winnow.core.ports import StaticKnowledge
from winnow.core.verdicts.facts import DomainFacts, Listing
from winnow.core.verdicts.judge import Judge
from winnow.lists.batch import run_batch
from winnow.lists.inspection.inspect import plan_input, read_head
from winnow.lists.requests import BatchRequest

BOM = b"\xef\xbb\xbf"
TABLE = (
    'id;email;note\r\n1;ana@x.de;"Jörg\nZoë"\r\n2;b@throwaway.com;\r\n'
    "3;ANA@X.DE;last\r\n4;nobody;=1+1\r\n5;;\r\n6;info@müller.de;00\r\n"
)
JUDGE = Judge(
    StaticKnowledge(
        {
            "throwaway.com": DomainFacts(
                "throwaway.com",
                listings=(Listing("list", "family", "throwaway.com", reviewed=True),),
            ),
        }
    )
)


@pytest.mark.parametrize(
    ("content", "choices"),
    [
        pytest.param(TABLE.encode(), Choices(), id="utf-8"),
        pytest.param(BOM + TABLE.encode(), Choices(), id="bom"),
        pytest.param(TABLE.encode("cp1252"), Choices(), id="cp1252"),
        pytest.param(TABLE.encode("utf-16"), Choices(), id="utf-16"),
        pytest.param(TABLE.encode("utf-16-be"), Choices(), id="utf-16 without mark"),
        pytest.param(BOM + TABLE.encode("cp1252"), Choices(), id="a mark that lies"),
        pytest.param(b"sep=;\r\n" + TABLE.encode(), Choices(), id="sep line"),
        pytest.param(BOM + b"sep=;\r\n\r\n" + TABLE.encode(), Choices(), id="bom, sep, blank"),
        pytest.param(f"sep=;\r\n{TABLE}".encode("utf-16"), Choices(), id="utf-16 with a sep line"),
        pytest.param(b"\r\n  \r\n" + TABLE.encode(), Choices(), id="blank lines first"),
        pytest.param(TABLE.replace("\r\n", "\r").encode(), Choices(), id="cr"),
        pytest.param(TABLE.replace(";", "|").encode(), Choices(), id="vertical bar"),
        pytest.param(TABLE.removesuffix("\r\n").encode(), Choices(), id="no last line end"),
        pytest.param(
            TABLE.split("\r\n", 1)[1].encode(), Choices(has_header=False), id="no header row"
        ),
        pytest.param(b"email\r\na@x.de\r\nb@throwaway.com", Choices(), id="one column"),
        pytest.param(b"email\na,b@x.de\nb@throwaway.com\n", Choices(), id="one column, comma"),
        pytest.param(
            b'email,d\na@x.de,5" disk\nb@x.de,"7"" disk"\n', Choices(), id="quote in mid-cell"
        ),
    ],
)
def test_the_result_of_an_odd_file_is_right(
    tmp_path: Path, content: bytes, choices: Choices
) -> None:
    path = tmp_path / "list.csv"
    path.write_bytes(content)
    plan = plan_input(read_head(path, path.name, choices))
    work_dir = tmp_path / "work"
    work_dir.mkdir()
    outcome = run_batch(
        BatchRequest(path, plan, JUDGE, work_dir, deduplicate=True, report=lambda progress: None)
    )
    expected = oracle.expect(path, plan, JUDGE, deduplicate=True)
    result = (work_dir / "result").read_bytes()
    assert oracle.compare_csv(result, content, plan, expected) == []
    summary = outcome.summary
    assert (summary.rows_in, summary.rows_out) == (expected.rows_in, expected.rows_out)
    assert (summary.charged, summary.invalid) == (expected.charged, expected.invalid)
    assert summary.by_category == expected.by_category

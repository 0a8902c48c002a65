"""What may be pasted into the field of the Check page."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from winnow.core.addresses.pasted import split_pasted

ANA, BO = "ana@x.de", "bo@y.de"


@pytest.mark.parametrize(
    ("text", "values"),
    [
        pytest.param("ana@x.de\n\n  bo@y.de \r\nnobody", [ANA, BO, "nobody"], id="lines"),
        pytest.param("ana@x.de, bo@y.de,nobody", [ANA, BO, "nobody"], id="commas"),
        pytest.param("ana@x.de;bo@y.de;", [ANA, BO], id="semicolons"),
        pytest.param("ana@x.de bo@y.de", [ANA, BO], id="blanks"),
        pytest.param("ana@x.de ::: bo@y.de", [ANA, BO], id="google-contacts"),
        pytest.param("Ana <ana@x.de>:::Bo <bo@y.de>", [ANA, BO], id="google-contacts-with-names"),
        pytest.param("To: Ana <ana@x.de>, Bo <bo@y.de>", [ANA, BO], id="header"),
        pytest.param("CC:\tAna <ana@x.de>,\r\n\tbo@y.de", [ANA, BO], id="folded-header"),
        pytest.param(
            "From: Ana <ana@x.de>\nTo: Bo <bo@y.de>\nSubject: 3", [ANA, BO, "Subject: 3"],
            id="two-headers",
        ),
        pytest.param('"Ex, Ana" <ana@x.de>, Bo <bo@y.de>', [ANA, BO], id="comma-in-a-name"),
        pytest.param("Ex, Ana <ana@x.de>; Why, Bo <bo@y.de>", [ANA, BO], id="outlook"),
        pytest.param('"Ex; Ana" <ana@x.de>; Bo <bo@y.de>', [ANA, BO], id="semicolon-in-a-name"),
        pytest.param("Ana <ana@x.de>\nBo <bo@y.de>", [ANA, BO], id="named-lines"),
        pytest.param("1\tAna\tana@x.de\n2\tBo\tbo@y.de", [ANA, BO], id="spreadsheet-rows"),
        pytest.param("Ana\tnone\nBo\tbo@y.de", ["Ana", BO], id="a-row-without-an-address"),
        pytest.param("ana@@x.de, bo@y", ["ana@@x.de", "bo@y"], id="malformed-ones-stay"),
        pytest.param("ana@x.de", [ANA], id="one"),
        pytest.param("  Ana <ana@x.de> ", [ANA], id="one-with-a-name"),
        pytest.param("To: Ana <ana@x.de>", [ANA], id="one-in-a-header"),
        pytest.param('"a,b"@x.de', ['"a,b"@x.de'], id="a-quoted-comma"),
        pytest.param('"a b"@x.de', ['"a b"@x.de'], id="a-quoted-blank"),
        pytest.param("ana @x.de", ["ana @x.de"], id="a-blank-inside"),
        pytest.param("undisclosed-recipients:;", ["undisclosed-recipients:;"], id="empty-group"),
        pytest.param(" \n\t\n", [], id="nothing"),
        pytest.param("((((" * 9_000 + "<,@", None, id="nested-comments"),
        pytest.param("<a@x.de>," * 60_000, None, id="a-long-line"),
    ],
)  # fmt: skip
def test_pasted_texts_become_addresses(text: str, values: list[str] | None) -> None:
    found = split_pasted(text)
    if values is None:
        assert found
    else:
        assert found == values


@given(st.text(st.sampled_from('a@.,;:<>()"\\ \t\r\nTo'), max_size=60))
def test_whatever_is_pasted_is_split_without_loss_of_every_address(text: str) -> None:
    found = split_pasted(text)
    assert all(value.strip() for value in found)
    assert bool(found) == bool(text.strip())

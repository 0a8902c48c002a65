"""``winnow export``: the domains of one type for other software."""

import csv
import io
import json

import pytest

from winnow.cli.export import collect_names, export
from winnow.core.release import VERSION
from winnow.core.verdicts.domain_types import EXPORTED, DomainType
from winnow.domain_data.compiled_file import NameTable
from winnow.domain_data.look_up.look_up import Knowledge

NAMES = ("mailinator.com", "guerrillamail.com", "gmail.com", "simplelogin.com", "siemens.com")


@pytest.fixture(scope="module")
def few(knowledge: Knowledge) -> Knowledge:
    """The real data with a few of its names."""
    masks = {name: knowledge._names.get(name) for name in NAMES}
    return Knowledge(knowledge._header, NameTable.build(masks))


def test_names_are_those_that_the_check_gives_the_type(few: Knowledge) -> None:
    by_type = {kind: collect_names(few, kind, {"MIT"})[0].domains for kind in EXPORTED}
    assert by_type[DomainType.DISPOSABLE] == ("guerrillamail.com", "mailinator.com")
    assert by_type[DomainType.FREE] == ("gmail.com",)
    assert by_type[DomainType.MULTI_ALIAS] == ("simplelogin.com",)
    assert by_type[DomainType.BUSINESS] == ("siemens.com",)


def test_a_licence_that_forbids_it_leaves_names_out(few: Knowledge) -> None:
    found, omitted = collect_names(few, DomainType.DISPOSABLE, {"CC0-1.0"})
    assert (found.domains, found.sources, omitted) == ((), (), 2)


def test_every_form_has_the_names_and_says_where_they_are_from(
    few: Knowledge, capsys: pytest.CaptureFixture[str]
) -> None:
    wanted = ["guerrillamail.com", "mailinator.com"]
    export(few, DomainType.DISPOSABLE, "txt")
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == f"# winnow {VERSION}, domain data {few.data_version}"
    assert "# disposable-email-domains, MIT" in lines
    assert [line for line in lines if not line.startswith("#")] == wanted
    export(few, DomainType.DISPOSABLE, "csv")
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert [(row["domain"], row["domain_type"]) for row in rows] == [
        (name, "disposable") for name in wanted
    ]
    export(few, DomainType.DISPOSABLE, "json")
    answer = json.loads(capsys.readouterr().out)
    assert (answer["domains"], answer["data_version"]) == (wanted, few.data_version)
    assert answer["version"] == VERSION
    assert all(one["name"] and one["licence"] for one in answer["sources"])

"""Odd spellings of one address, over every caller that compares addresses."""

from pathlib import Path
from unicodedata import normalize

import pytest

from tests.lists.delimited_support import Run, clean, find_plan, run_file
from tests.lists.side_support import HASHES, NO_TAGS, find_event, names_address, read_side
from tests.tables import write_csv
from winnow.core.addresses.address import duplicate_key
from winnow.core.judging.judge import Judge
from winnow.core.lists.side_files import MailOutcome
from winnow.core.own_lists.patterns import OwnLists, PatternKind
from winnow.core.ports import StaticKnowledge
from winnow.core.verdicts.facts import DomainFacts, OwnEntry
from winnow.core.verdicts.reasons import Reason
from winnow.core.verdicts.verdict import Category
from winnow.lists.address_search import find_address_rows, find_rows
from winnow.lists.marks.key_files import OwnKeys, find_named_rows
from winnow.lists.requests import RowsRequest
from winnow.lists.result import cell_queries
from winnow.lists.result.noes import Noes

PAIRS = {
    "case": ("ana@firm.example", "ANA@Firm.EXAMPLE"),
    "separators": ("ana@firm.example", "\x1cana@firm.example\x1f"),
    "ideographic-blanks": ("ana@firm.example", "\u3000ana@firm.example\u00a0"),
    "domain": ("ana@m\u00fcnchen.example", "ana@xn--mnchen-3ya.example"),
    "decomposed-domain": ("ana@m\u00fcnchen.example", normalize("NFD", "ana@m\u00fcnchen.example")),
    "local-part": ("m\u00fcller@firm.example", "M\u00dcLLER@firm.example"),
    "decomposed": ("m\u00fcller@firm.example", normalize("NFD", "M\u00fcller@firm.example")),
    "kelvin": ("k@firm.example", "\u212a@firm.example"),
    "full-width-dot": ("ana@firm.example", "ana@firm\uff0eexample"),
}
has_tags = {"gmail.com", "googlemail.com"}.__contains__
TAGGED = Judge(StaticKnowledge({"gmail.com": DomainFacts("gmail.com", has_plus_tags=True)}))
everyone = pytest.mark.parametrize(("one", "other"), PAIRS.values(), ids=PAIRS)
OTHER = "bo@firm.example"
MAILBOX = ("ana.k+news@gmail.com", "anak@googlemail.com", "A.nak+x@gmail.com")


def run(folder: Path, *cells: str, deduplicate: bool = False) -> Run:
    rows = [("email", "note"), *((cell, "x") for cell in cells)]
    return clean(write_csv(rows), folder, deduplicate=deduplicate)


@everyone
def test_all_callers_take_them_for_one(tmp_path: Path, one: str, other: str) -> None:
    assert duplicate_key(one) == duplicate_key(other)
    assert run(tmp_path, one, OTHER, other, deduplicate=True).outcome.summary.rows_out == 2
    done = run(tmp_path, other, OTHER)
    assert done.cells.find(cell_queries.find_addresses, [duplicate_key(one)])[0].tolist() == [0]
    keys, _ = read_side(tmp_path, one + "\n")
    assert find_named_rows(done.cells, [keys], HASHES, NO_TAGS)[0].rows.tolist() == [0]
    entry = OwnEntry(Category.BLACK, duplicate_key(one), PatternKind.ADDRESS.reason)
    assert OwnLists.build(1, [entry]).match(other, "") == entry
    before = run(tmp_path, one)
    pairs = done.cells.find(cell_queries.pair_addresses, before.cells.folder, before.cells.plan)
    assert (0, 0) in set(zip(*(some.tolist() for some in pairs), strict=True))


@pytest.mark.parametrize("other", MAILBOX)
@pytest.mark.parametrize("one", MAILBOX)
def test_all_callers_take_them_for_one_mailbox(tmp_path: Path, one: str, other: str) -> None:
    """A no is the mailbox's: in files, in bounces, and in rows of the list."""
    done = clean(write_csv([("email", "opted out"), (other, ""), (OTHER, "")]), tmp_path)
    named, _ = read_side(tmp_path, f"{one}\nbo+x@firm.example\n")
    bounces = f"email,type\n{one},hard\nbo+x@firm.example,hard\n"
    bounced, counts = read_side(tmp_path, bounces, bounces=True)
    assert counts.by_outcome == {MailOutcome.HARD: 2}
    bounced.write(tmp_path / "bounced", HASHES)
    for keys in (named, bounced, OwnKeys.read(tmp_path / "bounced", HASHES)):
        (found,) = find_named_rows(done.cells, [keys], HASHES, has_tags)
        assert found.rows.tolist() == [0]
    assert names_address(named, duplicate_key(other), has_tags)
    assert find_event(bounced, duplicate_key(other), has_tags) == (MailOutcome.HARD, None)
    rows = [("email", "opted out"), (one, "yes"), (other, ""), (OTHER, "")]
    path = tmp_path / "list.csv"
    path.write_bytes(write_csv(rows))
    said = run_file(path, plan=find_plan(path), judge=TAGGED, deduplicate=False)
    noes = Noes.open(said.cells)
    assert noes is not None
    assert noes.find_rows() == {Reason.UNSUBSCRIBED: [0], Reason.UNSUBSCRIBED_ELSEWHERE: [1]}


@everyone
def test_requests_find_them_in_any_column(tmp_path: Path, one: str, other: str) -> None:
    """In cells of people, and in removed rows: in the list as it was uploaded."""
    if other.strip() in {"\u212a@firm.example", "ana@firm\uff0eexample"}:
        return  # no one types them into a note
    rows = [("email", "note"), (OTHER, f"see {other}"), (other, ""), ("cy@firm.example", "")]
    done = clean(write_csv(rows), tmp_path, deduplicate=False)
    for asked in (one, other.strip(), duplicate_key(one)):
        assert find_rows(done.cells, asked) == {1: False, 2: True}, asked
    path = tmp_path / "uploaded.csv"
    path.write_bytes(write_csv(rows))
    found = find_address_rows(RowsRequest(path, done.plan, tmp_path), duplicate_key(one))
    assert [(row.number, row.is_email) for row in found] == [(2, False), (3, True)]

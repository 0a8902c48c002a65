"""One address in the rows of a finished project: plain Python is the judge."""

from itertools import product
from pathlib import Path

from tests.lists.delimited_support import clean
from tests.tables import write_csv
from winnow.lists.address_search import find_rows

ANA = "ana.b@mailboxes.example"
CELLS = {  # whether the address is in it by itself
    **dict.fromkeys((ANA, "ANA.B@Mailboxes.Example", f" {ANA} ", f"<{ANA}>"), True),
    **dict.fromkeys((f"mailto:{ANA}?x", f"{ANA}, bo@x.example", f"{ANA};bo@x.example"), True),
    **dict.fromkeys((f"{ANA}.", f"Write to {ANA}."), True),
    **dict.fromkeys((f"x{ANA}", f"a.{ANA}", f"a+{ANA}", f"ä{ANA}", f"'{ANA}'", f"{ANA}x"), False),
    **dict.fromkeys((f"{ANA}.org", "anaxb@mailboxes.example", "bo@x.example", ""), False),
}


def test_an_address_is_found_by_itself_in_any_column(tmp_path: Path) -> None:
    rows = [(str(number), *cells) for number, cells in enumerate(product(CELLS, repeat=2), 1)]
    run = clean(write_csv([("id", "email", "note"), *rows]), tmp_path, deduplicate=False)
    found = find_rows(run.cells, ANA.upper())
    by_email = {int(id_) for id_, email, _ in rows if email.strip().lower() == ANA}
    beside = {int(id_) for id_, *cells in rows if any(CELLS[cell] for cell in cells)} - by_email
    assert {number for number, is_email in found.items() if is_email} == by_email
    assert list(found) == sorted(by_email | beside)


def test_a_domain_of_another_script_is_found_in_both_spellings(tmp_path: Path) -> None:
    content = "email\nana@müller.example\nana@xn--mller-kva.example\nana@muller.example\n"
    cells = clean(content.encode(), tmp_path, deduplicate=False).cells
    for text in ("ana@MÜLLER.example", "ana@xn--mller-kva.example"):
        assert list(find_rows(cells, text)) == [1, 2]

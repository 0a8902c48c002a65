"""Bounces as mail services export them: their documented layouts, in files of our own making."""

import json
from collections import Counter
from datetime import date
from pathlib import Path

import numpy as np
import pytest
from msgspec import convert, to_builtins

from tests.lists.side_support import HASHES, find_event, read_side
from tests.lists.zips import write_zip
from winnow.core.errors import BrokenFile, EmptyFile, UnsupportedFormat, WinnowError
from winnow.core.lists.side_files import FileCounts, MailOutcome, NoteKind
from winnow.lists.marks.key_files import OwnKeys

HARD, SOFT, DELIVERED, COMPLAINED, UNSUBSCRIBED = MailOutcome
BOTH = {"ana@a.example": (HARD, date(2026, 5, 3)), "bo@b.example": (SOFT, date(2026, 4, 1))}
GOLDEN = Path(__file__).parents[1] / "golden" / "bounces"
"""A folder a layout: an export under the name that it bears, and what it says of each address."""
EXPECTED = "expected.tsv"
MAILCHIMP = GOLDEN / "mailchimp-cleaned" / "cleaned_email_audience_export.csv"


@pytest.mark.parametrize("layout", sorted(path.name for path in GOLDEN.iterdir()))
def test_a_layout_is_told_by_its_columns(tmp_path: Path, layout: str) -> None:
    (export,) = (path for path in (GOLDEN / layout).iterdir() if path.name != EXPECTED)
    lines = (GOLDEN / layout / EXPECTED).read_text().splitlines()
    expected = {
        address: (MailOutcome(outcome), date.fromisoformat(day) if day else None)
        for address, outcome, day in (line.split("\t") for line in lines)
    }
    keys, counts = read_side(tmp_path, export.read_bytes(), export.name, bounces=True)
    everyone = [f"{one}@{one[:1]}.example" for one in ("ana", "bo", "cy", "di")]
    found = {address: find_event(keys, address) for address in everyone}
    assert {address: event for address, event in found.items() if event} == expected
    assert counts.by_outcome == Counter(outcome for outcome, _ in expected.values())
    stored = json.loads(json.dumps(to_builtins(counts)))
    assert convert(stored, FileCounts) == counts
    of_0_2 = {"source": "mailchimp", "judged": [["hard", "white", "x", 1]], "data_version": "1"}
    assert convert(stored | of_0_2, FileCounts) == counts


def test_parts_that_tell_of_no_bounces_are_named(tmp_path: Path) -> None:
    parts = {"unsubscribed_x.csv": "Email Address,UNSUB_TIME\ny@y.example,2026-01-01\n",
             "cleaned_x.csv": MAILCHIMP.read_text(),
             "subscribed_x.csv": "Email Address\nx@x.example\n",
             "others.csv": "Email Address,Name\ny@y.example,Ylva\n"}  # fmt: skip
    _, counts = read_side(tmp_path, write_zip(parts), "a.zip", bounces=True)
    assert counts.by_outcome == {HARD: 2, UNSUBSCRIBED: 1}
    assert {(note.kind, note.name) for note in counts.notes} == {
        (NoteKind.NO_BOUNCE, "others.csv"),
        (NoteKind.SUBSCRIBED, "subscribed_x.csv"),
    }


def test_the_newest_event_counts_and_of_one_day_the_worst(tmp_path: Path) -> None:
    rows = [
        ("ana@a.example", "hard", "2026-03-01"), ("ana@a.example", "delivered", "2026-05-01"),
        ("bo@b.example", "soft", "2026-05-01"), ("BO@b.example", "hard", "2026-05-01"),
        ("cy@c.example", "delivered", "2026-05-01"), ("cy@c.example", "hard", ""),
    ]  # fmt: skip
    rows += [
        ("di@d.example", "complaint", "2026-03-01"), ("di@d.example", "delivered", "2026-05-01"),
        ("di@d.example", "unsubscribe", "2026-05-02"),
    ]  # fmt: skip
    text = "email,type,date\n" + "".join(",".join(row) + "\n" for row in rows)
    keys, counts = read_side(tmp_path, text, "x.csv", bounces=True)
    outcomes = [
        find_event(keys, f"{one}@{one[:1]}.example")[0] for one in ("ana", "bo", "cy", "di")
    ]
    assert outcomes == [DELIVERED, HARD, DELIVERED, COMPLAINED]
    assert counts.by_outcome == {DELIVERED: 2, HARD: 1, COMPLAINED: 1}


@pytest.mark.parametrize(
    ("heads", "said"),
    [
        ("E-Mail;Typ;Datum", "{kind}bounce"),
        ("E-Mail;Status;Art der Rückmeldung", "aktiv;{kind} bounce"),
        ("Adresse e-mail;Nature;Date", "{kind} (inconnue)"),
        ("Email;Bounce Kategorie;Grund", "{kind}_bounced;550"),
    ],
)
def test_a_column_that_says_hard_or_soft_may_have_any_name(
    tmp_path: Path, heads: str, said: str
) -> None:
    rows = [
        f"{name}@{name[0]}.example;{said.format(kind=kind)}"
        for name, kind in (("ana", "Hard"), ("bo", "Soft"))
    ]
    keys, _ = read_side(tmp_path, "\n".join([heads, *rows, ""]), "x.csv", bounces=True)
    assert find_event(keys, "ana@a.example")[0] is HARD
    assert find_event(keys, "bo@b.example")[0] is SOFT


@pytest.mark.parametrize(
    ("other", "day"),
    [("25/04/2026", date(2026, 5, 3)), ("04/25/2026", date(2026, 3, 5)), ("", date(2026, 3, 5))],
)
def test_one_column_writes_all_its_days_alike(tmp_path: Path, other: str, day: date) -> None:
    rows = ["ana@a.example,hard,03/05/2026 10:00", *[f"bo@b.example,hard,{other}"] * 3000]
    keys, _ = read_side(
        tmp_path, "email,type,date\n" + "\n".join(rows) + "\n", "x.csv", bounces=True
    )
    assert find_event(keys, "ana@a.example")[1] == day


NAMES = "email,Nachname\nana@a.example,Hardenberg\nbo@b.example,Hard\n"


@pytest.mark.parametrize(
    ("content", "name", "error"),
    [
        pytest.param(
            "email,name\nana@a.example,Ana\n", "x.csv", UnsupportedFormat, id="no-outcome"
        ),
        pytest.param(NAMES, "x.csv", UnsupportedFormat, id="a-name-is-no-bounce"),
        pytest.param("email,type\nnobody,hard\n", "x.csv", EmptyFile, id="nobody"),
        pytest.param("email,type\nana@a.example,sent\n", "x.csv", EmptyFile, id="no-bounce"),
        pytest.param('{"bounce": ', "x.json", BrokenFile, id="cut-json"),
        pytest.param('[{"a":' * 100_000, "x.json", BrokenFile, id="deep-json"),
    ],
)
def test_what_tells_of_no_bounces_is_refused_in_words(
    tmp_path: Path, content: str | bytes, name: str, error: type[WinnowError]
) -> None:
    with pytest.raises(error) as raised:
        read_side(tmp_path, content, name, bounces=True)
    assert "ana@" not in f"{raised.value.detail} {raised.value.hint}"


def test_bounces_that_release_0_2_has_stored_are_read(tmp_path: Path) -> None:
    parts = zip(*(key.split("@") for key in BOTH), strict=True)
    addresses = np.sort(HASHES.hash_parts(*parts))
    days, outcomes = np.array([20576, 0], "<i4"), np.array([0, 1], "u1")
    domains, names = np.zeros(2, "<u4"), b"a.example\nb.example"
    head = np.array([HASHES.seal, 2, len(names)], "<u8")
    parts = (head, addresses, days, domains, outcomes)
    content = b"WNBNCE\0\1" + b"".join(part.tobytes() for part in parts) + names
    (tmp_path / "old").write_bytes(content)
    old = OwnKeys.read(tmp_path / "old", HASHES)
    found = {find_event(old, key) for key in BOTH}
    assert found == {(HARD, date(2026, 5, 3)), (SOFT, None)}

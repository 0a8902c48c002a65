"""Bounces as mail services export them: their documented layouts, in files of our own making."""

# ruff: noqa: E501  # exports as they stand

import json
from collections import Counter
from datetime import date
from pathlib import Path

import numpy as np
import pytest
from msgspec import convert, to_builtins

from tests.lists.side_support import HASHES, read_side
from tests.lists.zips import write_zip
from winnow.core.errors import BrokenFile, EmptyFile, UnsupportedFormat, WinnowError
from winnow.core.lists.side_files import FileCounts, MailOutcome, NoteKind
from winnow.lists.marks.key_files import OwnKeys

HARD, SOFT, DELIVERED, COMPLAINED, UNSUBSCRIBED = MailOutcome


MAILCHIMP = (
    "Email Address,First Name,CLEAN_TIME,CLEAN_CAMPAIGN_TITLE,CLEAN_CAMPAIGN_ID,LEID\n"
    "ana@a.example,Ana,2026-05-03 10:11:12,May,abc,1\nbo@b.example,Bo,2026-04-01 08:00:00,May,abc,2\n"
)
SNS = {"Type": "Notification", "Message": json.dumps({
    "notificationType": "Bounce",
    "bounce": {"bounceType": "Permanent", "bounceSubType": "General",
               "timestamp": "2026-05-03T10:00:00.000Z",
               "bouncedRecipients": [{"emailAddress": "ana@a.example", "status": "5.1.1"}]},
    "mail": {"destination": ["ana@a.example"], "source": "us@own.example"}})}  # fmt: skip
SES_LINES = "\n".join(
    json.dumps(one)
    for one in (
        SNS,
        {"eventType": "Bounce", "bounce": {"bounceType": "Transient", "timestamp": "2026-04-01T00:00:00Z",
         "bouncedRecipients": [{"emailAddress": "bo@b.example"}]}},
        {"eventType": "Delivery", "delivery": {"timestamp": "2026-05-04T00:00:00Z", "recipients": ["cy@c.example"]}},
        {"eventType": "Complaint", "complaint": {"complainedRecipients": [{"emailAddress": "di@d.example"}]}},
    )
)  # fmt: skip
BOTH = {"ana@a.example": (HARD, date(2026, 5, 3)), "bo@b.example": (SOFT, date(2026, 4, 1))}
CASES = [
    pytest.param(
        MAILCHIMP, "cleaned_email_audience_export.csv",
        {"ana@a.example": (HARD, date(2026, 5, 3)), "bo@b.example": (HARD, date(2026, 4, 1))},
        id="mailchimp-cleaned",
    ),
    pytest.param(
        "Email,Suppression Reason,Suppressed At\nana@a.example,HARD_BOUNCE,2026-05-03 10:00:00\n"
        "bo@b.example,soft_bounced,2026-04-01 10:00:00\ncy@c.example,USER_SUPPRESSED,2026-04-01\n",
        "suppressed.csv", {**BOTH, "cy@c.example": (UNSUBSCRIBED, date(2026, 4, 1))},
        id="klaviyo-suppressed",
    ),
    pytest.param(
        "Email,Portal Bounce,Portal Unsubscribe,Portal Spam Report,Global Bounce\n"
        "ana@a.example,UNKNOWN_USER,FALSE,FALSE,FALSE\nbo@b.example,FALSE,TRUE,FALSE,FALSE\n"
        "cy@c.example,FALSE,FALSE,FALSE,TRUE\n",
        "hubspot.csv",
        {"ana@a.example": (HARD, None), "bo@b.example": (UNSUBSCRIBED, None),
         "cy@c.example": (HARD, None)}, id="hubspot",
    ),
    pytest.param(SES_LINES, "ses.json",
                 {**BOTH, "cy@c.example": (DELIVERED, date(2026, 5, 4)),
                  "di@d.example": (COMPLAINED, None)}, id="ses-notifications"),
    pytest.param(
        json.dumps({"SuppressedDestinationSummaries": [
            {"EmailAddress": "ana@a.example", "Reason": "BOUNCE", "LastUpdateTime": "2026-05-03T01:02:03+00:00"},
            {"EmailAddress": "bo@b.example", "Reason": "COMPLAINT", "LastUpdateTime": "2026-05-03T01:02:03+00:00"}]}, indent=1),
        "suppression.json", {"ana@a.example": (HARD, date(2026, 5, 3)),
                              "bo@b.example": (COMPLAINED, date(2026, 5, 3))},
        id="ses-suppression-list",
    ),
    pytest.param(
        "notificationType,bounceType,bounceSubType,emailAddress,timestamp\n"
        "Bounce,Permanent,General,ana@a.example,2026-05-03T10:00:00Z\n"
        "Bounce,Undetermined,Undetermined,bo@b.example,2026-04-01T10:00:00Z\n",
        "ses.csv", BOTH, id="ses-csv",
    ),
    pytest.param(
        "status,reason,email,created\n5.1.1,550 5.1.1 no such user,ana@a.example,1777802400\n"
        ",452 4.2.2 mailbox full,bo@b.example,1775030400\n",
        "suppression_bounces.csv", BOTH, id="sendgrid-bounces",
    ),
    pytest.param(
        json.dumps([{"email": "ana@a.example", "event": "bounce", "sg_event_id": "1", "timestamp": 1777802400},
                    {"email": "bo@b.example", "event": "blocked", "sg_event_id": "2", "timestamp": 1775030400},
                    {"email": "cy@c.example", "event": "delivered", "sg_event_id": "3", "timestamp": 1775030400}]),
        "events.json", {**BOTH, "cy@c.example": (DELIVERED, date(2026, 4, 1))},
        id="sendgrid-events",
    ),
    pytest.param(
        "Type,TypeCode,Email,From,BouncedAt,Subject\nHardBounce,1,ana@a.example,us@own.example,2026-05-03T10:00:00Z,Hi\n"
        "SoftBounce,4096,bo@b.example,us@own.example,2026-04-01T10:00:00Z,Hi\n"
        "SpamComplaint,100001,cy@c.example,us@own.example,2026-04-01T10:00:00Z,Hi\n",
        "postmark.csv", {**BOTH, "cy@c.example": (COMPLAINED, date(2026, 4, 1))}, id="postmark-csv",
    ),
    pytest.param(
        json.dumps({"TotalCount": 2, "Bounces": [
            {"Type": "HardBounce", "Email": "ana@a.example", "BouncedAt": "2026-05-03T10:00:00Z"},
            {"Type": "Transient", "Email": "bo@b.example", "BouncedAt": "2026-04-01T10:00:00Z"}]}),
        "bounces.json", BOTH, id="postmark-api",
    ),
    pytest.param(
        "\ufeffBericht;;\nE-Mail-Adresse;Status;Datum\nANA@A.example;permanent failure;03.05.2026\n"
        "bo@b.example;temporarily deferred;01.04.2026\n",
        "bericht.csv", BOTH, id="any-other",
    ),
    pytest.param(
        "Email,Reason,Date suppressed\nana@a.example,SPAM_COMPLAINT,2026-05-03\n"
        "bo@b.example,UNSUBSCRIBE,2026-05-03\ncy@c.example,HARD_BOUNCE,2026-05-03\n",
        "suppressed.csv",
        {"ana@a.example": (COMPLAINED, date(2026, 5, 3)),
         "bo@b.example": (UNSUBSCRIBED, date(2026, 5, 3)),
         "cy@c.example": (HARD, date(2026, 5, 3))}, id="klaviyo-reasons",
    ),
    pytest.param(
        'timestamp,recipient,event,reason\n2026-05-03T10:11:12Z,ana@a.example,failed,"550 5.7.1 Message rejected"\n'
        '2026-05-03T10:11:12Z,bo@b.example,failed,"550 5.7.26 unauthenticated mail, DMARC"\n'
        '2026-05-03T10:11:12Z,cy@c.example,bounced,"554 blocked using spamhaus"\n'
        '2026-05-03T10:11:12Z,di@d.example,bounced,"550 5.2.2 mailbox full"\n',
        "events.csv",
        {f"{name}@{name[0]}.example": (SOFT, date(2026, 5, 3)) for name in ("ana", "bo", "cy", "di")},
        id="sender-side-and-full",
    ),
    pytest.param(
        "id,created_at,from,to,last_event\n1,2026-05-03 10:11:12.123+00,us@own.example,ana@a.example,bounced\n"
        "2,2026-05-03 10:11:12.123+00,us@own.example,bo@b.example,delivered\n"
        "3,2026-05-03 10:11:12.123+00,us@own.example,cy@c.example,complained\n"
        "4,2026-05-03 10:11:12.123+00,us@own.example,di@d.example,sent\n",
        "emails.csv",
        {"ana@a.example": (HARD, date(2026, 5, 3)), "bo@b.example": (DELIVERED, date(2026, 5, 3)),
         "cy@c.example": (COMPLAINED, date(2026, 5, 3))}, id="resend",
    ),
    pytest.param(
        "email,reason,created\nana@a.example,Mail domain mentioned in email address is unknown,1777802400\n"
        "bo@b.example,Known bad domain,1777802400\n", "suppression_invalid_emails.csv",
        {"ana@a.example": (HARD, date(2026, 5, 3)), "bo@b.example": (HARD, date(2026, 5, 3))},
        id="sendgrid-invalid-emails",
    ),
    pytest.param(
        "status,reason,email,created\n5.0.0,550 not now,ana@a.example,1777802400\n",
        "suppression_blocks.csv", {"ana@a.example": (SOFT, date(2026, 5, 3))}, id="sendgrid-blocks",
    ),
    pytest.param(
        "email,created,ip\nana@a.example,1777802400,1.2.3.4\n", "suppression_spam_reports.csv",
        {"ana@a.example": (COMPLAINED, date(2026, 5, 3))}, id="sendgrid-spam-reports",
    ),
    pytest.param(
        "email;bounced\nana@a.example;ja\nbo@b.example;nein\ncy@c.example;nie\ndi@d.example;falsch\n",
        "x.csv", {"ana@a.example": (HARD, None)}, id="bounced-no",
    ),
    pytest.param(
        "email,status\nana@a.example,Bounced\nbo@b.example,Active\n",
        "x.csv", {"ana@a.example": (HARD, None)}, id="status-bounced",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("content", "name", "expected"), CASES)
def test_a_layout_is_told_by_its_columns(
    tmp_path: Path,
    content: str | bytes,
    name: str,
    expected: dict[str, tuple[MailOutcome, date | None]],
) -> None:
    keys, counts = read_side(tmp_path, content, name, bounces=True)
    everyone = [f"{one}@{one[:1]}.example" for one in ("ana", "bo", "cy", "di")]
    found = {address: keys.find_event(address, HASHES) for address in everyone}
    assert {address: event for address, event in found.items() if event} == expected
    assert counts.by_outcome == Counter(outcome for outcome, _ in expected.values())
    stored = json.loads(json.dumps(to_builtins(counts)))
    assert convert(stored, FileCounts) == counts
    of_0_2 = {"source": "mailchimp", "judged": [["hard", "white", "x", 1]], "data_version": "1"}
    assert convert(stored | of_0_2, FileCounts) == counts


def test_parts_that_tell_of_no_bounces_are_named(tmp_path: Path) -> None:
    parts = {"unsubscribed_x.csv": "Email Address,UNSUB_TIME\ny@y.example,2026-01-01\n",
             "cleaned_x.csv": MAILCHIMP, "subscribed_x.csv": "Email Address\nx@x.example\n",
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
        keys.find_event(f"{one}@{one[:1]}.example", HASHES)[0] for one in ("ana", "bo", "cy", "di")
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
    assert keys.find_event("ana@a.example", HASHES)[0] is HARD
    assert keys.find_event("bo@b.example", HASHES)[0] is SOFT


@pytest.mark.parametrize(
    ("other", "day"),
    [("25/04/2026", date(2026, 5, 3)), ("04/25/2026", date(2026, 3, 5)), ("", date(2026, 3, 5))],
)
def test_one_column_writes_all_its_days_alike(tmp_path: Path, other: str, day: date) -> None:
    rows = ["ana@a.example,hard,03/05/2026 10:00", *[f"bo@b.example,hard,{other}"] * 3000]
    keys, _ = read_side(
        tmp_path, "email,type,date\n" + "\n".join(rows) + "\n", "x.csv", bounces=True
    )
    assert keys.find_event("ana@a.example", HASHES)[1] == day


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
    addresses = np.sort(np.array([HASHES.hash_address(key) for key in BOTH], "<u8"))
    days, outcomes = np.array([20576, 0], "<i4"), np.array([0, 1], "u1")
    domains, names = np.zeros(2, "<u4"), b"a.example\nb.example"
    head = np.array([HASHES.seal, 2, len(names)], "<u8")
    parts = (head, addresses, days, domains, outcomes)
    content = b"WNBNCE\0\1" + b"".join(part.tobytes() for part in parts) + names
    (tmp_path / "old").write_bytes(content)
    old = OwnKeys.read(tmp_path / "old", HASHES)
    found = {old.find_event(key, HASHES) for key in BOTH}
    assert found == {(HARD, date(2026, 5, 3)), (SOFT, None)}

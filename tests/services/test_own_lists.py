"""The account's your lists in use: at once, everywhere but in what is finished, free of charge."""

import csv
from dataclasses import replace
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.applications import (
    CHECKED_LIST,
    Clock,
    Interrupted,
    OpenApplication,
    complete,
    download,
    follow,
    measure_use,
    receive,
    stage,
    submit,
)
from winnow.core.errors import BadField, QuotaExceeded, WinnowError
from winnow.core.identities import LOCAL_ACCOUNT
from winnow.core.lists.dimensions import CATEGORY
from winnow.core.lists.input_head import Choices
from winnow.core.lists.rows import Chosen, RowFilter, Variant
from winnow.core.own_lists.entries import Undone
from winnow.core.tasks.task import KeyType, Task
from winnow.core.unicode_forms import FORMULA_SIGNS, guard_cell, unguard_cell
from winnow.core.verdicts.reasons import Reason
from winnow.core.verdicts.verdict import Category
from winnow.services.tasks.integrity import find_faults
from winnow.storage.repositories import own_lists as own_list_rows
from winnow.storage.repositories.own_changes import KEPT_PER_ACCOUNT
from winnow.wiring import Application

OVERRULED_LIST = (
    b"id,email,category,domain_type\r\n"
    b"02,ONE@mailboxes.example,black,black\r\n"
    b"03,two@throwaway.example,white,white\r\n"
    b"04,not an address,black,invalid\r\n"
)


def overrule(opened: Application, account: str = LOCAL_ACCOUNT) -> None:
    """Turn both verdicts of the usual list around."""
    book = opened.services.own_lists
    book.add(account, "throwaway.example", Category.WHITE, "our own test mailboxes")
    book.add(account, "One@mailboxes.example", Category.BLACK)


def list_verdicts(opened: Application, task: Task) -> list[str]:
    page = opened.services.results.rows(LOCAL_ACCOUNT, task.task_id, RowFilter(), 0, 10)
    return [row.verdict.domain_type.value for row in page.rows]


def count_charged(opened: Application) -> list[tuple[int, int]]:
    return [(day.single, day.batch) for day in opened.services.usage.days(LOCAL_ACCOUNT)]


def test_a_change_holds_at_once_for_single_checks_of_every_process(
    opened: Application, open_application: OpenApplication
) -> None:
    book, check = opened.services.own_lists, open_application().services.checks.check_address

    def judge(email: str = "bo@a.throwaway.example") -> Category:
        return check(LOCAL_ACCOUNT, email).verdict.category

    assert judge("bo@throwaway.example") is Category.BLACK
    entry = book.add(LOCAL_ACCOUNT, "*.Throwaway.example", Category.WHITE, "ours")
    assert entry.pattern == "*.throwaway.example"
    result = check(LOCAL_ACCOUNT, "bo@a.throwaway.example")
    assert (result.fields["category"], result.fields["type"]) == ("white", "white")
    assert result.evidence[0].matched == "*.throwaway.example"
    assert "ours" in result.evidence[0].rule
    book.change(LOCAL_ACCOUNT, entry.pattern, category=Category.GREY)
    assert judge() is Category.GREY
    assert book.remove(LOCAL_ACCOUNT, [entry.pattern]) == 1
    found = check(LOCAL_ACCOUNT, "bo@a.throwaway.example").verdict
    assert found.reasons == (Reason.UNLISTED,)


def test_another_account_and_the_sandbox_never_see_them(opened: Application) -> None:
    opened.services.accounts.create("other")
    overrule(opened, "other")
    checks = opened.services.checks
    assert (
        checks.check_address(LOCAL_ACCOUNT, "a@throwaway.example").verdict.category
        is Category.BLACK
    )
    assert checks.check_address("other", "a@throwaway.example").verdict.category is Category.WHITE
    for account in (LOCAL_ACCOUNT, "other"):
        opened.services.own_lists.add(account, "firm.example", Category.GREY, f"of {account}")
    for account in (LOCAL_ACCOUNT, "other") * 2:  # what is gathered once is not another's
        (evidence,) = checks.check_address(account, "x@firm.example").evidence
        assert evidence.rule.endswith(f"Note: of {account}")
    task = complete(opened)
    assert download(opened, task) == CHECKED_LIST
    overrule(opened)
    sandbox = complete(opened, key_type=KeyType.SANDBOX)
    assert set(list_verdicts(opened, sandbox)) == {"unknown"}
    assert opened.services.project_views.present(sandbox) == sandbox
    key, _ = opened.services.keys.create(LOCAL_ACCOUNT, "s", KeyType.SANDBOX)
    answer = checks.check_for_key(key, "10.0.0.1", "a@throwaway.example")
    assert answer.fields["type"] == "unknown"


def test_a_finished_project_shows_them_and_the_stored_result_stays(
    opened: Application,
) -> None:
    task = complete(opened)
    charged = count_charged(opened)
    assert list_verdicts(opened, task) == ["free", "disposable", "invalid"]
    overrule(opened)
    assert list_verdicts(opened, task) == ["black", "white", "invalid"]
    everything = opened.services.results.rows(LOCAL_ACCOUNT, task.task_id, RowFilter(), 0, 10)
    assert [row.verdict.category for row in everything.rows] == ["black", "white", "black"]
    black = RowFilter(Chosen().choose(CATEGORY, "black"))
    page = opened.services.results.rows(LOCAL_ACCOUNT, task.task_id, black, 0, 10)
    assert [row.email for row in page.rows] == ["ONE@mailboxes.example", "not an address"]
    views = opened.services.project_views
    shown = views.present(task).summary
    assert views.present_all([task, task]) == [views.present(task)] * 2
    assert shown is not None
    assert task.summary is not None
    assert shown.by_category == {"black": 2, "white": 1}
    assert shown.by_reason["own_list_address"] == shown.by_reason["own_list_domain"] == 1
    assert ("throwaway.example", "white", 1) in shown.top_domains
    assert (shown.rows_in, shown.charged) == (task.summary.rows_in, task.summary.charged)
    assert download(opened, task) == OVERRULED_LIST
    lines = OVERRULED_LIST.splitlines(keepends=True)
    assert download(opened, task, Variant.CLEANED) == lines[0] + lines[2]
    assert download(opened, task, Variant.REMOVED) == lines[0] + lines[1] + lines[3]
    # What a client of the API has been given never changes, and nothing was charged.
    assert download(opened, task, Variant.ORIGINAL) == CHECKED_LIST
    assert opened.services.tasks.get(LOCAL_ACCOUNT, task.task_id).summary == task.summary
    assert count_charged(opened) == charged


def test_a_local_part_holds_over_every_door(opened: Application) -> None:
    """The check, a finished project, a new one, the look before it, and a person's request."""
    emails = ["Press@Mailboxes.example", "press+x@mailboxes.example", "press@throwaway.example"]
    data = "\n".join(["email", *emails, "press"]).encode()
    before = complete(opened, data)
    views, asked = opened.services.project_views, list[str]()
    views.ask = lambda question: (asked.append("asked"), question.answer())[1]
    assert views.count_listed(LOCAL_ACCOUNT, "press@*") == (2, 1)
    complete(opened, data)
    asked.clear()
    assert views.count_listed(LOCAL_ACCOUNT, "press@*") == (4, 2)
    assert len(asked) == 1, "only the new project"
    book, results = opened.services.own_lists, opened.services.results
    book.add(LOCAL_ACCOUNT, "PRESS@*", Category.GREY)
    assert book.find_entry(LOCAL_ACCOUNT, Category.GREY, "Press@*") is not None
    expected = ["grey", "free", "grey", "invalid"]
    verdicts = [opened.services.checks.check_address(LOCAL_ACCOUNT, one).verdict for one in emails]
    assert [one.domain_type for one in verdicts] == expected[:3]
    assert (
        list_verdicts(opened, before) == expected == list_verdicts(opened, complete(opened, data))
    )
    found = results.rows(LOCAL_ACCOUNT, before.task_id, RowFilter(), 0, 3).rows
    assert [row.verdict for row in found] == verdicts
    upload_id = stage(opened, data).upload_id
    head = opened.services.uploads.read_head(LOCAL_ACCOUNT, upload_id, Choices())
    preview = opened.services.previews.look(LOCAL_ACCOUNT, upload_id, head, 0)
    assert preview.as_it_is.actions[Category.GREY.action] == 0.5
    for email, known in zip(emails, (["press@*"], [], ["press@*"]), strict=True):
        letter = opened.services.decisions.answer_person(LOCAL_ACCOUNT, email, "local")
        assert [entry.pattern for entry in letter.page.decision.entries] == known
    exported = book.export_csv(LOCAL_ACCOUNT)
    book.remove(LOCAL_ACCOUNT, ["press@*"])
    book.import_file(LOCAL_ACCOUNT, receive(opened, exported, "own.csv"), Category.BLACK)
    assert list_verdicts(opened, before) == expected


def test_lists_that_change_while_a_project_is_looked_through_count(opened: Application) -> None:
    services = opened.services
    task = complete(opened)
    services.own_lists.add(LOCAL_ACCOUNT, "mailboxes.example", Category.GREY)
    change = partial(services.own_lists.add, LOCAL_ACCOUNT, "throwaway.example", Category.WHITE)
    blobs = Interrupted(services.file_store.blobs, "fetch", change)
    views = replace(services.project_views, store=replace(services.file_store, blobs=blobs))
    views.present(task)
    later, anew = views.present(task).summary, services.project_views.present(task).summary
    assert later == anew
    assert anew is not None
    assert anew.by_category == {"grey": 1, "white": 1, "black": 1}


def test_a_link_leads_to_what_the_lists_say_when_it_is_followed(opened: Application) -> None:
    task = complete(opened)
    link = opened.services.downloads.issue(LOCAL_ACCOUNT, task.task_id)
    overrule(opened)
    found = follow(opened, link)
    assert b"".join(found.read_content()) == OVERRULED_LIST
    opened.services.own_lists.remove(LOCAL_ACCOUNT, ["throwaway.example"])
    assert b"".join(found.read_content()) == OVERRULED_LIST  # what is on its way keeps its length


def test_import_takes_what_is_right_and_names_the_rest(opened: Application) -> None:
    book = opened.services.own_lists
    book.add(LOCAL_ACCOUNT, "kurz.example", Category.WHITE, "old")
    data = (
        "\ufeffNote;Pattern;Category;more\r\n"
        "new;KURZ.example;Black;x\r\n"
        ";*.bücher.example;grey\r\n"
        "\r\n"
        "bad;co.uk;black\r\n"
        "bad;ana@;black\r\n"
        "bad;x.example;green\r\n"
        '"two\nlines";ana@x.example;GRAY\r\n'
        f"{'n' * 201};y.example;white\r\n"
        ";ana@x.example;white\r\n"
    ).encode()
    report = book.import_file(LOCAL_ACCOUNT, receive(opened, data, "own.csv"), Category.GREY)
    assert (report.added, report.changed, report.refused_count) == (2, 1, 4)
    assert [refused.line for refused in report.refused] == [5, 6, 7, 9]
    assert "public suffix" in report.refused[0].problem
    assert "white, grey or black" in report.refused[2].problem
    found = {entry.pattern: entry for entry in book.list(LOCAL_ACCOUNT).entries}
    assert set(found) == {"kurz.example", "*.xn--bcher-kva.example", "ana@x.example"}
    assert (found["kurz.example"].category, found["kurz.example"].note) == (Category.BLACK, "new")
    assert found["ana@x.example"].category is Category.WHITE
    exported = book.export_csv(LOCAL_ACCOUNT)
    before = book.list(LOCAL_ACCOUNT)
    again = book.import_file(LOCAL_ACCOUNT, receive(opened, exported, "own.csv"), Category.GREY)
    assert (again.added, again.changed, again.refused_count) == (0, 0, 0)
    assert book.list(LOCAL_ACCOUNT) == before


@given(st.text(st.sampled_from("=+-@'a \t\r"), max_size=6))
def test_a_guarded_cell_is_no_formula_and_comes_back(cell: str) -> None:
    assert not guard_cell(cell).startswith(tuple(FORMULA_SIGNS))
    assert unguard_cell(guard_cell(cell)) == cell


def test_an_export_is_guarded_and_imported_without_loss(opened: Application) -> None:
    book = opened.services.own_lists
    notes = ["=HYPERLINK(1)", "+1", "-1", "@a", "'=a", "''=a", "'a", "", '="a", b']
    patterns = [f"{sign}a@x.example" for sign in ("=", "+", "-", "'", "a", "b", "c", "d", "e")]
    for pattern, note in zip(patterns, notes, strict=True):
        book.add(LOCAL_ACCOUNT, pattern, Category.GREY, note)
    before = book.list(LOCAL_ACCOUNT)
    exported = book.export_csv(LOCAL_ACCOUNT)
    rows = list(csv.DictReader(exported.decode("utf-8-sig").splitlines()))
    assert {row["pattern"] for row in rows} == set(patterns)
    assert not any(row["note"].startswith(tuple("=+-@")) for row in rows)
    book.remove(LOCAL_ACCOUNT, patterns)
    book.import_file(LOCAL_ACCOUNT, receive(opened, exported, "own.csv"), Category.WHITE)
    assert book.list(LOCAL_ACCOUNT).entries == before.entries


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"PK\x03\x04\0\0",
        b"pattern,category\n" + b"x" * 2_000_000 + b",white\n",
        b"category,note\nwhite,x\n",
    ],
)
def test_a_file_that_is_no_list_changes_nothing(opened: Application, data: bytes) -> None:
    book = opened.services.own_lists
    version = book.current(LOCAL_ACCOUNT).version
    with pytest.raises(WinnowError):
        book.import_file(LOCAL_ACCOUNT, receive(opened, data, "own.csv"), Category.GREY)
    assert book.current(LOCAL_ACCOUNT).version == version


@pytest.mark.parametrize(
    ("name", "data", "patterns", "refused"),
    [
        (
            "a.txt",
            b"# ours\nana@firm.example\nnobody\n*.shop.example\n@x.example\nco.uk\nPress@* # x\n",
            {"ana@firm.example", "*.shop.example", "x.example", "press@*"},
            [3, 6],
        ),
        ("b.txt", b"Press@*\nsales@*\n", {"press@*", "sales@*"}, []),
        ("b.csv", b"pattern,category\nPress@*,black\n", {"press@*"}, []),
        ("a.csv", b"Domain;Why\nfirm.example;ours\n", {"firm.example"}, []),
    ],
)
def test_all_that_a_file_names_goes_on_the_list_chosen(
    opened: Application, name: str, data: bytes, patterns: set[str], refused: list[int]
) -> None:
    book = opened.services.own_lists
    report = book.import_file(LOCAL_ACCOUNT, receive(opened, data, name), Category.BLACK)
    assert (report.added, [line.line for line in report.refused]) == (len(patterns), refused)
    entries = book.list(LOCAL_ACCOUNT, limit=100).entries
    found = {entry.pattern: entry.category for entry in entries}
    assert found == dict.fromkeys(patterns, Category.BLACK)


def test_full_lists_refuse_more_and_keep_what_they_have(
    opened: Application, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(own_list_rows, "ENTRIES_MAX", 2)
    book = opened.services.own_lists
    for pattern in ("a.example", "b.example"):
        book.add(LOCAL_ACCOUNT, pattern, Category.WHITE)
    with pytest.raises(BadField, match="2 is the most"):
        book.add(LOCAL_ACCOUNT, "c.example", Category.WHITE)
    book.add(LOCAL_ACCOUNT, "b.example", Category.BLACK)
    assert book.list(LOCAL_ACCOUNT).total == 2
    book.remove(LOCAL_ACCOUNT, ["a.example"])
    book.add(LOCAL_ACCOUNT, "c.example", Category.WHITE)
    removed = book.changes(LOCAL_ACCOUNT)[1]
    with pytest.raises(BadField, match="3 entries; 2 is the most"):
        book.undo(LOCAL_ACCOUNT, removed.change_id)
    assert removed in book.changes(LOCAL_ACCOUNT)


def test_entries_and_their_undo_count_toward_the_quota(open_application: OpenApplication) -> None:
    opened = open_application(quota_bytes=20_000)
    book = opened.services.own_lists

    def measure() -> int:
        return measure_use(opened)[0]

    book.replace(LOCAL_ACCOUNT, Category.WHITE, [("a.example", "ü" * 100)])
    assert measure() == 2 * (100 + 9 + 200)
    book.change(LOCAL_ACCOUNT, "a.example", note="m")
    changed = measure()
    more = [(f"a{number}.example", "n" * 200) for number in range(40)]
    with pytest.raises(QuotaExceeded):
        book.replace(LOCAL_ACCOUNT, Category.WHITE, more)
    assert (book.list(LOCAL_ACCOUNT).total, measure()) == (1, changed)
    assert book.changes(LOCAL_ACCOUNT)[0].changed == 1
    book.replace(LOCAL_ACCOUNT, Category.WHITE, more[:25])
    with pytest.raises(QuotaExceeded):
        submit(opened, b"email\n" + b"a@b.de\n" * 300)
    full = measure()
    assert book.remove(LOCAL_ACCOUNT, [pattern for pattern, _ in more]) == 25
    assert (book.list(LOCAL_ACCOUNT).total, measure()) == (0, full)
    assert find_faults(opened.database, opened.blobs) == ()
    for change in book.changes(LOCAL_ACCOUNT):
        book.undo(LOCAL_ACCOUNT, change.change_id)
    assert (book.list(LOCAL_ACCOUNT).total, measure()) == (0, 0)


def test_a_page_of_entries_is_searched_and_filtered(opened: Application, clock: Clock) -> None:
    book = opened.services.own_lists
    for number in range(7):
        book.add(LOCAL_ACCOUNT, f"n{number}.example", Category.WHITE, f"note {number}")
        clock.advance(seconds=1)
    book.add(LOCAL_ACCOUNT, "100.example", Category.BLACK, "100% sure")
    page = book.list(LOCAL_ACCOUNT, offset=1, limit=2)
    assert [entry.pattern for entry in page.entries] == ["n6.example", "n5.example"]
    assert (page.matching, page.total) == (8, 8)
    assert [e.pattern for e in book.list(LOCAL_ACCOUNT, search=" NOTE 3").entries] == ["n3.example"]
    assert [e.pattern for e in book.list(LOCAL_ACCOUNT, search="%").entries] == ["100.example"]
    assert book.list(LOCAL_ACCOUNT, category=Category.BLACK).matching == 1


def test_a_change_is_undone_once_and_leaves_what_changed_since(opened: Application) -> None:
    book = opened.services.own_lists
    data = b"pattern,category\na.example,white\nb.example,white\nc.example,white\n"
    book.import_file(LOCAL_ACCOUNT, receive(opened, data, "own.csv"), Category.GREY)
    (imported,) = book.changes(LOCAL_ACCOUNT)
    assert (imported.added, imported.changed, imported.removed) == (3, 0, 0)
    book.change(LOCAL_ACCOUNT, "b.example", category=Category.BLACK)
    book.remove(LOCAL_ACCOUNT, ["c.example"])
    version = book.current(LOCAL_ACCOUNT).version
    assert book.undo(LOCAL_ACCOUNT, imported.change_id) == Undone(1, 2)
    assert [entry.pattern for entry in book.list(LOCAL_ACCOUNT).entries] == ["b.example"]
    assert book.current(LOCAL_ACCOUNT).version > version
    assert book.undo(LOCAL_ACCOUNT, imported.change_id) is None


def test_what_changes_nothing_is_no_change_and_an_undo_gives_note_and_day_back(
    opened: Application, clock: Clock
) -> None:
    book = opened.services.own_lists
    first = book.add(LOCAL_ACCOUNT, "a.example", Category.WHITE, "a partner")
    version = book.current(LOCAL_ACCOUNT).version
    book.add(LOCAL_ACCOUNT, "a.example", Category.WHITE, "a partner")
    assert book.remove(LOCAL_ACCOUNT, ["b.example"]) == 0
    assert len(book.changes(LOCAL_ACCOUNT)) == 1
    assert book.current(LOCAL_ACCOUNT).version == version
    clock.advance(days=2)
    book.remove(LOCAL_ACCOUNT, ["a.example"])
    assert book.undo(LOCAL_ACCOUNT, book.changes(LOCAL_ACCOUNT)[0].change_id) == Undone(1, 0)
    assert book.list(LOCAL_ACCOUNT).entries == (first,)


def test_the_latest_changes_of_the_own_account_are_kept(opened: Application) -> None:
    opened.services.accounts.create("other")
    book = opened.services.own_lists
    book.add("other", "a.example", Category.BLACK)
    for number in range(KEPT_PER_ACCOUNT + 3):
        book.add(LOCAL_ACCOUNT, f"n{number}.example", Category.WHITE)
    changes = book.changes(LOCAL_ACCOUNT, 100)
    assert len(changes) == KEPT_PER_ACCOUNT
    assert changes[0].after is not None
    assert changes[0].after.pattern == f"n{KEPT_PER_ACCOUNT + 2}.example"
    (theirs,) = book.changes("other")
    assert book.undo(LOCAL_ACCOUNT, theirs.change_id) is None
    assert book.list("other").total == 1

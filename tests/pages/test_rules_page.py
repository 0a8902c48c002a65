"""Rules: your lists and policies, edited on their page and from a verdict, in force at once."""

import pytest
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import Button

from components.frame import page_urls
from components.rules.own_changes import name_always
from tests.applications import complete, receive
from tests.pages.conftest import Desk, press, read_html, read_markdown
from winnow.core.identities import LOCAL_ACCOUNT
from winnow.core.verdicts.verdict import Category, name_action
from winnow.services.own.own_lists import NOTE_MAX_CHARACTERS
from winnow.wiring import Application


def add(app: AppTest, pattern: str, category: Category, note: str = "") -> AppTest:
    app.text_input(key="own_pattern").set_value(pattern)
    app.selectbox(key="own_category").set_value(category)
    app.text_input(key="own_note").set_value(note)
    press(app, "own_add")
    return app


def edit(app: AppTest, key: str, **edits: object) -> AppTest:
    """Edit the table whose key begins so: ``edited_rows`` or ``deleted_rows``."""
    editor = next(table for table in app.data_editor if str(table.key).startswith(key))
    state = {"edited_rows": {}, "added_rows": [], "deleted_rows": [], **edits}
    app.session_state[editor.key] = state
    app.run()
    return app


def test_an_entry_is_added_shown_moved_and_removed(desk: Desk) -> None:
    app = desk.open(page_urls.RULES)
    assert app.title[0].value == "Rules"
    assert "Your lists are empty. Add a domain" in read_markdown(app)
    add(app, "Throwaway.example", Category.WHITE, "our *own*")
    assert app.text_input(key="own_pattern").value == ""
    add(app, "*.co.uk", Category.BLACK)
    assert "The entry is a public suffix" in app.error[0].value
    assert app.text_input(key="own_pattern").value == "*.co.uk"
    assert "of your projects has it" not in read_markdown(app), "it names nothing"
    (entry,) = app.data_editor[0].value.to_dict("records")
    assert (entry["pattern"], entry["note"]) == ("throwaway.example", "our *own*")
    edit(app, "own_entries_", edited_rows={0: {"action": "◐ Always review"}})
    (entry,) = desk.services.own_lists.list(LOCAL_ACCOUNT).entries
    assert (entry.category, entry.note) == (Category.GREY, "our *own*")
    edit(app, "own_entries_", deleted_rows=[0])
    assert not desk.services.own_lists.list(LOCAL_ACCOUNT).entries
    assert "Your lists are empty" in read_markdown(app)


@pytest.mark.parametrize(
    ("pattern", "said"),
    [
        ("ANA@a.shop.example", "2 rows in 2 projects"),
        ("shop.example", "2 rows in 1 project"),
        ("*.shop.example", "4 rows in 2 projects"),
        ("ana@*", "4 rows in 2 projects"),
        ("other.example", "No row of your projects has it."),
    ],
)
def test_rows_of_projects_are_counted_before_an_entry_is_added(
    desk: Desk, pattern: str, said: str
) -> None:
    first = "ana@shop.example bo@shop.example ana@a.shop.example cy@b.shop.example"
    for emails in (first, "ana@a.shop.example\nana@b.a.shop.example x@myshop.example"):
        complete(desk.opened, "\n".join(["email", *emails.split()]).encode())
    app = desk.open(page_urls.RULES)
    app.text_input(key="own_pattern").set_value(pattern).run()
    assert said in read_markdown(app)
    assert not desk.services.own_lists.list(LOCAL_ACCOUNT).entries


def import_file(app: AppTest, desk: Desk, data: bytes) -> None:
    """Let a file arrive, as the drop zone does."""
    received = receive(desk.opened, data, "lists.csv")
    report = desk.services.own_lists.import_file(LOCAL_ACCOUNT, received, Category.BLACK)
    app.session_state["own_imported"] = (report.file_id,)
    if report.added + report.changed:
        app.session_state["own_changed"] = desk.services.own_lists.changes(LOCAL_ACCOUNT)[
            0
        ].change_id
    app.run()


def test_a_file_is_imported_with_a_report(desk: Desk) -> None:
    app = desk.open(page_urls.RULES)
    import_file(app, desk, b"pattern,category\na.example,white\nco.uk,black\n")
    assert "1 added, 0 changed." in app.warning[0].value
    assert "Line 3: pattern is a public suffix" in app.warning[0].value
    assert desk.services.own_lists.list(LOCAL_ACCOUNT).total == 1
    assert "Your lists are empty" not in read_markdown(app)


def test_a_verdict_is_overruled_in_one_click_and_given_back(desk: Desk) -> None:
    app = desk.check("one@throwaway.example")
    assert "No row of your projects has it." in read_markdown(app)
    complete(desk.opened)
    app.segmented_control(key="check_scope").set_value("domain").run()
    assert "It holds at once for 1 row in 1 project." in read_markdown(app)
    press(app, "check_white")
    assert "w-keep" in read_html(app)
    assert "Without it: ✕ remove, disposable." in [caption.value for caption in app.caption]
    assert (
        f"<strong>throwaway.example</strong> is now always: {name_action(Category.WHITE)}."
        in read_html(app)
    )
    press(app, "check_off")
    assert "w-remove" in read_html(app)
    press(app, "check_white")
    app = desk.check("one@throwaway.example")  # the entry is of the address now
    assert "own_notice" not in str(app.main), "it has been shown"
    find_undo(app, "check").click().run()
    assert "w-remove" in read_html(app)
    assert not desk.services.own_lists.list(LOCAL_ACCOUNT).entries


def test_one_address_is_meant_at_first(desk: Desk) -> None:
    app = desk.check("nobody")
    assert "check_black" not in [button.key for button in app.button], "it is no address"
    for text in ("two@throwaway.example", "One@mailboxes.example"):
        app.session_state["check_text"] = text
        app.run()
        assert app.segmented_control(key="check_scope").value == "address"
    app.segmented_control(key="check_scope").set_value("domain").run()
    app.segmented_control(key="check_scope").set_value("address").run()
    press(app, "check_black")
    (entry,) = desk.services.own_lists.list(LOCAL_ACCOUNT).entries
    assert (entry.pattern, entry.category) == ("one@mailboxes.example", Category.BLACK)


def find_undo(app: AppTest, where: str = "notice") -> Button:
    """Return the first Undo of the notice, or of the list of changes."""
    return next(one for one in app.button if str(one.key).startswith(f"own_undo_{where}_"))


def list_patterns(opened: Application) -> list[tuple[str, Category]]:
    entries = opened.services.own_lists.list(LOCAL_ACCOUNT).entries
    return sorted((entry.pattern, entry.category) for entry in entries)


@pytest.mark.parametrize("where", ["notice", "list"])
def test_every_change_is_undone_from_its_notice_and_from_the_list(desk: Desk, where: str) -> None:
    app = add(desk.open(page_urls.RULES), "a.example", Category.BLACK)
    find_undo(app, where).click().run()
    assert list_patterns(desk.opened) == []
    add(app, "a.example", Category.BLACK)
    edit(app, "own_entries_", edited_rows={0: {"action": "✓ Always keep"}})
    find_undo(app, where).click().run()
    assert list_patterns(desk.opened) == [("a.example", Category.BLACK)]
    edit(app, "own_entries_", deleted_rows=[0])
    assert list_patterns(desk.opened) == []
    find_undo(app, where).click().run()
    assert list_patterns(desk.opened) == [("a.example", Category.BLACK)]
    data = b"pattern,category\na.example,white\nb.example,grey\n"
    import_file(app, desk, data)
    assert "1 added, 1 changed, 0 deleted." in read_html(app)
    find_undo(app, where).click().run()
    assert list_patterns(desk.opened) == [("a.example", Category.BLACK)]
    assert "Undone." in read_markdown(app)


def test_a_notice_is_of_the_last_thing_that_was_done(desk: Desk) -> None:
    def is_offered() -> bool:
        return any(str(one.key).startswith("own_undo_notice_") for one in app.button)

    app = add(desk.open(page_urls.RULES), "a.example", Category.BLACK)
    assert is_offered()
    app.text_input(key="own_search").set_value("a").run()
    assert not is_offered()
    add(app, "b.example", Category.BLACK)
    assert is_offered()
    add(app, "a.example", Category.BLACK)
    assert not is_offered()
    assert "Nothing was changed." in read_markdown(app)
    data = b"pattern,category\na.example,black\n"
    import_file(app, desk, data)
    assert app.success[0].value == "0 added, 0 changed."
    assert not is_offered()


def test_a_refused_edit_after_others_is_said_and_they_can_be_undone(desk: Desk) -> None:
    app = add(desk.open(page_urls.RULES), "a.example", Category.BLACK)
    app = add(app, "b.example", Category.BLACK)
    first = app.data_editor[0].value["pattern"][0]
    too_long = {"note": "x" * (NOTE_MAX_CHARACTERS + 1)}
    edits = {0: {"action": name_always(Category.WHITE)}, 1: too_long}
    edit(app, "own_entries_", edited_rows=edits)
    assert "The note" in app.error[0].value
    assert (first, Category.WHITE) in list_patterns(desk.opened)
    find_undo(app).click().run()
    assert (first, Category.BLACK) in list_patterns(desk.opened)


def test_policies_are_renamed_changed_made_default_and_deleted(desk: Desk) -> None:
    policies = desk.services.policies
    app = desk.open(page_urls.RULES, tab="policies")
    edit(app, "policies_", edited_rows={1: {"name": "Careful", "removes": [], "default": True}})
    careful = policies.find_default(LOCAL_ACCOUNT)
    assert (careful.name, careful.choice.policy.grounds) == ("Careful", frozenset())
    edit(app, "policies_", deleted_rows=[1])
    assert "is the default" in app.error[0].value
    edit(app, "policies_", deleted_rows=[2])
    assert [one.name for one in policies.list(LOCAL_ACCOUNT)] == ["Standard", "Careful"]
    press(app, "policy_undo")
    assert len(policies.list(LOCAL_ACCOUNT)) == 3

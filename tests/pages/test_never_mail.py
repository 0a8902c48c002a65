"""Never-mail list on pages: offered with the first noes, its sources and search, what is lost."""

from components.frame import page_urls
from tests.applications import Clock, complete, download
from tests.pages.conftest import Desk, press, read_html, read_markdown
from winnow.core.identities import LOCAL_ACCOUNT
from winnow.core.lists.rows import Variant

HEAD = b"email,Status\r\n"
OCTOBER = HEAD + b"ana@firm.example,Unsubscribed\r\nbo@firm.example,Bounced\r\nc@firm.example,\r\n"
NOVEMBER = b"email,order\r\nana@firm.example,1\r\nbo@firm.example,2\r\nc@firm.example,3\r\n"
NOVEMBER_YES = NOVEMBER.replace(b"order", b"OPTIN_TIME").replace(b",1\r\n", b",2026-11-25\r\n")


def test_it_is_offered_with_the_first_noes_and_taken_back_by_source(desk: Desk) -> None:
    assert "remember" not in read_markdown(desk.open_project(NOVEMBER))
    app = desk.open_project(OCTOBER)
    assert "**2 rows** say no or bounced: remember them" in read_markdown(app)
    press(app, "never_mail_remember")
    assert "say no or bounced: remember" not in read_markdown(app), "decided"
    app = desk.open_project(NOVEMBER)
    assert app.link_button[0].value == "Download 1 row"
    app = desk.open(page_urls.RULES, tab="never")
    assert app.toggle(key="never_mail_on").value
    shown = read_markdown(app)
    assert "2 entries are remembered." in shown
    assert "**list\\.csv, 20 Nov 2026, 12:00 UTC, 3 rows**  \n1 hard bounce, 1 unsub" in shown
    assert "1 unsubscribed. Since 20 Nov 2026." in shown
    app.text_input(key="never_mail_search").set_value(" ANA@firm.example ").run()
    assert "your list list\\.csv, 20 Nov 2026" in read_markdown(app)
    app.text_input(key="never_mail_search").set_value("c@firm.example").run()
    assert "It is not remembered." in read_markdown(app)
    app.toggle(key="never_mail_on").set_value(False).run()
    assert desk.services.never_mail.is_on(LOCAL_ACCOUNT) is False
    [source] = desk.services.never_mail.list(LOCAL_ACCOUNT)
    press(app, f"never_mail_back_{source.file_id}")
    assert "Nothing is remembered yet." in read_markdown(app)


def test_an_offer_that_is_declined_is_not_made_again(desk: Desk) -> None:
    app = press(desk.open_project(OCTOBER), "never_mail_off")
    for shown in (app, desk.open_project(OCTOBER)):
        assert "say no or bounced: remember" not in read_markdown(shown)
    assert not desk.services.never_mail.list(LOCAL_ACCOUNT)


def test_noes_of_a_lost_secret_are_named_until_the_list_is_there_again(desk: Desk) -> None:
    press(desk.open_project(OCTOBER), "never_mail_remember")
    desk.services.file_store.secret = bytes(48)
    desk.services.file_store.__dict__.pop("hashes", None)
    task = complete(desk.opened, NOVEMBER)
    assert download(desk.opened, task, Variant.CLEANED).count(b"@") == 3
    for place in (page_urls.CLEAN, page_urls.RULES):
        app = desk.open(place, tab="never")
        assert "2 stored addresses match no one any more" in app.warning[0].value
    press(app, "lost_noes_dismiss")
    assert "match no one" not in read_html(app)
    assert not desk.services.never_mail.list_lost(LOCAL_ACCOUNT)
    assert not app.warning


def test_a_later_yes_is_mailed_again_by_a_click(desk: Desk, clock: Clock) -> None:
    press(desk.open_project(OCTOBER), "never_mail_remember")
    clock.advance(days=7)
    app = desk.open_project(NOVEMBER_YES)
    assert app.link_button[0].value == "Download 1 row"
    assert "no on 20 Nov 2026, yes on 25 Nov 2026" in read_markdown(app)
    press(app, "mail_again_1")
    assert app.link_button[0].value == "Download 2 rows"
    assert "no on 20 Nov 2026" not in read_markdown(app)
    app = desk.open(page_urls.RULES, tab="never")
    assert "People who said yes after that, as you confirmed." in read_markdown(app)
    app.text_input(key="never_mail_search").set_value("ana@firm.example").run()
    assert "It is mailed again" in read_markdown(app)

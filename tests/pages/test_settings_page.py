"""Settings: language, keys, usage, bans, calls to copy, requests about a person."""

from components.frame import page_urls
from tests.applications import Clock, OpenApplication, submit
from tests.pages.conftest import Desk, press
from winnow.core.hooks import DeliveryState
from winnow.core.identities import LOCAL_ACCOUNT
from winnow.core.tasks.task import KeyType
from winnow.storage.repositories.hooks import claim_delivery, settle_delivery

BASE = "http://127.0.0.1:8501/v1/external-api-requests"


def test_a_key_is_made_shown_once_works_and_is_revoked(desk: Desk) -> None:
    app = desk.open(page_urls.SETTINGS, tab="api")
    assert any(BASE in one.value for one in app.markdown)
    assert app.link_button[0].url == f"{BASE}/docs"
    app.form_submit_button[0].click().run()
    assert app.error, "it needs a name"
    assert not desk.services.keys.list(LOCAL_ACCOUNT)
    app.text_input(key="key_name").set_value("nightly import")
    app.button_group(key="key_type").set_value(KeyType.SANDBOX)
    app.form_submit_button[0].click().run()
    secret = app.code[0].value
    key = desk.services.keys.authenticate(secret)
    assert (key.name, key.key_type) == ("nightly import", KeyType.SANDBOX)
    assert key.account == LOCAL_ACCOUNT
    app.run()
    assert secret not in [code.value for code in app.code]
    press(app, f"revoke_{key.prefix}")
    press(app, "revoke_yes")
    assert desk.services.keys.list(LOCAL_ACCOUNT)[0].revoked_at is not None


def test_a_hook_is_set_sent_again_and_removed(desk: Desk, clock: Clock) -> None:
    services = desk.services
    key, _ = services.keys.create(LOCAL_ACCOUNT, "shop", KeyType.LIVE)
    app = desk.open(page_urls.SETTINGS, tab="api")
    assert any("Hooks are off" in text.value for text in app.markdown)

    def save(url: str) -> None:
        app.text_input(key=f"hook_url_{key.prefix}").set_value(url)
        press(app, "hook_save")

    save("http://shop.example/")
    assert "must be https" in app.error[0].value
    save("https://shop.example/")
    [secret] = [code.value for code in app.code if code.value.startswith("whsec_")]
    app.run()
    assert secret not in [code.value for code in app.code]
    task = submit(desk.opened, key_prefix=key.prefix)
    services.tasks.cancel(LOCAL_ACCOUNT, task.task_id)
    claimed = claim_delivery(desk.opened.database, clock.now)
    assert claimed is not None
    settle_delivery(desk.opened.database, claimed, DeliveryState.FAILED, "503", clock.now)
    app.run()
    assert any("1 try, last" in text.value and "HTTP 503" in text.value for text in app.caption)
    press(app, f"replay_{task.task_id}")
    [delivery] = services.hooks.list_deliveries(LOCAL_ACCOUNT, key.prefix)
    assert delivery.state is DeliveryState.WAITING
    save("")
    assert services.hooks.find_url(LOCAL_ACCOUNT, key.prefix) is None


def test_a_banned_caller_is_let_in_again(desk: Desk) -> None:
    key, _ = desk.services.keys.create(LOCAL_ACCOUNT, "form", KeyType.LIVE)
    for _ in range(desk.services.bans.threshold):
        desk.services.checks.check_for_key(key, "203.0.113.9", "one@throwaway.example")
    assert desk.services.bans.attempts_left("203.0.113.9") == 0
    app = desk.open(page_urls.SETTINGS, tab="api")
    press(app, "unban_203.0.113.9")
    assert desk.services.bans.attempts_left("203.0.113.9") == desk.services.bans.threshold


def test_settings_say_that_bans_are_off(open_application: OpenApplication) -> None:
    app = Desk(open_application(ban_threshold=0)).open(page_urls.SETTINGS, tab="api")
    captions = [caption.value for caption in app.caption]
    assert "Bans are switched off (WINNOW_BAN_THRESHOLD)." in captions
    assert not [caption for caption in captions if "lead to a ban" in caption]

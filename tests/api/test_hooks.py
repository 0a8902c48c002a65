"""Hooks by a real server: called when a list by API is done, again after a crash."""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.server import post, start_server
from tests.waiting import wait_until
from tests.web_site import WebSite, send_status
from winnow.core.identities import LOCAL_ACCOUNT
from winnow.core.settings import Settings
from winnow.core.tasks.task import KeyType
from winnow.wiring import build_application


@pytest.mark.slow
def test_a_hook_survives_a_crash_of_the_server(tmp_path: Path, set_up_folder: Path) -> None:
    folder = shutil.copytree(set_up_folder, tmp_path / "data")
    opened = build_application(Settings(data_dir=folder))
    services = opened.services
    key, text = services.keys.create(LOCAL_ACCOUNT, "shop", KeyType.LIVE)
    services.network.turn("hooks", True)
    with WebSite(send_status(204)) as receiver:
        secret = services.hooks.set_url(LOCAL_ACCOUNT, key.prefix, receiver.base)
        assert secret is not None
        receiver.answer = send_status(500)
        server = start_server(folder)
        try:
            answer = post(
                f"{server.api}/batch-check-emails",
                headers={"X-API-Key": text},
                files={"file": ("list.csv", b"email\nana@gmail.com\n")},
            )
            assert answer.status_code == 200
            wait_until(lambda: bool(receiver.calls))
        finally:
            server.kill()
        receiver.answer = send_status(200)
        with closing(sqlite3.connect(folder / "winnow.db")) as database, database:
            database.execute("UPDATE hook_deliveries SET due_at = 0, lease_until = NULL")
        server = start_server(folder)
        try:
            wait_until(lambda: len(receiver.calls) == 2)
        finally:
            server.stop()
        events = [call.verify(secret) for call in receiver.calls]
        assert events[0] == events[1]
        assert events[0]["data"]["task_id"] == answer.json()["task_id"]
        assert events[0]["data"]["summary"]["rows_out"] == 1
    opened.database.close()

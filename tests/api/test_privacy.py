"""A server through a whole story: no address, key or cell outside of the files that hold lists."""

import re
from contextlib import suppress
from pathlib import Path

import httpx
import pytest

from tests.server import Server, create_key, get, post, start_server
from tests.waiting import PATIENCE_SECONDS
from winnow.client import Client, TaskFailed

MARK = "zzsecretzz"  # in every address, cell, name and key-like text that the story sends
DATA = re.compile(r"winnow\.db.*|inputs/.*|results/.*|variants/.*|backups/.*")
PASSWORD = f"{MARK}-password"


def tell_story(server: Server, key: str, folder: Path) -> None:
    """Check, upload, download, and do much of it wrongly."""
    api, headers = server.api, {"X-API-Key": key}
    for address in (f"{MARK}@gmail.com", f"{MARK}@mailinator.com", f"{MARK} nothing", ""):
        post(f"{api}/check-email", params={"email": address}, headers=headers)
    post(f"{api}/check-email?email={MARK}@x.de", headers={"X-API-Key": f"wk_{MARK}"})
    post(f"{api}/check-email?email={MARK}@x.de&email={MARK}", headers=headers)
    rows = "".join(f"{MARK}{n}@gmail.com,{MARK} cell\n" for n in range(50))
    lists = {
        f"{MARK}.csv": f"email,{MARK}\n{rows}".encode(),
        f"{MARK}.xlsx": f"PK\x03\x04{MARK}".encode(),
        f"{MARK}.tsv": f"{MARK}@gmail.com\t1\n".encode(),
        f"{MARK}.exe": b"MZ",
        f"../../{MARK}.csv": f'email\n"{MARK}@gmail.com\n'.encode(),
        f"late-{MARK}.csv": f"email,x\n{rows * 900}".encode() + f'a@b.de,"{MARK}\n'.encode(),
    }
    task_ids = []
    for name, content in lists.items():
        answer = post(
            f"{api}/batch-check-emails",
            files={"file": (name, content)},
            data={"project_name": f"{MARK} project", "email_column": "email"},
            headers={**headers, "Idempotency-Key": f"{MARK}-{name}"},
        )
        if answer.status_code == httpx.codes.OK:
            task_ids.append(answer.json()["task_id"])
    assert task_ids

    with Client(api, key) as client:
        for task_id in task_ids:
            with suppress(TaskFailed):
                client.wait(task_id, timeout_seconds=PATIENCE_SECONDS)
                client.download(task_id, folder / "out.csv")
    get(f"{api}/downloads/{MARK}")
    get(f"{api}/batch-check-status/{MARK}%0AERROR%20{MARK}", headers=headers)
    get(f"{server.url}/project?task={MARK}&search={MARK}@gmail.com")
    get(f"{api}/health", headers={"X-Request-Id": f"{MARK}@x", "Referer": f"http://{MARK}/"})
    post(f"{server.url}/desk/sign-in", data={"password": PASSWORD})
    post(
        f"{server.url}/desk/uploads",
        headers={"X-Upload-Token": f"{MARK}.a.b", "X-File-Name": f"{MARK}.csv"},
        content=MARK.encode(),
    )
    for raw in (
        f"{MARK}\r\n\r\n",
        f"GET /{MARK} HTTP/9\r\n\r\n",
        f"GET / HTTP/1.1\r\n{MARK}\r\n\r\n",
    ):
        with server.open_socket() as connection:
            connection.sendall(raw.encode())
            connection.recv(4096)


@pytest.mark.slow
def test_nothing_of_it_is_in_a_log_or_beside_the_lists(data_dir: Path, tmp_path: Path) -> None:
    settings = {"WINNOW_PASSWORD": PASSWORD, "WINNOW_BAN_LOOPBACK": "on"}
    server = start_server(data_dir, settings)
    try:
        key = create_key(server, name=MARK)
        tell_story(server, key, tmp_path)
    finally:
        server.stop()
    marks = (MARK.encode(), key.partition(".")[2].encode())
    assert not [mark for mark in marks if mark in server.log.read_bytes()]
    for private in (data_dir, data_dir / "winnow.db", data_dir / "pepper", data_dir / "inputs"):
        assert private.stat().st_mode & 0o077 == 0
    for path in data_dir.rglob("*"):
        name = path.relative_to(data_dir).as_posix()
        assert MARK not in name
        if path.is_file() and not DATA.fullmatch(name):
            assert not [mark for mark in marks if mark in path.read_bytes()], name
    assert key.partition(".")[2].encode() not in (data_dir / "winnow.db").read_bytes()

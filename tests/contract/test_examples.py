"""The examples of ``docs/examples``: those that can run do, the others fit the document."""

import json
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import httpx
import jsonschema
import pytest

from tests.server import Server, find_free_port, get, is_open, post
from tests.waiting import wait_until
from winnow.client import ApiError, Client

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"
LONGEST = 40


def run(command: list[str], server: Server, key: str) -> str:
    environ = {**os.environ, "WINNOW_URL": server.api, "WINNOW_KEY": key}
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=120, check=False, env=environ
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_no_example_is_long() -> None:
    lengths = {path.name: len(path.read_text().splitlines()) for path in EXAMPLES.iterdir()}
    assert {name: count for name, count in lengths.items() if count > LONGEST} == {}


def test_curl(server: Server, key: str) -> None:
    results = json.loads(run(["sh", str(EXAMPLES / "check.sh")], server, key))["results"]
    assert len(results) == 100


@pytest.mark.parametrize("page", ["README.md", "docs/http-api.md"])
def test_curl_of_a_document(server: Server, key: str, page: str) -> None:
    text = (EXAMPLES.parents[1] / page).read_text(encoding="utf-8")
    (command,) = re.findall(r"^curl .*$", text, re.MULTILINE)
    base = "http://localhost:8501/v1/external-api-requests"
    answer = json.loads(run(["sh", "-c", command.replace(base, server.api)], server, key))
    assert (answer["category"], answer["type"]) == ("black", "disposable")


def test_python(server: Server, key: str) -> None:
    lines = run([sys.executable, str(EXAMPLES / "check.py")], server, key).splitlines()
    assert len(lines) == 101
    counts = "{'white': 0, 'grey': 99, 'black': 1}"
    assert lines[-2:] == ["x@mailinator.com black disposable", counts]


@pytest.mark.parametrize("name", ["n8n.json", "make.json", "sheet.gs"])
def test_a_request_that_cannot_be_made_here_fits_the_document(server: Server, name: str) -> None:
    document = get(f"{server.api}/openapi.json").json()
    base, operation = document["servers"][0]["url"], document["paths"]["/check-emails"]["post"]
    path, body = read_request(name)
    assert path == f"{base.removesuffix('/')}/check-emails"
    schema = operation["requestBody"]["content"]["application/json"]["schema"]
    jsonschema.validate(body, {**schema, "components": document["components"]})


def read_request(name: str) -> tuple[str, Any]:
    """Return the path and an example of the body."""
    text = (EXAMPLES / name).read_text()
    filled = {"emails": ["ana@example.com"]}
    if name == "sheet.gs":
        assert "JSON.stringify({ emails })" in text
        (base,) = re.findall(r'BASE = "https://[^/"]+([^"]+)"', text)
        return f"{base}/check-emails", filled
    if name == "n8n.json":
        (node,) = json.loads(text)["nodes"]
        assert "JSON.stringify({ emails:" in node["parameters"]["jsonBody"]
        return httpx.URL(node["parameters"]["url"]).path, filled
    (step,) = json.loads(text)["flow"]
    return httpx.URL(step["mapper"]["url"]).path, json.loads(step["mapper"]["data"])


def test_a_sign_up_form_refuses_and_asks() -> None:
    port = find_free_port()
    command = [sys.executable, "-m", "uvicorn", "signup_server:app", "--port", str(port)]
    with subprocess.Popen(command, cwd=EXAMPLES, stderr=subprocess.DEVNULL) as program:
        try:
            wait_until(lambda: is_open(program, port))
            form = f"http://127.0.0.1:{port}/sign-up"
            answers = [
                post(form, json={"email": email})
                for email in ("ana@gmail.com", "ana@gmial.com", "x@mailinator.com", "n/a")
            ]
        finally:
            program.terminate()
    assert [one.status_code for one in answers] == [200, 422, 422, 422]
    assert answers[1].json() == {"ask": "Did you mean ana@gmail.com?"}


def test_the_client_names_what_was_refused(server: Server, key: str, tmp_path: Path) -> None:
    with Client(server.api, key) as client:
        assert client.check("x@mailinator.com")["category"] == "black"
        with pytest.raises(ApiError) as caught:
            client.download("0b6f4a1e-5b0e-4c55-9d0a-1f4f0f6a7c11", tmp_path / "out.csv")
        assert caught.value.status == httpx.codes.NOT_FOUND
        (tmp_path / "list.csv").write_text("name\nAna\n")
        with pytest.raises(ApiError, match="email"):
            client.submit(tmp_path / "list.csv", deduplicate=False)
    assert [path.name for path in tmp_path.iterdir()] == ["list.csv"]


@pytest.mark.parametrize("status", [200, 302])
def test_the_client_takes_no_page_for_an_answer(status: int) -> None:
    class Proxy(BaseHTTPRequestHandler):
        """Answers without a type, as the sign-in page of a proxy might."""

        def do_POST(self) -> None:
            self.send_response(status)
            self.end_headers()

    with HTTPServer(("127.0.0.1", 0), Proxy) as proxy, ThreadPoolExecutor() as pool:
        pool.submit(proxy.handle_request)
        with (
            Client(f"http://127.0.0.1:{proxy.server_port}", "key") as client,
            pytest.raises(ApiError) as caught,
        ):
            client.check("x@mailinator.com")
    assert caught.value.status == status

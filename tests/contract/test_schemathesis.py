"""schemathesis, a while of it: requests made from the OpenAPI document, good ones and bad ones."""

import subprocess
from pathlib import Path

import httpx
import pytest

from tests.api.desk import wait_for
from tests.server import Server

SECONDS = 25  # of each run
SEED = "1"  # what CI searches is the same each time; another number searches elsewhere
LIST = b"email,name\nana@gmail.com,1\nbo@mailinator.com,2\n"
CHECKS = (
    *("not_a_server_error", "status_code_conformance", "content_type_conformance"),
    *("response_headers_conformance", "response_schema_conformance", "unsupported_method"),
    *("ignored_auth", "missing_required_header", "negative_data_rejection"),
)


def write_config(server: Server, key: str) -> str:
    """Complete a list, and name its task and its link."""
    headers = {"X-API-Key": key}
    with httpx.Client(headers=headers, timeout=60) as client:
        files = {"file": ("list.csv", LIST)}
        sent = client.post(f"{server.api}/batch-check-emails", files=files).json()["task_id"]
        status = f"{server.api}/batch-check-status/{sent}"
        wait_for(lambda: client.get(status).json()["status"] == "completed", 60)
        link = client.get(f"{server.api}/batch-task-download/{sent}").json()["download_url"]
    return f'[parameters]\ntask_id = "{sent}"\ntoken = "{link.rpartition("/")[2]}"\n'


@pytest.mark.parametrize("has_data", [False, True], ids=["nothing-there", "a-list-there"])
def test_no_request_gets_an_answer_that_the_document_does_not_name(
    server: Server, key: str, tools: Path, tmp_path: Path, has_data: bool
) -> None:
    config = tmp_path / "schemathesis.toml"
    config.write_text(write_config(server, key) if has_data else "", encoding="utf-8")
    done = subprocess.run(
        [
            *(str(tools / "schemathesis"), "--config-file", str(config)),
            *("run", f"{server.api}/openapi.json"),
            *("--header", f"X-API-Key: {key}", "--checks", ",".join(CHECKS)),
            *("--phases", "examples,coverage,fuzzing,stateful", "--max-time", str(SECONDS)),
            *("--request-timeout", "30", "--warnings", "off", "--no-shrink", "--seed", SEED),
        ],
        capture_output=True,
        text=True,
        timeout=8 * SECONDS,
        check=False,
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stdout[-12_000:] + done.stderr[-2000:]
    assert httpx.get(f"{server.api}/health").status_code == httpx.codes.OK

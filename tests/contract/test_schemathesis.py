"""schemathesis, a while of it: requests made from the OpenAPI document, good ones and bad ones."""

import subprocess
from pathlib import Path

import pytest

from tests.server import Server, get, issue_link
from winnow.client import Client

SECONDS = 25  # of each run
SEED = "1"  # what CI searches is the same each time; another number searches elsewhere
LIST = b"email,name\nana@gmail.com,1\nbo@mailinator.com,2\n"
CHECKS = (
    *("not_a_server_error", "status_code_conformance", "content_type_conformance"),
    *("response_headers_conformance", "response_schema_conformance", "unsupported_method"),
    *("ignored_auth", "missing_required_header", "negative_data_rejection"),
)


def write_config(server: Server, key: str, folder: Path) -> str:
    """Complete a list, and name its task and its link."""
    (folder / "list.csv").write_bytes(LIST)
    with Client(server.api, key) as client:
        sent = client.clean(folder / "list.csv", folder / "out.csv")["task_id"]
    token = issue_link(server, key, sent).rpartition("/")[2]
    return f'[parameters]\ntask_id = "{sent}"\ntoken = "{token}"\n'


@pytest.mark.parametrize("has_data", [False, True], ids=["nothing-there", "a-list-there"])
def test_no_request_gets_an_answer_that_the_document_does_not_name(
    server: Server, key: str, tools: Path, tmp_path: Path, has_data: bool
) -> None:
    config = tmp_path / "schemathesis.toml"
    config.write_text(write_config(server, key, tmp_path) if has_data else "", encoding="utf-8")
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
    assert get(f"{server.api}/health").status_code == 200

"""schemathesis, a while of it: requests made from the OpenAPI document, good ones and bad ones."""

import subprocess
from pathlib import Path

import httpx
import pytest

from tests.server import Server

SECONDS = 75
CHECKS = (
    *("not_a_server_error", "status_code_conformance", "content_type_conformance"),
    *("response_headers_conformance", "response_schema_conformance", "unsupported_method"),
    *("ignored_auth", "missing_required_header", "negative_data_rejection"),
)


@pytest.mark.slow
def test_no_request_gets_an_answer_that_the_document_does_not_name(
    server: Server, key: str, tools: Path, tmp_path: Path
) -> None:
    done = subprocess.run(
        [
            *(str(tools / "schemathesis"), "run", f"{server.api}/openapi.json"),
            *("--header", f"X-API-Key: {key}", "--checks", ",".join(CHECKS)),
            *("--phases", "examples,coverage,fuzzing,stateful", "--max-time", str(SECONDS)),
            *("--request-timeout", "30", "--warnings", "off", "--no-shrink"),
            *("--exclude-path", "/health"),
        ],
        capture_output=True,
        text=True,
        timeout=8 * SECONDS,
        check=False,
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stdout[-12_000:] + done.stderr[-2000:]
    assert httpx.get(f"{server.api}/health").status_code == httpx.codes.OK

"""A client that is generated from the OpenAPI document does the main job against a live server."""

import os
import shutil
import subprocess
from pathlib import Path

from tests.server import Server, get

JOB = Path(__file__).with_name("generated_job.py")
RESULT = (
    b"email,name,category,domain_type\n"
    b"bo@mailinator.com,2,black,disposable\n"
    b"ana@gmail.com,3,white,free\n"
    b"no-address,4,black,invalid\n"
)


def test_a_generated_client_does_the_main_job(
    server: Server, key: str, tools: Path, tmp_path: Path
) -> None:
    document = tmp_path / "openapi.json"
    document.write_bytes(get(f"{server.api}/openapi.json").content)
    config = tmp_path / "config.yml"
    config.write_text("post_hooks: []\n", encoding="utf-8")
    generated = subprocess.run(
        [
            *(str(tools / "openapi-python-client"), "generate", "--path", str(document)),
            *("--output-path", str(tmp_path / "winnow_client"), "--meta", "none"),
            *("--config", str(config), "--fail-on-warning"),
        ],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert generated.returncode == 0, generated.stdout + generated.stderr
    shutil.copy(JOB, tmp_path)
    done = subprocess.run(
        [str(tools / "python"), str(tmp_path / JOB.name), server.api, key],
        capture_output=True,
        timeout=120,
        check=False,
        env={name: value for name, value in os.environ.items() if name != "PYTHONPATH"},
    )
    assert done.returncode == 0, done.stderr.decode()[-3000:]
    assert done.stdout == RESULT

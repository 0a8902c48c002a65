"""The container image, as far as it can be judged without a container engine: no build is tried."""

import json
import re
import subprocess
import sys

from tests.server import BASE_PATH, PROJECT
from winnow.api.middleware.shutdown import END_SECONDS
from winnow.cli.commands import build_parser
from winnow.core.settings import VARIABLES
from winnow.services.uploads.inspection_pool import MEMORY_BYTES, PROCESS_COUNT, QUERY_MEMORY_BYTES

TEXT = (PROJECT / "Containerfile").read_text(encoding="utf-8")
UNIT = (PROJECT / "deploy" / "winnow.service").read_text(encoding="utf-8")
COMPOSE = (PROJECT / "compose.yaml").read_text(encoding="utf-8")
LINES = [tuple(line.split(None, 1)) for line in re.findall(r"^[A-Z]+ .*", TEXT, re.MULTILINE)]
STARTS = [place for place, line in enumerate(LINES) if line[0] == "FROM"]
IMAGE = LINES[STARTS[-1] :]  # the stage that is kept


def find(name: str) -> list[str]:
    """Return what instructions of a name say in the stage that is kept."""
    return [value for instruction, value in IMAGE if instruction == name]


def test_it_starts_a_command_that_there_is_and_asks_it_for_its_health() -> None:
    ((program,),) = map(json.loads, find("ENTRYPOINT"))
    (arguments,) = map(json.loads, find("CMD"))
    options = build_parser().parse_args(arguments)
    assert (program, options.address, options.browser) == ("winnow", "0.0.0.0", False)  # noqa: S104
    assert find("EXPOSE") == [str(options.port)]
    (health,) = find("HEALTHCHECK")
    python, flag, code = json.loads(health.partition("CMD ")[2])
    assert f"'http://127.0.0.1:{options.port}{BASE_PATH}/health'" in code
    dead = code.replace(f":{options.port}", ":1")
    done = subprocess.run([sys.executable, flag, dead], capture_output=True, check=False)
    assert (python, done.returncode) == ("python", 1)
    assert b"URLError" in done.stderr


def test_settings_and_commands_of_image_and_compose_file_are_ours() -> None:
    named = set(re.findall(r"WINNOW_\w+", TEXT + COMPOSE + UNIT)) - {"WINNOW_SITE"}
    assert named <= set(VARIABLES)
    assert re.findall(r'- "([\d.:]+:8501)"', COMPOSE) == ["127.0.0.1:8501:8501"]
    assert "WINNOW_PASSWORD: ${WINNOW_PASSWORD:-}" in COMPOSE  # not needed where there are people
    (said,) = re.findall(r"compose run --rm winnow (people add \S+ --role \S+)", COMPOSE)
    assert build_parser().parse_args(said.split()).role == "admin"


def test_where_a_proxy_is_trusted_nothing_else_reaches_the_server() -> None:
    services = dict(re.findall(r"^  ([\w-]+):.*\n((?:    .*\n)+)", COMPOSE, re.MULTILINE))
    assert "ports:" in services["winnow"]
    assert "WINNOW_TRUSTED_PROXIES" not in services["winnow"]
    assert "ports:" not in services["behind-caddy"]
    (trusted,) = re.findall(r"WINNOW_TRUSTED_PROXIES: (.*)", COMPOSE)
    assert f"ipv4_address: {trusted}\n" in services["caddy"]
    assert "--to behind-caddy:8501" in services["caddy"]


def test_the_server_may_end_by_itself_and_has_a_limit_of_memory() -> None:
    (grace_seconds,) = re.findall(r"^  stop_grace_period: (\d+)s\b", COMPOSE, re.MULTILINE)
    assert int(grace_seconds) == 20
    assert int(grace_seconds) > END_SECONDS
    (memory_gb,) = re.findall(r"^  mem_limit: (\d+)g\b", COMPOSE, re.MULTILINE)
    looking_bytes = PROCESS_COUNT * (MEMORY_BYTES + QUERY_MEMORY_BYTES)
    assert int(memory_gb) << 30 > looking_bytes + (5 << 29)  # worker, server
    assert f"memswap_limit: {memory_gb}g" in COMPOSE
    assert f"MemoryMax={memory_gb}G\n" in UNIT

"""The lock names what the project asks for, each file by its hash, and nothing of a workplace."""

import re
import tomllib

from tests.server import PROJECT

LINE = re.compile(r"([a-z0-9.-]+)==(\S+) \\\n    --hash=sha256:[0-9a-f]{64}\n")


def test_the_lock_holds_every_dependency_by_hash() -> None:
    text = (PROJECT / "requirements.lock").read_text(encoding="utf-8")
    locked = dict(LINE.findall(text))
    bare = "".join(line for line in text.splitlines(keepends=True) if not line.startswith("#"))
    assert LINE.sub("", bare) == ""
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = [*project["dependencies"], *project["optional-dependencies"]["test"]]
    for requirement in wanted:
        name, least = re.match(r"([A-Za-z0-9_-]+)(?:\[\w+\])?[>=]=([0-9.]+)", requirement).groups()  # type: ignore[union-attr]
        version = locked[name.lower().replace("_", "-")]
        assert read_numbers(version) >= read_numbers(least), requirement


def read_numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", version))

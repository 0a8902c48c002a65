"""Differences of the disposable lists between two versions of the data.

Each step has a small file ``FROM--TO.moves``, one name a line after ``+`` or ``-``. It is written
when a compiled file replaces an older one, so a step that no process saw is missing.
"""

from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from winnow.atomic_files import write_atomically
from winnow.core.refresh import ListMove
from winnow.domain_data.build.catalogue import DISPOSABLE_NATURES, ListInfo
from winnow.domain_data.compiled_file import NameTable

SUFFIX = ".moves"
BETWEEN = "--"
STEPS_KEPT = 120  # a daily refresh over the longest life of a project, and some more


def list_disposable_names(header: Mapping[str, Any], table: NameTable) -> frozenset[str]:
    """Return every name on any disposable list of compiled data."""
    natures = {entry["key"]: ListInfo.from_json(entry).nature for entry in header["lists"]}
    bits = sum(
        1 << place for place, key in enumerate(header["bits"]) if natures[key] in DISPOSABLE_NATURES
    )
    return frozenset(name for name, mask in table.items() if mask & bits)


def write_step(
    folder: Path, versions: tuple[str, str], before: frozenset[str], after: frozenset[str]
) -> None:
    """Write a step whole or not at all; remove the oldest beyond ``STEPS_KEPT``.

    Raises:
        OSError: It cannot be written.
    """
    if versions[0] == versions[1]:
        return
    lines = [
        *(f"+{name}\n" for name in sorted(after - before)),
        *(f"-{name}\n" for name in sorted(before - after)),
    ]
    write_atomically(folder / f"{BETWEEN.join(versions)}{SUFFIX}", "".join(lines).encode("ascii"))
    _remove_oldest(folder)


def measure_move(folder: Path, from_version: str, to_version: str) -> ListMove | None:
    """Count the names gained and lost between two versions; None where a step is missing."""
    path = _find_way(folder, from_version, to_version)
    if path is None:
        return None
    balance: dict[str, int] = {}
    for step in path:
        try:
            lines = step.read_text(encoding="ascii").splitlines()
        except (OSError, UnicodeDecodeError):
            return None
        for line in lines:
            balance[line[1:]] = balance.get(line[1:], 0) + (1 if line[0] == "+" else -1)
    return ListMove(
        added=sum(count > 0 for count in balance.values()),
        removed=sum(count < 0 for count in balance.values()),
    )


def _find_way(folder: Path, start: str, goal: str) -> list[Path] | None:
    """Return the fewest steps that lead from one version to another."""
    steps: dict[str, list[tuple[str, Path]]] = {}
    for path in sorted(folder.glob(f"*{SUFFIX}")):
        before, _, after = path.name.removesuffix(SUFFIX).partition(BETWEEN)
        steps.setdefault(before, []).append((after, path))
    ways: dict[str, list[Path]] = {start: []}
    waiting = deque([start])
    while waiting:
        version = waiting.popleft()
        if version == goal:
            return ways[version]
        for after, path in steps.get(version, ()):
            if after not in ways:
                ways[after] = [*ways[version], path]
                waiting.append(after)
    return None


def _remove_oldest(folder: Path) -> None:
    def age(path: Path) -> int:
        with suppress(FileNotFoundError):
            return path.stat().st_mtime_ns
        return 0

    newest_first: Iterator[Path] = iter(sorted(folder.glob(f"*{SUFFIX}"), key=age, reverse=True))
    for place, path in enumerate(newest_first):
        if place >= STEPS_KEPT:
            path.unlink(missing_ok=True)

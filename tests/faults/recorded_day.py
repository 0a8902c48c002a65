"""A list is taken in and worked through with the shim noting every write, sync and rename.

python -m tests.faults.recorded_day FOLDER LOG [SABOTAGE]

SABOTAGE is a name of ``SABOTAGES``: one step that makes a result durable is left out or put in
the wrong place, to show that ``tests.faults.durability`` finds it.
"""

import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from tests.applications import run, submit
from tests.faults.day import open_day
from tests.faults.disk import Disk
from tests.faults.lists import MadeList
from winnow import atomic_files
from winnow.lists.formats.delimited import run as text_run
from winnow.services.tasks import runs
from winnow.storage.blobs import local_blobs


def _ignore(*_: Any) -> None:
    return None


def _rename_after_the_row() -> None:
    """Publish only when the row that names the result is committed."""
    late: list[Callable[[], None]] = []
    publish, finish = local_blobs.publish, runs.leases.finish_task

    def publish_later(staged: Path, target: Path) -> None:
        waiting = staged.rename(target.with_name(f"{target.name}.late.tmp"))
        late.append(lambda: publish(waiting, target))
        local_blobs.LocalBlobs.size = lambda *_: 0  # type: ignore[method-assign]

    def finish_first(*arguments: Any, **options: Any) -> None:
        finish(*arguments, **options)
        late.pop()()

    local_blobs.publish = publish_later
    runs.leases.finish_task = finish_first


def _skip_syncs_of_folders() -> None:
    for module in (atomic_files, local_blobs):
        module.sync_folder = _ignore  # type: ignore[attr-defined]


def _skip_the_sync_of_uploads() -> None:
    local_blobs.sync = _ignore  # type: ignore[attr-defined]


def _skip_the_sync_of_the_result() -> None:
    from winnow.lists.execution import run_files

    run_files.os = _WithoutSync(run_files.os)  # type: ignore[attr-defined,assignment]


class _WithoutSync:
    """The module os, but for one function."""

    def __init__(self, module: Any) -> None:
        self._module = module

    def __getattr__(self, name: str) -> Any:
        return _ignore if name == "fsync" else getattr(self._module, name)


SABOTAGES: Mapping[str, Callable[[], None]] = {
    "rename after the row": _rename_after_the_row,
    "folders not synced": _skip_syncs_of_folders,
    "upload not synced": _skip_the_sync_of_uploads,
    "index not synced": _skip_the_sync_of_the_result,
}


def main(folder: Path, log: Path, sabotage: str | None) -> None:
    """Work through one list."""
    if sabotage is not None:
        SABOTAGES[sabotage]()
    opened = open_day(folder)
    Disk().record(folder, log)
    submit(opened, MadeList(300).content)
    run(opened)
    Disk().heal()
    opened.database.close()


if __name__ == "__main__":
    assert text_run  # loaded before anything is recorded
    main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3] if len(sys.argv) > 3 else None)

"""What must be true of a data folder after whatever happened to it."""

from collections.abc import Collection, Mapping

from sqlalchemy import select

from tests.faults.lists import MadeList
from winnow.core.errors import Gone, TaskUnknown
from winnow.core.identities import LOCAL_ACCOUNT
from winnow.core.tasks.task import TaskState
from winnow.services.tasks.integrity import find_faults
from winnow.storage.database.tables import reservations, tasks, uploads, usage_ledger
from winnow.wiring import Application


def require_sound(
    opened: Application,
    acknowledged: Mapping[str, MadeList],
    *,
    cancelled: Collection[str] = (),
    deleted: Collection[str] = (),
) -> None:
    """Hold a folder to its promises. Nothing runs on it any more, and its lists have all ended.

    Args:
        opened: Open on the folder.
        acknowledged: Every list that was accepted, by task, deleted ones too.
        cancelled: Those of them whose owner was told that they are cancelled, uncharged.
        deleted: Those whose owner was told that they are deleted.

    Raises:
        AssertionError: Says which promise is broken.
    """
    opened.services.retention.sweep(opened.services.clock())
    faults = find_faults(opened.database, opened.blobs)
    assert not faults, f"the folder does not add up: {faults}"
    with opened.database.reading() as connection:
        ledger = {row.task_id: row.count for row in connection.execute(select(usage_ledger)).all()}
        held = connection.execute(select(reservations.c.upload_id)).scalars().all()
        staged = connection.execute(select(uploads.c.upload_id)).scalars().all()
        inputs = connection.execute(
            select(tasks.c.upload_id).where(tasks.c.deleted_at.is_(None))
        ).scalars()
        kept_inputs = {*staged, *inputs}
    assert set(held) <= set(staged), "room stays reserved for nothing"
    assert not set(cancelled) & set(ledger), "a cancelled list is charged"
    completed: set[str] = set()
    for task_id, made in acknowledged.items():
        if _is_completed(opened, task_id):
            assert task_id not in {*cancelled, *deleted}, "a list came back"
            completed.add(task_id)
            _require_result(opened, task_id, made)
            assert ledger.get(task_id) == made.charged, "charged not once, or not right"
        else:  # deleted ones may have been completed before, failed ones never
            assert ledger.get(task_id) in (None, made.charged), "charged not right"
    assert set(ledger) <= set(acknowledged), "charged for what nobody submitted"
    live = opened.services.tasks.list(LOCAL_ACCOUNT)
    for task in live:
        assert task.state is not TaskState.PROCESSING, "a list has not ended"
        assert task.task_id in completed or task.task_id not in ledger, "a failed list is charged"
    use = opened.services.usage.storage(LOCAL_ACCOUNT)
    files = [*opened.folder.inputs.iterdir(), *opened.folder.results.glob("*/*")]
    assert use.used_bytes == sum(path.stat().st_size for path in files), "used bytes are not stored"
    assert {path.name for path in opened.folder.inputs.iterdir()} == kept_inputs
    left = {path.name.partition(".")[0] for path in opened.folder.results.iterdir()}
    hidden = [
        task for one in opened.services.deletions.list(LOCAL_ACCOUNT) for task in one.projects
    ]
    assert left == {task.task_id for task in (*live, *hidden) if task.state is TaskState.COMPLETED}
    assert not list(opened.folder.results.glob("*.tmp")), "a partial result was left"


def count_ends(opened: Application, acknowledged: Mapping[str, MadeList]) -> dict[str, int]:
    """Return how many lists are completed, failed, and deleted."""
    counts = {"completed": 0, "failed": 0, "deleted": 0}
    for task_id in acknowledged:
        try:
            counts[opened.services.tasks.get(LOCAL_ACCOUNT, task_id).state.value] += 1
        except (Gone, TaskUnknown):
            counts["deleted"] += 1
    return counts


def _is_completed(opened: Application, task_id: str) -> bool:
    try:
        return opened.services.tasks.get(LOCAL_ACCOUNT, task_id).state is TaskState.COMPLETED
    except Gone:
        return False
    except TaskUnknown:
        raise AssertionError("an accepted list was lost") from None


def _require_result(opened: Application, task_id: str, made: MadeList) -> None:
    link = opened.services.downloads.issue(LOCAL_ACCOUNT, task_id)
    path = opened.services.downloads.open(link.path.rpartition("/")[2]).path
    assert path is not None
    content = path.read_bytes()
    assert made.matches(content), f"the result of {made}, {len(content)} bytes, is not the oracle's"

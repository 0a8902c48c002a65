"""The local engine on a copy of a list, for lists that are read in one go."""

import tempfile
from dataclasses import dataclass
from pathlib import Path

from winnow.cluster.clean_request import Cleaned, ListChoices
from winnow.cluster.cluster_job import Installation
from winnow.cluster.locations import Location
from winnow.cluster.object_store import (
    LEAST_PART_BYTES,
    MOST_PARTS,
    PartPlace,
    StoredFile,
    open_store,
)
from winnow.core.verdicts.judge import Judge, LiveJudge
from winnow.library.clean_file import pack_result
from winnow.library.shipped_data import ShippedData, open_shipped
from winnow.lists.batch import run_batch
from winnow.lists.inspection.inspect import read_head
from winnow.lists.requests import BatchRequest
from winnow.lists.result.row_index import RESULT_NAME
from winnow.services.uploads import mapping_full_disk

_COPY_BYTES = 16 << 20
_PART_BYTES = 64 << 20


@dataclass(frozen=True, slots=True)
class AloneJob:
    """A list, its result, the upload that takes it; ``installation`` is what a worker must be."""

    installation: Installation
    source: StoredFile
    target: Location
    upload: str
    chosen: ListChoices


def clean_on_worker(job: AloneJob, data: ShippedData) -> tuple[Cleaned, list[str]]:
    """Do what ``clean_alone`` does, by domain data that was handed over."""
    job.installation.require()
    return clean_alone(job, LiveJudge(open_shipped(data)), _find_scratch())


def _find_scratch() -> str | None:
    """Return the folder of this worker of Dask's, which goes with it though it is killed."""
    try:
        from distributed import get_worker

        return str(get_worker().local_directory)
    except (ImportError, ValueError):
        return None


def clean_alone(
    job: AloneJob, judge: Judge, scratch: str | None = None
) -> tuple[Cleaned, list[str]]:
    """Clean a list here, on this machine's disk; return the receipts of the result's parts.

    Args:
        job: The list, and where its result goes.
        judge: Gives the verdicts.
        scratch: A folder for the copy; None: the system's.

    Raises:
        WinnowError: As the local engine says it.
    """
    with mapping_full_disk(), tempfile.TemporaryDirectory(prefix="winnow-", dir=scratch) as folder:
        copy = Path(folder) / "list"
        fetch_file(job.source, copy)
        chosen = job.chosen
        head = read_head(
            copy,
            job.source.location.file_name,
            chosen.choices,
            email_column=chosen.email_column,
            scratch=Path(folder),
        )
        plan, options = chosen.plan(head)
        work = Path(folder) / "work"
        work.mkdir()
        request = BatchRequest(
            copy, plan, judge, work, chosen.deduplicate, lambda progress: None, options
        )
        outcome = run_batch(request)
        copy.unlink()
        result = pack_result(work / RESULT_NAME, Path(job.target.file_name))
        receipts = send_file(result, job.target, job.upload)
    return Cleaned(outcome, head.notices, head.columns, plan.email_column), receipts


def fetch_file(source: StoredFile, path: Path) -> None:
    """Copy a file out of a store.

    Raises:
        BadField: It is no longer what it was, or cannot be read.
    """
    store = open_store(source.location.bucket)
    with path.open("wb") as file:
        for start in range(0, source.size_bytes, _COPY_BYTES):
            size_bytes = min(_COPY_BYTES, source.size_bytes - start)
            file.write(store.read(source.location.name, start, size_bytes, source.version))


def send_file(path: Path, target: Location, upload: str) -> list[str]:
    """Send a file as the parts of an upload; return their receipts."""
    size_bytes = path.stat().st_size
    part_bytes = max(_PART_BYTES, -(-size_bytes // (MOST_PARTS - 1)), LEAST_PART_BYTES)
    store = open_store(target.bucket)
    receipts = []
    with path.open("rb") as file:
        for number, offset in enumerate(range(0, max(size_bytes, 1), part_bytes), start=1):
            place = PartPlace(number, offset)
            receipts.append(store.put_part(target.name, upload, place, file.read(part_bytes)))
    return receipts

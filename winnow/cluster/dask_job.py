"""Cleaning of a list by a Dask scheduler's workers, as a job of a Dask DataFrame."""

import io
import logging
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager
from dataclasses import dataclass

import dask
import dask.dataframe as dd
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from distributed import Client, KilledWorker, wait

from winnow.cluster.list_parts import (
    ADDRESS,
    FILE,
    KEPT,
    ROW,
    TEXT,
    ListFile,
    Partition,
    make_meta,
    read_partition,
)
from winnow.core.errors import BadField
from winnow.core.lists.file_format import FileFormat
from winnow.core.lists.merging import MergeLayout
from winnow.core.tasks.keep_rule import Keep
from winnow.core.tasks.run_request import RunRequest
from winnow.engines.dask import check
from winnow.library.open_data import DomainDataDiffers
from winnow.lists.merging import choose_format, lay_out_plans
from winnow.lists.result.added_columns import ADDED, name_columns
from winnow.stores import name_file, open_store

SOURCE_ROW = "source_row"
_KEY = "duplicate_key"
_ADDED = (FILE, ROW, *ADDED)
_INSTALL = "Install the same Winnow, with its extra cluster, on all of them."
_CONNECT_SECONDS, _WORKER_SECONDS = 15, 60


@contextmanager
def open_client(address: str) -> Iterator[Client]:
    """Connect to a scheduler that has workers.

    Raises:
        BadField: There is no scheduler, or it has no worker.
    """
    logging.getLogger("distributed.client").setLevel(logging.CRITICAL)  # BadField says the same
    try:
        client = Client(address, timeout=_CONNECT_SECONDS, set_as_default=False)
    except (OSError, ValueError, TypeError) as error:
        hint = "Check that it runs, and that this machine reaches it: tcp://scheduler:8786."
        raise BadField("cluster", f"no scheduler answers at {address}", hint=hint) from error
    with client:
        try:
            client.wait_for_workers(1, timeout=_WORKER_SECONDS)
        except TimeoutError as error:
            raise BadField("cluster", "the scheduler has no worker", hint="Start one.") from error
        yield client


@contextmanager
def naming_failures() -> Iterator[None]:
    """Turn a failure of workers into the product's error; errors of tasks are unchanged.

    Raises:
        BadField: Which failure, and what to do.
    """
    try:
        yield
    except DomainDataDiffers as error:
        raise BadField("cluster", str(error)) from error
    except (AttributeError, ImportError) as error:
        raise BadField("cluster", f"a worker has another Winnow: {error}", hint=_INSTALL) from error
    except (CancelledError, KilledWorker, MemoryError, RuntimeError, OSError) as error:
        problem = f"the workers could not finish: {type(error).__name__}: {error}"
        hint = "Give each worker more memory; start again when scheduler and workers run."
        raise BadField("cluster", problem, hint=hint) from error


@dataclass(frozen=True, slots=True)
class ResultParts:
    """The files that a list's result is written to.

    Attributes:
        folder: A URL or a path that the workers can write to.
        file_format: CSV, TSV or Parquet.
        delimiter: Of CSV and TSV.
        names: The columns: the list's own, the file and row of each, and what is added.
        labels: The files' names, by their numbers.
    """

    folder: str
    file_format: FileFormat
    delimiter: str
    names: tuple[str, ...]
    labels: tuple[str, ...]

    def write(self, frame: pd.DataFrame, number: int) -> Counter[tuple[str, str]]:
        """Write a partition; return its rows by category and domain type.

        An empty partition is written only where it is the first, so that there is a header.
        """
        files = pd.Series(self.labels, dtype=pd.ArrowDtype(TEXT))
        cells = [f"c{place}" for place in range(len(self.names) - len(_ADDED))]
        written = frame[[*cells, *_ADDED]].assign(**{FILE: files.take(frame[FILE]).array})
        if len(frame) or not number:
            place = f"{self.folder.rstrip('/')}/part-{number:05}.{self.file_format}"
            with open_store(place, "out") as (store, name):
                store.pipe_file(name, self._pack(written))
        return Counter(zip(frame["category"], frame["domain_type"], strict=True))

    def _pack(self, frame: pd.DataFrame) -> bytes:
        out = io.BytesIO()
        if self.file_format is FileFormat.PARQUET:
            table = pa.Table.from_pandas(frame, preserve_index=False).replace_schema_metadata()
            pq.write_table(table.rename_columns(list(self.names)), out)
        else:
            frame.to_csv(
                out,
                index=False,
                header=list(self.names),
                sep=self.delimiter,
                lineterminator="\r\n",  # RFC 4180, 2; quotes cells with either of them
            )
        return out.getvalue()


class ListJob:
    """Running job of one list.

    Attributes:
        rows_in: Of all its files.
        column: The name of its email column.
        notices: What was assumed.
    """

    def __init__(
        self, client: Client, files: Sequence[ListFile], folder: str, request: RunRequest
    ) -> None:
        """Start the job.

        Args:
            client: Of the scheduler.
            files: The list's, in the order of their rows.
            folder: Where the parts of the result are written; it is empty.
            request: How duplicates are removed.

        Raises:
            BadField: The files cannot be one list.
        """
        self._client = client
        self._files = files
        plans = [file.plan for file in files]
        self._layout = lay_out_plans([name_file(file.place) for file in files], plans)
        self.rows_in = sum(sum(file.group_rows) for file in files)
        self.column = self._layout.names[self._layout.email_column]
        self.notices = [notice for file in files for notice in file.notices]
        types = _settle_types(files, self._layout)
        frame = dd.from_map(
            read_partition,
            [
                Partition(file, number, group, self._layout.list_indices(number))
                for number, file in enumerate(files)
                for group in range(len(file.group_rows))
            ],
            types=types,
            meta=make_meta(types),
        )
        frame = check(frame, ADDRESS, duplicate_key=True)
        if request.deduplicate:
            keep = request.keep.keep
            frame = frame.map_partitions(_keep_one, keep)  # no partition is full of one address
            if frame.npartitions > 1:  # by tasks: partitions of a lost worker are computed again
                frame = frame.shuffle(_KEY, shuffle_method="tasks").map_partitions(_keep_one, keep)
        parts = self._choose_parts(folder, len(types))
        writes = [
            dask.delayed(parts.write)(part, number)
            for number, part in enumerate(frame.to_delayed())
        ]
        self._futures = client.compute(writes)

    def wait(self) -> Counter[tuple[str, str]]:
        """Return the rows by category and domain type once all parts are written.

        Raises:
            WinnowError: A part could not be made; all others have stopped.
        """
        counts: Counter[tuple[str, str]] = Counter()
        with naming_failures(), self._client.as_current():
            wait(self._futures)
            for future in self._futures:
                counts += future.result()
        return counts

    def _choose_parts(self, folder: str, width: int) -> ResultParts:
        plans = [file.plan for file in self._files]
        file_format = choose_format([plan.file_format for plan in plans], KEPT)
        delimiter = plans[0].delimiter if len(plans) == 1 else file_format.traits.delimiter
        own = [column.name for column in self._layout.columns]
        own += [f"column_{number + 1}" for number in range(len(own), width)]
        added = (self._layout.source_column, SOURCE_ROW, *ADDED)
        names = (*own, *name_columns(added, own, file_format))
        return ResultParts(folder, file_format, delimiter, names, self._layout.labels)


def _settle_types(files: Sequence[ListFile], layout: MergeLayout) -> Sequence[pa.DataType]:
    """Return the types of the list's cells; of text, those beyond the header too.

    Raises:
        BadField: Files of different kinds, or Parquet files with different columns.
    """
    if all(file.plan.file_format is not FileFormat.PARQUET for file in files):
        more = max(len(file.types) - len(file.plan.columns) for file in files)
        return [TEXT] * (len(layout.columns) + more)
    if len({(file.plan.columns, file.types) for file in files}) > 1:
        raise BadField("merge", "takes Parquet files with the same columns of the same types only")
    return files[0].types


def _keep_one(part: pd.DataFrame, keep: Keep) -> pd.DataFrame:
    """Return one row of each address of a partition, and all rows without one."""
    own = "\0" + part[FILE].astype("str") + " " + part[ROW].astype("str")
    part = part.assign(**{_KEY: part[_KEY].fillna(own)}).sort_values([FILE, ROW])
    return part.drop_duplicates(_KEY, keep="first" if keep is Keep.FIRST else "last")

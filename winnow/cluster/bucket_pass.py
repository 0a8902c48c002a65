"""Duplicates of a whole list, looked for in one group of rows at a time."""

import json

import numpy as np

from winnow.cluster.cluster_job import ClusterJob
from winnow.cluster.range_pass import SHUFFLE, RangeRead
from winnow.core.tasks.keep_rule import Keep
from winnow.lists.engine.date_cells import DateCounts
from winnow.lists.engine.duplicates import find_gone_rows
from winnow.lists.engine.row_ranks import RowRanks

GONE, COMPARED = "gone", "compared"  # pieces of a bucket
ROWS_PER_BUCKET = 6_000_000  # some 40 bytes each while one is worked on


def choose_bucket_count(row_estimate: int) -> int:
    """Return the number of buckets of a list of about so many rows."""
    return min(max(1, -(-row_estimate // ROWS_PER_BUCKET)), 1 << 16)


def find_bucket_duplicates(
    job: ClusterJob, bucket: int, spans: list[tuple[int, int]], dates: dict[str, int]
) -> list[int]:
    """Find the rows of a bucket that another one stays for; write which, range by range.

    Args:
        job: The list.
        bucket: From 0.
        spans: For each range, where the bucket's rows begin and end in its shuffle piece.
        dates: What all dates of the list say of themselves.

    Returns:
        For each range, where its rows end in the piece.
    """
    job.begin()
    entries = np.concatenate(
        [job.read_rows_of_piece(SHUFFLE, number, *span) for number, span in enumerate(spans)]
    )
    ranks = None
    if job.keep.has_ranks:
        ranks = RowRanks(job.keep, DateCounts(**dates)).settle(entries["rank"].copy())
    is_gone = find_gone_rows(
        np.ascontiguousarray(entries["key"]),
        np.ascontiguousarray(entries["domain"]),
        ranks=ranks,
        keeps_first=job.keep.keep is Keep.FIRST,
    )
    job.put_piece(GONE, bucket, entries["row"][is_gone].tobytes())
    bounds = np.cumsum([end - start for start, end in spans], dtype=np.int64)
    gone_before = np.concatenate(([0], np.cumsum(is_gone, dtype=np.int64)))
    ends = [int(end) for end in gone_before[bounds]]
    job.put_piece(COMPARED, bucket, json.dumps(ends).encode())
    return ends


def list_spans(reads: list[RangeRead], bucket: int) -> list[tuple[int, int]]:
    """Return for each range where a bucket's rows stand in its shuffle piece."""
    ends = [read.bucket_ends for read in reads]
    return [(one[bucket - 1] if bucket else 0, one[bucket]) for one in ends]

"""Repaired Parquet lists, judged row by row; Polars reads them."""

from dataclasses import replace
from pathlib import Path

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.lists.delimited_support import run_file
from tests.lists.parquet_support import JUDGE, read_plan, write
from winnow.core.tasks.repair_choice import SAFE_REPAIRS, RepairPlace
from winnow.core.tasks.run_options import RunOptions
from winnow.core.verdicts.judge import judge_text

EMAILS = [
    *("Ana <ana@frei.de>", "ana@frei.de.", None, "b @wegwerf.net", "no address", "info@firma.de"),
    *(
        "ana@frei,de",
        "a@b.de; c@d.de",
        '"Ana, M." <m@frei.de>',
        "",
        "ü \uff20büro.de",
        "ana@gmial.com",
    ),
] * 3
TYPES = {
    "string": pa.string(),
    "large": pa.large_string(),
    "dictionary": pa.dictionary(pa.int32(), pa.string()),
    "binary": pa.binary(),
    "view": pa.string_view(),
}


@pytest.mark.parametrize("place", RepairPlace)
@pytest.mark.parametrize("kind", TYPES)
def test_a_column(kind: str, place: RepairPlace, tmp_path: Path) -> None:
    emails = pa.array(EMAILS, pa.string()).cast(TYPES[kind])
    numbers = pa.array(range(len(EMAILS)), pa.int64())
    path = write(
        tmp_path / "a.parquet", pa.table({"n": numbers, "email": emails}), row_group_size=7
    )
    options = RunOptions(replace(SAFE_REPAIRS, place=place))
    run = run_file(path, plan=read_plan(path, 1), deduplicate=False, options=options)
    repairs = [SAFE_REPAIRS.apply(email or "") for email in EMAILS]
    judged = [
        repair.new if repair else email for repair, email in zip(repairs, EMAILS, strict=True)
    ]
    verdicts = [judge_text(JUDGE, email or "").verdict for email in judged]
    result = run.folder / "result"
    found = pl.read_parquet(result)
    is_column = place is RepairPlace.COLUMN or kind in {"binary", "view"}
    assert found.columns == [
        "n",
        "email",
        "email_repaired" if is_column else "email_original",
        "category",
        "domain_type",
    ]
    assert found["n"].to_list() == list(range(len(EMAILS)))
    kept = EMAILS if is_column else judged
    own = pq.read_table(result)["email"]
    assert own.type == TYPES[kind]
    assert own.cast(pa.string()).to_pylist() == kept
    assert found.to_series(2).to_list() == (judged if is_column else EMAILS)
    assert found["domain_type"].to_list() == [verdict.domain_type.value for verdict in verdicts]
    assert sum(run.outcome.summary.repaired.values()) == sum(
        repair is not None for repair in repairs
    )

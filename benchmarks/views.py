"""What the pages ask of one finished project beside its rows: ``python -m benchmarks.views``.

Each view is asked of services that were just opened, as a page asks them; its seconds stand beside
those of the filter by category on the same project.
"""

import argparse
import random
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from threading import Event

from benchmarks.list_data import make_domains, make_lines
from winnow.core.accounts import LOCAL_ACCOUNT
from winnow.core.lists.cleaning import CleaningPolicy
from winnow.core.lists.dimensions import CATEGORY
from winnow.core.lists.rows import Chosen, RowFilter
from winnow.core.settings import Settings
from winnow.core.tasks.task import KeyType
from winnow.core.verdicts.grounds import Ground
from winnow.wiring import Application, build_application

ROUNDS = 3
SOURCES = ("Paid Social", "Fair 2025", "Web form", "Partner", "Newsletter", "Import", "Shop")
COUNTRIES = ("DE", "AT", "CH", "FR", "PL", "IT", "ES", "NL", "US", "GB")
STRICT = CleaningPolicy(frozenset({Ground.BLACK, Ground.ROLE_ACCOUNT, Ground.SUSPICIOUS}))


def write_list(path: Path, row_count: int) -> None:
    """Write a list with a source, a country and an amount in each row."""
    pick = random.Random(7)  # noqa: S311 - made-up data
    lines = make_lines(row_count, make_domains())
    with path.open("w", encoding="utf-8") as file:
        file.write(next(lines).rstrip("\n") + ",source,country,value\n")
        for line in lines:
            source, country = pick.choice(SOURCES), pick.choice(COUNTRIES)
            file.write(f'{line.rstrip()},{source},{country},"{pick.random() * 500:.2f}"\n')


def finish(opened: Application, path: Path) -> str:
    """Clean a list; return the project's id."""
    with opened.services.uploads.begin(LOCAL_ACCOUNT, path.name, path.stat().st_size) as writer:
        with path.open("rb") as file:
            while chunk := file.read(1 << 22):
                writer.write(chunk)
        upload = writer.finish()
    task = opened.services.tasks.submit(
        LOCAL_ACCOUNT,
        upload.upload_id,
        key_type=KeyType.LIVE,
        project_name="views",
        deduplicate=True,
    )
    opened.runs.run_next("benchmark", Event())
    return task.task_id


def list_views(task_id: str, folder: Path) -> dict[str, Callable[[Application], object]]:
    """Return each view by its name; the first is what the others are compared with."""
    by_category = RowFilter(Chosen().choose(CATEGORY, "black"))
    place = LOCAL_ACCOUNT, task_id
    standard = CleaningPolicy()
    columns = {"source": 6, "value": 8}

    def add_suppression(opened: Application) -> object:
        path = folder / "do-not-mail.csv"
        services = opened.services
        with services.uploads.begin(LOCAL_ACCOUNT, path.name, path.stat().st_size) as writer:
            writer.write(path.read_bytes())
            upload = writer.finish()
        added = services.suppressions.add_to_task(*place, upload)
        counted = services.results.facets(*place, RowFilter())
        services.suppressions.remove(LOCAL_ACCOUNT, added.file_id)
        return counted

    return {
        "charts by category": lambda one: one.services.results.facets(*place, by_category),
        "where bad addresses come from": lambda one: one.services.column_analysis.find_hotspots(
            *place, standard
        ),
        "two policies, by source": lambda one: one.services.column_analysis.split(
            *place, columns["source"], (standard, STRICT)
        ),
        "two policies, by value": lambda one: one.services.column_analysis.add_up(
            *place, columns["value"], (standard, STRICT)
        ),
        "addresses to fix": lambda one: one.services.repairs.find(*place, at_any_size=True),
        "groups of duplicates": lambda one: one.services.duplicates.look_back(*place),
        "a person's request": lambda one: one.services.decisions.answer_person(
            LOCAL_ACCOUNT, "nobody@example.com", "the benchmark"
        ),
        "10,000 addresses not to be mailed": add_suppression,
    }


def main() -> None:
    """Measure each view and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    rows = parser.parse_args().rows
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_list(folder / "views.csv", rows)
        domains = make_domains()
        (folder / "do-not-mail.csv").write_text(
            "email\n" + "".join(f"user{number}@{domains[number]}\n" for number in range(10_000))
        )
        settings = Settings(data_dir=folder / "data", quota_bytes=50_000_000_000)
        task_id = finish(build_application(settings), folder / "views.csv")
        usual = 0.0
        for view, ask in list_views(task_id, folder).items():
            taken = []
            for _ in range(ROUNDS):
                opened = build_application(settings)
                opened.services.knowledge()
                begun = time.perf_counter()
                ask(opened)
                taken.append(time.perf_counter() - begun)
                opened.database.close()
            seconds = statistics.median(taken)
            usual = usual or seconds
            print(f"{view:40} {seconds:7.2f} s   {seconds / usual:6.1f} x the filter")


if __name__ == "__main__":
    main()

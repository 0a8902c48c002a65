"""What the pages ask of one finished project: ``python -m benchmarks.views --rows 10000000``.

Each view is asked of services that were just opened, as a page asks them; its seconds stand beside
those of the filter by category on the same project. Processor time, of all cores, is steadier than
wall time where others work on the machine. With ``--folder`` the project is kept there and found
again, so that two versions can be measured by turns.
"""

import argparse
import os
import random
import statistics
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from threading import Event

from benchmarks.list_data import make_domains, make_lines
from winnow.core.identities import LOCAL_ACCOUNT
from winnow.core.lists.cleaning import CleaningPolicy
from winnow.core.lists.dimensions import CATEGORY
from winnow.core.lists.rows import Chosen, RowFilter, RowOrder, SortBy
from winnow.core.settings import Settings
from winnow.wiring import Application, build_application

ROUNDS = 3
PAGE_ROWS = 50
SORTED_OFFSET = 1_000
SOURCE_COLUMN = 6
SOURCES = ("Paid Social", "Fair 2025", "Web form", "Partner", "Newsletter", "Import", "Shop")
COUNTRIES = ("DE", "AT", "CH", "FR", "PL", "IT", "ES", "NL", "US", "GB")


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
    task = opened.services.tasks.submit(LOCAL_ACCOUNT, upload.upload_id, project_name="views")
    opened.services.runs.run_next("benchmark", Event())
    return task.task_id


def list_views(task_id: str, folder: Path) -> dict[str, Callable[[Application], object]]:
    """Return each view by its name; the first is what the others are compared with."""
    by_category = RowFilter(Chosen().choose(CATEGORY, "black"))
    place = LOCAL_ACCOUNT, task_id
    standard = CleaningPolicy()

    def open_page(opened: Application) -> object:
        services = opened.services
        return (
            services.results.weigh(*place, standard),
            services.own_files.count_rows(*place),
            services.repairs.find_repairs(*place),
            services.results.rows(*place, RowFilter(), 0, PAGE_ROWS),
            services.results.facets(*place, RowFilter()),
        )

    def find_text(opened: Application, text: str) -> object:
        return opened.services.results.rows(*place, RowFilter(text=text), 0, PAGE_ROWS)

    def sort(opened: Application) -> object:
        order = RowOrder(SortBy.ADDRESS, descending=True)
        return opened.services.results.rows(*place, RowFilter(), SORTED_OFFSET, PAGE_ROWS, order)

    def add_suppression(opened: Application) -> object:
        path = folder / "do-not-mail.csv"
        services = opened.services
        with services.uploads.begin(LOCAL_ACCOUNT, path.name, path.stat().st_size) as writer:
            writer.write(path.read_bytes())
            upload = writer.finish()
        added = services.own_files.add_to_task(*place, upload)
        counted = services.results.facets(*place, RowFilter())
        services.own_files.remove(LOCAL_ACCOUNT, added.file_id)
        return counted

    return {
        "charts by category": lambda one: one.services.results.facets(*place, by_category),
        "the page opens: rows, all charts, what goes": open_page,
        "part of an address, in some rows": lambda one: find_text(one, "news@"),
        "part of an address, in none": lambda one: find_text(one, "nobody-at-all@"),
        "bad addresses by source": lambda one: one.services.results.split(
            *place, SOURCE_COLUMN, standard
        ),
        "10,000 addresses not to be mailed": add_suppression,
        "sorted by address": sort,
    }


def prepare(folder: Path, rows: int, settings: Settings) -> str:
    """Return the id of a project with so many rows, made where it is not there yet."""
    made = folder / "task-id"
    if not made.exists():
        folder.mkdir(parents=True, exist_ok=True)
        write_list(folder / "views.csv", rows)
        domains = make_domains()
        (folder / "do-not-mail.csv").write_text(
            "email\n" + "".join(f"user{number}@{domains[number]}\n" for number in range(10_000))
        )
        made.write_text(finish(build_application(settings), folder / "views.csv"))
    return made.read_text()


def measure(ask: Callable[[Application], object], settings: Settings) -> tuple[float, float]:
    """Return the wall and the processor seconds of one view."""
    opened = build_application(settings)
    opened.services.knowledge()
    used, begun = sum(os.times()[:4]), time.perf_counter()
    ask(opened)
    taken = time.perf_counter() - begun, sum(os.times()[:4]) - used
    opened.database.close()
    return taken


def main() -> None:
    """Measure each view and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--folder", type=Path, help="where the project is kept")
    options = parser.parse_args()
    with ExitStack() as stack:
        folder = options.folder or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        settings = Settings(data_dir=folder / "data", quota_bytes=50_000_000_000)
        task_id = prepare(folder, options.rows, settings)
        usual = 0.0
        for view, ask in list_views(task_id, folder).items():
            taken = [measure(ask, settings) for _ in range(ROUNDS)]
            wall, cpu = (statistics.median(some) for some in zip(*taken, strict=True))
            usual = usual or wall
            print(f"{view:45} {wall:7.2f} s {cpu:7.2f} CPU s {wall / usual:6.1f} x the filter")


if __name__ == "__main__":
    main()

"""Table of use cases: ``make roles`` writes it to docs/roles.tsv from the services themselves."""

import inspect
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tests.applications import Clock, open_test_application
from winnow.services.services import Services
from winnow.services.use_cases import UseCase, find_use_case


def list_use_cases(services: Services) -> Iterator[tuple[str, UseCase]]:
    """Yield each method that people may call, as ``tasks.submit``, by name."""
    for service, made in sorted(vars(services).items()):
        for name, method in inspect.getmembers(type(made), callable):
            if (found := find_use_case(method)) is not None:
                yield f"{service}.{name}", found


def write_table(services: Services) -> str:
    """Return the table: use case, least role, event of the audit log."""
    rows = [("use case", "least role", "audit event")]
    rows += [(name, one.role, one.event or "") for name, one in list_use_cases(services)]
    return "".join("\t".join(row) + "\n" for row in rows)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        table = write_table(open_test_application(Path(folder), Clock()).services)
        Path("docs/roles.tsv").write_text(table, encoding="utf-8")

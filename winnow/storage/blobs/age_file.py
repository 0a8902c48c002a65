"""Age file of a result: registration dates found by the run, a line per registrable domain."""

from collections.abc import Iterable
from datetime import date, datetime
from pathlib import Path

from winnow.atomic_files import create_durably
from winnow.core.verdicts.facts import AgeFacts

AGE_FILE_NAME = "ages.tsv"


def write_age_file(folder: Path, ages: Iterable[tuple[str, AgeFacts]]) -> None:
    """Write the facts into a task's work folder, synced; domains of unknown age are left out."""
    with create_durably(folder / AGE_FILE_NAME) as file:
        for domain, age in ages:
            if age.registered_on is None or age.asked_at is None:
                continue
            days = (age.registered_on.isoformat(), age.asked_at.isoformat())
            cells = (domain, *days, "new" if age.is_new else "", age.registry or "")
            file.write(("\t".join(cells) + "\n").encode("ascii"))


def read_age_facts(folder: Path, registrable: str | None) -> AgeFacts:
    """Return the age facts of a domain when the task ran; unknown if there were none."""
    if registrable is None:
        return AgeFacts()
    start = registrable.encode("ascii", "replace") + b"\t"
    try:
        with (folder / AGE_FILE_NAME).open("rb") as file:
            line = next((line for line in file if line.startswith(start)), None)
    except FileNotFoundError:
        return AgeFacts()
    if line is None:
        return AgeFacts()
    return _read_line(line)[1]


def read_ages(folder: Path) -> dict[str, AgeFacts]:
    """Return the age facts when the task ran, by registrable domain; may be empty."""
    try:
        with (folder / AGE_FILE_NAME).open("rb") as file:
            return dict(map(_read_line, file))
    except FileNotFoundError:
        return {}


def _read_line(line: bytes) -> tuple[str, AgeFacts]:
    domain, registered_on, asked_at, is_new, registry = (
        line.decode("ascii").rstrip("\n").split("\t")
    )
    return domain, AgeFacts(
        date.fromisoformat(registered_on),
        is_new=bool(is_new),
        registry=registry or None,
        asked_at=datetime.fromisoformat(asked_at),
    )

"""Files of a result with what the network said when the task ran: mail routes and ages."""

from collections.abc import Iterable
from datetime import date, datetime
from pathlib import Path

from winnow.atomic_files import create_durably
from winnow.core.verdicts.facts import AgeFacts, MailFacts, MailRoute

MAIL_FILE_NAME, AGE_FILE_NAME = "mail.tsv", "ages.tsv"
_CELLS = 7


def write_mail_file(folder: Path, answers: Iterable[tuple[str, MailFacts]]) -> None:
    """Write the facts into a task's work folder, synced."""
    with create_durably(folder / MAIL_FILE_NAME) as file:
        file.write(b"\n")
        for domain, facts in answers:
            asked_at = "" if facts.asked_at is None else facts.asked_at.isoformat()
            of_mail = (facts.route.value, facts.mx_host, facts.disposable_mx, asked_at)
            cells = (domain, *of_mail, "", facts.parking)  # the empty one: hosts of doubt, once
            file.write(("\t".join(cell or "" for cell in cells) + "\n").encode("ascii"))


def read_mail_facts(folder: Path, domain: str) -> MailFacts:
    """Return the mail facts of a domain when the task ran; not looked up if there were none."""
    start = f"{domain}\t".encode("ascii", "replace")
    try:
        file = (folder / MAIL_FILE_NAME).open("rb")
    except FileNotFoundError:
        return MailFacts()
    with file:
        line = next((line for line in file if line.startswith(start)), None)
    return MailFacts() if line is None else _read_mail_line(line)


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
    return read_ages(folder).get(registrable or "", AgeFacts())


def read_ages(folder: Path) -> dict[str, AgeFacts]:
    """Return the age facts when the task ran, by registrable domain; may be empty."""
    try:
        with (folder / AGE_FILE_NAME).open("rb") as file:
            return dict(map(_read_age_line, file))
    except FileNotFoundError:
        return {}


def _read_mail_line(line: bytes) -> MailFacts:
    cells = line.decode("ascii").rstrip("\n").split("\t")
    cells += [""] * (_CELLS - len(cells))  # older files have five
    _, route, host, disposable_mx, asked_at, doubtful, parking = cells
    return MailFacts(
        MailRoute(route),
        mx_host=host or None,
        disposable_mx=disposable_mx or doubtful or None,
        parking=parking or None,
        asked_at=datetime.fromisoformat(asked_at) if asked_at else None,
    )


def _read_age_line(line: bytes) -> tuple[str, AgeFacts]:
    domain, registered_on, asked_at, is_new, registry = (
        line.decode("ascii").rstrip("\n").split("\t")
    )
    return domain, AgeFacts(
        date.fromisoformat(registered_on),
        is_new=bool(is_new),
        registry=registry or None,
        asked_at=datetime.fromisoformat(asked_at),
    )

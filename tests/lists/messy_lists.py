"""Messy exports made cell by cell: dialects, encodings, quotes, every kind of fault."""

import csv
import io
import random
from dataclasses import dataclass

from winnow.core.addresses.address import duplicate_key
from winnow.core.lists.file_format import FileFormat
from winnow.core.tasks.repair_choice import RepairChoice
from winnow.core.tasks.task import InputPlan
from winnow.core.verdicts.judge import Judge, judge_text

DOMAINS = ("frei.de", "wegwerf.net", "firma.de", "gmial.com", "gmailcom", "büro.de")
SHAPES = (
    *("{name}@{domain}",) * 12,
    *("Ana {name} <{name}@{domain}>", "mailto:{name}@{domain}", "{name} @{domain}"),
    *("{name}@{domain}.", "'{name}@{domain}'", "'{name}@{domain}", "{name}\uff20{domain}"),
    *("{name}@{domain}; b@frei.de", "{name}@{domain}, {name}@{domain}", "{name}\u00a0@{domain}"),
    *(
        "",
        "  ",
        "no address",
        "{name}.{domain}",
        "Mr. {name}@{domain}",
        '"{name}" <{name}@{domain}>',
    ),
    *("  {name}@{domain} ", "{name}@{domain},x", "{name}\n@{domain}", "Ünal <{name}@{domain}>"),
)
NAMES = ("ana", "Ana", "info", "x+tag", "bob", "cleo", "o'neil", "a|b", "ana.maria")
OTHERS = ("", "plain", 'with "quotes"', "comma, semicolon; tab\t|", "two\nlines", "Größe", " b ")


@dataclass(frozen=True)
class MessyList:
    """A list, the text of each record, and its cells."""

    plan: InputPlan
    data: bytes
    header: list[str]
    rows: list[tuple[str, list[str]]]  # as it is written with its line end; cells

    @property
    def width(self) -> int:
        return max(len(self.header), *(len(cells) for _, cells in self.rows))

    def email_of(self, cells: list[str]) -> str:
        column = self.plan.email_column
        return cells[column] if column < len(cells) else ""

    def expect(
        self, choice: RepairChoice, judge: Judge, *, deduplicate: bool
    ) -> list[tuple[str, list[str], str, str | None, tuple[str, str]]]:
        """Return the rows that stay: as written, cells, old and new address, verdict."""
        found = []
        for raw, cells in self.rows:
            old = self.email_of(cells)
            repair = choice.apply(old)
            new = None if repair is None else repair.new
            verdict = judge_text(judge, new or old).verdict
            found.append(
                (raw, cells, old, new, (verdict.category.value, verdict.domain_type.value))
            )
        last = {duplicate_key(new or old): place for place, (_, _, old, new, _) in enumerate(found)}
        return [
            row
            for place, row in enumerate(found)
            if not deduplicate or not (key := duplicate_key(row[3] or row[2])) or last[key] == place
        ]


def make_list(seed: int, row_count: int = 60) -> MessyList:
    """Make a list; the same seed makes the same."""
    rng = random.Random(seed)
    delimiter = rng.choice(",;\t|")
    encoding = rng.choice(("utf-8", "utf-8", "cp1252", "utf-16-le", "shift_jis"))
    line_end = rng.choice(("\n", "\r\n"))
    quoting = rng.choice((csv.QUOTE_MINIMAL, csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC))
    width = rng.randint(2, 5)
    column = rng.randrange(width)
    header = ["email" if place == column else f"column {place}" for place in range(width)]
    if rng.random() < 0.3:
        header[(column + 1) % width] = "email_repaired"

    def write(cells: list[str]) -> str:
        text = io.StringIO(newline="")
        csv.writer(text, delimiter=delimiter, quoting=quoting, lineterminator=line_end).writerow(
            cells
        )
        return text.getvalue()

    def fits(cell: str) -> str:
        return cell.encode(encoding, "ignore").decode(encoding)

    rows = []
    for _ in range(row_count):
        shape = rng.choice(SHAPES)
        email = shape.format(name=rng.choice(NAMES), domain=rng.choice(DOMAINS))
        cells = [fits(rng.choice(OTHERS)) for _ in range(width)]
        cells[column] = fits(email)
        if rng.random() < 0.1:
            cells = cells[: rng.randint(1, width)]
        elif rng.random() < 0.1:
            cells += ["more"] * rng.randint(1, 2)
        if not any(cell.strip() for cell in cells):
            cells[0] = cells[0] if column == 0 and len(cells) == 1 else "filled"
        if not any(cell.strip() for cell in cells):
            continue
        rows.append((write(cells), cells))
    bom = b"\xff\xfe" if encoding == "utf-16-le" else b""
    content = write(header) + "".join(raw for raw, _ in rows)
    plan = InputPlan(
        FileFormat.TSV if delimiter == "\t" else FileFormat.CSV,
        column,
        tuple(header),
        encoding=encoding,
        bom=bool(bom),
        delimiter=delimiter,
        newline=line_end,
    )
    return MessyList(plan, bom + content.encode(encoding), header, rows)

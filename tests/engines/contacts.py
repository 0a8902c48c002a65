"""Made-up contacts, and what the whole job must leave of them, reckoned row by row."""

import re
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

import winnow
from tests.server import PROJECT
from winnow.core.addresses.address import duplicate_key

DOMAINS = (
    "gmail.com", "Mailinator.COM", "gmial.com", "acme-widgets.de", "bücher.example.org",
    "duck.com", "uni-koeln.de", "x.local", "yopmail.com",
)  # fmt: skip
ODD: tuple[str | None, ...] = (
    None,
    "",
    " ",
    "n/a",
    "Ana <ana@gmail.com>",
    "'ana@gmail.com",
    "@gmail.com",
)
COLUMN = ["ana@gmail.com", None, "x@mailinator.com", "", "Info+x@gmail.com"]
OWN = {"gmail.com": "grey"}
FIELDS = ("category", "domain_type", "suggestion", "is_role", "domain")
PAGE = (PROJECT / "docs/engines.md").read_text(encoding="utf-8")


def make_contacts(count: int = 3_000) -> pa.Table:
    """Return contacts of which every seventh stands again, in other letters."""
    emails: list[str | None] = []
    for number in range(count):
        text = f"info+{number}@x.de" if number % 31 == 0 else f"ana.{number % (count // 7 * 6)}"
        emails.append(f"{text}@{DOMAINS[number % len(DOMAINS)]}" if "@" not in text else text)
    emails[5::97] = [f" {text.upper()} " for text in emails[4::97] if text][: len(emails[5::97])]
    emails[11::101] = [ODD[place % len(ODD)] for place in range(len(emails[11::101]))]
    moments = [(number * 7_919) % 1_000_003 for number in range(count)]
    emails[moments.index(max(moments))] = None  # the newest of those without a key
    return pa.table({"email": emails, "name": list(map(str, range(count))), "updated_at": moments})


def list_answers() -> list[list[Any]]:
    """Return what the library says of ``COLUMN`` by ``OWN``: for each value its fields, its key."""
    answers = winnow.check_column(COLUMN, own_lists=OWN)
    keys = winnow.duplicate_keys(COLUMN)
    return [
        [*(one and getattr(one, name) for name in FIELDS), key]
        for one, key in zip(answers, keys, strict=True)
    ]


def reckon_kept(contacts: pa.Table) -> list[dict[str, Any]]:
    """Do the whole job one row after another."""
    newest: dict[str, dict[str, Any]] = {}
    for row in sorted(contacts.to_pylist(), key=lambda row: row["updated_at"]):
        key = row["email"] and duplicate_key(row["email"])
        if key:
            newest[key] = row
    kept = []
    for row in newest.values():
        checked = winnow.check(row["email"])
        if checked.category != "black":
            kept.append(
                {
                    **row,
                    "category": str(checked.category),
                    "domain_type": str(checked.domain_type),
                    "reasons": "; ".join(checked.reasons),
                    "suggestion": checked.suggestion,
                    "is_role": checked.is_role,
                    "domain": checked.domain,
                }
            )
    return kept


def read_code(heading: str) -> str:
    """Return the Python of a section of the page."""
    section = PAGE.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    return "\n".join(re.findall(r"^```python\n(.*?)^```", section, re.MULTILINE | re.DOTALL))


def run_job(heading: str, folder: Path) -> None:
    """Run the page's code on contacts in a folder; what it writes there is what is reckoned."""
    contacts = make_contacts()
    pq.write_table(contacts, folder / "contacts.parquet", row_group_size=700)
    text = re.sub(
        r"\b(contacts|kept)\.parquet", rf"{folder.as_posix()}/\1.parquet", read_code(heading)
    )
    code = compile(text, f"docs/engines.md, {heading}", "exec")
    exec(code, {"__name__": "__main__"})  # noqa: S102
    wanted = sort_rows(reckon_kept(contacts))
    assert len(contacts) / 4 < len(wanted) < len(contacts) * 3 / 4
    assert sort_rows(pq.read_table(folder / "kept.parquet").to_pylist()) == wanted


def sort_rows(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return sorted(rows, key=lambda row: int(row["name"]))

"""Made-up lists like those of analysts, by a fixed seed."""

import random
from collections.abc import Callable, Iterator
from pathlib import Path

SEED = 20
DOMAIN_COUNT = 100_000
DUPLICATE_SHARE = 0.17
_SYLLABLES = tuple(f"{first}{second}" for first in "bdfklmnprstvwz" for second in "aeio")
_TLDS = ("com", "com", "com", "net", "org", "de", "co.uk", "fr", "io", "shop", "xyz")
_ROLES = ("info", "sales", "support")
HEADER = "id,first_name,company,email,signed_up,note\n"


def make_domains(count: int = DOMAIN_COUNT) -> list[str]:
    """Return distinct made-up domains, the most used first; one in a hundred is international."""
    pick = random.Random(SEED)  # noqa: S311 - made-up data
    domains = []
    for number in range(count):
        name = "".join(pick.choices(_SYLLABLES, k=3)) + str(number)
        if number % 100 == 99:
            name = f"b\u00fc{name}"
        domains.append(f"{name}.{pick.choice(_TLDS)}")
    return domains


def make_one_address(pick: random.Random, number: int, domains: list[str]) -> str:
    """Return one value of the email column: one in a hundred is no address."""
    domain = domains[int(len(domains) * pick.random() ** 3)]
    kind = pick.random()
    if kind < 0.01:
        return pick.choice(
            ("", "n/a", "no address", f"user{number}", f"a b@{domain}", f"@{domain}")
        )
    if kind < 0.04:
        return f"{pick.choice(_ROLES)}@{domain}"
    name = "".join(pick.choices(_SYLLABLES, k=3))
    if kind < 0.07:
        return f"{name}{number}+news@{domain}"
    return f"{name}.{number:x}@{domain}" if kind < 0.6 else f"{name.title()}{number}@{domain}"


def make_lines(row_count: int, domains: list[str]) -> Iterator[str]:
    """Yield the header and the rows."""
    pick = random.Random(SEED + 1)  # noqa: S311 - made-up data
    recent: list[str] = []
    yield HEADER
    for number in range(row_count):
        if recent and pick.random() < DUPLICATE_SHARE:
            email = pick.choice(recent)
        else:
            email = make_one_address(pick, number, domains)
            if len(recent) < 1_000_000:
                recent.append(email)
            else:
                recent[pick.randrange(len(recent))] = email
        name = "".join(pick.choices(_SYLLABLES, k=2)).title()
        company = f'"{name}, Inc."' if number % 7 == 0 else f"{name} Ltd"
        note = '"first line\nsecond line"' if number % 50 == 0 else "met at the fair"
        yield f"{number:07d},{name},{company},{email},2024-0{number % 9 + 1}-11,{note}\n"


def make_unique_lines(row_count: int) -> Iterator[str]:
    """Yield the header and rows, each row with a domain of its own."""
    pick = random.Random(SEED + 2)  # noqa: S311 - made-up data
    yield HEADER
    for number in range(row_count):
        name = "".join(pick.choices(_SYLLABLES, k=3))
        address = f"{name}@{name}{number:x}.{pick.choice(_TLDS)}"
        yield f"{number:07d},{name},{name} Ltd,{address},2024-01-11,met at the fair\n"


def make_international_lines(row_count: int) -> Iterator[str]:
    """Yield the header and rows with non-ASCII letters on both sides of the at-sign."""
    pick = random.Random(SEED + 3)  # noqa: S311 - made-up data
    domains = [f"b\u00fc{domain}" for domain in make_domains()]
    yield HEADER
    for number in range(row_count):
        name = "".join(pick.choices(_SYLLABLES, k=3))
        address = f"j\u00f6{name}{number:x}@{domains[int(len(domains) * pick.random() ** 3)]}"
        yield f"{number:07d},{name},{name} Ltd,{address},2024-01-11,met at the fair\n"


def write_list(
    path: Path, row_count: int, make: Callable[[int], Iterator[str]] | None = None
) -> None:
    """Write a list of so many rows: the usual one, or another."""
    lines_of = make or (lambda count: make_lines(count, make_domains()))
    with path.open("w", encoding="utf-8", newline="") as file:
        file.writelines(lines_of(row_count))

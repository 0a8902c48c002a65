"""Make the small list behind "try the sample list": ``winnow/lists/data/sample.csv``.

    python -m tests.made_lists.make_sample

Nobody's address stands in it: every local part ends in the word sample and a number.
"""

import csv
import random
from pathlib import Path

SAMPLE_PATH = Path(__file__).parents[2] / "winnow" / "lists" / "data" / "sample.csv"
SEED = 7
ROWS = 200

_FIRST = ("Ada", "Bruno", "Clara", "Édouard", "Frieda", "Günther", "Hélène", "Ina", "Jörg", "Kinga")
_LAST = ("Muster", "Mustermann", "Exemple", "Przykład", "Beispiel", "Beispielová", "Sample")
_CITIES = (("01067", "Dresden"), ("06000", "Nice"), ("50667", "Köln"), ("90-001", "Łódź"))
_DOMAINS = (
    ("gmail.com", 34), ("outlook.com", 12), ("gmx.de", 12), ("web.de", 10), ("yahoo.com", 8),
    ("orange.fr", 6), ("wp.pl", 6), ("beispiel-werkzeuge-nord.de", 14), ("exemple-et-fils.fr", 10),
    ("bücher-beispiel.de", 6), ("przyklad-handel.pl", 6), ("sample-university.edu", 4),
    ("mailinator.com", 7), ("guerrillamail.com", 4), ("yopmail.com", 4), ("duck.com", 3),
    ("mozmail.com", 2), ("example.com", 3), ("gmial.com", 2), ("hotmial.com", 1),
)  # fmt: skip
_MALFORMED = ("no address", "sample@", "@gmail.com", "sample.ada", "Ada <ada.sample@gmail.com>", "")


def make_sample(path: Path = SAMPLE_PATH) -> None:
    """Write the sample: 200 rows, semicolons, BOM and CRLF, as a European Excel saves them."""
    draw = random.Random(SEED)
    domains, weights = zip(*_DOMAINS, strict=True)
    emails: list[str] = []
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.writer(file, delimiter=";", lineterminator="\r\n")
        writer.writerow(
            ("Customer", "First name", "Last name", "email", "Postcode", "City", "Note")
        )
        for row in range(1, ROWS + 1):
            first, last = draw.choice(_FIRST), draw.choice(_LAST)
            if row % 25 == 0:
                email = _MALFORMED[row // 25 % len(_MALFORMED)]
            elif row % 9 == 0:
                email = draw.choice(emails)
                email = email.upper() if row % 2 else email
            else:
                tag = "+news" if row % 31 == 0 else ""
                domain = draw.choices(domains, weights)[0]
                email = f"{first[0].lower().replace('é', 'e')}.sample{row:03}{tag}@{domain}"
                emails.append(email)
            note = draw.choice(("", "", "prefers mail", "trade fair; spring", "two\nlines", "007"))
            writer.writerow((f"{row:05}", first, last, email, *draw.choice(_CITIES), note))


if __name__ == "__main__":
    make_sample()

"""Lists as CSV, written and read by Python's csv."""

import csv
import io
from collections.abc import Iterable, Sequence


def write_csv(rows: Iterable[Sequence[object]], delimiter: str = ",") -> bytes:
    """Return rows in UTF-8, with CRLF."""
    text = io.StringIO(newline="")
    csv.writer(text, delimiter=delimiter).writerows(rows)
    return text.getvalue().encode()


def read_csv(content: bytes | str) -> list[list[str]]:
    """Return the rows; bytes are UTF-8."""
    text = content if isinstance(content, str) else content.decode()
    return list(csv.reader(io.StringIO(text, newline=""), strict=True))

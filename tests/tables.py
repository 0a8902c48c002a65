"""Lists as CSV, written and read by Python's csv."""

import csv
import io
from collections.abc import Iterable, Sequence
from typing import Any


def write_csv(rows: Iterable[Sequence[object]], delimiter: str = ",", **dialect: Any) -> bytes:
    """Return rows in UTF-8, with CRLF unless the dialect says otherwise."""
    text = io.StringIO(newline="")
    csv.writer(text, delimiter=delimiter, **dialect).writerows(rows)
    return text.getvalue().encode()


def read_csv(content: bytes | str, delimiter: str = ",", **dialect: Any) -> list[list[str]]:
    """Return the rows; bytes are UTF-8."""
    text = content if isinstance(content, str) else content.decode()
    options = {"strict": True, **dialect}
    return list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, **options))

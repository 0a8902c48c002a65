"""Check of a Parquet file's first and last bytes before its footer is read."""

import struct
from pathlib import Path

from winnow.core.errors import BrokenFile
from winnow.lists.text.splitter import COLUMNS_MAX

MAGIC, ENCRYPTED_MAGIC = b"PAR1", b"PARE"  # Apache Parquet, "File Format" and "Encryption", 5.1
MOST_FOOTER_BYTES = 32 << 20  # 1,000 columns in 100 row groups take some 10 MB
MOST_COLUMNS = COLUMNS_MAX  # of a row as text, which pages read
MOST_ROWS = (1 << 32) - 1  # rows are numbered in 32 bits

_LENGTH = struct.Struct("<I")
_TAIL_BYTES = _LENGTH.size + len(MAGIC)


def check_footer(path: Path) -> None:
    """Refuse a file that cannot be a whole Parquet file.

    Raises:
        BrokenFile: It is cut off, encrypted, or has too large a footer.
    """
    size_bytes = path.stat().st_size
    with path.open("rb") as file:
        file.seek(max(0, size_bytes - _TAIL_BYTES))
        tail = file.read()
    refuse_encrypted(tail[-len(MAGIC) :])
    if len(tail) < _TAIL_BYTES or not tail.endswith(MAGIC):
        raise BrokenFile(
            "The Parquet file ends early: its last bytes, which say what it holds, are missing.",
            hint="Copy or download it again.",
        )
    (footer_bytes,) = _LENGTH.unpack(tail[: _LENGTH.size])
    if footer_bytes > size_bytes - _TAIL_BYTES - len(MAGIC):
        raise BrokenFile(
            "The Parquet file is damaged: what says what it holds is longer than the file.",
            hint="Copy or download it again.",
        )
    if footer_bytes > MOST_FOOTER_BYTES:
        raise BrokenFile(
            "The Parquet file's description of itself is larger than that of any ordinary list.",
            hint="Write it again with fewer columns or larger row groups.",
        )


def refuse_encrypted(mark: bytes) -> None:
    """Refuse a file by the mark at its beginning or end.

    Raises:
        BrokenFile: It is encrypted.
    """
    if mark == ENCRYPTED_MAGIC:
        raise BrokenFile(
            "The Parquet file is encrypted.", hint="Write it again without encryption."
        )

"""Zip archives and workbooks as their parts, by name."""

import io
import zipfile
from collections.abc import Mapping
from pathlib import Path


def write_zip(parts: Mapping[str, bytes | str], compression: int = zipfile.ZIP_STORED) -> bytes:
    """Return an archive of parts."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", compression) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return out.getvalue()


def read_zip(content: bytes | Path) -> dict[str, bytes]:
    """Return the parts of an archive."""
    source = io.BytesIO(content) if isinstance(content, bytes) else content
    with zipfile.ZipFile(source) as archive:
        return {name: archive.read(name) for name in archive.namelist()}

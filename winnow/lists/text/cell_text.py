"""Decoding of a planned file: encodings, the BOM, cells as text."""

import codecs
import re

BOMS = (  # Unicode Standard, 23.8; UTF-32's little-endian BOM starts with UTF-16's
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_QUOTED = re.compile(rb'"((?:[^"]|"")*)"?(.*)', re.DOTALL)


def find_bom(head: bytes, encoding: str) -> tuple[bytes, str]:
    """Return the BOM that the file starts with (or ``b""``) and the codec without one.

    ``utf-16`` becomes the codec of the byte order that the BOM shows.
    """
    wanted = codecs.lookup(encoding).name.removesuffix("-sig")
    for bom, codec in BOMS:
        if head.startswith(bom) and codec.startswith(wanted):
            return bom, codec
    return b"", "utf-16-le" if wanted == "utf-16" else wanted


def decode_cell(raw: bytes, codec: str) -> str:
    """Return a cell's text as ``csv`` reads it; bytes that are no text become lone surrogates."""
    if raw.startswith(b'"'):
        match = _QUOTED.match(raw)
        if match is not None:
            raw = match[1].replace(b'""', b'"') + match[2]
    return raw.decode(codec, "surrogateescape")

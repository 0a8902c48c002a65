"""Encoding detection: by the byte order mark, the pattern of bytes, letters, and scripts.

Scripts other than Latin are guessed by charset-normalizer.
"""

import codecs
from collections.abc import Collection, Iterable, Sequence
from functools import cache, lru_cache
from itertools import chain

from winnow.core.errors import BadField, UnsupportedFormat
from winnow.core.file_faults import FileFault
from winnow.core.lists.input_head import ENCODINGS, EncodingDoubt
from winnow.lists.formats.delimited.letters import GREEK_AND_ON, choose_by_letters, guess_by_letters
from winnow.lists.text.cell_text import BOMS
from winnow.words import translatable

_REPLACEMENT = "\ufffd".encode()
_SUBSETS = {
    "shift_jis": "cp932",
    "gb2312": "gb18030",
    "euc_kr": "cp949",
    "big5": "cp950",
    "tis-620": "cp874",
}
_SCRIPT_CODECS = (  # as charset-normalizer names them
    *("cp932", "shift_jis", "euc_jp"),  # Japanese
    *("gb2312", "gb18030", "big5", "cp950", "big5hkscs"),  # Chinese
    *("euc_kr", "cp949"),  # Korean
    *("cp1251", "koi8_r", "koi8_u", "cp866", "iso8859_5", "mac_cyrillic"),
    *("cp1253", "iso8859_7"),  # Greek
    *("cp1255", "iso8859_8"),  # Hebrew
    *("cp1256", "iso8859_6"),  # Arabic
    "tis_620",  # Thai
    *("cp1252", "cp1250"),  # Latin, so that other scripts are not the only choice
)
_SCRIPT_BYTES = 1 << 15
_SCRIPT_LETTERS = 2
_SCRIPT_SHARE = 0.8  # of the letters beyond ASCII: so many are of another script than Latin
_ASCII = bytes(range(128))
_CLEAR_BYTES = 40  # beyond ASCII: fewer fit too many encodings
_CLEAR_LETTERS = 20  # so many of one alphabet are no chance
_PATTERN_BYTES = 4096
_ZEROS_MIN = 4  # fewer may be a fault of a text
_UTF16_ZEROS = 0.1  # of its units at least are letters of ASCII: addresses, separators
_UTF16_STRAYS = 0.5  # of the zero bytes at most are on the other side: U+4E00 and its like
_ISO_2022 = (b"\x1b$B", b"\x1b$@", b"\x1b$)C", b"\x1b(J")  # RFC 1468, RFC 1557


def read_mark(start: bytes) -> tuple[str | None, int]:
    """Return the encoding that a BOM names, or UTF-16 by its pattern of zero bytes; else None.

    And how many bytes the BOM takes.

    Raises:
        UnsupportedFormat: UTF-32, or ISO-2022, in which bytes of ASCII are halves of letters.
    """
    marked = ((encoding, len(bom)) for bom, encoding in BOMS if start.startswith(bom))
    encoding, bom_bytes = next(marked, (None, 0))
    is_utf32 = encoding is not None and encoding.startswith("utf-32")
    if is_utf32 or (encoding is None and any(escape in start for escape in _ISO_2022)):
        raise UnsupportedFormat(
            "The file is in {name}, which is not read.",
            fault=FileFault.ENCODING,
            name="UTF-32" if is_utf32 else "ISO-2022 (JIS)",
            hint="Save it as UTF-8 (in Excel: CSV UTF-8) and upload that file.",
        )
    sample = start[: min(_PATTERN_BYTES, len(start) // 2 * 2)]
    return encoding or _find_zero_pattern(sample), bom_bytes


def _find_zero_pattern(sample: bytes) -> str | None:
    """Return UTF-16 where zero bytes are placed as its letters of ASCII have them."""
    even, odd = sample[::2].count(0), sample[1::2].count(0)
    if max(even, odd) < max(_ZEROS_MIN, _UTF16_ZEROS * len(sample) // 2):
        return None
    if min(even, odd) > _UTF16_STRAYS * max(even, odd):
        return None
    found = "utf-16-le" if odd > even else "utf-16-be"
    return found if any(mark in sample.decode(found, "replace") for mark in "@\n\r") else None


@cache
def _list_aliases() -> dict[str, str]:
    return {codecs.lookup(name).name: name for name in ENCODINGS} | _SUBSETS


def name_encoding(chosen: str) -> str:
    """Return our name of an encoding the analyst chose.

    Raises:
        BadField: Not one of ``ENCODINGS``.
    """
    try:
        return _list_aliases()[codecs.lookup(chosen).name]
    except (LookupError, KeyError, ValueError):
        raise BadField(
            "encoding",
            "this encoding is not read",
            hint=translatable("Use one of: {names}.", names=", ".join(ENCODINGS)),
        ) from None


def guess_encoding(
    samples: Sequence[bytes], excluded: Collection[str] = ()
) -> tuple[str, EncodingDoubt]:
    """Guess which encoding a text is in that is not UTF-8.

    Args:
        samples: Parts of the file with bytes beyond ASCII among them.
        excluded: Encodings that cannot be, because the file holds bytes they leave undefined.

    Returns:
        One of ``ENCODINGS``, and whether its letters fit well; else it is the likeliest.
    """
    by_letters, is_latin = guess_by_letters(samples, excluded)
    seen = sum(len(sample.translate(None, _ASCII)) for sample in samples)
    if by_letters is not None and (is_latin or seen >= _CLEAR_LETTERS):
        return by_letters, _weigh(seen, _CLEAR_LETTERS)
    found = _guess_script(samples, excluded) or by_letters
    if found is not None:
        return found, _weigh(seen, _CLEAR_BYTES)
    return "latin-1" if "cp1252" in excluded else "cp1252", EncodingDoubt.GREAT


def _guess_script(samples: Iterable[bytes], excluded: Collection[str]) -> str | None:
    """Return the encoding of a text in another script than Latin, None where it is none."""
    from charset_normalizer import from_bytes  # 30 ms that most lists do without

    sample = _take_lines(samples)
    wanted = [name for name in _SCRIPT_CODECS if name_encoding(name) not in excluded]
    found = from_bytes(sample, cp_isolation=wanted).best() if sample and wanted else None
    if found is None:
        return None
    guess = name_encoding(found.encoding)
    letters = [letter for letter in sample.decode(guess, "replace") if letter > "\x7f"]
    other = sum(letter >= GREEK_AND_ON and letter.isalpha() for letter in letters)
    if other < _SCRIPT_LETTERS or other < _SCRIPT_SHARE * sum(map(str.isalpha, letters)):
        return None
    return choose_by_letters(sample, guess, excluded)


def _take_lines(samples: Iterable[bytes]) -> bytes:
    """Return lines with bytes beyond ASCII, each once, as many as are worth looking at."""
    lines: dict[bytes, None] = {}
    size = 0
    for sample in samples:
        for line in sample.splitlines():
            if size > _SCRIPT_BYTES:
                break
            if not line.isascii() and line not in lines:
                lines[line] = None
                size += len(line)
    return b"\n".join(lines)[: 2 * _SCRIPT_BYTES]


def _weigh(seen: int, clear: int) -> EncodingDoubt:
    return EncodingDoubt.SLIGHT if seen >= clear else EncodingDoubt.GREAT


@lru_cache(maxsize=32)
def find_undefined(encoding: str) -> bytes:
    """Return the bytes that a single-byte encoding leaves undefined."""
    return bytes(byte for byte in range(256) if not bytes([byte]).decode(encoding, "ignore"))


def find_invalid_utf8(blocks: Iterable[bytes]) -> int | None:
    """Return the first offset that is not UTF-8, None where all is."""
    decoder, offset = codecs.getincrementaldecoder("utf-8")(), 0
    for block in chain(blocks, (b"",)):
        pending = len(decoder.getstate()[0])  # of a character that the block before begins
        try:
            if pending or not block.isascii():
                decoder.decode(block, final=not block)
        except UnicodeDecodeError as error:
            return offset - pending + error.start
        offset += len(block)
    return None


def find_replaced(blocks: Iterable[bytes]) -> int | None:
    """Return the offset of the first U+FFFD in blocks of whole letters in UTF-8."""
    offset = 0
    for block in blocks:
        if (place := block.find(_REPLACEMENT)) >= 0:
            return offset + place
        offset += len(block)
    return None

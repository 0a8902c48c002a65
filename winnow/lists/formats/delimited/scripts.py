"""Detection of non-Latin encodings by charset-normalizer, verified against the bytes."""

from collections.abc import Collection, Iterable

from winnow.lists.formats.delimited.letters import choose_by_letters

# charset-normalizer's name (Python's): ours. Smaller sets are read as the larger ones.
_NAMES = {
    "cp932": "cp932",
    "shift_jis": "cp932",
    "euc_jp": "euc_jp",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "gb18030": "gb18030",
    "big5": "cp950",
    "cp950": "cp950",
    "big5hkscs": "big5hkscs",
    "euc_kr": "cp949",
    "cp949": "cp949",
    "cp1251": "cp1251",
    "koi8_r": "koi8-r",
    "koi8_u": "koi8-u",
    "cp866": "cp866",
    "iso8859_5": "iso8859-5",
    "mac_cyrillic": "mac-cyrillic",
    "cp1253": "cp1253",
    "iso8859_7": "iso8859-7",
    "cp1255": "cp1255",
    "iso8859_8": "iso8859-8",
    "cp1256": "cp1256",
    "iso8859_6": "iso8859-6",
    "tis_620": "cp874",
    "cp1252": "",
    "cp1250": "",
}
_SAMPLE_BYTES = 1 << 15
_ENOUGH_LETTERS = 2
_SHARE = 0.8  # of the letters beyond ASCII: so many are of another script than Latin
_LATIN_ENDS = "\u0370"


def guess_script(samples: Iterable[bytes], excluded: Collection[str] = ()) -> str | None:
    """Return the encoding of a text in another script than Latin, None where it is none.

    Args:
        samples: Parts of the file with bytes beyond ASCII among them.
        excluded: Encodings that cannot be.
    """
    from charset_normalizer import from_bytes  # 30 ms that most lists do without

    sample = _take_lines(samples)
    wanted = [name for name, ours in _NAMES.items() if ours not in excluded]
    found = from_bytes(sample, cp_isolation=wanted).best() if sample and wanted else None
    guess = "" if found is None else _NAMES.get(found.encoding, "")
    if not guess:
        return None
    letters = [letter for letter in sample.decode(guess, "replace") if letter > "\x7f"]
    other = sum(letter >= _LATIN_ENDS and letter.isalpha() for letter in letters)
    if other < _ENOUGH_LETTERS or other < _SHARE * sum(map(str.isalpha, letters)):
        return None
    return choose_by_letters(sample, guess, excluded)


def _take_lines(samples: Iterable[bytes]) -> bytes:
    """Return lines with bytes beyond ASCII, each once, as many as are worth looking at."""
    lines: dict[bytes, None] = {}
    size = 0
    for sample in samples:
        for line in sample.splitlines():
            if size > _SAMPLE_BYTES:
                break
            if not line.isascii() and line not in lines:
                lines[line] = None
                size += len(line)
    return b"\n".join(lines)[: 2 * _SAMPLE_BYTES]

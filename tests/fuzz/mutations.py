"""Bytes that nearly are what they should be: a sample out of a corpus, changed here and there."""

import os
from pathlib import Path

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

CORPUS = Path(__file__).with_name("corpus")
EXAMPLES = int(os.environ.get("FUZZ_EXAMPLES", "0"))
"""How many examples an entry point gets in the long mode; 0 is the short one, always the same."""

FUZZED = settings(
    max_examples=EXAMPLES or 30,
    derandomize=not EXAMPLES,  # nobody's day is lost by a find of somebody else's
    deadline=None,
    database=None,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)

TOKENS = (
    *(b'"', b'""', b"'", b",", b";", b"\t", b"|", b"\n", b"\r", b"\r\n", b"\0", b" ", b"@", b"."),
    *(b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff", b"\x1a", b"\x80", b"\xc3", b"\xf0\x9f\x92\xa9"),
    *(b"<", b">", b"&", b"<!DOCTYPE x [", b"<!--", b"-->", b"<![CDATA[", b"]]>", b"<?", b"?>"),
    *(b"&#0;", b"&#x110000;", b"&#55296;", b"&lt;", b"_x0000_", b"/>", b'="', b"</row>", b"<row>"),
    *(b"--b\r\n", b"--b--", b"\r\n\r\n", b"filename*=UTF-8''", b"Content-Disposition:"),
    *(b"xn--", b"%00", b"%0d%0a", b"../", b"\\", b"=1+1", b"-1", b"99999999999999999999", b"1e308"),
    *("\u202e".encode(), "\u0130".encode(), "\u3002".encode(), "\ud7a3\u0301".encode()),
)


def read_corpus(name: str) -> list[bytes]:
    """Return the samples of one entry point, in the order of their names."""
    return [path.read_bytes() for path in sorted((CORPUS / name).iterdir())]


def change(samples: list[bytes]) -> st.SearchStrategy[bytes]:
    """Return samples with a few changes each, and now and then bytes that are no such thing."""
    edit = st.tuples(
        st.sampled_from(["insert", "delete", "flip", "repeat", "cut"]),
        st.integers(0, 1 << 16),
        st.integers(1, 40),
        st.sampled_from(TOKENS) | st.binary(max_size=6),
    )
    changed = st.builds(_apply, st.sampled_from(samples), st.lists(edit, max_size=6))
    return changed | st.binary(max_size=300)


def _apply(sample: bytes, edits: list[tuple[str, int, int, bytes]]) -> bytes:
    data = bytearray(sample)
    for kind, place, length, token in edits:
        place %= len(data) + 1
        match kind:
            case "insert":
                data[place:place] = token
            case "delete":
                del data[place : place + length]
            case "flip" if place < len(data):
                data[place] ^= length
            case "repeat":
                data[place:place] = data[place : place + length] * length
            case "cut":
                del data[place:]
    return bytes(data)

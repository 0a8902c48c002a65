"""Keyed hashes of addresses: the published function, and equal exactly where duplicates are."""

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from winnow.core.addresses.address import duplicate_key
from winnow.lists.marks.keyed_hash import AddressHash, KeyedHash

KEY = bytes(range(16))
PUBLISHED = {  # SipHash-2-4 of so many bytes 0, 1, 2 …: the authors' own vectors
    0: "310e0edd47db6f72",
    1: "fd67dc93c539f874",
    2: "5a4fa9d909806c0d",
    3: "2d7efbd796666785",
    8: "6224939a79f5f593",
    15: "e545be4961ca29a1",
}
HASHES = AddressHash.of(bytes(range(48)))


def sip(data: bytes) -> str:
    """The function once more, on Python's own integers."""
    mask = (1 << 64) - 1
    first, second = (int.from_bytes(KEY[place : place + 8], "little") for place in (0, 8))
    a, b = first ^ 0x736F6D6570736575, second ^ 0x646F72616E646F6D
    c, d = first ^ 0x6C7967656E657261, second ^ 0x7465646279746573

    def turn(number: int, bits: int) -> int:
        return (number << bits | number >> (64 - bits)) & mask

    def mix(a: int, b: int, c: int, d: int) -> tuple[int, int, int, int]:
        a, c = (a + b) & mask, (c + d) & mask
        b, d = turn(b, 13) ^ a, turn(d, 16) ^ c
        a = turn(a, 32)
        a, c = (a + d) & mask, (c + b) & mask
        d, b = turn(d, 21) ^ a, turn(b, 17) ^ c
        return a, b, turn(c, 32), d

    padded = data + bytes(-(len(data) + 1) % 8) + bytes([len(data) & 255])
    for place in range(0, len(padded), 8):
        word = int.from_bytes(padded[place : place + 8], "little")
        d ^= word
        a, b, c, d = mix(*mix(a, b, c, d))
        a ^= word
    c ^= 255
    for _ in range(4):
        a, b, c, d = mix(a, b, c, d)
    return (a ^ b ^ c ^ d).to_bytes(8, "little").hex()


def test_hashes_are_the_published_ones() -> None:
    data = [bytes(range(size)) for size in PUBLISHED]
    found = KeyedHash(KEY).hash_texts(pl.Series(data))
    assert [int(one).to_bytes(8, "little").hex() for one in found] == list(PUBLISHED.values())


@given(st.lists(st.binary(max_size=300), max_size=40))
def test_many_at_once_are_as_one_by_one(texts: list[bytes]) -> None:
    found = KeyedHash(KEY).hash_texts(pl.Series(texts, dtype=pl.Binary))
    assert [int(one).to_bytes(8, "little").hex() for one in found] == list(map(sip, texts))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param("Ana@Frei.DE", " ana@frei.de ", id="case-and-blanks"),
        pytest.param("z@büro.de", "Z@xn--bro-hoa.de", id="a-label"),
    ],
)
def test_duplicates_share_a_hash(one: str, other: str) -> None:
    assert HASHES.hash_address(duplicate_key(one)) == HASHES.hash_address(duplicate_key(other))


def test_another_secret_gives_other_hashes() -> None:
    other = AddressHash.of(bytes(range(1, 49)))
    assert HASHES.hash_address("ana@frei.de") != other.hash_address("ana@frei.de")

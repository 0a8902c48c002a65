"""Keyed hashes of addresses: the published function, and equal exactly where duplicates are."""

import polars as pl
import pytest

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


def test_hashes_are_the_published_ones() -> None:
    data = [bytes(range(size)) for size in PUBLISHED]
    found = KeyedHash(KEY).hash_texts(pl.Series(data))
    assert [int(one).to_bytes(8, "little").hex() for one in found] == list(PUBLISHED.values())


def test_many_at_once_are_as_one_by_one() -> None:
    hashes, texts = KeyedHash(KEY), [b"x" * (size % 301) for size in range(0, 900, 7)]
    singles = [hashes.hash_texts(pl.Series([text])).item() for text in texts]
    assert hashes.hash_texts(pl.Series(texts)).tolist() == singles
    assert len(set(singles)) == len(set(texts))


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

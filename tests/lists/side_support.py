"""Files that are laid beside a list, and how they are read."""

import os
from datetime import date
from pathlib import Path

from winnow.core.addresses.mailbox import HasPlusTags
from winnow.core.lists.side_files import FileCounts, MailOutcome
from winnow.lists.marks.key_files import OwnKeys
from winnow.lists.marks.keyed_hash import AddressHash
from winnow.lists.side_files.bounce_file import read_bounces
from winnow.lists.side_files.named_file import read_named

HASHES = AddressHash.of(bytes(range(48)))
NO_TAGS = frozenset[str]().__contains__


def read_side(
    folder: Path, content: bytes | str, name: str = "do-not-mail.txt", *, bounces: bool = False
) -> tuple[OwnKeys, FileCounts]:
    """Read a file, which stays as it is, by the addresses that it names or their bounces."""
    path, scratch = folder / "file", folder / "scratch"
    content = content.encode() if isinstance(content, str) else content
    path.write_bytes(content)
    scratch.mkdir(exist_ok=True)
    try:
        if bounces:
            return read_bounces(path, name, HASHES, scratch)
        return read_named(path, name, HASHES, lambda domain: domain == "co.uk", scratch)
    finally:
        assert path.read_bytes() == content
        assert not is_open(path)


def names_address(keys: OwnKeys, key: str, has_tags: HasPlusTags = NO_TAGS) -> bool:
    return keys.match_address(key, HASHES, has_tags).count_rows() == 1


def find_event(
    keys: OwnKeys, key: str, has_tags: HasPlusTags = NO_TAGS
) -> tuple[MailOutcome, date | None] | None:
    return keys.match_address(key, HASHES, has_tags).read_last()


def is_open(path: Path) -> bool:
    """Return whether this process has a file open; False where the system does not say."""
    return any(
        os.path.samefile(one, path) for one in Path("/proc/self/fd").glob("*") if one.exists()
    )

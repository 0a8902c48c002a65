"""``winnow check``: one address, without the packages that lists need."""

import os
import sys
from argparse import Namespace
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

import winnow
from winnow.core.errors import BadField, SettingsError
from winnow.core.identities import LOCAL_ACCOUNT
from winnow.core.own_lists.patterns import OwnLists
from winnow.core.settings import Settings
from winnow.domain_data.build.refreshed import read_mark
from winnow.domain_data.loader import open_knowledge
from winnow.domain_data.look_up.look_up import Knowledge
from winnow.environment import lacks_home, read_environment
from winnow.library.check_text import open_judge
from winnow.library.open_data import open_domain_data
from winnow.storage.blobs.folder import DataFolder
from winnow.storage.blobs.marking import has_bytes, is_ours
from winnow.storage.database.light_read import read_own_lists

if TYPE_CHECKING:
    from winnow.api.schemas.check import Check
    from winnow.library.open_network import OpenNetwork


def check(options: Namespace) -> int:
    """Print the answer of the API for an address, or for each of many in a line of its own.

    Raises:
        BadField: The text is not UTF-8.
        SettingsError: A setting is wrong, or forbids DNS.
        StartRefused: As ``answer_all``.
    """
    piped = sys.stdin if "-" in options.addresses else ()
    texts = [one for one in options.addresses if one != "-"] + [line.strip() for line in piped]
    try:
        "".join(texts).encode()
    except UnicodeEncodeError as error:  # JSON cannot hold it
        raise BadField("address", "is not UTF-8 text") from error
    settings = read_environment(os.environ)
    network = open_allowed_dns(settings) if options.dns else None
    is_one = len(options.addresses) == 1 and not piped
    for answered in answer_all(settings, [text for text in texts if is_one or text], network):
        answer = msgspec.json.encode(answered)
        shown = msgspec.json.format(answer, indent=2) if is_one else answer
        sys.stdout.write(f"{shown.decode()}\n")
    return 0


def answer_all(
    settings: Settings, texts: Sequence[str], network: "OpenNetwork | None" = None
) -> "list[Check]":
    """Return the answers of the API for some addresses, in their order.

    Your lists and refreshed domain data count, where there is a data folder; none is made.

    Raises:
        StartRefused: The data folder is not Winnow's, or its database cannot be read.
    """
    from winnow.api.schemas.check import present_check
    from winnow.core.judging.single_check import answer_check

    folder = find_folder(settings)
    own = OwnLists() if folder is None else read_own_lists(folder.database, LOCAL_ACCOUNT)
    judge = open_judge(open_data(folder), network).put_own_first(own)
    today = datetime.now(UTC).date()
    left = settings.ban_threshold
    return [present_check(answer_check(judge, text, left, today)) for text in texts]


def find_folder(settings: Settings) -> DataFolder | None:
    """Return the data folder; None, and nothing is made, if there is none, or no database in it.

    Raises:
        StartRefused: The folder is not Winnow's.
    """
    if lacks_home(os.environ):
        return None
    folder = DataFolder(settings.data_dir)
    return folder if is_ours(folder.root) and has_bytes(folder.database) else None


def open_data(folder: DataFolder | None) -> Knowledge:
    """Open the domain data: with the refreshed lists of a data folder, or the installation's."""
    if folder is None:
        return open_domain_data()
    return _open_refreshed(folder.knowledge, folder.refreshed, read_mark(folder.refreshed))


@lru_cache(maxsize=1)  # winnow mcp asks again and again
def _open_refreshed(compiled: Path, refreshed: Path, mark: object) -> Knowledge:
    return open_knowledge(compiled, refreshed)


def open_allowed_dns(settings: Settings) -> "OpenNetwork":
    """Open DNS at the servers of the settings.

    Raises:
        SettingsError: The operator locks DNS.
    """
    if "dns" not in settings.network:
        raise SettingsError("WINNOW_NETWORK", "does not allow DNS")
    return winnow.open_network(dns_servers=settings.dns_servers)

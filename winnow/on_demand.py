"""Adapters that are heavy to import, opened when first needed."""

from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from winnow.core.ports import Registries, Resolver
from winnow.core.refresh import ListMove
from winnow.core.settings import Settings
from winnow.storage.blobs.folder import DataFolder

if TYPE_CHECKING:
    import httpx

    from winnow.domain_data.build.list_registry import ListBook
    from winnow.domain_data.look_up.look_up import Knowledge


def open_compiled(folder: DataFolder) -> "Knowledge":
    """Open the compiled knowledge, which includes refreshed lists."""
    from winnow.domain_data.loader import open_knowledge  # only when a judge is needed

    return open_knowledge(folder.knowledge, folder.refreshed)


def read_mark(refreshed: Path) -> object:
    """Return a value that changes when lists are refreshed."""
    from winnow.domain_data.build.refreshed import read_mark

    return read_mark(refreshed)


def measure_move(folder: DataFolder, from_version: str, to_version: str) -> ListMove | None:
    """Return what the lists gained and lost between two versions, None if that is not known."""
    from winnow.domain_data.build.list_diffs import measure_move

    return measure_move(folder.knowledge, from_version, to_version)


def open_book(folder: DataFolder, open_client: "Callable[[], httpx.Client] | None") -> "ListBook":
    """Open the book of refreshed lists; no client given means HTTPS."""
    from winnow.domain_data.build.list_registry import ListBook

    return ListBook(folder.refreshed, lambda: open_compiled(folder), open_client or _open_https)


def _open_https() -> "httpx.Client":
    from winnow.domain_data.build.refresh import open_client  # brings httpx along

    return open_client()


def open_dns(settings: Settings) -> Resolver:
    """Open DNS at the servers of the settings."""
    from winnow.network.dns.resolver import DnsResolver  # only when DNS is on

    return DnsResolver(settings.dns_servers)


def open_rdap(folder: DataFolder, clock: Callable[[], datetime]) -> Registries:
    """Open RDAP at the servers that IANA names."""
    from winnow.network.rdap.asker import RdapAsker
    from winnow.network.rdap.bootstrap import BootstrapCopy  # brings httpx along
    from winnow.network.rdap.client import RdapRegistries

    bootstrap = BootstrapCopy(folder.rdap, clock)
    return RdapRegistries(bootstrap, RdapAsker(bootstrap, clock))


def is_public_suffix(domain: str) -> bool:
    """Return whether a domain is one that others register names below."""
    from winnow.domain_data.suffixes import is_public_suffix  # loads the list

    return is_public_suffix(domain)


def find_registrable(domain: str) -> str | None:
    """Return the registrable domain of a name, None where there is none."""
    from winnow.domain_data.suffixes import find_registrable  # loads the list

    return find_registrable(domain)

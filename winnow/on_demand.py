"""Adapters that are heavy to import, opened when something first needs them."""

from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from winnow.core.lists.download_choice import DownloadChoice
from winnow.core.lists.file_format import FileFormat
from winnow.core.lists.rows import RowFilter, Variant
from winnow.core.ports import Registries, Resolver
from winnow.core.refresh import ListMove
from winnow.core.settings import Settings
from winnow.core.tasks.task import InputPlan
from winnow.services.downloads import RESULT_NAME
from winnow.storage.blobs.folder import DataFolder

if TYPE_CHECKING:
    import httpx

    from winnow.domain_data.build.list_registry import ListBook
    from winnow.domain_data.look_up.look_up import Knowledge
    from winnow.lists.result.result_rows import ResultRows


def open_compiled(folder: DataFolder) -> "Knowledge":
    """Open the compiled knowledge; whatever lists were refreshed are in it."""
    from winnow.domain_data.loader import open_knowledge  # only when a judge is needed

    return open_knowledge(folder.knowledge, folder.refreshed)


def read_mark(refreshed: Path) -> object:
    """Return what changes when lists are refreshed."""
    from winnow.domain_data.build.refreshed import read_mark

    return read_mark(refreshed)


def measure_move(folder: DataFolder, from_version: str, to_version: str) -> ListMove | None:
    """Return what the lists gained and lost between two versions, None where that is lost."""
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
    from winnow.network.rdap.bootstrap_copy import BootstrapCopy  # brings httpx along
    from winnow.network.rdap.client import RdapRegistries

    bootstrap = BootstrapCopy(folder.rdap, clock)
    return RdapRegistries(bootstrap, RdapAsker(bootstrap, clock))


def is_public_suffix(domain: str) -> bool:
    """Tell whether a domain is one that others register names below."""
    from winnow.domain_data.public_suffixes import is_public_suffix  # loads the list

    return is_public_suffix(domain)


def find_registrable(domain: str) -> str | None:
    """Return the registrable domain of a name, None where there is none."""
    from winnow.domain_data.public_suffixes import find_registrable  # loads the list

    return find_registrable(domain)


def write_workbook(
    rows: "ResultRows",
    result_dir: Path,
    plan: InputPlan,
    variant: Variant,
    choice: DownloadChoice,
    suggest: Callable[[str], str],
    rate: Callable[[Sequence[str]], Sequence[str]],
    out_path: Path,
) -> None:
    """Write a workbook: the list's own with other rows, or a new one for a list that is none."""
    if plan.file_format is FileFormat.XLSX:
        from winnow.lists.formats.xlsx.filter import (
            write_variant_xlsx,  # brings workbook code along
        )

        result = result_dir / RESULT_NAME
        write_variant_xlsx(result, rows, variant, out_path, plan, choice, suggest, rate)
        return
    from winnow.lists.formats.xlsx.plain_book import write_plain_book

    grids = rows.stream_cells(RowFilter(), variant, choice, suggest, rate)
    write_plain_book(grids, out_path, rows.read_titles())

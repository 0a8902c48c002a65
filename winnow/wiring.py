"""Wiring: creates every concrete class for a data folder."""

import os
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

from winnow.core.errors import StartRefused
from winnow.core.identities import LOCAL_ACCOUNT
from winnow.core.ports import Blobs, DomainKnowledge, Registries, Resolver
from winnow.core.settings import Settings
from winnow.domain_data.build.refreshed import read_mark
from winnow.domain_data.suffixes import is_public_suffix
from winnow.environment import read_environment
from winnow.network.dns.mail_look_up import MailLookUp
from winnow.network.rdap.domain_age import AgeLookUp
from winnow.services.checks.judges import Judges
from winnow.services.network.network import Network, open_sources
from winnow.services.network.refresh import Refresh
from winnow.services.services import Services
from winnow.services.tasks import integrity
from winnow.storage.blobs.archive import (
    excluding_others,
    find_unfinished_backups,
    remove_unfinished_backups,
    restore_backup,
    write_backup,
)
from winnow.storage.blobs.folder import DataFolder, FolderLock
from winnow.storage.blobs.local_blobs import LocalBlobs
from winnow.storage.blobs.marking import has_bytes, is_ours
from winnow.storage.database.database import Database
from winnow.storage.migrations import (
    copy_database,
    is_ready,
    migrate,
    require_nothing_lost,
)
from winnow.storage.repositories.accounts import account_exists, create_account, revoke_all_keys
from winnow.storage.repositories.network_answers import StoredNetworkAnswers
from winnow.storage.repositories.own_files import count_noes
from winnow.storage.repositories.people import has_people

if TYPE_CHECKING:
    from winnow.domain_data.build.refresh import ListBook
    from winnow.domain_data.look_up.look_up import Knowledge
    from winnow.network.hook_client import HookClient


@dataclass(frozen=True, slots=True)
class Application:
    """Everything that is open on one data folder in this process."""

    settings: Settings
    folder: DataFolder
    blobs: Blobs
    database: Database
    services: Services


def services(environ: Mapping[str, str] = os.environ) -> Services:
    """Return the services of the data folder that the environment names, one set a process.

    Raises:
        SettingsError: An environment variable has a wrong value.
        StartRefused: As ``open_application``.
    """
    return open_application(read_environment(environ)).services


def existing_services(environ: Mapping[str, str]) -> Services | None:
    """Return the services of an existing data folder; None, and nothing created, if there is none.

    Raises:
        SettingsError, StartRefused: As ``services``.
    """
    settings = read_environment(environ)
    return open_application(settings).services if _has_database(settings) else None


def _has_database(settings: Settings) -> bool:
    """Return whether there is a database, or should be one: then opening reports the fault."""
    if not is_ours(settings.data_dir):
        return False
    folder = DataFolder(settings.data_dir)
    return has_bytes(folder.database) or folder.holds_files()


def has_stored_people(settings: Settings) -> bool:
    """Return whether anyone signs in by name to a data folder; nothing is created or changed."""
    path = DataFolder(settings.data_dir).database
    if not has_bytes(path):
        return False
    database = Database(path)
    try:
        return has_people(database)
    finally:
        database.close()


_opening = threading.Lock()


def open_application(settings: Settings) -> Application:
    """Open a data folder, once a process; a new or older one is set up first.

    Raises:
        StartRefused: The data folder was written by a newer version, cannot be used, or must be
            migrated while a server of an older version still runs on it.
    """
    with _opening:
        return _open_once(settings)


@cache
def _open_once(settings: Settings) -> Application:
    return build_application(settings, clock=MonotonicClock(read_clock))


def read_clock() -> datetime:
    """Return the time in UTC."""
    return datetime.now(UTC)


@dataclass(eq=False, repr=False)
class MonotonicClock:
    """The machine's time, or time counted from the last reading if that is later. Thread-safe.

    Nothing that has expired becomes valid again, and nothing lives longer than it was given:
    while the machine's clock is behind, time advances by the count of seconds. A jump forward is
    accepted, because it happens after sleep. A new process starts with the machine's time.

    Args:
        read_clock: Returns the machine's time in UTC, which may jump.
        count_seconds: Returns seconds that only grow, from any starting point.
    """

    read_clock: Callable[[], datetime]
    count_seconds: Callable[[], float] = time.monotonic

    def __post_init__(self) -> None:
        self._guard = threading.Lock()
        self._last = self.read_clock()
        self._counted = self.count_seconds()

    def __call__(self) -> datetime:
        """Return the time in UTC, never earlier than one returned before."""
        with self._guard:
            counted = self.count_seconds()
            passed = timedelta(seconds=max(0.0, counted - self._counted))
            self._last = max(self.read_clock(), self._last + passed)
            self._counted = counted
            return self._last


def build_application(
    settings: Settings,
    *,
    clock: Callable[[], datetime] = read_clock,
    open_knowledge: Callable[[], DomainKnowledge] | None = None,
    open_resolver: Callable[[], Resolver] | None = None,
    open_registries: Callable[[], Registries] | None = None,
    fetch: Callable[[str], bytes] | None = None,
    open_hook_client: "Callable[[], HookClient] | None" = None,
) -> Application:
    """Open a data folder anew; a new or older one is set up first.

    Args:
        settings: Its path and its settings.
        clock: Returns the time in UTC, for all services.
        open_knowledge: None: the compiled knowledge in the data folder.
        open_resolver: None: DNS, at the servers of the settings. Called when first needed.
        open_registries: None: RDAP, at the servers that IANA names. Called when first needed.
        fetch: None: HTTPS. Called for each list of a refresh.
        open_hook_client: None: HTTP. Called when hooks are first due.

    Raises:
        StartRefused: As ``open_application``.
    """
    folder = DataFolder(settings.data_dir)
    folder.prepare()
    database = Database(folder.database, settings.quota_bytes)
    if not is_ready(database, folder):
        lock = FolderLock.acquire(folder)
        try:
            set_up(database, folder, clock())
        finally:
            lock.release()
    network, kept = Network(database, settings, clock), StoredNetworkAnswers(database)
    open_resolver = cache(open_resolver or (lambda: open_dns(settings)))
    open_registries = open_registries or (lambda: open_rdap(folder.rdap, clock))

    @cache
    def open_mail() -> MailLookUp:
        from winnow.network.dns.mail_servers import MailServers

        read_servers = cache(MailServers.read)
        return MailLookUp(kept, open_resolver(), read_servers, judges.knowledge, clock)

    @cache
    def open_age() -> AgeLookUp:
        return AgeLookUp(kept, open_registries(), is_public_suffix, clock)

    judges = Judges(
        open_knowledge or partial(open_compiled, folder),
        read_mark=(lambda: None) if open_knowledge else partial(read_mark, folder.refreshed),
        open_sources=partial(open_sources, network, open_mail, open_age),
    )
    book = partial(open_book, folder, fetch or fetch_list)
    refresh = Refresh(network, database, book, judges.knowledge, clock)
    blobs = LocalBlobs(folder.root)
    wired = Services(
        settings=settings,
        database=database,
        blobs=blobs,
        pepper=folder.read_pepper(),
        clock=clock,
        judges=judges,
        network=network,
        refresh=refresh,
        write_backup=partial(write_backup, folder, database),
        remove_unfinished_backups=partial(remove_unfinished_backups, folder, settings.backup_dir),
        open_hook_client=cache(open_hook_client or partial(_open_hook_client, settings)),
    )
    return Application(settings, folder, blobs, database, wired)


def open_compiled(folder: DataFolder) -> "Knowledge":
    """Open the compiled knowledge, which includes refreshed lists."""
    from winnow.domain_data.loader import open_knowledge  # only when a judge is needed

    return open_knowledge(folder.knowledge, folder.refreshed)


def open_book(folder: DataFolder, fetch: Callable[[str], bytes]) -> "ListBook":
    """Open the book of refreshed lists."""
    from winnow.domain_data.build.refresh import ListBook

    return ListBook(folder.refreshed, lambda: open_compiled(folder), fetch)


def fetch_list(address: str) -> bytes:
    """Fetch a list over https."""
    from winnow.network.web import fetch_list  # brings httpx along

    return fetch_list(address)


def _open_hook_client(settings: Settings) -> "HookClient":
    from winnow.network.hook_client import HookClient  # brings httpx along

    return HookClient(settings.hook_networks)


def open_dns(settings: Settings) -> Resolver:
    """Open DNS at the servers of the settings."""
    from winnow.network.dns.resolver import DnsResolver  # only when DNS is on

    return DnsResolver(settings.dns_servers)


def open_rdap(folder: Path, clock: Callable[[], datetime]) -> Registries:
    """Open RDAP at the servers that IANA names, of which the folder has a copy."""
    from winnow.network.rdap.asker import RdapAsker
    from winnow.network.rdap.bootstrap import BootstrapCopy  # brings httpx along
    from winnow.network.rdap.client import RdapRegistries

    bootstrap = BootstrapCopy(folder, clock)
    return RdapRegistries(RdapAsker(bootstrap, clock))


def find_faults(environ: Mapping[str, str]) -> tuple[str, ...]:
    """Return the faults of the data folder; none: it is intact, or does not exist."""
    settings = read_environment(environ)
    if not _has_database(settings):
        return ()
    opened = open_application(settings)
    unfinished = len(find_unfinished_backups(opened.folder, settings.backup_dir))
    return integrity.find_faults(opened.database, opened.blobs, unfinished)


def back_up(environ: Mapping[str, str], path: Path | None = None) -> str:
    """Write a backup of the whole folder, or a copy of the database into ``backups``.

    A server may run meanwhile. Return the place of the backup, or the name of the copy.

    Raises:
        StartRefused: There is no database yet, or another backup is being written.
        FileExistsError: Something is at that path.
    """
    settings = read_environment(environ)
    if not _has_database(settings):
        raise StartRefused(f'There is no database in "{settings.data_dir}" yet.')
    opened = open_application(settings)
    try:
        if path is None:
            with excluding_others(opened.folder):
                return copy_database(opened.database, opened.folder, read_clock())
        write_backup(opened.folder, opened.database, path, read_clock())
        return str(path)
    finally:
        opened.database.close()


def restore(environ: Mapping[str, str], path: Path) -> str:
    """Restore a backup into the empty data folder; return when and by which release it was made.

    Raises:
        StartRefused: As ``archive.restore_backup``.
        OSError: The backup cannot be read.
    """
    head = restore_backup(path, DataFolder(read_environment(environ).data_dir))
    return f"{head.made_at:%Y-%m-%d %H:%M} UTC, Winnow {head.release}"


def renew_pepper(environ: Mapping[str, str]) -> tuple[int, int]:
    """Make a new pepper in place of a lost one and revoke every key.

    Return how many keys, and how many stored noes match no one from now on.

    Raises:
        StartRefused: There is no database, a pepper is there, or a server runs.
    """
    settings = read_environment(environ)
    folder = DataFolder(settings.data_dir)
    if not _has_database(settings) or not has_bytes(folder.database):
        raise StartRefused(f'There is no database in "{settings.data_dir}".')
    if folder.pepper.exists():
        raise StartRefused("The file pepper is there; nothing was changed.")
    folder.prepare()
    lock = FolderLock.acquire(folder)
    database = Database(folder.database)
    try:
        migrate(database, folder, read_clock())
        counts = revoke_all_keys(database, read_clock()), count_noes(database)
        folder.make_pepper()
    finally:
        database.close()
        lock.release()
    return counts


def set_up(database: Database, folder: DataFolder, now: datetime) -> None:
    """Create schema, pepper and the local account. Call it under the lock.

    Raises:
        StartRefused: As ``require_nothing_lost`` and ``read_version``.
    """
    require_nothing_lost(database, folder)
    migrate(database, folder, now)
    folder.make_pepper()
    if not account_exists(database, LOCAL_ACCOUNT):
        create_account(database, LOCAL_ACCOUNT, now)

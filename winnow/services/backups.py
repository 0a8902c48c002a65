"""Daily backups: written to a folder of the settings, the oldest removed."""

import logging
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from winnow.core.identities import Role
from winnow.core.settings import Settings
from winnow.services.use_cases import use_case

_log = logging.getLogger(__name__)
_EVERY = timedelta(days=1)
_FORM = "%Y%m%d-%H%M%S"
_NAME = re.compile(r"winnow-(\d{8}-\d{6})\.tar\.zst")


@dataclass(frozen=True, slots=True)
class Backup:
    """A backup of the whole data folder; ``made_at`` in UTC."""

    path: Path
    made_at: datetime
    size_bytes: int


@dataclass(eq=False, repr=False)
class Backups:
    """Writes a backup a day and keeps the newest.

    Args:
        settings: The folder and how many are kept; without a folder nothing is done.
        write: Writes a backup to a path, of a moment; never replaces a file.
        remove_unfinished: Removes what killed backups left, which may hold deleted lists; returns
            how much.
    """

    settings: Settings
    write: Callable[[Path, datetime], None]
    remove_unfinished: Callable[[], int]

    @use_case(Role.ADMIN)
    def list(self) -> tuple[Backup, ...]:
        """Return the backups in the folder, the newest first; other files are left alone.

        Raises:
            OSError: The folder cannot be read.
        """
        folder = self.settings.backup_dir
        if folder is None or not folder.is_dir():
            return ()
        named = ((path, _NAME.fullmatch(path.name)) for path in folder.iterdir())
        found = [
            Backup(path, datetime.strptime(name[1], _FORM).replace(tzinfo=UTC), path.stat().st_size)
            for path, name in named
            if name is not None and path.is_file()
        ]
        return tuple(sorted(found, key=lambda backup: backup.made_at, reverse=True))

    def sweep(self, now: datetime) -> None:
        """Write a backup if the newest is a day old, then remove those beyond the number kept.

        Raises:
            OSError: The folder cannot be used.
            StorageFull, StorageFailed: The disk is full, or fails; the older backups stay.
        """
        folder = self.settings.backup_dir
        if folder is None:
            return
        kept = self._list_past(now)
        if kept and now - kept[0].made_at < _EVERY:
            return
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.remove_unfinished()
        path = folder / f"winnow-{now:{_FORM}}.tar.zst"
        self.write(path, now)
        _log.info("backup %s written, %d bytes", path.name, path.stat().st_size)
        for old in self._list_past(now)[self.settings.backups_kept :]:
            old.path.unlink(missing_ok=True)

    def _list_past(self, now: datetime) -> tuple[Backup, ...]:
        """Return the backups without those dated later: the clock was set back since."""
        return tuple(backup for backup in self.list() if backup.made_at <= now)

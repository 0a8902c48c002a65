"""What goes by itself: expired projects, stale uploads, old links and bans, files nobody owns."""

import logging
from datetime import datetime, timedelta

from backend.core.settings import Settings
from backend.service.tasks import REMEMBERED_AFTER_DELETION
from backend.store.bans import forget_lapsed
from backend.store.database import Database
from backend.store.domain_ages import forget_old_ages
from backend.store.domain_cache import forget_old_answers
from backend.store.folder import DataFolder
from backend.store.links import forget_old_links
from backend.store.rubbish import remove_rubbish
from backend.store.sessions import forget_lapsed_sessions
from backend.store.tasks import delete_expired_tasks, forget_deleted_tasks
from backend.store.uploads import remove_stale_uploads

UPLOAD_LIFE = timedelta(hours=24)

_log = logging.getLogger(__name__)


class Retention:
    """The sweeper's work; expiry itself is enforced whenever something is read."""

    def __init__(self, database: Database, folder: DataFolder, settings: Settings) -> None:
        self._database = database
        self._folder = folder
        self._retention = timedelta(days=settings.retention_days)

    def sweep(self, now: datetime) -> None:
        """Remove what is past its time. Every step is a transaction of its own and repeatable."""
        long_ago = now - REMEMBERED_AFTER_DELETION
        counts = {
            "projects expired": delete_expired_tasks(self._database, now),
            "uploads dropped": remove_stale_uploads(
                self._database, self._folder.inputs, created_before=now - UPLOAD_LIFE
            ),
            "files removed": remove_rubbish(
                self._database, self._folder, now, retention=self._retention
            ),
            "projects forgotten": forget_deleted_tasks(self._database, deleted_before=long_ago),
            "links forgotten": forget_old_links(self._database, expired_before=long_ago),
            "bans lapsed": forget_lapsed(self._database, now),
            "sign-ins lapsed": forget_lapsed_sessions(self._database, now),
            "DNS answers forgotten": forget_old_answers(self._database, now),
            "ages forgotten": forget_old_ages(self._database, now),
        }
        found = ", ".join(f"{count} {what}" for what, count in counts.items() if count)
        if found:
            _log.info("swept: %s", found)

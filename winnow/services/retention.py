"""What goes by itself: expired projects, stale uploads, old links and bans, files nobody owns."""

import logging
from datetime import datetime, timedelta

from winnow.core.ports import Blobs
from winnow.core.settings import Settings
from winnow.services.tasks import REMEMBERED_AFTER_DELETION
from winnow.storage.blobs.garbage_collection import remove_rubbish
from winnow.storage.database.database import Database
from winnow.storage.repositories.bans import forget_lapsed
from winnow.storage.repositories.domain_ages import forget_old_ages
from winnow.storage.repositories.domain_cache import forget_old_answers
from winnow.storage.repositories.links import forget_old_links
from winnow.storage.repositories.own_files import forget_gone_files
from winnow.storage.repositories.sessions import forget_lapsed_sessions
from winnow.storage.repositories.tasks import delete_expired_tasks, forget_deleted_tasks
from winnow.storage.repositories.uploads import remove_stale_uploads

UPLOAD_LIFE = timedelta(hours=24)
OWN_FILE_PATIENCE = timedelta(hours=1)  # one is read in seconds; an older one was broken off

_log = logging.getLogger(__name__)


class Retention:
    """Frees what has expired; expiry itself is enforced whenever something is read."""

    def __init__(self, database: Database, blobs: Blobs, settings: Settings) -> None:
        self._database = database
        self._blobs = blobs
        self._retention = timedelta(days=settings.retention_days)

    def sweep(self, now: datetime) -> None:
        """Remove what is past its time. Every step is a transaction of its own and repeatable."""
        long_ago = now - REMEMBERED_AFTER_DELETION
        counts = {
            "projects expired": delete_expired_tasks(self._database, now),
            "uploads dropped": remove_stale_uploads(
                self._database, self._blobs, created_before=now - UPLOAD_LIFE
            ),
            "own files dropped": forget_gone_files(
                self._database, self._blobs, begun_before=now - OWN_FILE_PATIENCE
            ),
            "files removed": remove_rubbish(
                self._database, self._blobs, now, retention=self._retention
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

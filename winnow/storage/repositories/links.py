"""Download links by the hash of their token."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import delete, insert, select

from winnow.core.lists.download_choice import NOTHING_CHOSEN, DownloadChoice
from winnow.core.lists.rows import Variant
from winnow.storage.database.database import Database
from winnow.storage.database.tables import links, tasks

_DIFFERENCE_FROM = "difference_from"  # in place of a choice


@dataclass(frozen=True, slots=True)
class StoredLink:
    """What a link leads to, until when, and what else was chosen.

    ``earlier_id``: the difference from that project stands behind the link, not the variant.
    ``session``: the hash of the sign-in that it ends with; None: it is nobody's.
    """

    task_id: str
    variant: Variant
    expires_at: datetime
    choice: DownloadChoice = NOTHING_CHOSEN
    earlier_id: str | None = None
    session: str | None = None


def insert_link(database: Database, token_hash: str, link: StoredLink) -> None:
    """Keep a new link."""
    choice = link.choice.to_json()
    if link.earlier_id is not None:
        choice = {_DIFFERENCE_FROM: link.earlier_id}
    with database.write() as connection:
        connection.execute(
            insert(links).values(
                token_hash=token_hash,
                task_id=link.task_id,
                variant=link.variant.value,
                expires_at=link.expires_at,
                choice=choice,
                session_hash=link.session,
            )
        )


def find_link(database: Database, token_hash: str) -> StoredLink | None:
    """Return a link, expired or not."""
    with database.read() as connection:
        row = connection.execute(select(links).where(links.c.token_hash == token_hash)).first()
    if row is None:
        return None
    choice = DownloadChoice.from_json(row.choice)
    earlier_id = (row.choice or {}).get(_DIFFERENCE_FROM)
    variant = Variant(row.variant)
    return StoredLink(row.task_id, variant, row.expires_at, choice, earlier_id, row.session_hash)


def list_live_hashes(database: Database, now: datetime) -> frozenset[str]:
    """Return the hashes of the links that still lead somewhere."""
    statement = (
        select(links.c.token_hash)
        .join(tasks, tasks.c.task_id == links.c.task_id)
        .where(links.c.expires_at > now, tasks.c.deleted_at.is_(None))
    )
    with database.read() as connection:
        return frozenset(connection.execute(statement).scalars())


def forget_old_links(database: Database, *, expired_before: datetime) -> int:
    """Remove links that expired long ago; return how many."""
    with database.write() as connection:
        return connection.execute(delete(links).where(links.c.expires_at < expired_before)).rowcount

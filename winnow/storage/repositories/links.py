"""Download links by the hash of their token.

A choice of filtered or ticked rows may contain a searched address. It is encrypted with the token,
which only the link has: it cannot be read from the database or a copy of it.
"""

import base64
import hashlib
import json
from dataclasses import dataclass, replace
from datetime import datetime

from sqlalchemy import insert, select, update

from winnow.core.lists.exports import (
    WHOLE_LIST,
    DownloadChoice,
    Export,
    rows_from_json,
    rows_to_json,
)
from winnow.core.lists.platforms import PlatformFile
from winnow.core.lists.rows import RowFilter, Variant
from winnow.storage.database.database import Database
from winnow.storage.database.tables import links, tasks

_DIFFERENCE_FROM = "difference_from"  # in place of a choice
_ROWS = "rows"  # next to it: which ones, encrypted
_PLATFORM = "platform"


@dataclass(frozen=True, slots=True)
class StoredLink:
    """The target of a link, and its expiry.

    ``earlier_id``: the link leads to the difference from that project, not to the export.
    ``session``: the hash of the sign-in that it ends with; None: it belongs to no sign-in.
    ``person``: who asked for it, a person or the prefix of a key; for the audit log.
    """

    task_id: str
    expires_at: datetime
    export: Export = WHOLE_LIST
    earlier_id: str | None = None
    session: str | None = None
    person: str | None = None


def hash_token(token: str) -> str:
    """Return the hash by which a link is found."""
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()


def insert_link(database: Database, token: str, link: StoredLink) -> None:
    """Store a new link; its token of 32 random bytes is never used for another one."""
    choice = link.export.choice.to_json()
    if link.export.platform is not None:
        choice = {**(choice or {}), _PLATFORM: link.export.platform.to_json()}
    if link.export.rows != RowFilter():
        text = json.dumps(rows_to_json(link.export.rows)).encode()
        choice = {**(choice or {}), _ROWS: base64.b64encode(_seal(text, token)).decode()}
    if link.earlier_id is not None:
        choice = {_DIFFERENCE_FROM: link.earlier_id}
    database.run(
        insert(links).values(
            token_hash=hash_token(token),
            task_id=link.task_id,
            variant=link.export.variant.value,
            expires_at=link.expires_at,
            choice=choice,
            session_hash=link.session,
            person=link.person,
        )
    )


def find_link(database: Database, token: str) -> StoredLink | None:
    """Return a link, expired or not.

    Raises:
        KeyError, ValueError: This release does not know its rows, its file or its platform.
    """
    row = database.first(select(links).where(links.c.token_hash == hash_token(token)))
    if row is None:
        return None
    stored = row.choice or {}
    platform, sealed = stored.get(_PLATFORM), stored.get(_ROWS)
    export = Export(
        Variant(row.variant),
        DownloadChoice.from_json(row.choice),
        platform=None if platform is None else PlatformFile.from_json(platform),
    )
    if sealed is not None:
        values = json.loads(_seal(base64.b64decode(sealed), token))
        export = replace(export, rows=rows_from_json(values))
    earlier_id = stored.get(_DIFFERENCE_FROM)
    return StoredLink(row.task_id, row.expires_at, export, earlier_id, row.session_hash, row.person)


def note_first_use(database: Database, token: str) -> bool:
    """Store that a link was followed; False: it was before."""
    first = (links.c.token_hash == hash_token(token)) & links.c.is_used.is_(None)
    if database.first(select(links.c.token_hash).where(first)) is None:
        return False
    return database.run(update(links).where(first).values(is_used=True)) > 0


def list_live_hashes(database: Database, now: datetime) -> frozenset[str]:
    """Return the hashes of the links that are still valid."""
    statement = (
        select(links.c.token_hash)
        .join(tasks, tasks.c.task_id == links.c.task_id)
        .where(links.c.expires_at > now, tasks.c.deleted_at.is_(None))
    )
    return frozenset(row.token_hash for row in database.fetch(statement))


def _seal(text: bytes, token: str) -> bytes:
    """Encrypt a text with the token, or decrypt one that was.

    A one-time pad from a random secret that is used once: SHAKE256 as FIPS 202 allows it.
    """
    pad = hashlib.shake_256(b"winnow, rows of a link\0" + token.encode("utf-8", "replace"))
    mask = int.from_bytes(pad.digest(len(text)))
    return (int.from_bytes(text) ^ mask).to_bytes(len(text))

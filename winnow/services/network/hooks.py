"""Hooks: one URL for each API key, signed deliveries, and their tries."""

import asyncio
import base64
import hashlib
import hmac
import logging
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from standardwebhooks import Webhook

from winnow.core.errors import BadField
from winnow.core.faults import describe_fault
from winnow.core.hooks import (
    TRY_WAITS,
    Delivery,
    DeliveryState,
    Hook,
    Trouble,
    is_this_machine,
    read_hook_url,
    write_event,
)
from winnow.core.identities import COMMAND_LINE, Event, Identity, Role
from winnow.core.network_answers import HOOKS
from winnow.core.settings import Settings
from winnow.services.accounts.accounts import Keys, derive_key
from winnow.services.network.network import Network
from winnow.services.use_cases import use_case
from winnow.storage.database.database import Database
from winnow.storage.repositories import hooks as hook_rows
from winnow.storage.repositories.network_answers import StoredNetworkAnswers
from winnow.storage.repositories.tasks import find_task
from winnow.words import translatable

if TYPE_CHECKING:
    from winnow.network.hook_client import HookClient

CALLS_AT_ONCE = 8
DELIVERIES_SHOWN = 50

_log = logging.getLogger(__name__)


@dataclass(eq=False, repr=False)
class Hooks:
    """Hooks of API keys. ``sweep`` is called by one thread of one server.

    A secret is derived from the pepper and a salt: the database holds none.
    """

    database: Database
    settings: Settings
    keys: Keys
    network: Network
    pepper: bytes
    open_client: "Callable[[], HookClient]"
    clock: Callable[[], datetime]

    @use_case(Role.MEMBER)
    def find_url(
        self, account: str, prefix: str, *, identity: Identity = COMMAND_LINE
    ) -> str | None:
        """Return the URL of a key; None: it has no hook.

        Raises:
            BadField: The caller has no such key, or it is revoked.
        """
        self._require_key(account, prefix, identity)
        hook = hook_rows.find_hook(self.database, prefix)
        return None if hook is None else hook.url

    @use_case(Role.MEMBER, Event.HOOK_CHANGED, subject="prefix")
    def set_url(
        self, account: str, prefix: str, url: str, *, identity: Identity = COMMAND_LINE
    ) -> str | None:
        """Set the URL of a key; return its new secret, which cannot be shown again.

        The former secret ends. Without a URL the hook is removed: None.

        Raises:
            BadField: As ``find_url`` and ``read_hook_url``.
        """
        self._require_key(account, prefix, identity)
        if not url.strip():
            hook_rows.remove_hook(self.database, prefix)
            return None
        url = read_hook_url(url, self.settings.hook_networks)
        if identity.role is not Role.ADMIN and is_this_machine(urlsplit(url).hostname or ""):
            raise BadField(
                "url", translatable("must not be on this machine; an admin may set one that is")
            )
        hook = Hook(prefix, url, secrets.token_bytes(16))
        hook_rows.put_hook(self.database, hook)
        return self._derive_secret(hook)

    @use_case(Role.MEMBER)
    def list_deliveries(
        self, account: str, prefix: str, *, identity: Identity = COMMAND_LINE
    ) -> tuple[Delivery, ...]:
        """Return the newest deliveries of a key, the newest first.

        Raises:
            BadField: As ``find_url``.
        """
        self._require_key(account, prefix, identity)
        return hook_rows.list_deliveries(self.database, prefix, DELIVERIES_SHOWN)

    @use_case(Role.MEMBER, Event.HOOK_REPLAYED, subject="task_id")
    def replay(
        self, account: str, prefix: str, task_id: str, *, identity: Identity = COMMAND_LINE
    ) -> None:
        """Send a delivery again, with all its tries and under the same id.

        Raises:
            BadField: As ``find_url``, or the key has no delivery of this task.
        """
        self._require_key(account, prefix, identity)
        if not hook_rows.replay_delivery(self.database, prefix, task_id, self.clock()):
            raise BadField("task", "has no delivery for this key")

    def sweep(self, now: datetime) -> None:
        """Send deliveries that are due; while the switch is off they wait."""
        if not self.network.is_on(HOOKS):
            return
        claims = iter(partial(hook_rows.claim_delivery, self.database, now), None)
        if claimed := list(islice(claims, CALLS_AT_ONCE)):
            asyncio.run(self._send_all(claimed))

    async def _send_all(self, claimed: list[Delivery]) -> None:
        sent = (self._send(one) for one in claimed)
        for fault in await asyncio.gather(*sent, return_exceptions=True):
            if fault is not None:
                _log.error("a hook was not called: %s", describe_fault(fault))

    async def _send(self, delivery: Delivery) -> None:
        outcome = await self._call(delivery)
        left = delivery.tries_left
        next_try = self.clock() + TRY_WAITS[-left] if left > 0 else None  # None: it was the last
        state = DeliveryState.WAITING
        if isinstance(outcome, int) and 200 <= outcome < 300:
            state = DeliveryState.DELIVERED
        elif outcome is Trouble.NO_HOOK or next_try is None:
            state = DeliveryState.FAILED
        due_at = next_try or delivery.due_at
        hook_rows.settle_delivery(self.database, delivery, state, str(outcome), due_at)
        _log.info("hook of task %s, try %d: %s", delivery.task_id, delivery.attempt, outcome)

    async def _call(self, delivery: Delivery) -> int | Trouble:
        if delivery.tries_left < 0:
            return Trouble.INTERRUPTED
        hook = hook_rows.find_hook(self.database, delivery.prefix)
        stored = find_task(self.database, delivery.task_id)
        if hook is None or stored is None:
            return Trouble.NO_HOOK
        origin = self.settings.public_url or ""
        link = f"{origin}{self.settings.base_path}/batch-check-status/{delivery.task_id}"
        body, now = write_event(stored.task, link), self.clock()
        signer = Webhook(self._derive_secret(hook))
        headers = {
            "Content-Type": "application/json",
            "User-Agent": "Winnow",
            "webhook-id": delivery.task_id,
            "webhook-timestamp": str(int(now.timestamp())),
            "webhook-signature": signer.sign(delivery.task_id, now, body),
        }
        StoredNetworkAnswers(self.database).add_use(HOOKS, 1, now)
        return await self.open_client().post(hook.url, body.encode(), headers)

    def _derive_secret(self, hook: Hook) -> str:
        """Return a secret in the form of Standard Webhooks: ``whsec_`` and 32 bytes in base64."""
        key = hmac.digest(derive_key(self.pepper, "hooks"), hook.salt, hashlib.sha256)
        return f"whsec_{base64.b64encode(key).decode()}"

    def _require_key(self, account: str, prefix: str, identity: Identity) -> None:
        keys = self.keys.list(account, identity=identity)
        if not any(key.prefix == prefix and key.revoked_at is None for key in keys):
            raise BadField("key", "there is no such key, or it is revoked")

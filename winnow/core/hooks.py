"""Hooks: the URL of an API key that is called when a list is done, and its deliveries."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import Any
from urllib.parse import urlsplit

from winnow.core.errors import BadField
from winnow.core.tasks.task import Task, TaskState

URL_MAX_CHARACTERS = 2000
TRY_WAITS = (  # after each try but the last; 24 hours in all
    *(timedelta(minutes=1), timedelta(minutes=10), timedelta(hours=1), timedelta(hours=5)),
    timedelta(hours=17, minutes=49),
)
TRIES = len(TRY_WAITS) + 1
_NAT64 = ip_network("64:ff9b::/96")  # RFC 6052, 2.1: the IPv4 address is the last 32 bits
_GLOBAL_UNICAST = ip_network("2000::/3")  # RFC 4291, 2.4; all that IANA has assigned
_SERVICES_OF_HOSTS = frozenset(
    {
        ip_address("192.0.0.192"),  # metadata of Oracle's cloud
        ip_address("168.63.129.16"),  # services of Azure's hosts to their machines
    }
)
_ERROR = ("code", "fault")
_SUMMARY = ("rows_in", "rows_out", "duplicates_removed", "charged")


class DeliveryState(StrEnum):
    """State of a delivery. The codes are stored and never change."""

    WAITING = "waiting"
    DELIVERED = "delivered"
    FAILED = "failed"


class Trouble(StrEnum):
    """Reason why a receiver gave no status. The codes are stored and never change."""

    NO_HOOK = "no_hook"
    NO_NAME = "no_name"
    NOT_ALLOWED = "not_allowed"
    NO_CONNECTION = "no_connection"
    TIMEOUT = "timeout"
    BAD_ANSWER = "bad_answer"
    INTERRUPTED = "interrupted"


@dataclass(frozen=True, slots=True)
class Hook:
    """The URL of a key, and the salt that its secret is derived from."""

    prefix: str
    url: str
    salt: bytes


@dataclass(frozen=True, slots=True)
class Delivery:
    """The event of a task for a hook; ``attempt`` is the fence and counts all tries.

    ``outcome`` is an HTTP status or a ``Trouble``; None: not tried yet.
    """

    task_id: str
    prefix: str
    state: DeliveryState
    created_at: datetime
    due_at: datetime
    attempt: int
    tries_left: int
    lease_until: datetime | None = None
    tried_at: datetime | None = None
    outcome: str | None = None


def write_event(task: Task, status_url: str) -> str:
    """Return the event of a finished task as JSON: ids, counts and a code, no text of a user."""
    data: dict[str, Any] = {
        "task_id": task.task_id,
        "status": task.state.value,
        "status_url": status_url,
        "rows_done": task.progress.rows_done,
    }
    if task.summary is not None:
        counts = {name: getattr(task.summary, name) for name in _SUMMARY}
        counts |= {"by_category": task.summary.count_categories()}
        data["summary"] = {**counts, "do_not_mail": dict(task.summary.do_not_mail)}
    if task.state is TaskState.FAILED and task.error is not None:
        data["error"] = {name: task.error[name] for name in _ERROR if name in task.error}
    done_at = (task.completed_at or task.submitted_at).isoformat().replace("+00:00", "Z")
    return json.dumps({"type": f"task.{task.state}", "timestamp": done_at, "data": data})


def read_hook_url(text: str, networks: Iterable[str]) -> str:
    """Return a URL for a hook without outer blanks; the networks may be called without TLS.

    Raises:
        BadField: It cannot be used, or its host is an address that must not be called.
    """
    url = text.strip()
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname or "", parts.port
    except ValueError:
        parts, host = urlsplit(""), ""
    is_plain = url.isascii() and url.isprintable() and " " not in url
    has_more = "@" in parts.netloc or parts.fragment or len(url) > URL_MAX_CHARACTERS
    if not host or not is_plain or has_more or not may_call(parts.scheme, host, networks):
        raise BadField(
            "url",
            "must be https, or http on this machine, of at most 2,000 ASCII characters, without "
            "credentials, fragment or private address",
            hint="WINNOW_HOOK_NETWORKS names the private networks that may be called.",
        )
    return url


def is_this_machine(host: str) -> bool:
    """Return whether a host is this machine by its own name or address."""
    try:
        address = ip_address(host.partition("%")[0])
    except ValueError:
        return host == "localhost"
    return (getattr(address, "ipv4_mapped", None) or address).is_loopback


def may_call(
    scheme: str, host: str, networks: Iterable[str], *, names_machine: bool = True
) -> bool:
    """Return whether a hook may call a host: this machine, a named network, or public https.

    A name may be set; its addresses are judged by each call: those of this machine only where the
    URL ``names_machine``.
    """
    if scheme not in {"http", "https"}:
        return False
    if names_machine and is_this_machine(host):
        return True
    try:
        address = ip_address(host.partition("%")[0])
    except ValueError:
        return scheme == "https" or any(networks)
    if isinstance(address, IPv6Address):
        address = address.ipv4_mapped or address
    if isinstance(address, IPv6Address):  # a gateway passes on to the address within
        inner = IPv4Address(address.packed[-4:]) if address in _NAT64 else address.sixtofour
        address = inner or address
    if address in _SERVICES_OF_HOSTS:
        return False
    if any(address in ip_network(name, strict=False) for name in networks):
        return True
    is_unicast = address in _GLOBAL_UNICAST if address.version == 6 else not address.is_multicast
    return scheme == "https" and address.is_global and is_unicast

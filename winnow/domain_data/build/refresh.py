"""Fetch of one list over https, and the checks that it must pass before it counts."""

import time
from collections.abc import Callable, Iterable

import httpx

from winnow.core.figures import count_things
from winnow.core.verdicts.facts import Guard
from winnow.domain_data.build.catalogue import to_a_labels
from winnow.domain_data.build.refreshed import Source
from winnow.domain_data.suffixes import is_public_suffix

MAX_BYTES = 20_000_000  # the largest list is about 1.5 MB
STEP_SECONDS = 10.0  # to connect, and between two pieces
TOTAL_SECONDS = 60.0  # for one list; ends a slow drip
MAX_REDIRECTS = 3
TOLERANCE = 0.3  # of the size of the current list
SLACK = 200  # names by which a list may move whatever its size: small ones move by more

REFUSING_GUARDS = frozenset(
    {
        Guard.RELAY,
        Guard.KNOWN_PROVIDER_OR_COMPANY,
        Guard.PUBLIC_BODY_OR_ACADEMIC,
        Guard.RESTRICTED_SUFFIX,
    }
)
"""A list with a new name under one of these guards is refused. Known conflicts are expected on
lists, and the published lists of free providers and open school suffixes hold disposable domains of
their own: there the guard itself is enough."""


class ListUnreachable(Exception):
    """The list could not be fetched; the text says why."""


class ListRefused(Exception):
    """The fetched list is not trusted; the text says why."""


def open_client() -> httpx.Client:
    """Return a client with the limits that a fetch relies on; it follows no redirects itself.

    Raises:
        ListUnreachable: The environment names a proxy of a kind that is not supported. Without it,
            hosts would learn what the proxy hides from them.
    """
    headers = {"User-Agent": "Winnow", "Accept": "text/plain", "Accept-Encoding": "identity"}
    try:
        return httpx.Client(headers=headers, timeout=STEP_SECONDS, follow_redirects=False)
    except (ImportError, ValueError, httpx.InvalidURL) as error:
        raise ListUnreachable(
            "the environment names a proxy that is not http (HTTPS_PROXY, ALL_PROXY)"
        ) from error


def fetch_list(
    client: httpx.Client, source: Source, *, monotonic: Callable[[], float] = time.monotonic
) -> frozenset[str]:
    """Return the names of a list; redirects are followed within its host and https only.

    Args:
        client: Must not follow redirects by itself.
        source: What to fetch.
        monotonic: Gives seconds, for the limit of the whole fetch.

    Raises:
        ListUnreachable: No answer in time, or another status than 200.
        ListRefused: Not https, too large, compressed, or not plain lines of domain names.
    """
    ends_at = monotonic() + TOTAL_SECONDS
    try:
        return parse_list(_read_body(client, source.url, monotonic, ends_at))
    except httpx.TimeoutException as error:
        raise ListUnreachable("no answer in time") from error
    except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError) as error:
        raise ListUnreachable("no connection") from error


def parse_list(body: bytes) -> frozenset[str]:
    """Read plain lines of domain names; empty lines and ``#`` comments are passed over.

    Raises:
        ListRefused: It has anything else.
    """
    if body.lstrip()[:1] == b"<":
        raise ListRefused("a web page came instead of a list")
    try:
        lines = body.decode("utf-8-sig").splitlines()
    except UnicodeDecodeError as error:
        raise ListRefused("what came is no text") from error
    names = set()
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.startswith("#"):
            continue
        name = to_a_labels(line)
        if name is None:
            raise ListRefused(f"line {number} is no domain name")
        names.add(name)
    return frozenset(names)


def check_list(
    names: frozenset[str],
    *,
    sizes: range,
    counting: frozenset[str] | None,
    expected: Iterable[str],
    find_protection: Callable[[str], Guard | None],
) -> None:
    """Check a fetched list against what is known.

    Args:
        names: The fetched names.
        sizes: How many names the list may have.
        counting: The current copy of the list, or None where there is none.
        expected: Names that pass: those of the packages' lists, for which guards already answer.
        find_protection: Gives the guard that would apply to a name if it were listed.

    Raises:
        ListRefused: An unexpected size, a public suffix, or a name with a guard.
    """
    said = count_things(len(names), "name")
    if counting is None and len(names) not in sizes:
        raise ListRefused(f"a first copy with {said} is not to be trusted")
    moved = 0 if counting is None else abs(len(names) - len(counting))
    if counting is not None and (
        len(names) not in sizes or moved > max(TOLERANCE * len(counting), SLACK)
    ):
        raise ListRefused(f"{said}, where the list so far has {len(counting):,}")
    for name in sorted(names.difference(expected, counting or ())):
        if is_public_suffix(name):
            raise ListRefused(f"it names {name}, a public suffix")
        guard = find_protection(name)
        if guard in REFUSING_GUARDS:
            raise ListRefused(f"it names {name} ({guard})")


def _read_body(
    client: httpx.Client, address: str, monotonic: Callable[[], float], ends_at: float
) -> bytes:
    url = first = httpx.URL(address)
    for _ in range(1 + MAX_REDIRECTS):
        if url.scheme != "https":
            raise ListRefused("the address leaves https")
        if url.host != first.host:
            raise ListRefused("the address leads to another host")
        with client.stream("GET", url, follow_redirects=False) as answer:
            if not answer.has_redirect_location:
                return _read_answer(answer, monotonic, ends_at)
            url = url.join(answer.headers["location"])
    raise ListUnreachable("too many redirects")


def _read_answer(answer: httpx.Response, monotonic: Callable[[], float], ends_at: float) -> bytes:
    if answer.status_code != httpx.codes.OK:
        raise ListUnreachable(f"the answer was {answer.status_code}")
    if answer.headers.get("content-encoding", "identity").strip().lower() != "identity":
        raise ListRefused("what came is packed")
    if "html" in answer.headers.get("content-type", "").lower():
        raise ListRefused("a web page came instead of a list")
    body = bytearray()
    for piece in answer.iter_bytes():  # nothing is compressed here
        body += piece
        if len(body) > MAX_BYTES:
            raise ListRefused(f"more than {MAX_BYTES // 1_000_000} MB came")
        if monotonic() > ends_at:
            raise ListUnreachable("no end in time")
    return bytes(body)

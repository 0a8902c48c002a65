"""IANA's bootstrap file (RFC 9224): the RDAP server of each top-level domain."""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import httpx

VERSION = "1.0"  # RFC 9224, 3
LEAST_SUFFIXES = 500  # it has some 1,200; a file with far fewer is not a bootstrap file
EXPECTED_SUFFIXES = frozenset({"com", "net", "org"})
SUFFIX = re.compile(r"(?=.{1,253}\Z)[a-z0-9-]{1,63}(\.[a-z0-9-]{1,63})*\Z")


class BootstrapRefused(Exception):
    """The answer is not a bootstrap file; the text says why."""


@dataclass(frozen=True, slots=True)
class Bootstrap:
    """Base addresses of RDAP servers by suffix, each ending in a slash."""

    addresses: Mapping[str, str]

    def find_address(self, domain: str) -> str | None:
        """Return the base address for a domain by its longest known suffix (RFC 9224, 4)."""
        labels = domain.split(".")
        for start in range(len(labels)):
            address = self.addresses.get(".".join(labels[start:]))
            if address is not None:
                return address
        return None


def parse_bootstrap(body: bytes, *, is_safe: Callable[[httpx.URL], bool]) -> Bootstrap:
    """Read a bootstrap file; servers at unsafe addresses are left out.

    Raises:
        BootstrapRefused: Another form than RFC 9224 says, or too few suffixes to be believed.
    """
    try:
        content = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise BootstrapRefused("it is no JSON") from error
    if not isinstance(content, dict) or content.get("version") != VERSION:
        raise BootstrapRefused("it is of another version")
    services = content.get("services")
    if not isinstance(services, list):
        raise BootstrapRefused("it has no services")
    addresses: dict[str, str] = {}
    for service in services:
        suffixes, address = _read_service(service, is_safe)
        if address is not None:
            addresses.update(dict.fromkeys(suffixes, address))
    if len(addresses) < LEAST_SUFFIXES or not addresses.keys() >= EXPECTED_SUFFIXES:
        raise BootstrapRefused("it names too few suffixes")
    return Bootstrap(addresses)


def _read_service(
    service: Any, is_safe: Callable[[httpx.URL], bool]
) -> tuple[list[str], str | None]:
    match service:
        case [[*suffixes], [*addresses]]:
            names = [name for name in suffixes if isinstance(name, str) and SUFFIX.match(name)]
            if len(names) != len(suffixes):
                raise BootstrapRefused("it holds what is no suffix")
            return names, next((text for text in addresses if _is_base(text, is_safe)), None)
        case _:
            raise BootstrapRefused("it has a service of another form")


def _is_base(text: Any, is_safe: Callable[[httpx.URL], bool]) -> bool:
    if not isinstance(text, str) or not text.endswith("/"):  # RFC 9224, 3
        return False
    try:
        url = httpx.URL(text)
    except (httpx.InvalidURL, ValueError):
        return False
    return is_safe(url) and not url.query and not url.fragment

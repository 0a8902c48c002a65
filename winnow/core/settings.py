"""Settings: one frozen value read from ``WINNOW_`` environment variables."""

import ipaddress
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit

from winnow.core.errors import SettingsError
from winnow.words import LANGUAGES

T = TypeVar("T")

RETENTION_MAX_DAYS = 36_500  # a century; much more would pass the last date of the calendar
LINK_MAX_SECONDS = RETENTION_MAX_DAYS * 86_400
WORKERS_MAX = 64  # each is a process
PASSWORD_MIN_CHARACTERS = 8
PORT_MAX = 65_535
NETWORK_SWITCHES = frozenset({"dns", "rdap", "refresh", "hooks"})
STREAMLIT_PATHS = frozenset({"app", "component", "media", "static", "vendor"})
_OTHER_HEADERS = frozenset(
    {"authorization", "connection", "cookie", "host", "origin", "upgrade", "x-api-key"}
)
PAGE_PATHS = ("check", "clean", "projects", "rules", "settings", "compare", "project")
"""URL paths of the pages, each the name of its file in ``pages/``; the first is also the root."""
_LABEL = "[A-Za-z0-9_](?:[A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?"  # RFC 1123, 2.1; containers have _ too


@dataclass(frozen=True, slots=True)
class Settings:
    """Settings of an operator.

    ``network`` is the most that the pages may switch on; ``network_on`` what is on until someone
    chooses on the pages, refresh weekly.
    """

    data_dir: Path
    network: frozenset[str] = NETWORK_SWITCHES
    network_on: frozenset[str] = frozenset()
    quota_bytes: int = 5_000_000_000  # contract, section 8: 5 GB
    retention_days: int = 30  # contract, section 8
    link_seconds: int = 3600  # contract, section 8: 1 hour
    rate_limit_per_minute: int = 100  # 0 is off
    ban_threshold: int = 5  # 3 to 5; 0 is off
    ban_loopback: bool = False  # count 127.0.0.1 and ::1 too
    workers: int = 1
    base_path: str = "/v1/external-api-requests"
    public_url: str | None = None
    password: str | None = None
    allowed_hosts: tuple[str, ...] = ()  # besides localhost and 127.0.0.1
    trusted_proxies: tuple[str, ...] = ()
    user_header: str | None = None  # lower case; with the person's name, set by a trusted proxy
    admits_unknown: bool = False  # names in that header that are no person's are readers
    max_upload_bytes: int = 0  # 0: the quota is the only limit
    language: str | None = None  # None: the browser's
    hook_networks: tuple[str, ...] = ()  # private ones that hooks may call
    dns_servers: tuple[str, ...] = ()  # address or address:port; none: those of this machine
    backup_dir: Path | None = None  # of daily backups; None: there are none
    backups_kept: int = 7
    metrics: bool = False
    json_log: bool = False

    @property
    def public_origin(self) -> str | None:
        """Scheme and host of the public address; None: the request's."""
        return self.public_url and self.public_url.removesuffix(self.public_path)

    @property
    def public_path(self) -> str:
        """Path of the public address, before every path of ours: ``"/winnow"``, or empty."""
        return urlsplit(self.public_url or "").path

    @property
    def link_refresh_seconds(self) -> int:
        """Seconds until a page draws its links again; they are valid for twice as long."""
        return max(60, self.link_seconds // 3)


def read_settings(environ: Mapping[str, str], *, default_data_dir: Path) -> Settings:
    """Read the settings from an environment.

    Raises:
        SettingsError: Names the variable whose value cannot be used; also an unknown
            ``WINNOW_`` variable, which is usually a typing error.
    """
    ours = {name for name in environ if name.startswith("WINNOW_")}
    if unknown := ours - VARIABLES - OTHERS:
        raise SettingsError(min(unknown), "is not a setting of Winnow")

    chosen: dict[str, Any] = {"data_dir": default_data_dir, "password": _read_password(environ)}
    for name, (field, parse) in _PARSERS.items():
        if text := environ.get(name, "").strip():
            try:
                chosen[field] = parse(text)
            except ValueError as error:
                raise SettingsError(name, str(error)) from error
    settings = Settings(**chosen)
    if locked := settings.network_on - settings.network:
        raise SettingsError(NETWORK_ON, f"names {min(locked)}, which WINNOW_NETWORK does not allow")
    if settings.user_header and not settings.trusted_proxies:
        raise SettingsError(USER_HEADER, "needs WINNOW_TRUSTED_PROXIES: who may set the header")
    if settings.user_header and settings.password:
        raise SettingsError(USER_HEADER, f"must not be set together with {PASSWORD}")
    return settings


def _read_password(environ: Mapping[str, str]) -> str | None:
    given = {name: environ[name] for name in (PASSWORD, PASSWORD_FILE) if environ.get(name)}
    if len(given) == 2:
        raise SettingsError(PASSWORD_FILE, f"must not be set together with {PASSWORD}")
    for name, text in given.items():
        try:
            return _parse_password(text) if name == PASSWORD else read_password_file(text)
        except ValueError as error:
            raise SettingsError(name, str(error)) from error
    return None


PASSWORD, PASSWORD_FILE = "WINNOW_PASSWORD", "WINNOW_PASSWORD_FILE"  # names only
USER_HEADER = "WINNOW_USER_HEADER"
NETWORK_ON = "WINNOW_NETWORK_ON"
CLIENT_KEY = "WINNOW_KEY"
"""Variable of a client's API key in the documents' examples; not a setting and not an error."""
OTHERS = frozenset({CLIENT_KEY, "WINNOW_URL", "WINNOW_SITE"})
"""Variables of the documents' examples and of the compose file; no settings and no errors."""


def _parse_folder(text: str) -> Path:
    try:
        return Path(text).expanduser()
    except RuntimeError:  # pathlib, of a name behind ~ that no user has
        msg = "names the home folder of a user who is not there"
        raise ValueError(msg) from None


def _parse_network(text: str) -> frozenset[str]:
    if text.lower() == "off":
        return frozenset()
    names = frozenset(name.strip().lower() for name in text.split(","))
    if not names <= NETWORK_SWITCHES:
        msg = "must be off or any of dns,rdap,refresh,hooks"
        raise ValueError(msg)
    return names


def _parse_number(
    least: int, most: int | None = None, *, or_off: bool = False
) -> Callable[[str], int]:
    """Return the parser of a number within bounds; ``or_off``: *off* is 0."""
    reach = f"from {least}" if most is None else f"from {least} to {most}"

    def parse(text: str) -> int:
        if or_off and text.lower() == "off":
            return 0
        number = int(text) if re.fullmatch(r"[0-9]{1,18}", text) else -1
        if number < least or (most is not None and number > most):
            msg = f"must be {'off or ' if or_off else ''}a whole number {reach}"
            raise ValueError(msg)
        return number

    return parse


def _parse_word(**meanings: T) -> Callable[[str], T]:
    """Return the parser of one of some words, in any case, with what each means."""

    def parse(text: str) -> T:
        if text.lower() not in meanings:
            msg = f"must be {' or '.join(meanings)}"
            raise ValueError(msg)
        return meanings[text.lower()]

    return parse


def _parse_base_path(text: str) -> str:
    first, *rest = text.removeprefix("/").split("/")
    is_path = re.fullmatch(r"(/[A-Za-z0-9._~-]+)+", text) is not None
    pages = {*STREAMLIT_PATHS, *PAGE_PATHS}
    is_taken = first in {"_stcore", "desk"} or (not rest and first in pages)
    if not is_path or is_taken or {".", ".."} & {first, *rest}:
        msg = "must be a path such as /v1/external-api-requests, and no page's"
        raise ValueError(msg)
    return text


def _parse_url(text: str) -> str:
    match = re.fullmatch(
        r"https?://(\[[^\]]*\]|[^:/\[\]]*)(?::([0-9]{1,5}))?((?:/[A-Za-z0-9_~-]+)*)/?", text
    )
    if match is None or not _is_host(match[1]) or (match[2] and not 0 < int(match[2]) <= PORT_MAX):
        msg = "must be a scheme and host such as https://lists.example.org, with port and path"
        raise ValueError(f"{msg} if needed")
    return text.removesuffix("/")


def _parse_user_header(text: str) -> str:
    if re.fullmatch(r"[A-Za-z0-9-]{1,64}", text) is None or text.lower() in _OTHER_HEADERS:
        msg = "must be the name of a header of its own, such as Remote-User"
        raise ValueError(msg)
    return text.lower()


def _parse_password(text: str) -> str:
    if len(text.strip()) < PASSWORD_MIN_CHARACTERS:
        msg = f"must have at least {PASSWORD_MIN_CHARACTERS} characters"
        raise ValueError(msg)
    return text


def read_password_file(text: str) -> str:
    """Return the password in a file; raises ValueError with what is wrong."""
    try:
        content = Path(text).expanduser().read_text(encoding="utf-8")
    except (OSError, RuntimeError, UnicodeDecodeError):
        msg = "names a file that cannot be read as text"
        raise ValueError(msg) from None
    return _parse_password(content.removesuffix("\n").removesuffix("\r"))


def _parse_names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",") if name.strip())


def _parse_each(
    is_right: Callable[[str], object], examples: str
) -> Callable[[str], tuple[str, ...]]:
    """Return the parser of texts with commas between them; a wrong one is false or ValueError."""

    def parse(text: str) -> tuple[str, ...]:
        names = _parse_names(text)
        with suppress(ValueError):
            if all(map(is_right, names)):
                return names
        raise ValueError(f"must be {examples}")

    return parse


def _is_host(text: str) -> bool:
    """Return whether a text is a host name, an IPv4 address, or an IPv6 address in brackets."""
    try:
        if text.startswith("["):
            return text.endswith("]") and bool(ipaddress.IPv6Address(text[1:-1]).packed)
        if re.fullmatch(r"[0-9.]+", text):
            return bool(ipaddress.IPv4Address(text).packed)
    except ValueError:
        return False
    return re.fullmatch(rf"{_LABEL}(\.{_LABEL})*\.?", text) is not None


def parse_servers(text: str) -> tuple[str, ...]:
    """Read DNS servers with commas between them; raises ValueError with what is wrong."""
    servers = _parse_names(text)
    for server in servers:
        match = re.fullmatch(r"(?:\[([0-9A-Fa-f:.]+)\]|([0-9.]+))(?::([0-9]{1,5}))?", server)
        address = (match[1] or match[2]) if match else server
        try:
            ipaddress.ip_address(address)
        except ValueError:
            msg = "must be addresses such as 192.0.2.53, 192.0.2.53:5353 or [2001:db8::53]:53"
            raise ValueError(msg) from None
        if match and match[3] and not 0 < int(match[3]) < 65_536:
            msg = "has a port beyond 65535"
            raise ValueError(msg)
    return servers


_parse_hosts = _parse_each(
    _is_host, "host names such as lists.example.org, without scheme, port or path"
)
_parse_networks = _parse_each(
    partial(ipaddress.ip_network, strict=False),
    "addresses or networks such as 192.0.2.1, 198.51.100.0/24 or 2001:db8::1",
)
_parse_switch = _parse_word(on=True, off=False)
_PARSERS: Mapping[str, tuple[str, Callable[[str], object]]] = {
    "WINNOW_DATA_DIR": ("data_dir", _parse_folder),
    "WINNOW_NETWORK": ("network", _parse_network),
    NETWORK_ON: ("network_on", _parse_network),
    "WINNOW_QUOTA_BYTES": ("quota_bytes", _parse_number(1)),
    "WINNOW_RETENTION_DAYS": ("retention_days", _parse_number(1, RETENTION_MAX_DAYS)),
    "WINNOW_LINK_SECONDS": ("link_seconds", _parse_number(1, LINK_MAX_SECONDS)),
    "WINNOW_RATE_LIMIT": ("rate_limit_per_minute", _parse_number(1, or_off=True)),
    "WINNOW_BAN_THRESHOLD": ("ban_threshold", _parse_number(3, 5, or_off=True)),
    "WINNOW_BAN_LOOPBACK": ("ban_loopback", _parse_switch),
    "WINNOW_WORKERS": ("workers", _parse_number(1, WORKERS_MAX)),
    "WINNOW_BASE_PATH": ("base_path", _parse_base_path),
    "WINNOW_PUBLIC_URL": ("public_url", _parse_url),
    "WINNOW_LANG": ("language", _parse_word(**{name: name for name in LANGUAGES})),
    "WINNOW_ALLOWED_HOSTS": ("allowed_hosts", _parse_hosts),
    "WINNOW_TRUSTED_PROXIES": ("trusted_proxies", _parse_networks),
    USER_HEADER: ("user_header", _parse_user_header),
    "WINNOW_UNKNOWN_PEOPLE": ("admits_unknown", _parse_word(reader=True, refuse=False)),
    "WINNOW_HOOK_NETWORKS": ("hook_networks", _parse_networks),
    "WINNOW_DNS_SERVERS": ("dns_servers", parse_servers),
    "WINNOW_BACKUP_DIR": ("backup_dir", _parse_folder),
    "WINNOW_BACKUPS_KEPT": ("backups_kept", _parse_number(1, 1000)),
    "WINNOW_METRICS": ("metrics", _parse_switch),
    "WINNOW_LOG": ("json_log", _parse_word(text=False, json=True)),
    "WINNOW_MAX_UPLOAD_BYTES": ("max_upload_bytes", _parse_number(1, or_off=True)),
}
VARIABLES = frozenset({*_PARSERS, PASSWORD, PASSWORD_FILE})
"""Every variable; docs/settings.md says what each does."""

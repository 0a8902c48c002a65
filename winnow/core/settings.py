"""Settings: one frozen value read from ``WINNOW_`` environment variables."""

import ipaddress
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar
from urllib.parse import urlsplit

from winnow.core.errors import SettingsError
from winnow.core.faults import LOG_VARIABLE
from winnow.words import LANGUAGES

T = TypeVar("T")

DEFAULT_QUOTA_BYTES = 5_000_000_000  # contract, section 8: 5 GB
DEFAULT_RETENTION_DAYS = 30  # contract, section 8
DEFAULT_LINK_SECONDS = 3600  # contract, section 8: 1 hour
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
PAGE_PATHS = frozenset({"check", "clean", "projects", "rules", "settings", "compare", "project"})
_LABEL = "[A-Za-z0-9_](?:[A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?"  # RFC 1123, 2.1; containers have _ too


@dataclass(frozen=True, slots=True)
class Settings:
    """Settings of an operator. ``network`` is the most that the pages may switch on."""

    data_dir: Path
    network: frozenset[str] = NETWORK_SWITCHES
    quota_bytes: int = DEFAULT_QUOTA_BYTES
    retention_days: int = DEFAULT_RETENTION_DAYS
    link_seconds: int = DEFAULT_LINK_SECONDS
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


def read_settings(environ: Mapping[str, str], *, default_data_dir: Path) -> Settings:
    """Read the settings from an environment.

    Raises:
        SettingsError: Names the variable whose value cannot be used; also an unknown
            ``WINNOW_`` variable, which is usually a typing error.
    """
    unknown = sorted(
        name
        for name in environ
        if name.startswith("WINNOW_") and name not in VARIABLES and name != CLIENT_KEY
    )
    if unknown:
        raise SettingsError(unknown[0], "is not a setting of Winnow")

    def read(name: str, parse: Callable[[str], T], default: T) -> T:
        text = environ.get(name, "").strip()
        if not text:
            return default
        try:
            return parse(text)
        except ValueError as error:
            raise SettingsError(name, str(error)) from error

    settings = Settings(
        data_dir=read("WINNOW_DATA_DIR", _parse_folder, default_data_dir),
        network=read("WINNOW_NETWORK", _parse_network, NETWORK_SWITCHES),
        quota_bytes=read("WINNOW_QUOTA_BYTES", _parse_number(1), DEFAULT_QUOTA_BYTES),
        retention_days=read(
            "WINNOW_RETENTION_DAYS", _parse_number(1, RETENTION_MAX_DAYS), DEFAULT_RETENTION_DAYS
        ),
        link_seconds=read(
            "WINNOW_LINK_SECONDS", _parse_number(1, LINK_MAX_SECONDS), DEFAULT_LINK_SECONDS
        ),
        rate_limit_per_minute=read("WINNOW_RATE_LIMIT", _parse_or_off(1), 100),
        ban_threshold=read("WINNOW_BAN_THRESHOLD", _parse_or_off(3, 5), 5),
        ban_loopback=read("WINNOW_BAN_LOOPBACK", _parse_switch, False),
        workers=read("WINNOW_WORKERS", _parse_number(1, WORKERS_MAX), 1),
        base_path=read("WINNOW_BASE_PATH", _parse_base_path, "/v1/external-api-requests"),
        public_url=read("WINNOW_PUBLIC_URL", _parse_url, None),
        password=_read_password(environ),
        allowed_hosts=read("WINNOW_ALLOWED_HOSTS", _parse_hosts, ()),
        trusted_proxies=read("WINNOW_TRUSTED_PROXIES", _parse_networks, ()),
        user_header=read(USER_HEADER, _parse_user_header, None),
        admits_unknown=read("WINNOW_UNKNOWN_PEOPLE", _parse_unknown_people, False),
        max_upload_bytes=read("WINNOW_MAX_UPLOAD_BYTES", _parse_or_off(1), 0),
        language=read("WINNOW_LANG", _parse_language, None),
        hook_networks=read("WINNOW_HOOK_NETWORKS", _parse_networks, ()),
        dns_servers=read("WINNOW_DNS_SERVERS", parse_servers, ()),
        backup_dir=read("WINNOW_BACKUP_DIR", _parse_folder, None),
        metrics=read("WINNOW_METRICS", _parse_switch, False),
        json_log=read(LOG_VARIABLE, _parse_log_form, False),
        backups_kept=read("WINNOW_BACKUPS_KEPT", _parse_number(1, 1000), 7),
    )
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
CLIENT_KEY = "WINNOW_KEY"
"""Variable of a client's API key in the documents' examples; not a setting and not an error."""

VARIABLES: Mapping[str, str] = {
    "WINNOW_DATA_DIR": "where everything is kept; default: the platform's user-data folder",
    "WINNOW_NETWORK": "the most that the pages may turn on: any of dns,rdap,refresh,hooks, or off",
    "WINNOW_QUOTA_BYTES": "storage per account; default 5000000000",
    "WINNOW_RETENTION_DAYS": "days until a project is deleted; default 30",
    "WINNOW_LINK_SECONDS": "life of a download link; default 3600",
    "WINNOW_RATE_LIMIT": "API requests per minute and key, or off; default 100",
    "WINNOW_BAN_THRESHOLD": "black answers until a ban, 3 to 5, or off; default 5",
    "WINNOW_BAN_LOOPBACK": "on: count callers on this machine too; default off",
    "WINNOW_WORKERS": "lists worked on at the same time; default 1",
    "WINNOW_BASE_PATH": "path of the API; default /v1/external-api-requests",
    "WINNOW_PUBLIC_URL": "the address in the browser, scheme and host, with the path at a proxy if "
    "there is one: links carry it, and pages and their WebSockets answer to it; default: the "
    "request's",
    "WINNOW_LANG": "language of the pages: en or de; default: the browser's",
    "WINNOW_PASSWORD": "sign-in for the pages, at least 8 characters; needed to serve beyond this "
    "machine",
    "WINNOW_PASSWORD_FILE": "a file with that password, instead of it",
    "WINNOW_ALLOWED_HOSTS": "further host names to answer to, with commas",
    "WINNOW_TRUSTED_PROXIES": "proxy addresses whose X-Forwarded-For is believed, with commas",
    "WINNOW_USER_HEADER": "header with the name of the person whom a trusted proxy has signed in, "
    "such as `Remote-User`; default: none",
    "WINNOW_UNKNOWN_PEOPLE": "names in that header that are no person's: reader, or refuse; "
    "default refuse",
    "WINNOW_HOOK_NETWORKS": "private networks that hooks may call, also by http, with commas, such "
    "as 172.18.0.0/16; default: none",
    "WINNOW_DNS_SERVERS": "DNS servers to ask, with commas, address or address:port; default: "
    "those of this machine",
    "WINNOW_BACKUP_DIR": "folder of daily backups; default: none are made",
    "WINNOW_BACKUPS_KEPT": "how many of them are kept; default 7",
    "WINNOW_METRICS": "on: figures for Prometheus at /metrics; default off",
    LOG_VARIABLE: "form of log lines: text or json; default text",
    "WINNOW_MAX_UPLOAD_BYTES": "largest single file (what is packed counts unpacked), or off; "
    "default off: the quota decides",
}
"""Every variable with what it does, as the table of docs/settings.md has it."""


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


def _parse_number(least: int, most: int | None = None) -> Callable[[str], int]:
    reach = f"from {least}" if most is None else f"from {least} to {most}"

    def parse(text: str) -> int:
        number = int(text) if re.fullmatch(r"[0-9]{1,18}", text) else -1
        if number < least or (most is not None and number > most):
            msg = f"must be a whole number {reach}"
            raise ValueError(msg)
        return number

    return parse


def _parse_or_off(least: int, most: int | None = None) -> Callable[[str], int]:
    parse_number = _parse_number(least, most)

    def parse(text: str) -> int:
        if text.lower() == "off":
            return 0
        try:
            return parse_number(text)
        except ValueError as error:
            msg = str(error).replace("must be", "must be off or", 1)
            raise ValueError(msg) from error

    return parse


def _parse_language(text: str) -> str:
    if text.lower() not in LANGUAGES:
        msg = f"must be one of {', '.join(LANGUAGES)}"
        raise ValueError(msg)
    return text.lower()


def _parse_switch(text: str) -> bool:
    if text.lower() not in {"on", "off"}:
        msg = "must be on or off"
        raise ValueError(msg)
    return text.lower() == "on"


def _parse_log_form(text: str) -> bool:
    if text not in {"text", "json"}:
        msg = "must be text or json"
        raise ValueError(msg)
    return text == "json"


def _parse_base_path(text: str) -> str:
    first, *rest = text.removeprefix("/").split("/")
    is_path = re.fullmatch(r"(/[A-Za-z0-9._~-]+)+", text) is not None
    is_taken = first in {"_stcore", "desk"} or (not rest and first in STREAMLIT_PATHS | PAGE_PATHS)
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


def _parse_unknown_people(text: str) -> bool:
    if text.lower() not in {"reader", "refuse"}:
        msg = "must be reader or refuse"
        raise ValueError(msg)
    return text.lower() == "reader"


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


def _parse_hosts(text: str) -> tuple[str, ...]:
    names = _parse_names(text)
    if not all(map(_is_host, names)):
        msg = "must be host names such as lists.example.org, without scheme, port or path"
        raise ValueError(msg)
    return names


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


def _parse_networks(text: str) -> tuple[str, ...]:
    names = _parse_names(text)
    for name in names:
        try:
            ipaddress.ip_network(name, strict=False)
        except ValueError:
            msg = "must be addresses or networks such as 192.0.2.1, 198.51.100.0/24 or 2001:db8::1"
            raise ValueError(msg) from None
    return names


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

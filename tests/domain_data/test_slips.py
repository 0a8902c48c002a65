"""Every big provider, and every slip of one key in its name or its suffix; and names near them."""

import pytest
from publicsuffixlist import PublicSuffixList

from benchmarks.accuracy_sets import read_hstspreload
from winnow.core.judging.judge import Judge, judge_text
from winnow.core.verdicts.verdict import Category
from winnow.domain_data.build.catalogue import read_reviewed
from winnow.domain_data.look_up.look_up import Knowledge
from winnow.domain_data.look_up.misspellings import are_neighbours, is_key_slip

FOUND_SHARE = 0.95
BRANDS = frozenset(read_reviewed("provider_brands.tsv").names)
# Keys beside, above and below each one on a keyboard with English letters.
BESIDE = {
    "q": "wa", "w": "qes", "e": "wrd", "r": "etf", "t": "ryg", "y": "tuh", "u": "yij", "i": "uok",
    "o": "ipl", "p": "o", "a": "qsz", "s": "awdx", "d": "sefc", "f": "drgv", "g": "fthb",
    "h": "gyjn", "j": "hukm", "k": "jil", "l": "ko", "z": "ax", "x": "zsc", "c": "xdv",
    "v": "cfb", "b": "vgn", "n": "bhm", "m": "nj",
}  # fmt: skip
DEAD_SUFFIXES = (
    "con", "comm", "cmo", "vom", "ocm", "couk", "ed", "ur", "ocm", "xom", "cim", "cpm", "coml",
    "ner", "nte", "netr", "fake", "dee", "ruu", "comn", "cocm", "orgg", "ckm", "c0m", "co.ul",
)  # fmt: skip


def list_slips(label: str) -> set[str]:
    """Return what one slip of a key makes of a word."""
    places = range(len(label))
    slips = {label[:i] + label[i + 1 :] for i in places}
    slips |= {label[:i] + label[i] + label[i:] for i in places}
    slips |= {label[: i - 1] + label[i] + label[i - 1] + label[i + 1 :] for i in places if i}
    for i in places:
        slips |= {label[:i] + key + label[i + 1 :] for key in BESIDE.get(label[i], "")}
    return slips - {label, ""}


def split_targets(knowledge: Knowledge) -> list[tuple[str, str]]:
    targets = knowledge._header["typo_targets"]
    return [(label, suffix) for label, _, suffix in (name.partition(".") for name in targets)]


def test_the_keyboard_knows_the_keys_beside_each_other() -> None:
    assert all(are_neighbours(key, other) for key, others in BESIDE.items() for other in others)
    assert not are_neighbours("q", "p")
    assert not are_neighbours("a", "o")


def test_slips_of_one_key_are_found_under_every_provider(knowledge: Knowledge) -> None:
    own_names = set(read_reviewed("names_near_providers.txt").names)
    targets = {f"{label}.{suffix}" for label, suffix in split_targets(knowledge)}
    missed, count = [], 0
    for label, suffix in split_targets(knowledge):
        if len(label) < 5:  # a short label is one key away from words and firms
            continue
        for slip in sorted(list_slips(label) - own_names):
            name = f"{slip}.{suffix}"
            if name in targets:
                continue
            count += 1
            meant = knowledge.look_up(name).misspells
            if meant is None or not meant.endswith(f".{suffix}"):
                missed.append(name)
    assert len(missed) < (1 - FOUND_SHARE) * count, missed[:50]


def test_a_label_that_one_slip_changed_is_never_passed_over(knowledge: Knowledge) -> None:
    find = knowledge._misspellings._list_meant
    for label in {label for label, _ in split_targets(knowledge) if len(label) >= 5}:
        slips = list_slips(label)
        turned = (label[:i] + label[i + 1 : i + 3] + label[i:] for i in range(len(label) - 2))
        slips |= {one[: i + 3] + one[i + 5 :] for i, one in enumerate(turned)}
        for slip in slips - set(knowledge._header["misspellings"]):
            assert label in find(slip) or not is_key_slip(slip, label), (slip, label)


@pytest.mark.parametrize("suffix", DEAD_SUFFIXES)
def test_no_provider_is_white_where_no_registry_is(knowledge: Knowledge, suffix: str) -> None:
    judge = Judge(knowledge)
    for label in {label for label, _ in split_targets(knowledge)}:
        verdict = judge_text(judge, f"ana@{label}.{suffix}").verdict
        assert verdict.category is not Category.WHITE, f"{label}.{suffix}"


MEANT = {  # as lists are full of them
    "aol.com": "aol.con", "gmail.com": "gmail.vom gmail.co gmial.con gmaila.com gmial.co",
    "gmx.com": "gmx.con",
    "gmx.de": "gxm.de",
    "hotmail.com": "hotmail.con hotmail.comm hotmail.cm hitmail.com hotmial.co hotmoail.com",
    "icloud.com": "icould.com", "live.com": "live.con", "mail.ru": "mail.ur mial.ru",
    "outlook.com": "outlook.con outlook.om outlok.cm outlook.com.com", "web.de": "web.ed wbe.de",
    "yahoo.co.uk": "yahoo.couk yahoo.co.ku yahoo.co.k", "yahoo.com": "yahoo.con yaho.com",
}  # fmt: skip
SHORT = {  # only doubled or exchanged: webb is a surname, a number as good as another
    "aol.com": "aoll.com", "gmx.de": "gmmx.de", "live.com": "lvie.com llive.com",
    "mail.de": "mial.de", "msn.com": "msnn.com", "web.de": "wweb.de",
    "zoho.com": "zooho.com zoho.cm",
    None: "webb.de love.com gms.de mali.ru 1633.com",
}  # fmt: skip
ELSEWHERE = {  # providers where they serve no mailboxes, whatever list names them
    "gmail.com": "gmail.de gmail.in gmail.net www.gmail.com g-mail.com gmaii.com",
    "aol.com": "a0l.com", "hotmail.co.uk": "hotmail.co.u", "hotmail.com": "hotmeil.com",
    "t-online.de": "t-online.d", "uol.com.br": "uol.con.br", "yahoo.com": "mail.yahoo.com",
    "yandex.ru": "jandex.ru",
    None: "t-online.de yahoo.fr outlook.com.ar mail.ru e-mail.com mail.firma.de firma.com.br",
}  # fmt: skip
FLUENT = {  # no slip of the provider's own users: a word or a company, as a reader knows
    None: "cloud.com hicloud.com qcloud.com libera.it libro.it never.com wahoo.com gambler.ru "
    "armor.de helnet.nl candex.com orage.fr planer.pl roger.com carter.com alive.it speed.com "
    "atlas.com mynte.com y7mail.com eastmail.com tushmail.com earthling.net",
}
SLIPS = [
    (name, meant)
    for slips in (MEANT, SHORT, ELSEWHERE, FLUENT)
    for meant, names in slips.items()
    for name in names.split()
]


@pytest.mark.parametrize(("name", "meant"), SLIPS)
def test_slips_and_what_is_none(knowledge: Knowledge, name: str, meant: str | None) -> None:
    assert knowledge.look_up(name).misspells == meant
    if meant is not None:
        assert knowledge.number_alike([name]) == b"\0"


def test_honest_names_beside_providers_are_left_alone(knowledge: Knowledge) -> None:
    """Sites whose owners asked browsers for https, one edit away from a provider's label."""
    labels = {label for label, _ in split_targets(knowledge)}
    short = {label[:i] + label[i + 1 :] for label in labels for i in range(len(label))} | labels
    neighbours = []
    for name in read_hstspreload():
        label, dot, _ = name.partition(".")
        shorter = {label[:i] + label[i + 1 :] for i in range(len(label))} | {label}
        if label in BRANDS or name.startswith("mail."):
            continue
        if dot and shorter & short and knowledge.look_up(name).free is None:
            neighbours.append(name)
    assert len(neighbours) > 500
    assert {name for name in neighbours if knowledge.look_up(name).misspells} == set()


def test_providers_serve_under_public_suffixes_only() -> None:
    suffixes = PublicSuffixList()
    for label, served in read_reviewed("provider_suffixes.tsv").rows:
        for suffix in served.split(" "):
            assert suffixes.publicsuffix(f"{label}.{suffix}") == suffix, f"{label}.{suffix}"

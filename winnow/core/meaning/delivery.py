"""Outcomes that lines of delivery and bounce files report, by types, reasons and status codes."""

import re
from collections.abc import Iterable
from functools import cache, lru_cache

from winnow.core.meaning.outcomes import Outcome
from winnow.core.meaning.vocabulary import HEADINGS, WORDS, fold_words, open_vocabulary, read_lines

_STATUS = re.compile(r"(?<![\d.])([245])(?:\.\d{1,3}\.\d{1,3}|\d\d)(?![\d.])")  # RFC 3463, RFC 5321
_OF_SENDER = re.compile(  # RFC 3463: 3.8, security or policy; X.2.2, mailbox full
    r"(?<![\d.])5\.(?:7\.\d|2\.2)(?!\.)|\bdmarc\b|\bspf\b|\bdkim\b|unauthenticated|spamhaus"
    r"|\bblock ?list|\bblack ?list|\brbl\b|reputation|spam content|message rejected due to content"
    r"|(?:mailbox|inbox) ?(?:is )?(?:full|over)|over ?quota|quota exceeded"
)
_HARD = re.compile(
    r"hard|permanent|invalid|does ?not ?exist|no such user|unknown user|user unknown|bad ?email"
    r"|is unknown|known bad"
)
_SOFT = re.compile(r"soft|transient|temporar|undetermined|blocked|deferred|mailbox ?full")
_FULLY = re.compile(r"(?:hard|soft|permanent|transient|temporary)(?:[ -]?bounce[sd]?|\W|$)")
_SHORT = 200  # letters; files repeat such cells
_GOOD = re.compile(r"delivered|delivery|received|opened|clicked")


@cache
def list_headings(kind: str) -> tuple[str, ...]:
    """Return headings of delivery files of one kind by their letters, the first to count first."""
    means = f"delivery:{kind}"
    found = (texts for entry, texts in read_lines(HEADINGS) if entry.means == means)
    return tuple(fold_words(text).replace(" ", "") for texts in found for text in texts)


def read_line(cells: Iterable[str]) -> Outcome | None:
    """Return the outcome that a line reports; None: of none.

    The first cell that says how it ended counts. One that says no more than *bounced* or *failed*
    leaves it to the reasons after it; what the sender did, and a full mailbox, are soft.
    """
    general = None
    texts = [text for text in cells if text.strip()]
    for text in texts:
        outcome, is_general = (_read_once if len(text) <= _SHORT else _read)(text)
        if is_general:
            general = general or outcome
        elif outcome is not None:
            return None if outcome is Outcome.NOTHING else outcome
    if general is Outcome.HARD_BOUNCE and any(map(_blames_sender, texts)):
        return Outcome.SOFT_BOUNCE
    return general


def read_file_name(name: str, *, is_list: bool = False) -> Outcome | None:
    """Return what all lines of a file say by its name: ``"cleaned_8f2.csv"``; None: nothing.

    ``is_list``: not given as one of bounces or noes; then only names of exports count, for a list
    that was cleaned is called so, too.
    """
    entry = open_vocabulary(WORDS, "file").find(fold_words(name))
    counts = entry is not None and not (is_list and entry.strength == "weak")
    return Outcome(entry.means) if entry is not None and counts else None


def is_other_event(text: str) -> bool:
    """Whether a cell names an event that is neither a bounce nor a delivery: sent, opened."""
    entry = open_vocabulary(WORDS, "delivery").find(fold_words(text))
    return entry is not None and entry.means == Outcome.NOTHING


def says_fully(text: str) -> bool:
    """Whether a text begins with what only bounces are: hard, soft, permanent, transient."""
    return _FULLY.match(_fold(text)) is not None


def says_delivered(text: str) -> bool:
    """Whether a text begins with what became of mail that arrived."""
    return _GOOD.match(_fold(text)) is not None


def _read(text: str) -> tuple[Outcome | None, bool]:
    """Return what a cell reports, and whether it leaves open how mail ended."""
    folded = fold_words(text)
    entry = open_vocabulary(WORDS, "delivery").find(folded)
    if entry is not None:
        return Outcome(entry.means), entry.strength == "weak"
    plain = _fold(text)
    if _blames_sender(text):
        return Outcome.SOFT_BOUNCE, False
    entry = open_vocabulary(WORDS).find(folded)
    if entry is not None and entry.strength != "bare":
        outcome = Outcome(entry.means) if entry.means in list(Outcome) else Outcome.NOTHING
        if outcome.forbids or outcome in (Outcome.SOFT_BOUNCE, Outcome.DELIVERED):
            return (Outcome.HARD_BOUNCE if outcome is Outcome.INVALID else outcome), False
    if _HARD.search(plain):
        return Outcome.HARD_BOUNCE, False
    if _SOFT.search(plain):
        return Outcome.SOFT_BOUNCE, False
    if _GOOD.match(plain):
        return Outcome.DELIVERED, False
    found = _STATUS.search(plain)  # 5.1.1 or 550 is for good, 4.2.2 for a time
    codes = {"5": Outcome.HARD_BOUNCE, "4": Outcome.SOFT_BOUNCE, "2": Outcome.DELIVERED}
    return (None, False) if found is None else (codes[found[1]], found[1] == "5")


_read_once = lru_cache(1 << 12)(_read)


def _blames_sender(text: str) -> bool:
    return _OF_SENDER.search(_fold(text)) is not None


def _fold(text: str) -> str:
    return text.strip().casefold().replace("_", " ")

"""Columns of mail services' bounce files: by which names a service is recognised, and what it says.

Each from the service's own documentation; ``fold_name`` gives the names as they are here.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from winnow.core.bounces import BounceSource, MailOutcome
from winnow.lists.inspection.column_names import names_email
from winnow.lists.side_files.columns import fold_name

Cells = Mapping[str, str]
"""A line's cells by their folded column names."""

_STATUS = re.compile(r"(?<![\d.])([245])(?:\.\d{1,3}\.\d{1,3}|\d\d)(?![\d.])")  # RFC 3463, RFC 5321
_NO = frozenset({"", "false", "no", "n", "0", "none", "null", "n/a", "-"})
_HARD = re.compile(r"hard|permanent|invalid|does ?not ?exist|no such user|unknown user|bad ?email")
_SOFT = re.compile(r"soft|transient|temporar|undetermined|blocked|deferred|mailbox ?full")
_SAYS = re.compile(r"(?:hard|soft|permanent|transient|temporary)(?:[ -]?bounce[sd]?|\W|$)")
_GOOD = re.compile(r"^(?:delivered|delivery|received|opened|clicked)")
_DATE_WORDS = ("time", "date", "created", "bounced", "updated", "at", "datum", "fecha", "stamp")
_KINDS = ("bouncetype", "bounceclass", "type", "category", "status", "event", "outcome", "result",
          "state", "bounce", "reason", "bouncereason", "error", "code", "description")  # fmt: skip
_FLAGS = ("hardbounce", "bounced")


@dataclass(frozen=True, slots=True)
class BounceLayout:
    """One service's columns.

    ``needs`` are column names of which all of one set must be there. The first cell of ``says``
    that says an outcome counts, by its words (``read_words``) or by ``words``, in which None says
    that the line reports no mail. A cell of ``flags`` that is not "no" is a hard bounce;
    ``otherwise`` is the outcome of all other lines. ``dates`` are the columns of its time.
    """

    source: BounceSource
    needs: tuple[frozenset[str], ...] = ()
    says: tuple[str, ...] = ()
    words: Mapping[str, MailOutcome | None] = field(default_factory=dict)
    flags: tuple[str, ...] = ()
    otherwise: MailOutcome | None = None
    dates: tuple[str, ...] = ()

    def read(self, cells: Cells) -> MailOutcome | None:
        """Return the outcome of a line; None: it reports none."""
        for name in self.says:
            text = cells.get(name, "").strip()
            if text and (folded := fold_name(text)) in self.words:
                return self.words[folded]
            if text and (outcome := read_words(text)) is not None:
                return outcome
        if any(cells.get(name, "").strip().casefold() not in _NO for name in self.flags):
            return MailOutcome.HARD
        return self.otherwise


_SENDGRID_EVENTS = ("processed", "dropped", "open", "click", "spamreport", "unsubscribe",
                    "groupunsubscribe", "groupresubscribe")  # fmt: skip
LAYOUTS = (
    BounceLayout(
        BounceSource.MAILCHIMP,
        (frozenset({"cleantime"}), frozenset({"cleancampaigntitle"})),
        otherwise=MailOutcome.HARD,
        dates=("cleantime",),
    ),
    BounceLayout(
        BounceSource.HUBSPOT,
        tuple(
            frozenset({one})
            for one in ("portalbounce", "emailhardbouncereason", "hardbouncereason")
        ),
        flags=("portalbounce", "globalbounce", "emailhardbouncereason", "hardbouncereason"),
    ),
    BounceLayout(
        BounceSource.POSTMARK,
        (frozenset({"bouncedat", "type"}),),
        ("type",),
        dict.fromkeys(("dnserror", "undeliverable", "smtpapierror"), MailOutcome.SOFT),
        dates=("bouncedat",),
    ),
    BounceLayout(
        BounceSource.SES,
        (
            frozenset({"bouncetype", "bouncesubtype"}),
            frozenset({"lastupdatetime", "reason"}),
            frozenset({"notificationtype"}),
        ),
        ("bouncetype", "notificationtype", "eventtype", "reason"),
        {"bounce": MailOutcome.HARD, "complaint": None},
    ),
    BounceLayout(
        BounceSource.SENDGRID,
        (
            frozenset({"status", "reason", "created"}),
            frozenset({"event", "smtpid"}),
            frozenset({"event", "sgeventid"}),
        ),
        ("event", "type", "status", "reason"),
        dict.fromkeys(_SENDGRID_EVENTS),
        otherwise=MailOutcome.HARD,
        dates=("created",),
    ),
    BounceLayout(
        BounceSource.KLAVIYO,
        (
            frozenset({"suppressionreason"}),
            *(frozenset({"bouncetype", one}) for one in ("klaviyoid", "campaignname", "profileid")),
        ),
        ("bouncetype", "suppressionreason", "reason", "event", "metric"),
    ),
)
_OTHER = BounceLayout(BounceSource.OTHER, says=_KINDS, flags=_FLAGS)


def read_words(text: str) -> MailOutcome | None:
    """Return the outcome that a type, a status or a reason says."""
    text = text.strip().casefold().replace("_", " ")
    if _HARD.search(text):
        return MailOutcome.HARD
    if _SOFT.search(text):
        return MailOutcome.SOFT
    if _GOOD.match(text):
        return MailOutcome.DELIVERED
    found = _STATUS.search(text)  # 5.1.1 or 550 is for good, 4.2.2 for a time
    if found is None:
        return None
    return {"5": MailOutcome.HARD, "4": MailOutcome.SOFT, "2": MailOutcome.DELIVERED}[found[1]]


def find_service(names: Mapping[str, object]) -> BounceLayout | None:
    """Return the service whose columns have these folded names."""
    return next((one for one in LAYOUTS if any(needs <= names.keys() for needs in one.needs)), None)


@dataclass(frozen=True, slots=True)
class FoundLayout:
    """A table's layout, and where its columns are: of the address, and of all by name."""

    layout: BounceLayout
    address: int
    places: Mapping[str, int]
    date: str | None
    header: int


def find_layout(rows: Sequence[Sequence[str]], part: str = "") -> FoundLayout | None:
    """Return a table's layout by its first lines; None where no column says what became of mail.

    ``part`` is the name of the part of a zip, which identifies Mailchimp's cleaned addresses.
    """
    for number, row in enumerate(rows[:20]):
        names = list(map(fold_name, row))
        address = _find_address(row, names, rows[number + 1 :])
        if address is None:
            continue
        places = {name: place for place, name in reversed(list(enumerate(names))) if name}
        layout = find_service(places)
        if layout is None and re.match(r"cleaned[_ .-]", part, re.IGNORECASE):
            layout = LAYOUTS[0]
        saying = _find_saying(places, rows[number + 1 :])
        if layout is None and (saying or not places.keys().isdisjoint((*_KINDS, *_FLAGS))):
            layout = replace(_OTHER, says=(*saying, *_KINDS))
        if layout is None:
            return None
        return FoundLayout(layout, address, places, _find_date(layout, places), number)
    return None


def _find_saying(places: Mapping[str, int], below: Sequence[Sequence[str]]) -> list[str]:
    """Return the columns whose cells say hard, soft or delivered, whatever they are called."""
    saying = []
    for name, place in places.items():
        cells = [line[place].strip().casefold().replace("_", " ") for line in below if line[place:]]
        told = [bool(_SAYS.match(cell)) for cell in cells if cell and not _GOOD.match(cell)]
        if told and all(told):
            saying.append(name)
    return saying


def _find_address(
    row: Sequence[str], names: Sequence[str], below: Sequence[Sequence[str]]
) -> int | None:
    """Return the place of the column of recipients, None where this row names no columns."""
    wanted = [
        place
        for place, cell in enumerate(row)
        if names_email(cell) or names[place] in {"recipient", "emailaddress", "address", "to"}
    ]
    counts = {
        place: sum("@" in "".join(line[place : place + 1]) for line in below) for place in wanted
    }
    filled = [place for place in wanted if counts[place]]
    return max(filled or wanted, key=lambda place: (counts[place], -place)) if wanted else None


def _find_date(layout: BounceLayout, places: Mapping[str, int]) -> str | None:
    named = [name for name in layout.dates if name in places]
    ends = [name for name in places if name.endswith(_DATE_WORDS)]
    return next(iter((*named, *sorted(ends, key=places.__getitem__))), None)

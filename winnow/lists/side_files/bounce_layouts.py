"""The layouts in which mail services hand out bounces, told by their columns' names.

Each from the service's own documentation; ``fold_name`` gives the names as they stand here.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from functools import partial

from winnow.core.bounces import BounceSource, MailOutcome
from winnow.lists.inspection.column_names import names_email
from winnow.lists.side_files.columns import fold_name

Cells = Mapping[str, str]
"""A line's cells by their folded column names."""

_STATUS = re.compile(r"(?<![\d.])([245])(?:\.\d{1,3}\.\d{1,3}|\d\d)(?![\d.])")  # RFC 3463, RFC 5321
_YES = frozenset({"true", "yes", "y", "1", "x"})
_NO = frozenset({"", "false", "no", "n", "0", "none", "null", "n/a", "-"})
_HARD = re.compile(r"hard|permanent|invalid|does ?not ?exist|no such user|unknown user|bad ?email")
_SOFT = re.compile(r"soft|transient|temporar|undetermined|blocked|deferred|mailbox ?full")
_SAYS = re.compile(r"(?:hard|soft|permanent|transient|temporary)(?:[ -]?bounce[sd]?|\W|$)")
_GOOD = re.compile(r"^(?:delivered|delivery|received|opened|clicked)")
_SLASHES = re.compile(r"\s*\"?(\d\d?)/(\d\d?)/\d{4}")
_DATE_WORDS = ("time", "date", "created", "bounced", "updated", "at", "datum", "fecha", "stamp")


@dataclass(frozen=True, slots=True)
class BounceLayout:
    """One service's columns.

    ``needs`` must all be there. ``read`` tells the outcome of a line; None: it tells of none.
    ``dates`` are the columns of its time, the preferred first; empty: any that is named so.
    """

    source: BounceSource
    needs: frozenset[str]
    read: Callable[[Cells], MailOutcome | None]
    dates: tuple[str, ...] = ()


def _always_hard(cells: Cells) -> MailOutcome | None:
    return MailOutcome.HARD


def read_words(text: str) -> MailOutcome | None:
    """Tell an outcome by what a type, a status or a reason says."""
    text = text.strip().casefold().replace("_", " ")
    if _HARD.search(text):
        return MailOutcome.HARD
    if _SOFT.search(text):
        return MailOutcome.SOFT
    if _GOOD.match(text):
        return MailOutcome.DELIVERED
    return read_status(text)


def read_status(text: str) -> MailOutcome | None:
    """Tell an outcome by the first status code: 5.1.1 or 550 is for good, 4.2.2 for a time."""
    found = _STATUS.search(text)
    if found is None:
        return None
    return {"5": MailOutcome.HARD, "4": MailOutcome.SOFT, "2": MailOutcome.DELIVERED}[found[1]]


def _read_klaviyo(cells: Cells) -> MailOutcome | None:
    """Klaviyo: events of the metric "Bounced Email" with a bounce type, or suppressed profiles."""
    kind = cells.get("bouncetype") or cells.get("suppressionreason") or cells.get("reason", "")
    if fold_name(kind) in {"usersuppressed", "unsubscribe", "unsubscribed", "spamcomplaint"}:
        return None
    return read_words(kind) or (MailOutcome.DELIVERED if _tells_delivery(cells) else None)


def _tells_delivery(cells: Cells) -> bool:
    return any(_GOOD.match(cells.get(name, "").casefold()) for name in ("event", "metric"))


def _read_hubspot(cells: Cells) -> MailOutcome | None:
    """HubSpot: "Export unsubscribes and bounces", whose bounces are hard; or a contact property."""
    names = ("portalbounce", "globalbounce", "emailhardbouncereason", "hardbouncereason")
    told = [cells.get(name, "").strip().casefold() for name in names]
    return MailOutcome.HARD if any(cell not in _NO for cell in told) else None


def _read_ses(cells: Cells) -> MailOutcome | None:
    """Amazon SES: notifications as rows, or its account's suppression list."""
    kind = cells.get("bouncetype", "").strip().casefold()
    if kind:
        return MailOutcome.HARD if kind == "permanent" else MailOutcome.SOFT
    event = (cells.get("notificationtype") or cells.get("eventtype", "")).strip().casefold()
    if event:
        return MailOutcome.DELIVERED if event == "delivery" else None
    return MailOutcome.HARD if cells.get("reason", "").strip().casefold() == "bounce" else None


def _read_sendgrid(cells: Cells) -> MailOutcome | None:
    """SendGrid: the list of bounces (status, reason, email, created), or its email activity."""
    event = cells.get("event", "").strip().casefold()
    if event == "delivered":
        return MailOutcome.DELIVERED
    if event and event not in {"bounce", "blocked", "deferred"}:
        return None
    if event in {"blocked", "deferred"} or cells.get("type", "").strip().casefold() == "blocked":
        return MailOutcome.SOFT
    told = read_status(cells.get("status", "")) or read_status(cells.get("reason", ""))
    return told or (MailOutcome.HARD if event == "bounce" else read_words(cells.get("reason", "")))


_POSTMARK = {
    **dict.fromkeys(("hardbounce", "bademailaddress"), MailOutcome.HARD),
    **dict.fromkeys(
        ("softbounce", "transient", "dnserror", "blocked", "undeliverable", "smtpapierror"),
        MailOutcome.SOFT,
    ),
    "delivered": MailOutcome.DELIVERED,
}


def _read_postmark(cells: Cells) -> MailOutcome | None:
    """Postmark: its bounces by type; complaints, auto-replies and the like are none."""
    return _POSTMARK.get(fold_name(cells.get("type", "")))


def _read_other(cells: Cells, saying: Sequence[str] = ()) -> MailOutcome | None:
    for name in (*saying, *_KINDS):
        text = cells.get(name, "")
        if text.strip() and (told := read_words(text)) is not None:
            return told
    flags = [cells.get(name, "").strip().casefold() for name in ("hardbounce", "bounced")]
    return MailOutcome.HARD if any(flag in _YES for flag in flags) else None


_KINDS = ("bouncetype", "bounceclass", "type", "category", "status", "event", "outcome", "result",
          "state", "bounce", "reason", "bouncereason", "error", "code", "description")  # fmt: skip

LAYOUTS = (
    BounceLayout(BounceSource.MAILCHIMP, frozenset({"cleantime"}), _always_hard, ("cleantime",)),
    BounceLayout(BounceSource.MAILCHIMP, frozenset({"cleancampaigntitle"}), _always_hard),
    BounceLayout(BounceSource.HUBSPOT, frozenset({"portalbounce"}), _read_hubspot),
    BounceLayout(BounceSource.HUBSPOT, frozenset({"emailhardbouncereason"}), _read_hubspot),
    BounceLayout(BounceSource.HUBSPOT, frozenset({"hardbouncereason"}), _read_hubspot),
    BounceLayout(
        BounceSource.POSTMARK, frozenset({"bouncedat", "type"}), _read_postmark, ("bouncedat",)
    ),
    BounceLayout(BounceSource.SES, frozenset({"bouncetype", "bouncesubtype"}), _read_ses),
    BounceLayout(BounceSource.SES, frozenset({"lastupdatetime", "reason"}), _read_ses),
    BounceLayout(BounceSource.SES, frozenset({"notificationtype"}), _read_ses),
    BounceLayout(
        BounceSource.SENDGRID, frozenset({"status", "reason", "created"}), _read_sendgrid,
        ("created",),
    ),
    BounceLayout(BounceSource.SENDGRID, frozenset({"event", "smtpid"}), _read_sendgrid),
    BounceLayout(BounceSource.SENDGRID, frozenset({"event", "sgeventid"}), _read_sendgrid),
    BounceLayout(BounceSource.KLAVIYO, frozenset({"bouncetype", "klaviyoid"}), _read_klaviyo),
    BounceLayout(BounceSource.KLAVIYO, frozenset({"suppressionreason"}), _read_klaviyo),
    BounceLayout(BounceSource.KLAVIYO, frozenset({"bouncetype", "campaignname"}), _read_klaviyo),
    BounceLayout(BounceSource.KLAVIYO, frozenset({"bouncetype", "profileid"}), _read_klaviyo),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class FoundLayout:
    """A table's layout, and where its columns are: of the address, and of all by name."""

    layout: BounceLayout
    address: int
    places: Mapping[str, int]
    date: str | None
    header: int


def find_layout(rows: Sequence[Sequence[str]], part: str = "") -> FoundLayout | None:
    """Tell a table's layout by its first lines; None where no column says what became of mail.

    ``part`` is the name of the part of a zip, which tells Mailchimp's cleaned addresses.
    """
    for number, row in enumerate(rows[:20]):
        names = list(map(fold_name, row))
        address = _find_address(row, names, rows[number + 1 :])
        if address is None:
            continue
        places = {name: place for place, name in reversed(list(enumerate(names))) if name}
        layout = next((one for one in LAYOUTS if one.needs <= places.keys()), None)
        if layout is None and re.match(r"cleaned[_ .-]", part, re.IGNORECASE):
            layout = LAYOUTS[0]
        saying = _find_saying(places, rows[number + 1 :])
        is_named = not places.keys().isdisjoint((*_KINDS, "hardbounce", "bounced"))
        if layout is None and (saying or is_named):
            read = partial(_read_other, saying=saying)
            layout = BounceLayout(BounceSource.OTHER, frozenset(), read)
        if layout is None:
            return None
        return FoundLayout(layout, address, places, _find_date(layout, places), number)
    return None


def tell_day_first(cells: Iterable[str]) -> bool:
    """Tell whether a column writes 3/5/2026 for May: one of its days can only be read so.

    Where none can, or others can only be read the other way, the month stands first.
    """
    found = [tuple(map(int, two.groups())) for cell in cells if (two := _SLASHES.match(cell))]
    return any(one > 12 for one, _ in found) and not any(two > 12 for _, two in found)


def read_day(text: str, *, is_day_first: bool = False) -> date | None:
    """Read a day as services write it: ISO 8601 and its like, seconds or ms since 1970, or US.

    ``is_day_first``: where a slash parts day and month and either could be meant, the day is first.
    """
    text = text.strip().strip('"')
    if not text:
        return None
    if re.fullmatch(r"\d{9,10}(?:\.\d+)?|\d{12,13}", text):
        seconds = float(text) / (1000 if len(text.partition(".")[0]) > 10 else 1)
        return datetime.fromtimestamp(seconds, UTC).date()
    if (iso := re.match(r"(\d{4})[-/.](\d\d?)[-/.](\d\d?)", text)) is not None:
        return _make_day(*map(int, iso.groups()))
    if (american := re.match(r"(\d\d?)/(\d\d?)/(\d{4})", text)) is not None:
        month, day, year = map(int, american.groups())
        if is_day_first or month > 12:
            month, day = day, month
        return _make_day(year, month, day)
    if (german := re.match(r"(\d\d?)\.(\d\d?)\.(\d{4})", text)) is not None:
        day, month, year = map(int, german.groups())
        return _make_day(year, month, day)
    for form in ("%b %d, %Y", "%B %d, %Y", "%d %b %Y", "%a, %d %b %Y"):
        for width in (11, 12, 16, 18):
            try:
                return datetime.strptime(text[:width].strip(), form).date()  # noqa: DTZ007
            except ValueError:
                continue
    return None


def _make_day(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
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

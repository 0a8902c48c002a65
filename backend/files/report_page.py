"""A finished project's counts as one HTML page to hand on: no script, nothing fetched, prints well.

No address stands in it unless it is asked for: what looks like one in a file's or a column's name
is left out.
"""

import re
from collections.abc import Iterable, Sequence
from datetime import datetime
from html import escape
from importlib.resources import files
from string import Template

from backend.core.cleaning import Cleaning, Ground
from backend.core.evidence import RULES
from backend.core.figures import count_things, show_count, show_moment, show_share
from backend.core.release import VERSION
from backend.core.rows import Row
from backend.core.tasks import Summary, Task
from backend.core.verdict import RECOMMENDED_ACTIONS, Category, DomainType, Reason
from backend.core.words import (
    CATEGORY_MEANINGS,
    DOMAIN_TYPE_MEANINGS,
    REASON_WORDS,
    name_action,
    name_category,
    name_ground,
)

MOST_DOMAINS = 25
_MOST_LETTERS = 320  # of a cell that is listed: more than an address can have
_ADDRESS = re.compile(r"[^\s<>(),;:'\"]*@[^\s<>(),;:'\"]*")
_METHOD = (
    "Each address is parsed by the rules of RFC 5321 and RFC 5322; what fails is invalid and "
    "black.",
    "Each domain is looked up in dated lists of throw-away services, relays, providers, "
    "public and academic bodies. One doubtful list alone never makes a domain black.",
    "White means no known problem. It does not promise that mail arrives.",
    "Grey is for review: a relay, a look-alike, or signs that deserve a second look.",
)

Cell = str | int


def write_report_page(
    task: Task,
    summary: Summary,
    made_at: datetime,
    cleaning: Cleaning | None = None,
    removed: Sequence[Row] | None = None,
) -> str:
    """Return a completed task's counts as a whole HTML document.

    Args:
        task: As it is to be shown.
        summary: Its counts.
        made_at: When the report is made, in UTC.
        cleaning: What goes, to be told; None: nothing is told of it.
        removed: The first rows that go by it, listed with their addresses; None: no address.
    """
    counts = [(category, summary.by_category.get(category.value, 0)) for category in Category]
    parts = ", ".join(f"{show_count(count)} {name_action(category)}" for category, count in counts)
    finding = f"{count_things(summary.rows_out, 'address', 'addresses')}: {parts}"
    origin = (
        f"{_hide(task.file_name)}, cleaned {show_moment(task.completed_at or task.submitted_at)}. "
        f"Report of {show_moment(made_at)}, Winnow {VERSION}."
    )
    stack = "".join(
        f'<span class="{category.value}" style="flex-grow:{count}"></span>'
        for category, count in counts
        if count
    )
    template = Template(files("backend.files").joinpath("data/report.html").read_text("utf-8"))
    return template.substitute(
        title=escape(_hide(task.project_name)),
        origin=escape(origin),
        finding=escape(finding),
        stack=stack,
        notice=_warn(len(removed)) if removed else "",
        sections="\n".join(_list_sections(task, summary, cleaning, removed or ())),
    )


def _warn(count: int) -> str:
    listed = count_things(count, "removed address", "removed addresses")
    words = f"{listed} at the end: personal data. Give it only to people who may see it."
    return f'<p class="notice"><strong>This report lists {words}</strong></p>'


def _list_sections(
    task: Task, summary: Summary, cleaning: Cleaning | None, removed: Sequence[Row]
) -> Iterable[str]:
    whole = summary.rows_out
    yield _write_table(
        "Categories",
        ("Category", "Recommended action", "Rows", "Share", "Meaning"),
        (
            (
                name_category(category),
                RECOMMENDED_ACTIONS[category].value,
                summary.by_category.get(category.value, 0),
                show_share(summary.by_category.get(category.value, 0), whole),
                CATEGORY_MEANINGS[category],
            )
            for category in Category
        ),
    )
    yield _write_table(
        "The list",
        ("What", "Rows"),
        (
            ("Rows in the file", summary.rows_in),
            ("Duplicates removed, the last row of each address kept", summary.duplicates_removed),
            ("Rows in the result", whole),
            ("Invalid addresses", summary.invalid),
            ("Charged addresses", summary.charged),
        ),
    )
    if cleaning is not None:
        yield _write_choice(cleaning)
    types = sorted(summary.by_category_and_type, key=lambda entry: -entry[2])
    yield _write_bars(
        "Domain types",
        ("Domain type", "Meaning"),
        [
            (kind, DOMAIN_TYPE_MEANINGS[DomainType(kind)], category, count)
            for category, kind, count in types
        ],
        whole,
    )
    reasons = sorted(summary.by_reason.items(), key=lambda item: -item[1])
    yield _write_bars(
        "Reasons",
        ("Reason", "Rule"),
        [
            (_word_reason(Reason(code)), RULES[Reason(code)], "none", count)
            for code, count in reasons
        ],
        whole,
        "A row may have several reasons.",
    )
    domains = summary.top_domains[:MOST_DOMAINS]
    yield _write_bars(
        "Largest domains",
        ("Domain", "Category"),
        [
            (domain, name_category(Category(category)), category, count)
            for domain, category, count in domains
        ],
        whole,
    )
    yield "<h2>Method</h2>" + _write_items((*_METHOD, f"Domain data {summary.data_version}."))
    if task.notices:
        notices = (_hide(notice.text) for notice in task.notices)
        yield "<h2>Assumed, repaired, asked</h2>" + _write_items(notices)
    if cleaning is not None and removed:
        yield _write_removed(cleaning, removed)


def _write_choice(cleaning: Cleaning) -> str:
    effect = cleaning.effect
    chosen = ", ".join(
        name_ground(ground) for ground in Ground if ground in cleaning.policy.grounds
    )
    totals = _write_table(
        "What goes",
        ("What", "Rows", "Share"),
        (
            ("Rows that stay", effect.kept, show_share(effect.kept, effect.rows)),
            ("Rows that go", effect.lost, show_share(effect.lost, effect.rows)),
            ("Grey rows that stay", effect.review, show_share(effect.review, effect.rows)),
        ),
        f"Chosen: {chosen or 'nothing'}. What your own white list names stays.",
    )
    lost = sorted(effect.lost_by_reason.items(), key=lambda item: -item[1])
    return totals + _write_bars(
        "Why rows go",
        ("Reason", "Rule"),
        [(_word_reason(reason), RULES[reason], "none", count) for reason, count in lost],
        effect.lost,
        "Each row that goes counts once; shares are shares of these rows.",
    )


def _write_removed(cleaning: Cleaning, removed: Sequence[Row]) -> str:
    lost = cleaning.effect.lost
    listed = "all" if len(removed) == lost else f"the first {show_count(len(removed))}"
    return _write_table(
        "Removed addresses",
        ("Address", "Reason"),
        (
            (
                row.email if len(row.email) <= _MOST_LETTERS else row.email[:_MOST_LETTERS] + "…",
                _word_reason(reason) if reason is not None else "",
            )
            for row, reason in ((row, cleaning.policy.find_reason(row.verdict)) for row in removed)
        ),
        f"{count_things(lost, 'row')} {'goes' if lost == 1 else 'go'}; {listed} stand here, "
        "in the list's order.",
    )


def _word_reason(reason: Reason) -> str:
    words = REASON_WORDS[reason]
    return words[:1].upper() + words[1:]


def _hide(text: str) -> str:
    return _ADDRESS.sub("(address)", text)


def _write_items(texts: Iterable[str]) -> str:
    return "<ul>" + "".join(f"<li>{escape(text)}</li>" for text in texts) + "</ul>"


def _write_table(
    title: str, head: Sequence[str], rows: Iterable[Sequence[Cell]], remark: str = ""
) -> str:
    cells = [list(map(_write_cell, head, row)) for row in rows]
    lines = "".join(f"<tr>{''.join(row)}</tr>" for row in cells)
    heads = "".join(f'<th scope="col"{_style_cell(name)}>{escape(name)}</th>' for name in head)
    return _write_section(title, heads, lines, len(cells), remark)


def _write_section(title: str, heads: str, lines: str, row_count: int, remark: str) -> str:
    caption = f"<caption>{escape(remark)}</caption>" if remark else ""
    is_short = ' class="short"' if row_count <= _SHORT_ROWS else ""
    return (
        f"<section{is_short}><h2>{escape(title)}</h2><table>{caption}"
        f"<thead><tr>{heads}</tr></thead><tbody>{lines}</tbody></table></section>"
    )


_NUMBER = ' class="number"'
_SHORT_ROWS = 12  # what stays on one page in print


def _style_cell(column: str) -> str:
    if column in ("Rows", "Share"):
        return _NUMBER
    return ' class="wide"' if column == "Meaning" else ""


def _write_cell(column: str, value: Cell) -> str:
    words = show_count(value) if isinstance(value, int) else escape(value)
    return f"<td{_style_cell(column)}>{words}</td>"


def _write_bars(
    title: str,
    head: tuple[str, str],
    rows: Sequence[tuple[str, str, str, int]],
    whole: int,
    remark: str = "",
) -> str:
    """Write a table with a bar a row: name, its explanation, the bar's class, the count."""
    if not rows:
        return ""
    longest = max(count for *_, count in rows)
    lines = "".join(
        f'<tr><td>{escape(name)}</td><td class="wide quiet">{escape(words)}</td>'
        f'<td class="bar" aria-hidden="true"><span class="{look}" '
        f'style="width:{100 * count / longest:.2f}%"></span></td>'
        f"<td{_NUMBER}>{show_count(count)}</td><td{_NUMBER}>{show_share(count, whole)}</td></tr>"
        for name, words, look, count in rows
    )
    heads = (
        f'<th scope="col">{head[0]}</th><th scope="col" class="wide">{head[1]}</th>'
        f'<th class="bar"></th><th scope="col"{_NUMBER}>Rows</th>'
        f'<th scope="col"{_NUMBER}>Share</th>'
    )
    return _write_section(title, heads, lines, len(rows), remark)

"""A finished project's counts as one HTML page to hand on: no script, nothing fetched, prints well.

No address stands in it unless it is asked for: what looks like one in a file's or a column's name
is left out.
"""

import re
from collections.abc import Iterable, Sequence
from datetime import datetime
from functools import cache
from typing import TYPE_CHECKING

from winnow.core.figures import count_things, show_count, show_moment, show_share
from winnow.core.lists.cleaning import Cleaning
from winnow.core.lists.dimensions import DIMENSIONS, Dimension
from winnow.core.lists.facets import Bar, Facet, Facets
from winnow.core.lists.rows import Row
from winnow.core.release import VERSION
from winnow.core.tasks.task import Summary, Task
from winnow.core.verdicts.domain_types import DomainType
from winnow.core.verdicts.grounds import Ground
from winnow.core.verdicts.reasons import Reason
from winnow.core.verdicts.verdict import RECOMMENDED_ACTIONS, Category
from winnow.core.verdicts.words import CATEGORY_MEANINGS, name_action, name_category
from winnow.lists.reports.report_tables import Bars, Items, Section, Table

if TYPE_CHECKING:
    from jinja2 import Template

MOST_DOMAINS = 25
MOST_BARS = 10
_MOST_LETTERS = 320  # of a cell that is listed: more than an address can have
_ADDRESS = re.compile(r"[^\s<>(),;:'\"]*@[^\s<>(),;:'\"]*")
_METHOD = (
    "Each address is parsed by the rules of RFC 5321 and RFC 5322; what fails is invalid and "
    "black.",
    "Each domain is looked up in dated lists of disposable services, relays, providers, "
    "public and academic bodies. One doubtful list alone never makes a domain black.",
    "White means no known problem. It does not promise that mail arrives.",
    "Grey is for review: a relay, a look-alike, or signs that deserve a second look.",
)


def write_report_page(
    task: Task,
    summary: Summary,
    made_at: datetime,
    cleaning: Cleaning | None = None,
    removed: Sequence[Row] | None = None,
    facets: Facets | None = None,
) -> str:
    """Return a completed task's counts as a whole HTML document.

    Args:
        task: As it is to be shown.
        summary: Its counts.
        made_at: When the report is made, in UTC.
        cleaning: What goes, to be told; None: nothing is told of it.
        removed: The first rows that go by it, listed with their addresses; None: no address.
        facets: The counts of all rows; None: nothing of providers, countries and ages is told.
    """
    counts = [(category, summary.by_category.get(category.value, 0)) for category in Category]
    parts = ", ".join(f"{show_count(count)} {name_action(category)}" for category, count in counts)
    finding = f"{count_things(summary.rows_out, 'row')}: {parts}"
    origin = (
        f"{_hide(task.file_name)}, cleaned {show_moment(task.completed_at or task.submitted_at)}. "
        f"Report of {show_moment(made_at)}, Winnow {VERSION}."
    )
    return _open_template().render(
        title=_hide(task.project_name),
        origin=origin,
        finding=finding,
        counts=counts,
        listed=removed and count_things(len(removed), "removed address", "removed addresses"),
        sections=list(_list_sections(task, summary, cleaning, removed or (), facets or {})),
        show_count=show_count,
        show_share=show_share,
    )


@cache
def _open_template() -> "Template":
    from jinja2 import Environment, PackageLoader  # nothing but a report needs it here

    environment = Environment(
        loader=PackageLoader("winnow.lists", "data"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template("report.html")


def _list_sections(
    task: Task, summary: Summary, cleaning: Cleaning | None, removed: Sequence[Row], facets: Facets
) -> Iterable[Section]:
    whole = summary.rows_out
    yield Table(
        "Categories",
        ("Category", "Recommended action", "Rows", "Share", "Meaning"),
        [
            (
                name_category(category),
                RECOMMENDED_ACTIONS[category].value,
                summary.by_category.get(category.value, 0),
                show_share(summary.by_category.get(category.value, 0), whole),
                CATEGORY_MEANINGS[category],
            )
            for category in Category
        ],
    )
    yield Table(
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
        yield from _tell_choice(cleaning)
    types = sorted(summary.by_category_and_type, key=lambda entry: -entry[2])
    yield Bars(
        "Domain types",
        ("Domain type", "Meaning"),
        [(kind, DomainType(kind).meaning, {category: count}) for category, kind, count in types],
        whole,
    )
    reasons = sorted(summary.by_reason.items(), key=lambda item: -item[1])
    yield Bars(
        "Reasons",
        ("Reason", "Rule"),
        [(Reason(code).label, Reason(code).rule, {"none": count}) for code, count in reasons],
        whole,
        "A row may have several reasons.",
    )
    domains = summary.top_domains[:MOST_DOMAINS]
    yield Bars(
        "Largest domains",
        ("Domain", "Category"),
        [
            (domain, name_category(Category(category)), {category: count})
            for domain, category, count in domains
        ],
        whole,
    )
    for dimension in DIMENSIONS:
        if dimension.is_reported and dimension in facets:
            yield _tell_facet(dimension, facets[dimension])
    yield Items("Method", (*_METHOD, f"Domain data {summary.data_version}."))
    if task.notices:
        yield Items("Assumed, repaired, asked", [_hide(notice.text) for notice in task.notices])
    if cleaning is not None and removed:
        yield _list_removed(cleaning, removed)


def _tell_choice(cleaning: Cleaning) -> Iterable[Section]:
    effect = cleaning.effect
    chosen = ", ".join(ground.words for ground in Ground if ground in cleaning.policy.grounds)
    yield Table(
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
    yield Bars(
        "Why rows go",
        ("Reason", "Rule"),
        [(reason.label, reason.rule, {"none": count}) for reason, count in lost],
        effect.lost,
        "Each row that goes counts once; shares are shares of these rows.",
    )


def _tell_facet(dimension: Dimension, facet: Facet) -> Bars:
    bars = sorted(facet.bars[:MOST_BARS], key=lambda bar: dimension.rank(bar.value))
    parts = []
    left = facet.valued - sum(bar.total for bar in bars)
    if left:
        others = count_things(
            facet.distinct - len(bars), f"other {dimension.one}", f"other {dimension.many}"
        )
        parts.append(f"{count_things(left, 'row')} at {others}")
    if facet.whole > facet.valued:
        parts.append(f"{count_things(facet.whole - facet.valued, 'row')} {dimension.note}")
    return Bars(
        dimension.title,
        (dimension.one.capitalize(), "Categories"),
        [(dimension.label(bar.value), *_split(bar)) for bar in bars],
        facet.whole,
        f"Besides {', '.join(parts)}." if parts else "",
    )


def _split(bar: Bar) -> tuple[str, dict[str, int]]:
    """Return a bar's categories in words, and as its parts."""
    counts = {one: count for one, count in zip(Category, bar.counts, strict=True) if count}
    words = ", ".join(f"{name_category(one)} {show_count(count)}" for one, count in counts.items())
    return words, {one.value: count for one, count in counts.items()}


def _list_removed(cleaning: Cleaning, removed: Sequence[Row]) -> Table:
    lost = cleaning.effect.lost
    listed = "all" if len(removed) == lost else f"the first {show_count(len(removed))}"
    return Table(
        "Removed addresses",
        ("Address", "Reason"),
        [
            (
                row.email if len(row.email) <= _MOST_LETTERS else row.email[:_MOST_LETTERS] + "…",
                reason.label if reason is not None else "",
            )
            for row, reason in ((row, cleaning.policy.find_reason(row.verdict)) for row in removed)
        ],
        f"{count_things(lost, 'row')} {'goes' if lost == 1 else 'go'}; {listed} stand here, "
        "in the list's order.",
    )


def _hide(text: str) -> str:
    return _ADDRESS.sub("(address)", text)

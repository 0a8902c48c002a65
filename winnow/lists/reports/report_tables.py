"""The tables and bars of a report's page, as HTML; every text in them is escaped."""

from collections.abc import Iterable, Mapping, Sequence
from html import escape

from winnow.core.figures import show_count, show_share

Cell = str | int
_NUMBER = ' class="number"'
_SHORT_ROWS = 12  # what stays on one page in print


def write_items(texts: Iterable[str]) -> str:
    """Return a list."""
    return "<ul>" + "".join(f"<li>{escape(text)}</li>" for text in texts) + "</ul>"


def write_table(
    title: str, head: Sequence[str], rows: Iterable[Sequence[Cell]], remark: str = ""
) -> str:
    """Write a table below its heading; ``Rows`` and ``Share`` are columns of figures."""
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


def _style_cell(column: str) -> str:
    if column in ("Rows", "Share"):
        return _NUMBER
    return ' class="wide"' if column == "Meaning" else ""


def _write_cell(column: str, value: Cell) -> str:
    words = show_count(value) if isinstance(value, int) else escape(value)
    return f"<td{_style_cell(column)}>{words}</td>"


def write_bars(
    title: str,
    head: tuple[str, str],
    rows: Sequence[tuple[str, str, Mapping[str, int]]],
    whole: int,
    remark: str = "",
) -> str:
    """Write a table with a bar a row: name, its explanation, the counts by their parts' class."""
    if not rows:
        return ""
    longest = max(sum(parts.values()) for *_, parts in rows)
    lines = "".join(
        f'<tr><td>{escape(name)}</td><td class="wide quiet">{escape(words)}</td>'
        f'<td class="bar" aria-hidden="true">{_write_bar(parts, longest)}</td>'
        f"<td{_NUMBER}>{show_count(sum(parts.values()))}</td>"
        f"<td{_NUMBER}>{show_share(sum(parts.values()), whole)}</td></tr>"
        for name, words, parts in rows
    )
    heads = (
        f'<th scope="col">{head[0]}</th><th scope="col" class="wide">{head[1]}</th>'
        f'<th class="bar"></th><th scope="col"{_NUMBER}>Rows</th>'
        f'<th scope="col"{_NUMBER}>Share</th>'
    )
    return _write_section(title, heads, lines, len(rows), remark)


def _write_bar(parts: Mapping[str, int], longest: int) -> str:
    spans = "".join(
        f'<span class="{look}" style="width:{100 * count / longest:.2f}%"></span>'
        for look, count in parts.items()
    )
    return f"<div>{spans}</div>"

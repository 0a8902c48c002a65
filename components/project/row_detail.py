"""Drawer of one row: its verdict, the evidence, its own cells."""

from collections.abc import Callable, Iterator, Sequence
from html import escape

import streamlit as st

from components.frame.error_boundary import dialog
from components.kit.html import render_chip
from components.kit.verdict import draw_evidence, draw_not_removed
from components.kit.words import ADVICE
from winnow.core.figures import cut_text
from winnow.core.lists.rows import Row
from winnow.core.verdicts.facts import Evidence
from winnow.core.verdicts.verdict import RECOMMENDED_ACTIONS
from winnow.core.verdicts.words import phrase_reasons
from winnow.words import format_number, mark, say

_DRAWER_PX = 480
_CELL_MAX = 2_000  # characters shown


@dialog(mark("Why this row"), width=_DRAWER_PX, position="right")
def open_row_detail(
    row: Row,
    columns: Sequence[str],
    evidence: Sequence[Evidence],
    draw_more: Callable[[], object] = lambda: None,
    not_black: Sequence[Evidence] = (),
) -> None:
    """Open the drawer of one row; ``draw_more`` draws further actions.

    ``not_black`` has the facts that were not enough to remove it.
    """
    verdict, shown = row.verdict, cut_text(row.email)
    st.html(
        f'<div class="w-verdict">{render_chip(verdict.category)}'
        f'<span class="w-quiet">{escape(say(verdict.domain_type.words))}</span></div>'
        f'<div class="w-verdict"><span class="w-address">{escape(shown or say("(empty)"))}</span>'
        f'</div><p class="w-sentence">{escape(phrase_reasons(verdict.reasons))}</p>'
        f'<p class="w-advice">{escape(say(ADVICE[RECOMMENDED_ACTIONS[verdict.category]]))}</p>'
    )
    st.markdown(f"**{say('Evidence')}**")
    draw_evidence(evidence)
    draw_not_removed(not_black)
    draw_more()
    number = format_number(row.shown_number)
    title = say("Row {number} of the result", number=number)
    if row.file_number is not None:
        title = say("Row {number} of your list", number=number)
    st.markdown(f"**{title}**")
    st.html('<dl class="w-cells">' + "".join(_render_cells(row, columns)) + "</dl>")


def _render_cells(row: Row, columns: Sequence[str]) -> Iterator[str]:
    for position, (name, value) in enumerate(zip(columns, row.cells, strict=False), start=1):
        shown = name.strip() or say("column {number}", number=position)
        cell = cut_text(value, _CELL_MAX) or say("(empty)")
        yield f"<dt>{escape(shown)}</dt><dd>{escape(cell)}</dd>"

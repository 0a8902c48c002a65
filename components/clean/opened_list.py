"""An upload that is reviewed: how it is read, its email column, its preview.

The choices are kept in the page's URL, so that a reload keeps them: codes, positions and codec
names only, no cell and no column's name.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import streamlit as st

from components.frame.page_urls import page_params, read_position
from components.kit.input_summary import DELIMITERS, ESCAPES, awaits_column
from winnow.core.addresses.repair_kinds import SAFE_KINDS
from winnow.core.lists.cleaning import WhoDecides
from winnow.core.lists.input_head import Choices, Head
from winnow.core.lists.previews import Preview
from winnow.core.lists.silence import DayOrder, SilenceChoice
from winnow.core.lists.upload import Upload
from winnow.core.meaning.columns import NO_DECISIONS, ColumnMeaning, MailDecisions
from winnow.core.tasks.keep_rule import Keep, KeepRule
from winnow.core.tasks.repair_choice import RepairChoice
from winnow.core.tasks.run_request import RunRequest
from winnow.services.services import Services
from winnow.words import say

_READING = ("encoding", "delimiter", "header", "row", "sheet", "column", "second", "escape")
_ASKED = ("keep", "date", "aliases", "repair", "silent", "order", "both")
_KEEP, _DATE, _ALIASES, _REPAIR, _SILENT, _ORDER, _WHO = _ASKED
_EVERY_ROW, _JOINED, _SAFE = "all", "same", "safe"
_DELIMITERS, _ESCAPES = tuple(DELIMITERS), tuple(ESCAPES)


def read_choices(params: Mapping[str, str], sheets: Sequence[str] = ()) -> Choices:
    """Return the choices in a URL's query; impossible ones are left to the inspection.

    Args:
        params: The query.
        sheets: The visible sheets, once known; the URL only has a position.
    """
    first_row, header = read_position(params.get("row")), params.get("header")
    return Choices(
        encoding=params.get("encoding") or None,
        delimiter=_pick(_DELIMITERS, params.get("delimiter")),
        has_header=None if header is None else header == "yes",
        sheet=_pick(sheets, params.get("sheet")),
        email_column=read_position(params.get("column")),
        second_email_column=read_position(params.get("second")),
        escape=_pick(_ESCAPES, params.get("escape")),
        first_row=None if first_row is None else first_row + 1,
    )


def _pick(options: Sequence[str], text: str | None) -> str | None:
    """Return the option at a position that a URL has from 1; None for any other text."""
    place = read_position(text)
    return options[place] if place is not None and place < len(options) else None


def _place(options: Sequence[str], chosen: str | None) -> str | None:
    return str(options.index(chosen) + 1) if chosen is not None and chosen in options else None


def write_choices(choices: Choices, sheets: Sequence[str] = ()) -> None:
    """Write choices into the URL's query."""
    second = choices.second_email_column
    values = {
        "encoding": choices.encoding,
        "delimiter": _place(_DELIMITERS, choices.delimiter),
        "header": None if choices.has_header is None else ("no", "yes")[choices.has_header],
        "escape": _place(_ESCAPES, choices.escape),
        "row": None if choices.first_row is None else str(choices.first_row),
        "sheet": _place(sheets, choices.sheet),
        "column": None if choices.email_column is None else str(choices.email_column + 1),
        "second": None if second is None else str(second + 1),
    }
    page_params.put(values)


def clear_choices() -> None:
    """Delete every choice, as for another file."""
    page_params.put(dict.fromkeys((*_READING, *_ASKED), ""))


def read_request(params: Mapping[str, str]) -> RunRequest:
    """Return what a URL asks of the run; the default for invalid and incomplete values."""
    word, date = params.get(_KEEP), read_position(params.get(_DATE))
    keep, joins = Keep(word) if word in set(Keep) else Keep.LAST, params.get(_ALIASES) == _JOINED
    order, who = params.get(_ORDER), params.get(_WHO)
    return RunRequest(
        deduplicate=word != _EVERY_ROW,
        keep=KeepRule.of(keep, date, joins) or KeepRule(joins_aliases=joins),
        repair=RepairChoice(SAFE_KINDS) if params.get(_REPAIR) == _SAFE else None,
        silence=SilenceChoice(
            read_position(params.get(_SILENT)), DayOrder(order) if order in set(DayOrder) else None
        ),
        who_decides=WhoDecides(who) if who in set(WhoDecides) else None,
    )


def write_request(request: RunRequest) -> None:
    """Write what is asked of the run into the URL; defaults are left out."""
    keep, silent = request.keep, request.silence
    word = keep.keep.value if request.deduplicate else _EVERY_ROW
    values = {
        _KEEP: "" if word == Keep.LAST else word,
        _DATE: "" if keep.date_column is None else str(keep.date_column + 1),
        _ALIASES: _JOINED if keep.joins_aliases else "",
        _REPAIR: _SAFE if request.repair is not None else "",
        _SILENT: None if silent.place is None else str(silent.place + 1),
        _ORDER: silent.order,
        _WHO: request.who_decides,
    }
    page_params.put(values)


@dataclass(frozen=True, slots=True)
class OpenedList:
    """An upload, how it is read by the page's choices, and the user who opened it.

    ``column`` is the column to check, from 0; None until one is chosen.
    """

    services: Services
    account: str
    upload: Upload
    chosen: Choices
    head: Head
    column: int | None

    @property
    def can_be_judged(self) -> bool:
        """Whether the column is known, and whether the first row is a header."""
        return self.column is not None and not awaits_header(self.head, self.column)

    @property
    def reading(self) -> tuple[str, str, Head, int]:
        """The account, the upload, its head and its column: first arguments of many services."""
        assert self.column is not None  # noqa: S101  # the caller's choice
        return self.account, self.upload.upload_id, self.head, self.column

    def recall_request(self) -> RunRequest:
        """Return what was asked of the run when this session first showed the list, by the URL.

        Or when the last list's settings were taken.
        """
        found: RunRequest = st.session_state.setdefault(
            self._key("go_first"), read_request(page_params)
        )
        return found

    def take_settings(self, wanted: RunRequest) -> None:
        """Take the settings of another list for this one, in place of those on the page."""
        column, second = wanted.email_column, wanted.second_email_column
        second = second if isinstance(second, int) else None
        choices = replace(self.chosen, second_email_column=second)
        if isinstance(column, int):
            choices = replace(choices, email_column=column)
        write_choices(choices, self.head.sheets)
        write_request(replace(wanted, who_decides=wanted.who_decides or self.who_decides))
        st.session_state[self._key("go_first")] = wanted
        st.session_state[self._key("go_taken")] = st.session_state.get(self._key("go_taken"), 0) + 1

    def has_settings(self, wanted: RunRequest) -> bool:
        """Return whether the page has these settings."""
        now = read_request(page_params)
        who = wanted.who_decides or now.who_decides
        return (
            wanted.email_column in (None, self.column)
            and wanted.second_email_column == self.head.second_column
            and replace(wanted, email_column=None, second_email_column=None, who_decides=who) == now
        )

    @property
    def who_decides(self) -> WhoDecides | None:
        """Who decides about people who say both; None: as the policy says."""
        return read_request(page_params).who_decides

    def let_decide(self, one: WhoDecides) -> None:
        """Write who decides about people who say both into the URL."""
        page_params.put({_WHO: one})

    def name_widget(self, key: str) -> str:
        """Return the key of a widget, another one each time settings are taken: it starts anew."""
        taken = st.session_state.get(self._key("go_taken"), 0)
        return f"{key}_{taken}" if taken else key

    def _key(self, name: str) -> str:
        return f"{name}_{self.upload.upload_id}"

    def recall_mail(self, columns: Sequence[ColumnMeaning]) -> MailDecisions:
        """Return what was decided of this list, else for lists with the same headings."""
        state = st.session_state
        if self._mail_key not in state:
            recall = self.services.mail_choices.recall
            state[self._mail_key] = recall(self.account, self.head.columns, columns)
        return self.find_mail()

    def keep_values(self, preview: Preview) -> bool:
        """Keep the values of the columns about mail for the page, and the count of rows.

        Returns:
            Whether they are new.
        """
        is_new = bool(preview.values) and self._find_preview() is None
        st.session_state[self._values_key] = preview
        return is_new or (preview.is_whole and preview.rows != self.head.row_count)

    def _find_preview(self) -> Preview | None:
        found: Preview | None = st.session_state.get(self._values_key)
        return found

    def count_rows(self) -> Head:
        """Return the head with the preview's count, once the preview has read all rows.

        A workbook states the end of its sheet; blank rows and totals are not rows of the list.
        """
        found = self._find_preview()
        is_whole = found is not None and found.is_whole
        return replace(self.head, row_count=found.rows) if found and is_whole else self.head

    def find_values(self) -> tuple[Sequence[Mapping[str, int]], int, bool]:
        """Return the values of the columns about mail, of how many rows, and if these are all."""
        head, found = self.head, self._find_preview()
        if found is not None and found.values:
            return found.values, found.read, found.is_whole
        return head.values, head.values_rows, head.values_rows == head.row_count

    def find_mail(self) -> MailDecisions:
        """Return what was decided of this list."""
        recalled: MailDecisions = st.session_state.get(self._mail_key, NO_DECISIONS)
        return recalled.add(self.upload.mail or NO_DECISIONS)

    def keep_mail(self, decisions: MailDecisions) -> None:
        """Add to what was decided of this list, in the store: cells are never in a URL."""
        self.services.uploads.decide(self.account, self.upload.upload_id, decisions)

    @property
    def _mail_key(self) -> str:
        return f"mail_of_{self.upload.upload_id}_{hash(self.head.columns)}"

    @property
    def _values_key(self) -> str:
        return f"values_{self._mail_key}_{self.column}"


def open_list(services: Services, account: str, upload: Upload) -> OpenedList:
    """Return an upload as it is read by the choices in the URL; may raise WinnowError."""
    read = services, account, upload.upload_id
    head = read_head(*read, read_choices(page_params))
    chosen = read_choices(page_params, head.sheets)  # a sheet is named by its position
    if chosen.sheet is not None:
        head = read_head(*read, chosen)
    opened = OpenedList(services, account, upload, chosen, head, find_email_column(head))
    return replace(opened, head=opened.count_rows())


def read_head(services: Services, account: str, upload_id: str, choices: Choices) -> Head:
    """Return an upload's head; cached between reruns of the page, since uploads never change."""
    with st.spinner(say("Looking into the list")):
        return _read_head(services, account, upload_id, choices)


@st.cache_data(max_entries=64, ttl=600, show_spinner=False)
def _read_head(_desk: Services, account: str, upload_id: str, choices: Choices) -> Head:
    return _desk.uploads.read_head(account, upload_id, choices)


def find_email_column(head: Head) -> int | None:
    """Return the column to check: the one chosen, else the one named email, else the best guess.

    None if more than one column is possible.
    """
    if head.chosen_column is not None:
        return head.chosen_column
    return None if awaits_column(head) else head.suggested_column


def awaits_header(head: Head, email_column: int | None) -> bool:
    """Return whether the analyst must first choose if the first row is a header."""
    return head.headerless_guess and email_column is not None

"""A list's first rows, whatever its format: where it begins, its columns, its header, a sample."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from winnow.core.errors import BadField
from winnow.core.lists.input_head import Choices, Head
from winnow.core.lists.notices import Notice
from winnow.core.meaning.addresses import (
    holds_address,
    looks_like_address,
    names_email,
    score_columns,
    speaks_of_mail,
)
from winnow.core.meaning.columns import LISTED_CHARACTERS, count_values, may_speak_of_mail
from winnow.lists.inspection.columns import (
    EMAIL,
    choose_column,
    find_address_columns,
    find_columns,
    suggest_column,
)
from winnow.words import translatable

SEARCH_ROWS = 20
"""The header is one of so many first rows that hold anything."""

GUESS_ROWS = 500
"""So many are looked at for what the list holds."""

SAMPLE_ROWS = 20
FIRST_ROWS = SEARCH_ROWS + SAMPLE_ROWS
"""So many with anything in them are read: the header among the first, and what is shown below."""

_SAMPLE_CELL_CHARACTERS = 200
_LIKE_ROWS = 100
_COMMENTS = ("#", "//", "--", "/*", "*")

Rows = Sequence[Sequence[str]]
NumberedRow = tuple[int, Sequence[str]]
"""A row's number, as a spreadsheet shows it, and its cells."""


def find_first_row(rows: Sequence[NumberedRow], chosen: int | None, wanted: str = EMAIL) -> int:
    """Return the place of the row with a chosen number, or the next; None: ``locate_first_row``.

    Raises:
        BadField: It is none of these rows.
    """
    if chosen is None:
        return locate_first_row([cells for _, cells in rows[:GUESS_ROWS]], wanted)
    for place, (number, _) in enumerate(rows):
        if number >= chosen > 0:
            return place
    raise BadField("header", "the list has no such row", hint="Choose one of its first rows.")


def locate_first_row(rows: Rows, wanted: str = EMAIL) -> int:
    """Return the place of the header; without one among them, of the list's first row.

    Args:
        rows: The first rows, as many as are at hand; those without any text are never taken.
        wanted: The name of the email column where one was asked for.
    """
    rows = rows[:GUESS_ROWS]
    fills = [sum(bool(cell.strip()) for cell in row) for row in rows]
    window = [place for place, fill in enumerate(fills) if fill][:SEARCH_ROWS]
    if not window:
        return 0
    column = find_address_column(rows)
    addresses = (
        place
        for place, row in enumerate(rows)
        if column is not None and column < len(row) and looks_like_address(row[column])
    )
    first_address = next(addresses, len(rows))
    candidates = [place for place in window if place < first_address]
    if not candidates:
        return window[0]
    body = fills[first_address:] or fills[window[0] + 1 :] or fills
    usual = Counter(fill for fill in body if fill).most_common(1)[0][0] if any(body) else 1
    named = [place for place in candidates if _has_name(rows[place], column, wanted)]
    if named:
        return next((place for place in named if 2 * fills[place] > usual), named[0])
    plain = [
        place
        for place in candidates
        if not next(filter(str.strip, rows[place])).lstrip().startswith(_COMMENTS)
    ]
    if usual == 1 and column is not None:
        return (plain or candidates)[-1]
    if not plain:
        return first_address if column is not None else candidates[0]
    best = max(fills[place] for place in plain)
    wide = [place for place in plain if 3 * fills[place] >= 2 * best]
    if column is None:
        return wide[0]
    if 2 * best < usual and first_address in window:  # nothing but titles above the first address
        return first_address
    about_mail = (
        place for place in wide if speaks_of_mail("".join(rows[place][column : column + 1]))
    )
    return next(about_mail, wide[0])


def is_list_row(first: Sequence[str], rest: Rows) -> bool:
    """Return whether a first row looks like a row of the list and not like its header.

    It holds an address. Or nothing in it names the column of addresses, and its other cells are
    like those below them: a number above numbers or a text that the column repeats, and no text
    above numbers.
    """
    if any(map(holds_address, first)):
        return True
    column = find_address_column(rest)
    if column is None or speaks_of_mail("".join(first[column : column + 1])):
        return False
    rows = [row for row in rest[:_LIKE_ROWS] if tuple(row) != tuple(first)]
    likes = set()
    for place, cell in enumerate(first):
        below = [row[place] for row in rows if place < len(row) and row[place].strip()]
        if not cell.strip() or not below or place == column:
            continue
        if _is_number(cell) or 2 * sum(map(_is_number, below)) <= len(below):
            likes.add(cell in below or (_is_number(cell) and all(map(_is_number, below))))
        else:
            return False
    return True in likes


def _is_number(cell: str) -> bool:
    """Return whether a cell is an amount, a date or a number of any kind."""
    return any(map(str.isdigit, cell)) and not any(map(str.isalpha, cell))


def find_address_column(rows: Rows) -> int | None:
    """Return the column with most addresses, None where there is no address."""
    counts: Counter[int] = Counter()
    for row in rows:
        counts.update(
            place for place, cell in enumerate(row) if "@" in cell and looks_like_address(cell)
        )
    return min(counts, key=lambda place: (-counts[place], place)) if counts else None


def _has_name(row: Sequence[str], column: int | None, wanted: str) -> bool:
    """Whether a row names the email column.

    Where addresses are known to be in a column, its name counts, or the one before it: R writes
    no name above the rows' own.
    """
    if wanted != EMAIL and find_columns(row, wanted):
        return True
    above = row if column is None else row[max(column - 1, 0) : column + 1]
    return any(map(names_email, above))


def describe_rows(rows: Sequence[NumberedRow], place: int, choices: Choices) -> Head:
    """Return a head with everything that the first rows say; the format fills in the rest.

    ``place`` is that of the header, or of the list's first row; titles may be above it.
    """
    (number, first), *below = rows[place:]
    head = _detect_columns(first, [cells for _, cells in below], choices)
    numbers = [number for number, _ in rows[place + head.has_header :]]
    return replace(
        head,
        first_row=number,
        rows_above=tuple((row, _shorten_all(cells)) for row, cells in rows[:place][:SEARCH_ROWS]),
        row_numbers=tuple(numbers[:SAMPLE_ROWS]),
        notices=(*head.notices, *_note_first_row(number, has_header=head.has_header)),
    )


def _note_first_row(number: int, *, has_header: bool) -> tuple[Notice, ...]:
    """Return the notice of a list that begins below titles and the like."""
    if number == 1:
        return ()
    what = translatable("The header is") if has_header else translatable("The list begins")
    text = translatable(
        "{problem} in row {row}; the rows above it pass through as they are.",
        problem=what,
        row=number,
    )
    return (Notice("header_below_top", text, (number,), 1),)


def _detect_columns(first: Sequence[str], rest: Sequence[Sequence[str]], choices: Choices) -> Head:
    has_header = choices.has_header is not False
    matches = find_columns(first)
    headerless_guess = choices.has_header is None and not matches and is_list_row(first, rest)
    if has_header:
        columns, rows = tuple(first), rest
    else:
        rows = [first, *rest]
        matches = ()
        width = max(len(row) for row in rows)
        columns = tuple(f"column {place}" for place in range(1, width + 1))
    sample = rows[:GUESS_ROWS]
    scores = score_columns(columns, sample)
    address_columns = find_address_columns(scores)
    suggested = suggest_column(scores, matches, address_columns)
    last = max((-1 if suggested is None else suggested, *address_columns))
    columns += ("",) * (last + 1 - len(columns))  # it may be beyond the last name
    is_assumed = choices.has_header is None and bool(address_columns) and not headerless_guess
    if choices.email_column is not None:
        choose_column(columns, choices.email_column)
    if choices.second_email_column is not None:
        choose_column(columns, choices.second_email_column, "second_email_column")
    return Head(
        columns=columns,
        email_columns=matches,
        address_columns=address_columns,
        is_named=suggested is not None and names_email(columns[suggested]),
        suggested_column=suggested,
        sample_rows=tuple(map(_shorten_all, rows[:SAMPLE_ROWS])),
        has_header=has_header,
        headerless_guess=headerless_guess,
        chosen_column=choices.email_column,
        second_column=choices.second_email_column,
        notices=_note_header(columns, suggested) if is_assumed else (),
        values=_count_values(columns, sample),
        values_rows=len(sample),
    )


def _count_values(columns: Sequence[str], rows: Rows) -> tuple[Mapping[str, int], ...]:
    """Return the short cells of each column that may say who may be mailed, with their counts."""
    return tuple(
        {value: count for value, count in counts.items() if len(value) <= LISTED_CHARACTERS}
        if may_speak_of_mail(name)
        else {}
        for name, counts in zip(columns, count_values(rows, len(columns)), strict=True)
    )


def _note_header(columns: Sequence[str], suggested: int | None) -> tuple[Notice, ...]:
    """Return the notice of a header that may be a row: it does not name the email column."""
    if suggested is None or speaks_of_mail(columns[suggested]):
        return ()
    text = translatable(
        "The header of this list is assumed: no name in it says that a column holds email "
        "addresses. The header itself is not checked."
    )
    return (Notice("header_assumed", text),)


def shorten(cell: str) -> str:
    """Return a cell for the eye, a long one cut."""
    if len(cell) <= _SAMPLE_CELL_CHARACTERS:
        return cell
    return f"{cell[: _SAMPLE_CELL_CHARACTERS - 1]}…"


def _shorten_all(cells: Sequence[str]) -> tuple[str, ...]:
    return tuple(map(shorten, cells))

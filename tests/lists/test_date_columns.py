"""Columns that look like dates, offered first where dates are asked for."""

import pytest

from winnow.lists.preview.preview import find_date_columns


@pytest.mark.parametrize(
    ("cells", "holds_dates"),
    [
        pytest.param(["2024-01-31", "2024-02-01"], True, id="iso"),
        pytest.param(["31.01.2024", "", "1.2.24"], True, id="dots"),
        pytest.param(["1/2/2024 10:00"], True, id="slashes"),
        pytest.param(["31. M\u00e4rz 2024"], True, id="words"),
        pytest.param(["2024-01-31", "soon"], True, id="half-of-them"),
        pytest.param(["2024-01-31", "soon", "later"], False, id="less-than-half"),
        pytest.param(["45322", "45323"], False, id="numbers-are-not-offered"),
        pytest.param(["1706696130"], False, id="nor-telephones"),
        pytest.param(["20240131"], False, id="nor-digits"),
        pytest.param(["1.5", "2.25"], False, id="nor-decimals"),
        pytest.param(["ana@x.de"], False, id="addresses"),
        pytest.param(["", " "], False, id="blanks"),
    ],
)
def test_a_column(cells: list[str], holds_dates: bool) -> None:
    rows = [("x", cell) for cell in cells]
    assert find_date_columns(rows, 2) == ((1,) if holds_dates else ())


def test_short_rows_and_wide_lists() -> None:
    assert find_date_columns([("2024-01-31",), ()], 3) == (0,)
    assert find_date_columns([("2024-01-31",) * 300], 300) == tuple(range(100))

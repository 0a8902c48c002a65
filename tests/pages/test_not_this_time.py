"""Who gets no mail this time: silent people, and groups of the list's own columns."""

import pytest

from tests.applications import send
from tests.pages.conftest import Desk, open_options, open_tab, press, read_html, read_markdown
from tests.tables import read_csv, write_csv
from winnow.core.identities import LOCAL_ACCOUNT
from winnow.core.lists.exports import Export
from winnow.core.lists.rows import Variant

ROWS = [
    ("email", "Source", "Last click", "Last order"),
    *((f"old{n}@firm.example", "Fair | 2019", "2024-01-05", "") for n in range(5)),
    *((f"new{n}@firm.example", "Shop", "2026-11-01", "02/03/2024") for n in range(4)),
]


def test_silent_people_are_left_out_and_mailed_again(desk: Desk) -> None:
    app = desk.open_project(write_csv(ROWS))
    assert "**5 rows**" in read_markdown(app)
    assert "0 remove = <strong>9</strong>" in read_html(app)
    press(app, "leave_silent")
    assert app.query_params["goes"] == "black,silent-12"
    assert "5 not this time = <strong>4</strong>" in read_html(app)
    options = open_options(app)
    labels = [one.value for one in options.link_button]
    assert "Not mailed this time, on no suppression list: 5 rows" in labels
    app.selectbox(key="silent_for").set_value(36).run()
    assert "0 remove = <strong>9</strong>" in read_html(app)
    press(app, "leave_silent")
    assert "goes" not in app.query_params
    app.selectbox(key="silent_by").set_value(3).run()
    assert "Which is first in dates such as 03/04/2025?" in read_markdown(app)
    press(app, "silent_day")
    app.selectbox(key="silent_for").set_value(24).run()
    assert "**4 rows**" in read_markdown(app)


@pytest.mark.parametrize("place", [1, 2])
def test_a_group_is_brought_back_by_its_button(desk: Desk, place: int) -> None:
    app = desk.open_project(write_csv(ROWS))
    open_tab(app, "more_filters")
    app.selectbox(key="own_column").set_value(place).run()
    (table,) = (one.value for one in app.dataframe if "bad" in one.value)
    shown = {1: ["Fair | 2019", "Shop"], 2: ["2026-11", "2024-01"]}[place]
    assert list(table["value"]) == shown
    assert sorted(table["rows"]) == [4, 5]
    task = desk.opened.services.tasks.list(LOCAL_ACCOUNT)[0]
    group = {1: "Fair | 2019", 2: "2024-01"}[place]
    desk.opened.services.mail_choices.leave_out(LOCAL_ACCOUNT, task.task_id, [(place, group)])
    app.run()
    assert "5 not this time = <strong>4</strong>" in read_html(app)
    assert len(read_csv(send(desk.opened, task, Export(Variant.LATER))[1])) == 6
    press(app, "left_out_0")
    assert "0 remove = <strong>9</strong>" in read_html(app)

"""Bad addresses by a column, on the project's page."""

from streamlit.testing.v1 import AppTest

from components.frame import page_urls
from tests.applications import complete
from tests.pages.conftest import OpenPage, open_tab
from winnow.wiring import Application

ROWS = [("ok@mailboxes.example", "DE"), ("bad@throwaway.example", "AT")]
LIST = "email,country\n" + "".join(
    f"{number}{email},{country}\n" for number in range(6) for email, country in ROWS
)


def open_column(opened: Application, open_page: OpenPage, content: str) -> AppTest:
    task = complete(opened, content.encode())
    app = open_page(page_urls.PROJECT, task=task.task_id)
    return open_tab(app, "tabs", "Breakdown")


def test_a_columns_values_with_their_bad_rows(opened: Application, open_page: OpenPage) -> None:
    app = open_tab(open_column(opened, open_page, LIST), "breakdown_shown", "own-1")
    assert not app.exception
    [table] = [one.value for one in app.dataframe if "removed" in one.value]
    assert table["value"].tolist() == ["AT", "DE"]
    assert table["rows"].tolist() == [6, 6]
    assert table["removed"].tolist() == [6, 0]
    assert table["share"].tolist() == [100, 0]

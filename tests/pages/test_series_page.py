"""Series: proposed, shown, changed."""

from itertools import pairwise

from components import page_urls
from components.local_time import show_local_date
from components.series import build_trend_chart, word_trend
from tests.applications import LIST, Clock, complete
from tests.pages.conftest import OpenPage
from winnow.core.accounts import LOCAL_ACCOUNT
from winnow.wiring import Application
from winnow.words import speaking

LATER = LIST.replace(b"04,not an address\r\n", b"05,new@mailboxes.example\r\n")


def clean_two(opened: Application) -> list[str]:
    clock = opened.services.clock
    assert isinstance(clock, Clock)
    ids = []
    for name, content in (("News 2026-05", LIST), ("News 2026-06", LATER)):
        clock.advance(hours=1)
        ids.append(complete(opened, content, project_name=name).task_id)
    return ids


def test_a_proposal_is_accepted_and_leads_to_its_trend(
    opened: Application, open_page: OpenPage
) -> None:
    ids = clean_two(opened)
    app = open_page(page_urls.SERIES)
    app.button(key=f"series_yes_{ids[-1]}").click().run()
    assert not app.exception
    [series] = opened.services.series.list(LOCAL_ACCOUNT)
    app = open_page(page_urls.SERIES, series=series.series_id)
    assert app.title[0].value == "News"
    finding = "To remove: 33.3 % on 20 Nov 2026, down from 66.7 % on 20 Nov 2026."
    assert f"**{finding}**" in {text.value for text in app.markdown}
    [chart] = app.get("plotly_chart")
    assert chart.proto.alt == finding
    table = app.dataframe[0].value
    assert list(table["Left"]) == ["", "1"]
    assert list(table["Returned"]) == ["", "0"]
    assert list(table["New"]) == ["", "1"]
    compare = [link for link in app.page_link if "1 left, 0 returned, 1 new" in link.value]
    assert compare[0].proto.query_string == f"before={ids[0]}&now={ids[1]}"


def test_the_lines_are_the_shares_of_the_rows_and_their_labels_stand_apart(
    opened: Application,
) -> None:
    ids = clean_two(opened)
    series_id = opened.services.series.group(LOCAL_ACCOUNT, ids)
    points = opened.services.series.follow(LOCAL_ACCOUNT, series_id)
    figure = build_trend_chart(points)
    shares = [[round(value, 1) for value in trace.y] for trace in figure.data]
    assert shares == [[33.3, 66.7], [0.0, 0.0], [66.7, 33.3]]
    heights = sorted(label.y for label in figure.layout.annotations)
    assert all(above - below > 6 for below, above in pairwise(heights))
    assert word_trend((points[0], points[0])).startswith("To remove: 66.7 %")
    with speaking("de"):
        axis = build_trend_chart(points).layout.xaxis
        days = [show_local_date(point.project.submitted_at) for point in points]
    assert (axis.ticktext[0], axis.ticktext[-1]) == (days[0], days[-1])
    assert "." in days[0]


def test_refusing_and_taking_out(opened: Application, open_page: OpenPage) -> None:
    ids = clean_two(opened)
    app = open_page(page_urls.SERIES)
    app.button(key=f"series_no_{ids[-1]}").click().run()
    assert any(text.value.startswith("No two lists look alike") for text in app.markdown)
    series_id = opened.services.series.group(LOCAL_ACCOUNT, ids)
    app = open_page(page_urls.SERIES, series=series_id)
    app.multiselect(key="series_out").set_value([ids[0]])
    app.button(key="FormSubmitter:series_out_form-Take out of this series").click().run()
    assert not app.exception
    assert any("There is no such series" in error.value for error in app.error)
    assert opened.services.series.list(LOCAL_ACCOUNT) == ()


def test_ticked_projects_become_a_series(opened: Application, open_page: OpenPage) -> None:
    ids = clean_two(opened)
    app = open_page(page_urls.PROJECTS)
    for task_id in ids:
        app.checkbox(key=f"pick_{task_id}").check().run()
    app.button(key="chosen_series").click().run()
    assert not app.exception
    assert app.title[0].value == "News"

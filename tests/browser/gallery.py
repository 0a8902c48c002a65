"""Every screen of the desk in the states worth a picture, and how to bring each about."""

import csv
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import FilePayload, Page, expect

from tests.browser.conftest import (
    check,
    drop,
    find_table,
    open_options,
    open_tab,
    press,
    wait_until_still,
)
from tests.browser.test_journeys import wait_for_project
from tests.made_lists.make_lists import write_csv
from tests.server import BASE_PATH, Server

MARCH_ROWS, APRIL_ROWS, MAY_ROWS = 20_000, 18_000, 2_000
UNKNOWN = "00000000-0000-4000-8000-000000000000"
PASTED = (
    "To: Ana <ana@gmial.com>, Bo Lind <bo@mailinator.com>, carla@gmail.com,\n"
    "info@example.com; news@duck.com; rené@posteo.de, ann@"
)
SHAPES = {("wide", "light"): "light", ("narrow", "dark"): "dark-narrow"}


@dataclass(frozen=True, slots=True)
class Desk:
    """A server with two finished projects and three uploads, one of which cannot be read."""

    server: Server
    march_id: str
    april_id: str
    upload_url: str
    broken_url: str


@dataclass(frozen=True, slots=True)
class Screen:
    """How a screen is brought about.

    ``is_whole``: the picture shows the page to its end, not the window alone. ``is_menu``: it is
    drawn for each shape anew, since Streamlit's open menus keep the colours that they began with.
    """

    draw: Callable[[Page, Desk], None]
    is_whole: bool = True
    is_menu: bool = False


def write_lists(folder: Path) -> dict[str, Path]:
    """Write lists of several months: April overlaps March, June is broken, July has other names."""
    names = ("March", "April", "May", "June", "July")
    paths = {name: folder / f"Newsletter {name}.csv" for name in names}
    write_csv(paths["March"], MARCH_ROWS)
    write_csv(paths["May"], MAY_ROWS, seed=4)
    with paths["March"].open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.reader(file, delimiter=";"))
    with paths["May"].open(encoding="utf-8-sig", newline="") as file:
        joined = list(csv.reader(file, delimiter=";"))[1:]
    with paths["April"].open("w", encoding="utf-8-sig", newline="") as file:
        kept = rows[1 + MARCH_ROWS - APRIL_ROWS + MAY_ROWS :]
        csv.writer(file, delimiter=";").writerows([rows[0], *kept, *joined])
    lines = [f"{number};Eva Weiß;eva.weiss{number}@posteo.de" for number in range(1, 401)]
    lines[310] = lines[310].replace(";Eva", ';"Eva')
    fair = "".join(f"{number}@firma{number % 9}.de,fair\n" for number in range(300))
    paths["July"].write_text(f"E-Mail,Source\n{fair}", encoding="utf-8")
    paths["June"].write_text("\r\n".join(["Kd-Nr;Name;email", *lines, ""]), encoding="utf-8")
    return paths


def _open(path: str, text: str) -> Callable[[Page, Desk], None]:
    """Return what opens a page and waits for a text."""

    def draw(page: Page, desk: Desk) -> None:
        page.goto(desk.server.url + path)
        expect(page.get_by_text(text).first).to_be_visible()

    return draw


def _draw_check(page: Page, desk: Desk) -> None:
    check(page, desk.server, "ana@mailinator.com")
    expect(page.get_by_text("disposable-email-domains").first).to_be_visible()


def _draw_check_many(page: Page, desk: Desk) -> None:
    check(page, desk.server, PASTED)
    expect(page.get_by_text(re.compile(r"^7 addresses: "))).to_be_visible()
    expect(page.locator(".st-key-checked_table canvas").first).to_be_visible()


def _draw_merge(page: Page, desk: Desk) -> None:
    page.goto(f"{desk.server.url}/clean")
    press(page.get_by_role("radio", name="One list"))
    boxes = page.get_by_role("checkbox", checked=False)
    expect(boxes).to_have_count(2)
    for box in boxes.all()[::-1]:  # of earlier drops
        press(box.locator("xpath=ancestor::label"))
    expect(page.get_by_role("button", name="Merge 2 files")).to_be_enabled()
    expect(page.get_by_text("It is left out of the merged list.")).to_be_visible()


def _draw_clean(page: Page, desk: Desk) -> None:
    page.goto(desk.upload_url)
    expect(page.get_by_role("button", name=f"Clean {MAY_ROWS:,} rows")).to_be_visible()
    expect(page.get_by_text("What to expect")).to_be_visible()
    expect(page.get_by_text("Every row was checked").first).to_be_visible()


def _draw_duplicates(page: Page, desk: Desk) -> None:
    _draw_clean(page, desk)
    part = page.locator(".st-key-duplicates")
    part.get_by_text("Show some duplicates").click()
    expect(part.get_by_test_id("stDataFrame").locator("canvas").last).to_be_visible()
    part.scroll_into_view_if_needed()


def _draw_clean_error(page: Page, desk: Desk) -> None:
    page.goto(desk.broken_url)
    expect(page.get_by_text("the quote that opens here never closes").first).to_be_visible()


def _draw_project(page: Page, desk: Desk) -> None:
    page.goto(f"{desk.server.url}/project?task={desk.april_id}")
    wait_for_project(page)
    expect(page.get_by_role("tab", name="Duplicates")).to_be_visible()


def _draw_project_filtered(page: Page, desk: Desk) -> None:
    page.goto(f"{desk.server.url}/project?task={desk.march_id}&action=review")
    wait_for_project(page)
    expect(page.locator(".st-key-active_filters").get_by_role("button").first).to_be_visible()
    wait_until_still(page)  # a run that draws the table after a tick would take the tick back


def _draw_what_goes(page: Page, desk: Desk) -> None:
    page.goto(f"{desk.server.url}/project?task={desk.march_id}&goes=black,suspicious,role")
    wait_for_project(page)
    open_options(page, "Rows to leave out")
    expect(page.locator(".st-key-lost_by_reason canvas").first).to_be_visible()


def _draw_platform(page: Page, desk: Desk) -> None:
    page.goto(f"{desk.server.url}/project?task={desk.march_id}")
    wait_for_project(page)
    open_options(page)
    press(page.get_by_role("radio", name="HubSpot"))
    open_options(page, "Columns")
    expect(page.get_by_text("Column in the file, and yours")).to_be_visible()
    expect(page.get_by_text(re.compile("^Left out: "))).to_be_visible()


def _draw_repairs(page: Page, desk: Desk) -> None:
    page.goto(f"{desk.server.url}/project?task={desk.march_id}")
    wait_for_project(page)
    press(page.get_by_role("button", name="Show them"))
    expect(page.locator(".st-key-repairs canvas").first).to_be_visible()
    page.locator(".st-key-repairs").evaluate("card => card.scrollIntoView()")


def _tick_first(page: Page) -> None:
    find_table(page).click(position={"x": 16, "y": 50})


def _draw_policies(page: Page, desk: Desk) -> None:
    page.goto(f"{desk.server.url}/project?task={desk.march_id}")
    wait_for_project(page)
    open_tab(page, "Breakdown")
    press(page.get_by_text("Compare policies"))
    table = page.get_by_test_id("stDataFrame").locator("canvas").first
    expect(table).to_be_visible()
    table.scroll_into_view_if_needed()


def _write(name: str, text: str) -> FilePayload:
    return {"name": name, "mimeType": "text/csv", "buffer": text.encode()}


def _draw_bounces(page: Page, desk: Desk) -> None:
    page.goto(f"{desk.server.url}/rules?tab=bounces")
    wait_until_still(page)
    told = page.get_by_text(re.compile("60 hard bounces"))
    if not told.count():
        hard = "".join(f"gone{n}@{n % 9}.firma{n % 5}.de,Hard,May,2026-05-03\n" for n in range(58))
        hard += "x@mailinator.com,Hard,May,2026-05-03\ny@gmial.com,Hard,May,2026-05-03\n"
        arrived = "".join(f"here{n}@posteo.de,Delivered,May,2026-05-04\n" for n in range(200))
        head = "Email,Bounce Type,Campaign Name,Timestamp\n"
        file = _write("Klaviyo May.csv", head + hard + arrived)
        drop(page.locator(".st-key-bounce_zone"), file)
    expect(told.first).to_be_visible()


def _draw_row(page: Page, desk: Desk) -> None:
    _draw_project_filtered(page, desk)
    if not page.get_by_role("button", name="Why this row").count():
        _tick_first(page)
    why = page.get_by_role("button", name="Why this row")
    press(why)
    drawer = page.get_by_role("dialog")
    expect(drawer.get_by_text("Evidence", exact=True)).to_be_visible()
    expect(drawer.get_by_text(re.compile("^Row .* of your list$"))).to_be_visible()


def _draw_projects(page: Page, desk: Desk) -> None:
    page.goto(f"{desk.server.url}/projects")
    expect(page.locator("td[role=gridcell]", has_text="Newsletter March").first).to_be_attached()
    expect(page.get_by_role("link", name="Compare two projects")).to_be_visible()


def _draw_compare(page: Page, desk: Desk) -> None:
    page.goto(f"{desk.server.url}/compare?now={desk.april_id}")
    expect(page.get_by_role("link", name="Download differences to mail")).to_be_visible()
    expect(page.get_by_test_id("stDataFrame").locator("canvas").last).to_be_visible()


def _draw_own_lists(page: Page, desk: Desk) -> None:
    page.goto(f"{desk.server.url}/rules")
    wait_until_still(page)
    if page.get_by_text("Your lists are empty").count():
        field = page.get_by_label("Domain or address")
        for pattern in ("bücher.example.com", "*.partner.example.com"):
            field.fill(pattern)
            press(page.get_by_role("button", name="Add", exact=True))
            expect(field).to_have_value("")
    expect(page.get_by_test_id("stDataFrame").locator("canvas").first).to_be_visible()


def _draw_request(page: Page, desk: Desk) -> None:
    page.goto(f"{desk.server.url}/settings?tab=requests")
    page.get_by_role("textbox", name="Address of the person").fill("ana@mailinator.com")
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Download the letter")).to_be_visible()


# On a server that nobody has used.
FIRST_SCREENS = {
    "check-empty": Screen(_open("/", "Type or paste an address.")),
    "projects-empty": Screen(_open("/projects", "No project yet.")),
    "own-lists-empty": Screen(_open("/rules", "Your lists are empty")),
}
SCREENS = {
    "check": Screen(_draw_check),
    "check-many": Screen(_draw_check_many),
    "clean-empty": Screen(_open("/clean", "Drop one list or several here")),
    "merge": Screen(_draw_merge),
    "clean": Screen(_draw_clean),
    "duplicates": Screen(_draw_duplicates, is_whole=False),
    "clean-error": Screen(_draw_clean_error),
    "project": Screen(_draw_project),
    "what-goes": Screen(_draw_what_goes, is_whole=False, is_menu=True),
    "policies": Screen(_draw_policies, is_whole=False),
    "project-filtered": Screen(_draw_project_filtered),
    "repairs": Screen(_draw_repairs, is_whole=False),
    "platform": Screen(_draw_platform, is_whole=False, is_menu=True),
    "row": Screen(_draw_row, is_whole=False),
    "projects": Screen(_draw_projects),
    "compare": Screen(_draw_compare),
    "own-lists": Screen(_draw_own_lists),
    "request": Screen(_draw_request),
    "bounces": Screen(_draw_bounces, is_whole=False),
    "api": Screen(_open("/settings?tab=api", "Generate key")),
    "unknown-project": Screen(_open(f"/project?task={UNKNOWN}", "There is no such project")),
    "reference": Screen(_open(f"{BASE_PATH}/docs", "check-email"), is_whole=False),
}


def name_picture(screen: str, width: str, scheme: str) -> str:
    """Return the file name of a picture, e.g. ``check-dark-narrow.png``."""
    return f"{screen}-{SHAPES[width, scheme]}.png"

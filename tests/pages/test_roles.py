"""Each role on each page: what it lacks is absent, and nothing that is there is refused."""

from collections.abc import Callable
from copy import copy
from dataclasses import dataclass, fields, replace
from pathlib import Path

import pytest
from streamlit.proto.Dataframe_pb2 import Dataframe as DataframeProto
from streamlit.testing.v1 import AppTest

import winnow.wiring
from components.frame import page_urls
from tests.applications import OpenApplication, complete, run
from tests.pages.conftest import Desk, open_options, press
from tests.pages.test_never_mail import NOVEMBER_YES, OCTOBER
from tests.pages.test_not_this_time import ROWS
from tests.pages.test_projects_page import choose
from tests.pages.test_shell import read_all
from tests.tables import write_csv
from winnow.core.figures import show_moment
from winnow.core.identities import LOCAL_ACCOUNT, Identity, Role
from winnow.core.lists.silence import SilenceChoice
from winnow.core.tasks.repair_choice import SAFE_REPAIRS
from winnow.core.tasks.task import KeyType
from winnow.core.verdicts.verdict import Category
from winnow.services.accounts.sign_in import SignIn
from winnow.services.use_cases import use_case
from winnow.wiring import Application

PEOPLE = {"ana": Role.ADMIN, "bo": Role.MEMBER, "cy": Role.READER}
_ROWS_CHANGE = {DataframeProto.EditingMode.DYNAMIC, DataframeProto.EditingMode.DELETE_ONLY}
LIST = b"email\nana@@mailboxes.example\nbo@mailboxes.example\nbo@mailboxes.example\n"


@dataclass(eq=False, repr=False)
class CookieSignIn(SignIn):
    """Sign-in of a browser that has the cookie of a person, which page tests cannot send."""

    person: str = ""

    def identify(self, token: str | None) -> Identity | None:
        """Return the person of the cookie."""
        return super().identify(token or self.begin_session(self.person))

    @use_case(Role.READER)
    def name_session(self, token: str | None) -> str | None:
        """Return the name of the session of the cookie."""
        return super().name_session(token or self.begin_session(self.person))


@pytest.fixture
def opened(open_application: OpenApplication) -> Application:
    built = open_application()
    for name, role in PEOPLE.items():
        built.services.people.add(name, role, None)
    return built


@pytest.fixture
def open_as(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> Callable[..., AppTest]:
    def open_one(person: str, place: Path, **query: str) -> AppTest:
        known = desk.services.sign_in
        given = {one.name: getattr(known, one.name) for one in fields(SignIn)}
        services = copy(desk.services)
        services.sign_in = CookieSignIn(**given, person=person)
        monkeypatch.setattr(winnow.wiring, "services", lambda: services)
        app = desk.open(place, **query)
        assert "does not allow" not in read_all(app)
        return app

    return open_one


def list_keys(app: AppTest) -> set[str]:
    """Return the keys of everything that can be pressed, typed into or switched.

    Of a table that can be edited: whether its cells can be, and its rows removed.
    """
    kinds = ("button", "text_input", "toggle", "selectbox", "segmented_control")
    controls = [one for kind in kinds for one in getattr(app, kind) if one.key]
    keys = {str(one.key) for one in controls if not one.disabled}
    for table in app.data_editor:
        name = str(table.key).partition("_")[0]
        keys |= set() if table.proto.disabled else {f"{name}_cells"}
        keys |= {f"{name}_rows"} if table.proto.editing_mode in _ROWS_CHANGE else set()
    return keys


def make_project(opened: Application, state: str) -> str:
    """Make a project in which a page has other controls; return its id."""
    services = opened.services
    if state == "silent":
        task_id = complete(opened, write_csv(ROWS)).task_id
        services.mail_choices.leave_out(LOCAL_ACCOUNT, task_id, [(1, "Shop")])
        services.mail_choices.choose_silence(LOCAL_ACCOUNT, task_id, SilenceChoice(3))
        return task_id
    if state == "later":
        services.never_mail.remember(LOCAL_ACCOUNT, complete(opened, OCTOBER).task_id)
        opened.services.clock.advance(days=7)
        return complete(opened, NOVEMBER_YES).task_id
    task_id = complete(opened, LIST).task_id
    if state == "repaired":
        task_id = services.repairs.run(LOCAL_ACCOUNT, task_id, SAFE_REPAIRS).task_id
        run(opened)
    return task_id


def test_a_link_to_share_ends_with_the_sign_in(desk: Desk, open_as: Callable[..., AppTest]) -> None:
    task = complete(desk.opened).task_id
    app = open_options(open_as("bo", page_urls.PROJECT, task=task), "Report and link")
    (said,) = [one.value for one in app.caption if "anyone with this link" in one.value]
    assert ", and while you are signed in, anyone" in said


@pytest.mark.parametrize(
    ("place", "query", "members", "admins"),
    [
        pytest.param(page_urls.CHECK, {}, {"clear_recent"}, set(), id="check"),
        pytest.param(page_urls.CLEAN, {}, {"sample"}, set(), id="clean"),
        pytest.param(page_urls.PROJECT, {"task": "?"}, {"repair_start"}, set(), id="project"),
        pytest.param(
            page_urls.PROJECT, {"task": "repaired"}, {"repair_undo"}, set(), id="repaired"
        ),
        pytest.param(
            page_urls.PROJECTS, {}, {"chosen_rename", "chosen_delete"}, set(), id="projects"
        ),
        pytest.param(
            page_urls.PROJECT,
            {"task": "silent"},
            {"silent_by", "silent_day", "left_out_0"},
            set(),
            id="not-this-time",
        ),
        pytest.param(
            page_urls.PROJECT, {"task": "later"}, {"mail_again_1"}, set(), id="said-yes-later"
        ),
        pytest.param(
            page_urls.RULES,
            {},
            {"own_pattern", "own_add", "own_cells", "own_rows"},
            set(),
            id="lists",
        ),
        pytest.param(
            page_urls.RULES,
            {"tab": "policies"},
            {"policies_cells", "policies_rows"},
            set(),
            id="policies",
        ),
        pytest.param(page_urls.SETTINGS, {}, set(), {"network_dns", "refresh_lists"}, id="general"),
        pytest.param(
            page_urls.SETTINGS, {"tab": "people"}, set(), {"role_ana", "remove_bo"}, id="people"
        ),
        pytest.param(page_urls.SETTINGS, {"tab": "api"}, {"key_name"}, set(), id="api"),
    ],
)
def test_controls_are_those_of_the_role(
    opened: Application,
    open_as: Callable[..., AppTest],
    place: Path,
    query: dict[str, str],
    members: set[str],
    admins: set[str],
) -> None:
    services = opened.services
    services.checks.remember(
        LOCAL_ACCOUNT, [services.checks.check_address(LOCAL_ACCOUNT, "a@mailboxes.example")]
    )
    if query.get("task"):
        query = {"task": make_project(opened, query["task"])}
    services.own_lists.add(LOCAL_ACCOUNT, "mailboxes.example", Category.BLACK)
    if place == page_urls.PROJECTS:
        complete(opened, LIST)
        deleted = complete(opened, LIST).task_id
        services.deletions.delete(LOCAL_ACCOUNT, [deleted])
        members = members | {f"undo_{deleted}", f"finish_{deleted}"}
    seen = {}
    for person in PEOPLE:
        app = open_as(person, place, **query)
        if place == page_urls.PROJECTS:
            choose(app, [0])
        seen[person] = list_keys(app)
    if place == page_urls.CLEAN:  # its drop zone is our own component
        members = seen["bo"]
    assert members | admins <= seen["ana"]
    assert members <= seen["bo"]
    assert not admins & seen["bo"]
    assert not (members | admins) & seen["cy"]


def test_a_reader_finds_the_download_and_no_way_to_clean(
    opened: Application, open_as: Callable[..., AppTest]
) -> None:
    complete(opened, LIST, project_name="another")
    task = complete(opened, LIST)
    app = open_as("cy", page_urls.PROJECT, task=task.task_id)
    assert any("Download" in one.label for one in app.link_button)
    clean = open_as("cy", page_urls.CLEAN)
    assert "members and admins clean lists" in read_all(clean)
    assert "cy, reader" in read_all(clean)
    for place in (page_urls.PROJECTS, page_urls.COMPARE):
        assert not open_as("cy", place).error


def test_keys_are_listed_by_their_maker(
    opened: Application, open_as: Callable[..., AppTest]
) -> None:
    for person in ("ana", "bo"):
        acting = opened.services.act_as(Identity(LOCAL_ACCOUNT, person, Role.READER))
        acting.keys.create(LOCAL_ACCOUNT, f"key of {person}", KeyType.LIVE)
    hers = read_all(open_as("ana", page_urls.SETTINGS, tab="api"))
    his = read_all(open_as("bo", page_urls.SETTINGS, tab="api"))
    assert "key of ana" in hers
    assert "key of bo" in hers
    assert "key of ana" not in his
    assert "key of bo" in his


def test_an_admin_reads_who_did_what_and_changes_a_role(
    opened: Application, open_as: Callable[..., AppTest]
) -> None:
    acting = opened.services.act_as(Identity(LOCAL_ACCOUNT, "bo", Role.READER))
    acting.own_lists.add(LOCAL_ACCOUNT, "secret@mailboxes.example", Category.BLACK)
    log = read_all(open_as("ana", page_urls.SETTINGS, tab="audit"))
    assert "Verdict overruled" in log
    assert "secret@" not in log
    app = open_as("ana", page_urls.SETTINGS, tab="people")
    app.selectbox(key="role_bo").select(Role.READER).run()
    assert {one.name: one.role for one in opened.services.people.list()}["bo"] is Role.READER
    app.selectbox(key="role_ana").select(Role.MEMBER).run()
    assert "last admin" in "".join(one.value for one in app.error)
    press(app, "remove_bo")
    press(app, "remove_yes")
    assert [one.name for one in opened.services.people.list()] == ["ana", "cy"]


def test_admins_see_the_last_backup(
    opened: Application, open_as: Callable[..., AppTest], tmp_path: Path
) -> None:
    without = read_all(open_as("ana", page_urls.SETTINGS))
    assert "There is no daily backup." in without
    opened.services.backups.settings = replace(opened.settings, backup_dir=tmp_path / "kept")
    opened.services.backups.sweep(opened.services.clock())
    (made,) = opened.services.backups.list()
    texts = {person: read_all(open_as(person, page_urls.SETTINGS)) for person in PEOPLE}
    assert f"The last daily backup is of {show_moment(made.made_at)}" in texts["ana"]
    assert "daily backup" not in texts["bo"] + texts["cy"]

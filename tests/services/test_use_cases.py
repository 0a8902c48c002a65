"""Each use case against each role, and that no method of a service is without a row."""

import csv
import inspect
from pathlib import Path

import pytest

from tests.applications import OpenApplication
from winnow.core.accounts import COMMAND_LINE, LOCAL_ACCOUNT, Event, Identity, Role
from winnow.core.errors import RoleRefused
from winnow.services.services import Services
from winnow.services.use_cases import USE_CASES, ActingService, Caller
from winnow.wiring import Application

TABLE = Path(__file__).parents[1] / "golden" / "roles.tsv"
SERVERS_OWN = {
    "runs": "all",
    "usage_counter": "all",
    "submissions": "all",
    "inspections": "all",
    "queries": "all",
    "retention": "sweep",
    "checks": "cite_bounces",
    "person_requests": "all",
    "own_lists": "current",
    "uploads": "account_of_token ask complete measure_result read_head_of receive_copy",
    "merges": "carry_files",
    "tasks": "carry_files get_stored name_state",
    "deletions": "sweep watch",
    "downloads": "open note_first_use",
    "own_files": "carry_over",
    "results": "fetch fetch_list open_rows opened",
    "keys": "authenticate identify",
    "hooks": "sweep",
    "bans": "require_attempt take_attempt",
    "sign_in": "begin_session end_others end_session knows_client name_key_session "
    "sign_proxy_token sweep verify watch",
    "refresh": "find_last_try sweep",
    "project_views": "ask cite cite_bounces cite_rows count_rows find_entry find_view "
    "open_bounces open_cells prepare version",
    "people": "find_digest find_name find_role verify",
    "audit_log": "record",
    "drawn_pages": "all",
    "backups": "sweep",
}
"""What the server and other services call, and no person."""


def read_table() -> dict[str, tuple[Role, str]]:
    with TABLE.open(encoding="utf-8") as file:
        rows = list(csv.reader(file, delimiter="\t"))[1:]
    return {name: (Role(role), event) for name, role, event in rows}


def list_methods(services: Services) -> set[str]:
    """Return every public method of every service but the server's own."""
    found = set()
    for service, made in vars(services).items():
        own = SERVERS_OWN.get(service, "")
        if own == "all" or service in {"settings", "clock", "knowledge"}:
            continue
        for name, _ in inspect.getmembers(type(made), callable):
            if not name.startswith("_") and name not in own.split():
                found.add(f"{service}.{name}")
    return found


def test_every_method_of_a_service_has_a_row(opened: Application) -> None:
    assert list_methods(opened.services) == set(USE_CASES)
    assert set(read_table()) == set(USE_CASES)


@pytest.mark.parametrize("role", Role)
@pytest.mark.parametrize("name", sorted(read_table()))
def test_a_role_may_what_its_row_says(name: str, role: Role) -> None:
    least, event = read_table()[name]
    method = name.partition(".")[2]
    called: list[str] = []
    recorded: list[Event] = []

    def do(self: object, **given: object) -> str:
        called.append(method)
        return "done"

    service = type("Double", (), {method: do})()
    ana = Identity(LOCAL_ACCOUNT, "ana", role)
    caller = Caller(ana, lambda who: who.role, lambda kind, who, *ids: recorded.append(kind))
    acting = ActingService(name.partition(".")[0], service, caller)
    act = getattr(acting, method)
    if list(Role).index(role) < list(Role).index(least):
        with pytest.raises(RoleRefused):
            act()
        assert (called, recorded) == ([], [])
        return
    if "." not in USE_CASES[name].subject:  # ids of results need real results
        act()
        assert called == [method]
        assert recorded == ([Event(event)] if event else [])


def test_what_is_no_use_case_is_out_of_reach(open_application: OpenApplication) -> None:
    services = open_application().services.act_as(COMMAND_LINE)
    for name, attribute in (
        ("tasks", "database"),
        ("results", "tasks"),
        ("deletions", "sweep"),
        ("runs", "run_next"),
        ("retention", "sweep"),
        ("keys", "pepper"),
    ):
        with pytest.raises(AttributeError, match="is no use case"):
            getattr(getattr(services, name), attribute)
    assert services.bans.threshold == 5  # properties are facts


def test_a_changed_role_counts_at_once(open_application: OpenApplication) -> None:
    services = open_application().services
    services.people.add("ana", Role.ADMIN, None)
    services.people.add("bo", Role.MEMBER, None)
    acting = services.act_as(Identity(LOCAL_ACCOUNT, "bo", Role.MEMBER))
    acting.own_lists.remove(LOCAL_ACCOUNT, [])
    services.people.change_role("bo", Role.READER)
    with pytest.raises(RoleRefused):
        acting.own_lists.remove(LOCAL_ACCOUNT, [])
    services.people.remove("bo")
    with pytest.raises(RoleRefused):
        acting.tasks.list(LOCAL_ACCOUNT)

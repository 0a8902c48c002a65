"""Each role against what it may, and that pages and the API call use cases only."""

import ast
import inspect
import re
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

import pytest

from tests.applications import OpenApplication
from tests.roles import list_use_cases, write_table
from winnow.core.errors import RoleRefused
from winnow.core.identities import COMMAND_LINE, LOCAL_ACCOUNT, Event, Identity, Role
from winnow.services.services import Services
from winnow.services.use_cases import ActingService, Caller, use_case
from winnow.wiring import Application

ROOT = Path(__file__).parents[2]
ACTING = {"desk", "services", "acting", "act_for", "act_as"}
FREE = {"settings", "clock", "knowledge", "drawn_pages"}


def test_the_table_for_readers_is_the_one_of_the_services(opened: Application) -> None:
    table = (ROOT / "docs" / "roles.tsv").read_text(encoding="utf-8")
    assert table == write_table(opened.services), "run: make roles, and review what changed"


def find_calls(tree: ast.AST, classes: dict[str, str], services: Services) -> Iterator[str]:
    """Yield what a module asks of acting services, as ``tasks.submit``.

    A service is an attribute of ``desk``, of a field ``services`` or of what ``act_for`` gives;
    a name that one was assigned to; or a parameter of its class.
    """

    def find_service(node: ast.AST) -> str | None:
        if isinstance(node, ast.Name):
            return names.get(node.id)
        if not isinstance(node, ast.Attribute) or not hasattr(services, node.attr):
            return None
        made, is_call = node.value, isinstance(node.value, ast.Call)
        made = made.func if isinstance(made, ast.Call) else made
        word = made.attr if isinstance(made, ast.Attribute) else getattr(made, "id", "")
        is_plain = is_call and word == "services"  # the server's own
        return node.attr if word in ACTING and not is_plain else None

    names: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.arg) and getattr(node.annotation, "id", "") in classes:
            names[node.arg] = classes[getattr(node.annotation, "id", "")]
        if isinstance(node, ast.Assign):
            pairs = [(node.targets[0], node.value)]
            if isinstance(node.targets[0], ast.Tuple) and isinstance(node.value, ast.Tuple):
                pairs = list(zip(node.targets[0].elts, node.value.elts, strict=True))
            for target, value in pairs:
                if isinstance(target, ast.Name) and (service := find_service(value)):
                    names[target.id] = service
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and (service := find_service(node.value)) is not None:
            yield f"{service}.{node.attr}"


def find_acting(tree: ast.AST) -> Iterator[ast.AST]:
    """Yield the functions of the API but for those whose ``services`` are the server's own."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and not re.search(
            r"\bservices\b.* = \(?(self\._?)?services\(\)", ast.unparse(node)
        ):
            yield node


def test_pages_and_the_api_call_use_cases_only(opened: Application) -> None:
    services = opened.services
    classes = {type(made).__name__: name for name, made in vars(services).items()}
    known = {name for name, _ in list_use_cases(services)}
    for service, made in vars(services).items():
        facts = inspect.getmembers(type(made), lambda one: isinstance(one, property))
        known |= {f"{service}.{name}" for name, _ in facts}
    asked: dict[str, str] = {}
    for folder in ("components", "pages", "winnow/api"):
        for path in (ROOT / folder).rglob("*.py"):
            tree = ast.parse(path.read_text(encoding="utf-8"))
            is_page = folder != "winnow/api"  # there, parameters are the server's own services
            found = (
                find_calls(one, classes if is_page else {}, services)
                for one in ([tree] if is_page else find_acting(tree))
            )
            for call in chain.from_iterable(found):
                if call.partition(".")[0] not in FREE:
                    asked[call] = path.name
    assert {call: where for call, where in asked.items() if call not in known} == {}
    assert len(asked) > 70, "the calls are found no more"


@pytest.mark.parametrize("least", Role)
@pytest.mark.parametrize("role", Role)
@pytest.mark.parametrize("event", [None, Event.RESTORED])
def test_a_role_may_what_the_method_says(least: Role, role: Role, event: Event | None) -> None:
    done: list[object] = []

    class Double:
        @use_case(least, event, subject="task_id")
        def act(self, task_id: str, identity: Identity | None = None) -> None:
            done.append(identity)

    ana = Identity(LOCAL_ACCOUNT, "ana", role)
    caller = Caller(ana, lambda who: who.role, lambda *said: done.append(said))
    act = ActingService(Double(), caller).act
    assert callable(act)
    if role.covers(least):
        act("x")
        assert done == [ana, *([(event, ana, "x")] if event else [])]
    else:
        with pytest.raises(RoleRefused):
            act("x")
        assert done == []


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

"""Use cases: who may do what, and what the audit log records of it.

``USE_CASES`` has every method of every service that a person or a key can call. It is the one
place that knows roles: ``ActingService`` asks it before each call, pages ask it which controls to
show. A method that is not in it is refused to everyone.
"""

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from winnow.core.accounts import Event, Identity, Role
from winnow.core.errors import RoleRefused


@dataclass(frozen=True, slots=True)
class UseCase:
    """A method of a service, as people may call it.

    Attributes:
        role: The least role that may.
        event: What the audit log records, if anything.
        subject: Where the entry's id is: a parameter's name, ``"result"``, or one of its
            attributes, ``"result.task_id"``; "" for none. Several ids make several entries.
        takes_identity: The method has a parameter ``identity``, which the caller is put into.
    """

    role: Role
    event: Event | None = None
    subject: str = ""
    takes_identity: bool = False


def _list_use_cases() -> Iterator[tuple[str, UseCase]]:
    for role, services in _PLAIN.items():
        for service, methods in services.items():
            for method in methods.split():
                yield f"{service}.{method}", UseCase(role)
    for role, recorded in _RECORDED.items():
        for name, (event, subject) in recorded.items():
            yield name, UseCase(role, event, subject)


_PLAIN: Mapping[Role, Mapping[str, str]] = {
    Role.READER: {
        "checks": "check check_array_for_key check_for_key check_many recent",
        "uploads": "get list_waiting",
        "duplicates": "look_back",
        "tasks": "get get_kept list list_page queue_places",
        "deletions": "list",
        "retention": "find_wait",
        "results": "columns email_column explain facets list_own_columns look_at_ticks "
        "measure preview_platform read_original require_completed row rows split weigh",
        "comparisons": "addresses compare open_stream",
        "own_lists": "changes export_csv find_report list",
        "project_views": "present present_all read_meanings",
        "policies": "find find_default list",
        "mail_choices": "list_columns recall",
        "own_files": "count_rows list list_of_task",
        "bans": "attempts_left list",
        "usage": "days months storage",
        "sign_in": "find_session identify measure_session name_session",
        "network": "is_allowed is_on status_text",
        "refresh": "describe find_due",
        "repairs": "find page",
        "decisions": "answer_person explain_check explain_row",
    },
    Role.MEMBER: {
        "checks": "clear_recent remember",
        "uploads": "begin discard issue_token read_head stage_sample",
        "merges": "merge",
        "previews": "look recall",
        "duplicates": "look",
        "tasks": "cancel rename",
        "bans": "lift",
    },
    Role.ADMIN: {
        "refresh": "refresh_now",
        "people": "list list_keys",
        "backups": "list",
        "monitoring": "examine find_data_age measure require_ready",
        "audit_log": "list export_csv",
        "accounts": "create require",
    },
}

_RECORDED: Mapping[Role, Mapping[str, tuple[Event, str]]] = {
    Role.MEMBER: {
        "tasks.submit": (Event.SUBMITTED, "result.task_id"),
        "tasks.submit_again": (Event.SUBMITTED, "result.task_id"),
        "duplicates.run_again": (Event.SUBMITTED, "result.task_id"),
        "repairs.run": (Event.SUBMITTED, "result.task_id"),
        "repairs.undo": (Event.DELETED, "task_id"),
        "deletions.delete": (Event.DELETED, "result.task_ids"),
        "deletions.finish": (Event.ERASED, "result"),
        "deletions.undo": (Event.RESTORED, "result"),
        "own_lists.add": (Event.OVERRULED, "category"),
        "own_lists.change": (Event.LISTS_CHANGED, ""),
        "own_lists.replace": (Event.LISTS_CHANGED, "category"),
        "own_lists.remove": (Event.LISTS_CHANGED, ""),
        "own_lists.undo": (Event.LISTS_CHANGED, "change_id"),
        "own_lists.import_file": (Event.LISTS_CHANGED, "category"),
        "mail_choices.remember": (Event.LISTS_CHANGED, ""),
        "mail_choices.change": (Event.LISTS_CHANGED, "task_id"),
        "own_files.add": (Event.LISTS_CHANGED, "result.file_id"),
        "own_files.add_to_task": (Event.LISTS_CHANGED, "result.file_id"),
        "own_files.remove": (Event.LISTS_CHANGED, "file_id"),
        "policies.create": (Event.POLICY_CHANGED, "result.policy_id"),
        "policies.change": (Event.POLICY_CHANGED, "policy_id"),
        "policies.make_default": (Event.POLICY_CHANGED, "policy_id"),
        "policies.delete": (Event.POLICY_CHANGED, "policy_id"),
    },
    Role.ADMIN: {
        "people.add": (Event.PEOPLE_CHANGED, "name"),
        "people.reset": (Event.PEOPLE_CHANGED, "name"),
        "people.change_role": (Event.PEOPLE_CHANGED, "name"),
        "people.remove": (Event.PEOPLE_CHANGED, "name"),
        "network.turn": (Event.NETWORK_CHANGED, "switch"),
        "refresh.choose": (Event.NETWORK_CHANGED, "rhythm"),
    },
}

USE_CASES: Mapping[str, UseCase] = {
    **dict(_list_use_cases()),
    "downloads.issue": UseCase(Role.READER, takes_identity=True),
    "downloads.issue_difference": UseCase(Role.READER, takes_identity=True),
    "keys.list": UseCase(Role.MEMBER, takes_identity=True),
    "keys.create": UseCase(Role.MEMBER, Event.KEY_MADE, "result.prefix", takes_identity=True),
    "keys.revoke": UseCase(Role.MEMBER, Event.KEY_REVOKED, "prefix", takes_identity=True),
    "hooks.find_url": UseCase(Role.MEMBER, takes_identity=True),
    "hooks.set_url": UseCase(Role.MEMBER, Event.HOOK_CHANGED, "prefix", takes_identity=True),
    "hooks.list_deliveries": UseCase(Role.MEMBER, takes_identity=True),
    "hooks.replay": UseCase(Role.MEMBER, Event.HOOK_REPLAYED, "task_id", takes_identity=True),
}
"""Every use case by service and method. Other people's keys are checked by ``Keys`` itself."""


@dataclass(frozen=True, slots=True)
class Caller:
    """A person or a key that calls services; the role is the one of the moment."""

    identity: Identity
    find_role: Callable[[Identity], Role | None]
    record: Callable[..., None]

    def require(self, role: Role) -> Identity:
        """Return the caller in the role of the moment.

        Raises:
            RoleRefused: It is lower than this one, or the person was removed.
        """
        own = self.find_role(self.identity)
        if own is None or not own.covers(role):
            raise RoleRefused
        return replace(self.identity, role=own)


class ActingService:
    """A service as one caller may use it: calls are checked and recorded; fields are hidden."""

    def __init__(self, name: str, service: object, caller: Caller) -> None:
        self._name = name
        self._service = service
        self._caller = caller

    def __getattr__(self, attribute: str) -> object:
        """Return a method that checks and records, or the value of a property."""
        if isinstance(getattr(type(self._service), attribute, None), property):
            return getattr(self._service, attribute)
        use_case = USE_CASES.get(f"{self._name}.{attribute}")
        if use_case is None:
            raise AttributeError(f"{self._name}.{attribute} is no use case")
        return self._bind(getattr(self._service, attribute), use_case)

    def _bind(self, method: Callable[..., object], use_case: UseCase) -> Callable[..., object]:
        caller = self._caller

        def call(*args: object, **kwargs: object) -> object:
            identity = caller.require(use_case.role)
            if use_case.takes_identity:
                kwargs["identity"] = identity
            result = method(*args, **kwargs)
            if use_case.event is not None:
                given = inspect.signature(method).bind(*args, **kwargs).arguments
                subjects = _find_subjects(use_case.subject, given, result)
                caller.record(use_case.event, identity, *subjects)
            return result

        return call


def _find_subjects(where: str, given: Mapping[str, object], result: object) -> Iterable[str]:
    """Return the ids of a call, as ``UseCase.subject`` says."""
    source, _, attribute = where.partition(".")
    if source != "result":
        return (str(given.get(source, "")),)
    if result is None:
        return ()
    if attribute:
        made = result[0] if isinstance(result, tuple) else result  # a key comes with its secret
        result = getattr(made, attribute)
    return (result,) if isinstance(result, str) else tuple(map(str, _list(result)))


def _list(found: object) -> Iterable[object]:
    return found if isinstance(found, Iterable) else ()

"""Use cases: who may do what, and what the audit log records of it.

``use_case`` marks the methods of services that a person or a key can call, and is the one thing
that knows roles: ``ActingService`` reads it before each call, pages read it for the controls that
they show. A method without it is refused to everyone; docs/roles.tsv lists all that have it.
"""

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache, wraps
from typing import Any, TypeVar

from winnow.core.errors import RoleRefused
from winnow.core.identities import Event, Identity, Role

_Method = TypeVar("_Method", bound=Callable[..., object])


@dataclass(frozen=True, slots=True)
class UseCase:
    """A method of a service, as people may call it; the fields are as in ``use_case``."""

    role: Role
    event: Event | None
    subject: str


def use_case(
    role: Role, event: Event | None = None, *, subject: str = ""
) -> Callable[[_Method], _Method]:
    """Let people and keys call a method. A parameter ``identity`` of it becomes the caller.

    Args:
        role: The least role that may.
        event: What the audit log records, if anything.
        subject: Where the entry's id is: a parameter's name, ``"result"``, or one of its
            attributes, ``"result.task_id"``; "" for none. Several ids make several entries.
    """

    def keep(method: _Method) -> _Method:
        vars(method)["use_case"] = UseCase(role, event, subject)
        return method

    return keep


def find_use_case(method: object) -> UseCase | None:
    """Return what ``use_case`` says of a method, also of one that ``ActingService`` gave."""
    found = getattr(method, "use_case", None)
    return found if isinstance(found, UseCase) else None


@dataclass(frozen=True, slots=True)
class Caller:
    """A person or a key that calls services; the role is the one of the moment."""

    identity: Identity
    find_role: Callable[[Identity], Role | None]
    record: Callable[..., None]

    def require(self, method: Callable[..., object]) -> Identity:
        """Return the caller, in the role of the moment, who may call a method of a service.

        Raises:
            RoleRefused: The role is too low, the person was removed, or it is no use case.
        """
        own, asked = self.find_role(self.identity), find_use_case(method)
        if own is None or asked is None or not own.covers(asked.role):
            raise RoleRefused
        return self.identity if own is self.identity.role else replace(self.identity, role=own)


class ActingService:
    """A service as one caller may use it: calls are checked and recorded; fields are hidden."""

    def __init__(self, service: object, caller: Caller) -> None:
        self._service = service
        self._caller = caller

    def __getattr__(self, attribute: str) -> object:
        """Return a method that checks and records, or the value of a property."""
        declared: Any = getattr(type(self._service), attribute, None)
        found = find_use_case(declared)
        if found is None and not isinstance(declared, property):
            raise AttributeError(f"{type(self._service).__name__}.{attribute} is no use case")
        own = getattr(self._service, attribute)
        if found is None:
            return own
        vars(self)[attribute] = bound = self._bind(own, declared, found)
        return bound

    def _bind(
        self, method: Callable[..., object], declared: Callable[..., object], found: UseCase
    ) -> Callable[..., object]:
        caller = self._caller

        @wraps(method)
        def call(*args: object, **kwargs: object) -> object:
            identity, signature = caller.require(method), _read_signature(declared)
            if "identity" in signature.parameters:
                kwargs["identity"] = identity
            result = method(*args, **kwargs)
            if found.event is not None:
                given = signature.bind(self, *args, **kwargs).arguments
                caller.record(found.event, identity, *_find_subjects(found.subject, given, result))
            return result

        return call


@cache
def _read_signature(declared: Callable[..., object]) -> inspect.Signature:
    """Return the signature of a service's method, which takes as long as a check to read."""
    return inspect.signature(declared)


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

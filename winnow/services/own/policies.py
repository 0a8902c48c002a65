"""Named policies of an account: created, changed, deleted; one is the default."""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass, replace

from winnow.core.errors import BadField
from winnow.core.identities import Event, Role
from winnow.core.lists.exports import DownloadChoice
from winnow.core.lists.named_policy import POLICIES_MAX, NamedPolicy, find_policy
from winnow.core.tasks.task import Task
from winnow.services.names import read_name
from winnow.services.use_cases import use_case
from winnow.storage.database import tables
from winnow.storage.database.database import Database
from winnow.storage.database.query_cache import QueryCache
from winnow.storage.repositories.policies import editing_policies, list_policies
from winnow.words import translatable

_FIELD, _NAME = "policy", "name"


@dataclass(eq=False, repr=False)
class Policies:
    """The named policies of every account. Synchronous and thread-safe."""

    database: Database

    def __post_init__(self) -> None:
        self._listed = QueryCache[str, tuple[NamedPolicy, ...]](
            self.database.changes_of(tables.policies)
        )

    @use_case(Role.READER)
    def list(self, account: str) -> tuple[NamedPolicy, ...]:
        """Return an account's policies, the oldest first; there is at least one."""
        return self._listed.get(account, lambda one: list_policies(self.database, one))

    @use_case(Role.READER)
    def find_default(self, account: str) -> NamedPolicy:
        """Return the policy that applies if none is chosen."""
        return next(one for one in self.list(account) if one.is_default)

    @use_case(Role.READER)
    def find_usual(self, account: str, task: Task) -> DownloadChoice:
        """Return what applies to a project if nothing is chosen: the default, as it was asked."""
        return self.find_default(account).choice.let_decide(task.request.who_decides)

    @use_case(Role.READER)
    def find_policy(self, account: str, name: str) -> NamedPolicy:
        """Return the policy with a name, case aside.

        Raises:
            BadField: As ``find_policy``.
        """
        return find_policy(self.list(account), name)

    @use_case(Role.MEMBER, Event.POLICY_CHANGED, subject="result.policy_id")
    def create(self, account: str, name: str, choice: DownloadChoice) -> NamedPolicy:
        """Store a choice under a new name.

        Raises:
            BadField: The name is not 1 to 50 characters or is taken, or there are POLICIES_MAX.
        """
        made = NamedPolicy(secrets.token_hex(6), read_name(_NAME, name), choice)
        with editing_policies(self.database, account) as known:
            _refuse_taken(known, made)
            if len(known) >= POLICIES_MAX:
                raise BadField(
                    _FIELD,
                    translatable("cannot be added: there are too many already"),
                    hint=translatable("Delete one that is not used."),
                )
            known.append(made)
        return made

    @use_case(Role.MEMBER, Event.POLICY_CHANGED, subject="policy_id")
    def change(
        self,
        account: str,
        policy_id: str,
        *,
        name: str | None = None,
        choice: DownloadChoice | None = None,
        is_default: bool = False,
    ) -> NamedPolicy:
        """Give a policy another name or another choice, or make it the default.

        Raises:
            BadField: As ``create``, or it was deleted meanwhile.
        """
        new_name = None if name is None else read_name(_NAME, name)
        with editing_policies(self.database, account) as known:
            before = _find(known, policy_id)
            now = replace(before, name=new_name or before.name, choice=choice or before.choice)
            _refuse_taken([one for one in known if one is not before], now)
            known[known.index(before)] = now
            if is_default:
                known[:] = [replace(one, is_default=one is now) for one in known]
        return _find(known, policy_id)

    @use_case(Role.MEMBER, Event.POLICY_CHANGED, subject="policy_id")
    def delete(self, account: str, policy_id: str) -> None:
        """Delete a policy; one that is not there is no error.

        Raises:
            BadField: It is the default; another must become the default first.
        """
        with editing_policies(self.database, account) as known:
            if any(one.policy_id == policy_id and one.is_default for one in known):
                raise BadField(
                    _FIELD,
                    translatable("is the default and stays"),
                    hint=translatable("Make another one the default first."),
                )
            known[:] = [one for one in known if one.policy_id != policy_id]


def _find(known: Sequence[NamedPolicy], policy_id: str) -> NamedPolicy:
    for one in known:
        if one.policy_id == policy_id:
            return one
    raise BadField(
        _FIELD, translatable("was deleted meanwhile"), hint=translatable("Reload the page.")
    )


def _refuse_taken(others: Sequence[NamedPolicy], policy: NamedPolicy) -> None:
    if any(one.name.casefold() == policy.name.casefold() for one in others):
        problem = translatable("belongs to another policy already")
        raise BadField(_NAME, problem, hint=translatable("Choose another."))

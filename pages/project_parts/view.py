"""What every part of a project's page works with: the project, who asks, and the services."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Concatenate, ParamSpec, TypeVar

import streamlit as st

from components.download_choice import read_choice
from components.sign_in import read_token
from winnow.core.accounts import Identity
from winnow.core.lists.download_choice import DownloadChoice
from winnow.core.tasks.task import Task
from winnow.wiring import Services

P = ParamSpec("P")
R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class OpenedProject:
    """One finished project as one person sees it."""

    services: Services
    identity: Identity
    task: Task

    @property
    def account(self) -> str:
        """Whose project it is."""
        return self.identity.account

    @property
    def session(self) -> str | None:
        """The sign-in that its links belong to."""
        return self.services.sign_in.name_session(read_token())

    def bind(self, use_case: Callable[Concatenate[str, str, P], R]) -> Callable[P, R]:
        """Return a use case of this account's project, which asks for the rest."""
        return partial(use_case, self.account, self.task.task_id)

    @property
    def link_refresh_seconds(self) -> int:
        """After how long links are drawn anew: they never get old on the page."""
        return max(60, self.services.settings.link_seconds // 3)

    def find_default(self) -> DownloadChoice:
        """Return what holds where nothing is chosen."""
        return self.services.policies.find_default(self.account).choice

    def find_choice(self) -> DownloadChoice:
        """Return what the address chooses, else the default policy."""
        return read_choice(st.query_params, self.find_default())


def go_to(task: Task) -> None:
    """Show another project in this one's place."""
    st.query_params.from_dict({"task": task.task_id})
    st.rerun()

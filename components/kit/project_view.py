"""View of one project: the user, the services, and the download choice in the page's URL.

Codes only: nothing of a list is in a URL.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import streamlit as st

from components.frame.error_words import write_error
from components.frame.page_urls import page_params
from components.frame.session import name_session
from components.kit.notices import draw_error
from winnow.core.errors import WinnowError
from winnow.core.identities import Identity
from winnow.core.lists.cleaning import CleaningEffect, CleaningPolicy
from winnow.core.lists.exports import NOTHING_CHOSEN, DownloadChoice, DownloadLink, Export
from winnow.core.lists.file_format import NEW_FORMATS, FileFormat
from winnow.core.tasks.task import Task
from winnow.services.services import Services
from winnow.words import say

NOTHING = "nothing"
_KEYS = ("goes", "with", "as")
_EXTRAS = ("reason", "safe")


def read_choice(
    params: Mapping[str, str], default: DownloadChoice = NOTHING_CHOSEN
) -> DownloadChoice:
    """Return the choice in a URL, the default where it has none; invalid values are ignored."""
    if not any(key in params for key in _KEYS):
        return default
    extras = params.get("with", "").split(",")
    file_format, goes = params.get("as"), params.get("goes", "")
    policy = CleaningPolicy.from_json(goes.split(","))
    if goes != NOTHING and policy == CleaningPolicy.from_json(()):
        policy = CleaningPolicy()
    return DownloadChoice(
        policy=policy,
        adds_reason="reason" in extras,
        safe_for_excel="safe" in extras,
        file_format=FileFormat(file_format) if file_format in NEW_FORMATS else None,
    )


def list_choice_params(
    choice: DownloadChoice, default: DownloadChoice = NOTHING_CHOSEN
) -> Mapping[str, str]:
    """Return the URL's parameters of a choice; empty texts for the default."""
    chosen = choice.adds_reason, choice.safe_for_excel
    goes = ",".join(choice.policy.to_json()) or NOTHING
    is_plain = choice.policy == CleaningPolicy() and choice != NOTHING_CHOSEN
    values = {
        "goes": "" if is_plain else goes,
        "with": ",".join(name for name, is_on in zip(_EXTRAS, chosen, strict=True) if is_on),
        "as": choice.file_format.value if choice.file_format else "",
    }
    return dict.fromkeys(values, "") if choice == default else values


@dataclass(frozen=True, slots=True)
class OpenedProject:
    """One finished project and the user who opened it."""

    services: Services
    identity: Identity
    task: Task

    @property
    def account(self) -> str:
        """Id of the project's account."""
        return self.identity.account

    @property
    def ids(self) -> tuple[str, str]:
        """The account and the project, the first arguments of many services."""
        return self.identity.account, self.task.task_id

    def find_default(self) -> DownloadChoice:
        """Return the download choice of the default policy, with who decides in this project."""
        return self.services.policies.find_usual(self.account, self.task)

    def find_choice(self) -> DownloadChoice:
        """Return the page's download choice, else the default policy's."""
        return read_choice(page_params, self.find_default())

    def choose(self, choice: DownloadChoice) -> None:
        """Write the page's download choice into its URL."""
        page_params.put(list_choice_params(choice, self.find_default()))

    def find_form(self) -> Export:
        """Return how files look by the page's choices: format, columns, rows left out."""
        return Export(choice=self.find_choice())

    def weigh(self) -> CleaningEffect:
        """Return what the page's choice does to the project's rows."""
        return self.services.results.weigh(*self.ids, self.find_choice().policy)

    def issue(self, export: Export) -> DownloadLink:
        """Return a link to a file, made anew before it expires; it ends with the session."""
        session = name_session(self.services)
        return self.services.downloads.issue(*self.ids, export, session=session, is_new=False)

    def offer(self, export: Export) -> tuple[DownloadLink | None, str]:
        """Return the link to a file, or None and why there is none."""
        try:
            return self.issue(export), ""
        except WinnowError as error:
            return None, write_error(error)


def draw_file(
    view: OpenedProject,
    label: str,
    export: Export,
    count: int,
    *,
    key: str,
    icon: str | None = ":material/download:",
    **options: Any,
) -> None:
    """Draw the link to a file of ``count`` rows; without any, or where it is refused, it is grey.

    ``options`` are those of ``st.link_button``.
    """
    link, problem = view.offer(export) if count else (None, "")
    path = link.path if link else "#"
    st.link_button(label, path, icon=icon, disabled=link is None, key=key, **options)
    if problem:
        st.caption(problem)


def run_again(make: Callable[[], Task]) -> None:
    """Make a project of this one's list and show it in its place, or draw why it was not made."""
    try:
        made = make()
    except WinnowError as error:
        draw_error(error, kept=say("Nothing was started; this project stays as it is."))
    else:
        go_to(made)


def go_to(task: Task) -> None:
    """Show another project in this one's place."""
    page_params.replace({"task": task.task_id})
    st.rerun()

"""View of one project: the project, the user's identity and the services."""

from dataclasses import dataclass

import streamlit as st

from components.frame.session import read_token
from components.kit.page_params import page_params
from components.project.download_choice import read_choice, read_split
from winnow.core.accounts import DownloadLink, Identity
from winnow.core.lists.cleaning import CleaningEffect
from winnow.core.lists.exports import DownloadChoice, Export
from winnow.core.tasks.task import Task
from winnow.services.services import Services


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

    @property
    def link_refresh_seconds(self) -> int:
        """Seconds until links are redrawn, so that they do not expire on the page."""
        return max(60, self.services.settings.link_seconds // 3)

    def find_default(self) -> DownloadChoice:
        """Return the download choice of the default policy."""
        return self.services.policies.find_default(self.account).choice

    def find_choice(self) -> DownloadChoice:
        """Return the page's download choice, else the default policy's."""
        return read_choice(page_params, self.find_default())

    def find_form(self) -> Export:
        """Return how files look by the page's choices: format, columns, rows left out, split."""
        return Export(choice=self.find_choice(), split=read_split(page_params))

    def weigh(self) -> CleaningEffect:
        """Return what the page's choice does to the project's rows."""
        return self.services.results.weigh(*self.ids, self.find_choice().policy)

    def issue(self, export: Export) -> DownloadLink:
        """Make a fresh link to a file; it ends with the session."""
        session = self.services.sign_in.name_session(read_token())
        return self.services.downloads.issue_export(*self.ids, export, session=session)


def go_to(task: Task) -> None:
    """Show another project in this one's place."""
    page_params.replace({"task": task.task_id})
    st.rerun()

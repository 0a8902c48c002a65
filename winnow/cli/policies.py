"""The named policies of the data folder, for commands that need no server."""

from collections.abc import Mapping

from winnow import wiring
from winnow.core.accounts import LOCAL_ACCOUNT
from winnow.core.lists.exports import DownloadChoice
from winnow.core.lists.named_policy import SHIPPED
from winnow.services.own.policies import find_policy


def read_choice(environ: Mapping[str, str], name: str | None) -> DownloadChoice | None:
    """Return the choice of the policy with this name; None if none is named.

    Without a data folder only the built-in policies exist.

    Raises:
        BadField: There is no such policy.
        SettingsError, StartRefused: The data folder cannot be opened.
    """
    if name is None:
        return None
    services = wiring.existing_services(environ)
    known = SHIPPED if services is None else services.policies.list(LOCAL_ACCOUNT)
    return find_policy(known, name).choice

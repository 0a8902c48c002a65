"""``winnow keys hook``, ``deliveries`` and ``replay``: the hooks of API keys."""

import os
import sys
from argparse import Namespace

from winnow import wiring
from winnow.core.accounts import COMMAND_LINE
from winnow.core.errors import BadField
from winnow.core.network_answers import HOOKS


def manage_hooks(options: Namespace) -> int:
    """Run one action of the command; return the exit code.

    Raises:
        BadField: There is no such key or delivery, or the URL cannot be used.
    """
    found = wiring.existing_services(os.environ)
    if found is None:
        raise BadField("key", "there is no such key, or it is revoked")
    services, key = found.act_as(COMMAND_LINE), (options.account, options.prefix)
    match options.action:
        case "deliveries":
            for one in services.hooks.list_deliveries(*key):
                tried = "" if one.tried_at is None else f"{one.tried_at:%Y-%m-%dT%H:%M:%SZ}"
                cells = (one.task_id, one.state, str(one.attempt), one.outcome or "", tried)
                sys.stdout.write("\t".join(cells) + "\n")
        case "replay":
            services.hooks.replay(*key, options.task_id)
        case _ if options.url is None:
            sys.stdout.write(f"{services.hooks.find_url(*key) or 'no hook'}\n")
        case _:
            secret = services.hooks.set_url(*key, options.url)
            sys.stdout.write(f"{secret}\n" if secret else "")
            if not services.network.is_on(HOOKS):
                sys.stderr.write("winnow: hooks are off; turn them on in Settings, Network\n")
    return 0

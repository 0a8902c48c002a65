"""Commands of an administrator: keys, hooks, accounts, people, and the state of the data folder."""

import os
import sys
from argparse import Namespace
from getpass import getpass

from winnow import wiring
from winnow.cli.process import make_visible
from winnow.core.errors import BadField
from winnow.core.figures import count_doing
from winnow.core.identities import COMMAND_LINE, Role
from winnow.core.network_answers import HOOKS
from winnow.core.refresh import RefreshRound
from winnow.core.settings import read_password_file
from winnow.core.tasks.task import KeyType
from winnow.services.accounts.people import People


def create_key(options: Namespace) -> int:
    """Make an API key and print it, once.

    Raises:
        BadField: There is no such account, or the name cannot be used.
    """
    services = wiring.services().act_as(COMMAND_LINE)
    _, secret = services.keys.create(options.account, options.name, KeyType(options.type))
    sys.stdout.write(f"{secret}\n")
    return 0


def list_keys(options: Namespace) -> int:
    """Print the API keys of an account.

    Raises:
        BadField: There is no such account.
    """
    services = wiring.existing_services(os.environ)
    if services is None:
        sys.stderr.write("winnow: there is no data folder yet, and no key\n")
        return 0
    services.accounts.require(options.account)
    for key in services.keys.list(options.account):
        state = "revoked" if key.revoked_at else "active"
        name = make_visible(" ".join(key.name.split()))  # one line per key
        sys.stdout.write(f"{key.prefix}\t{key.key_type}\t{state}\t{key.use_count}\t{name}\n")
    return 0


def reset_keys(options: Namespace) -> int:
    """Make a new pepper where it is lost; errors are those of ``wiring.renew_pepper``."""
    keys, noes = wiring.renew_pepper(os.environ)
    sys.stdout.write(f"a new pepper is made; keys revoked: {keys}\n")
    if noes:
        lost = count_doing(noes, "remembered no", "is", "are", many="remembered noes")
        sys.stdout.write(f"{lost} lost: clean those lists and add those files again\n")
    return 0


def manage_hooks(options: Namespace) -> int:
    """Print, set or remove the hook of an API key, or list and replay its deliveries.

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


def create_account(options: Namespace) -> int:
    """Make an account; errors are those of ``Accounts.create``."""
    wiring.services().accounts.create(options.name)
    return 0


def manage_people(options: Namespace) -> int:
    """Add, list, reset and remove the people who sign in by name.

    Raises:
        BadField: A name, role or password that cannot be used.
    """
    if options.action == "list":
        services = wiring.existing_services(os.environ)
        for person in () if services is None else services.people.list():
            way = "password" if person.has_password else "proxy only"
            sys.stdout.write(f"{person.name}\t{person.role}\t{way}\n")
        return 0
    people = wiring.services().act_as(COMMAND_LINE).people
    match options.action:
        case "add":
            people.add(options.name, Role(options.role), _read_password(options))
        case "reset":
            people.reset(options.name, _read_password(options))
        case "role":
            people.change_role(options.name, Role(options.role))
        case _:
            return _remove_person(people, options)
    return 0


def _remove_person(people: People, options: Namespace) -> int:
    """Print the keys that end with a person, ask, and remove the person."""
    for key in people.list_keys(options.name.strip().lower()):
        sys.stdout.write(f"this key ends: {key.prefix}\t{make_visible(key.name)}\n")
    if not options.yes:
        sys.stdout.write(f"Remove {options.name}? [y/N] ")
        sys.stdout.flush()
        if sys.stdin.readline().strip().lower() not in {"y", "yes"}:
            sys.stdout.write("nothing was changed\n")
            return 1
    people.remove(options.name)
    return 0


def _read_password(options: Namespace) -> str | None:
    """Return the password of a file, or one that is typed twice; None: without one.

    Raises:
        BadField: It cannot be read, or the two differ.
    """
    if options.no_password:
        return None
    if options.password_file is not None:
        try:
            return read_password_file(options.password_file)
        except ValueError as error:
            raise BadField("password-file", str(error)) from error
    password = getpass("Password: ")
    if getpass("Again: ") != password:
        raise BadField("password", "is not the same both times")
    return password


def refresh_lists(options: Namespace) -> int:
    """Fetch the published lists; errors are those of ``Refresh.refresh_now``."""
    refresh = wiring.services().act_as(COMMAND_LINE).refresh
    return report_round(refresh.refresh_now(may_be_others=options.accept_replaced))


def report_round(made: RefreshRound | None) -> int:
    """Print what became of each list; 1 if one was refused or not reached and stays as it was."""
    for one in () if made is None else made.outcomes:
        counts = f", {one.added:,} added, {one.removed:,} removed" if one.reason is None else ""
        reason = f": {one.reason}" if one.reason is not None else ""
        sys.stdout.write(f"{one.name}: {one.state}{counts}{reason}\n")
    return 0 if made is not None and made.is_good else 1


def find_faults(options: Namespace) -> int:
    """Print where the data folder and its database disagree; 1 if they do."""
    faults = wiring.find_faults(os.environ)
    sys.stdout.writelines(f"{fault}\n" for fault in faults or ("everything adds up",))
    return 1 if faults else 0


def examine(options: Namespace) -> int:
    """Print what an operator should know; 1 if something is wrong."""
    services = wiring.existing_services(os.environ)
    if services is None:
        sys.stdout.write("There is no data folder yet: start the server with winnow serve.\n")
        return 0
    findings = list(services.monitoring.examine())
    for subject, text, advice, is_note in findings:
        sign = "ok  " if advice is None else "note" if is_note else "LOOK"
        sys.stdout.write(f"{sign}  {subject + ':':<13} {make_visible(text)}\n")
        if advice is not None:
            sys.stdout.write(f"{'':<20} {advice}\n")
    return 0 if all(finding.advice is None or finding.is_note for finding in findings) else 1


def back_up(options: Namespace) -> int:
    """Write a backup; errors are those of ``wiring.back_up``."""
    sys.stdout.write(f"{make_visible(wiring.back_up(os.environ, options.file))}\n")
    return 0


def restore(options: Namespace) -> int:
    """Restore a backup; errors are those of ``wiring.restore``."""
    restored = wiring.restore(os.environ, options.file)
    sys.stdout.write(f"restored: {make_visible(restored)}\n")
    return 0

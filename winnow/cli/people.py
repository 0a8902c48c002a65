"""``winnow people``: add, list, reset and remove the people who sign in by name."""

import os
import sys
from argparse import Namespace
from getpass import getpass

from winnow import wiring
from winnow.core.accounts import COMMAND_LINE, Role
from winnow.core.errors import BadField
from winnow.core.settings import read_password_file
from winnow.services.accounts.people import People


def manage_people(options: Namespace) -> int:
    """Run one action of the command; return the exit code.

    Raises:
        BadField: A name, role or password that cannot be used.
    """
    if options.action == "list":
        return _list_people()
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


def _list_people() -> int:
    services = wiring.existing_services(os.environ)
    for person in () if services is None else services.people.list():
        way = "password" if person.has_password else "proxy only"
        sys.stdout.write(f"{person.name}\t{person.role}\t{way}\n")
    return 0


def _remove_person(people: People, options: Namespace) -> int:
    """Print the keys that end with a person, ask, and remove the person."""
    for key in people.list_keys(options.name.strip().lower()):
        sys.stdout.write(f"this key ends: {key.prefix}\t{' '.join(key.name.split())}\n")
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

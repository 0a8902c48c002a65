"""The command line: every command is one function that returns the exit code."""

import argparse
import gc
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from pkgutil import resolve_name
from typing import NoReturn

from winnow.cli.process import make_visible, word_error
from winnow.core.disk_errors import mapping_disk_errors
from winnow.core.errors import WinnowError
from winnow.core.identities import LOCAL_ACCOUNT, Role
from winnow.core.lists.platforms import Platform
from winnow.core.lists.silence import SILENT_MONTHS, DayOrder
from winnow.core.release import VERSION
from winnow.core.tasks.keep_rule import Keep
from winnow.core.tasks.task import KeyType
from winnow.core.verdicts.domain_types import EXPORTED

REMOVED = {  # and what to use instead
    "knowledge": "the domain data is compiled when it is first needed",
    "sender": "checkdmarc checks a domain's own records",
    "verify": "decision pages are no longer sealed",
    "--judge-both": "--second-email-column fills blank cells of the email column",
    "--mailbox": "--join-aliases removes duplicates of one mailbox",
    "--split": "with --for, files have the sizes that the platform takes",
}
Command = Callable[[argparse.Namespace], int]


class Parser(argparse.ArgumentParser):
    """Parser whose errors show names of files that a terminal cannot obey."""

    def error(self, message: str) -> NoReturn:
        """End with a message; exit code 2."""
        super().error(make_visible(message))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; expected errors become one line on standard error and exit code 1."""
    parser, words = build_parser(), list(sys.argv[1:] if arguments is None else arguments)
    for word in [*words[:1], *(word.partition("=")[0] for word in words if word[:2] == "--")]:
        if word in REMOVED:
            parser.error(f"{word} was removed: {REMOVED[word]}")
    options, rest = parser.parse_known_args(words)
    if rest and (not hasattr(options, "files") or any(word[:1] == "-" for word in rest)):
        parser.error(f"unrecognized arguments: {' '.join(rest)}")
    if rest:  # files may be named on both sides of an option
        options.files += rest
    try:
        with mapping_disk_errors():
            command: Command = resolve_name(f"winnow.cli.{options.command}")
            gc.freeze()
            gc.enable()
            return command(options)
    except WinnowError as error:
        detail, hint = word_error(error)
        sys.stderr.write(f"winnow: {detail}\n")
        if hint:
            sys.stderr.write(f"        {hint}\n")
        return 1


def build_parser() -> argparse.ArgumentParser:
    """Return the parser of every command.

    The option ``command`` names the function to run; its module in ``winnow.cli`` is imported when
    it runs, because some take a second. Options of ``winnow clean`` that a recipe has as well have
    the names of its settings, and are None if they are not given.
    """
    parser = Parser(prog="winnow", description="Email list hygiene on your own machine.")
    parser.add_argument("--version", action="version", version=f"winnow {VERSION}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    def add(name: str, command: str, text: str) -> argparse.ArgumentParser:
        sub = commands.add_parser(name, help=text, description=text)
        sub.set_defaults(command=command)
        return sub

    server = add("serve", "serve:serve", "Start the pages, the API and the workers.")
    server.add_argument("--address", default="127.0.0.1", help="default: this machine only")
    server.add_argument("--port", type=int, default=8501, help="a taken one gives way to the next")
    server.add_argument(
        "--browser",
        action=argparse.BooleanOptionalAction,
        help="open the desk in a browser; default: where there is a screen",
    )

    worker = add(
        "worker", "serve:work", "Work on lists until standard input ends (the server's part)."
    )
    worker.add_argument("worker_id", nargs="?", default=f"by-hand-{os.getpid()}")

    keys = add("keys", "admin:list_keys", "Make and list API keys.")
    actions = keys.add_subparsers(required=True, metavar="ACTION")
    create = actions.add_parser("create", help="make a key and print it, once")
    create.set_defaults(command="admin:create_key")
    create.add_argument("--name", required=True)
    create.add_argument("--type", choices=[kind.value for kind in KeyType], required=True)
    create.add_argument("--account", default=LOCAL_ACCOUNT)
    listing = actions.add_parser("list", help="prefix, type, state, uses, name")
    listing.set_defaults(command="admin:list_keys")
    listing.add_argument("--account", default=LOCAL_ACCOUNT)

    hook = actions.add_parser("hook", help="URL to call when a list of this key finishes")
    deliveries = actions.add_parser("deliveries", help="task, state, tries, outcome, time")
    again = actions.add_parser("replay", help="send a delivery of a key again")
    for name, action in (("hook", hook), ("deliveries", deliveries), ("replay", again)):
        action.set_defaults(command="admin:manage_hooks", action=name)
        action.add_argument("prefix", help="of the key: wk_live_0123456789ab")
        action.add_argument("--account", default=LOCAL_ACCOUNT)
    hook.add_argument("--url", help='set it and print its new secret, once; "" removes the hook')
    again.add_argument("task_id")

    reset = actions.add_parser("reset", help="make a new pepper where it is lost; revokes all keys")
    reset.set_defaults(command="admin:reset_keys")

    accounts = commands.add_parser("accounts", help="Make accounts.")
    account_actions = accounts.add_subparsers(required=True, metavar="ACTION")
    account = account_actions.add_parser("create", help="make an account")
    account.set_defaults(command="admin:create_account")
    account.add_argument("name")

    _add_people(commands.add_parser("people", help="Add, list and remove people who sign in."))

    check = add(
        "check", "check:check", "Check addresses; nothing leaves this machine without --dns."
    )
    check.add_argument(
        "addresses",
        nargs="+",
        metavar="ADDRESS",
        help="an address, or - for the lines of standard input; many: one line of JSON each",
    )
    check.add_argument("--dns", action="store_true", help="ask DNS where the domain's mail goes")

    refresh = add(
        "refresh",
        "admin:refresh_lists",
        "Fetch the published lists of disposable services now; asks their hosts, sends nothing.",
    )
    refresh.add_argument(
        "--accept-replaced",
        action="store_true",
        help="take a list too that lost more than half of its names",
    )
    export = add(
        "export",
        "export:export_domains",
        "Print the domains of one type, for use in other software.",
    )
    export.add_argument("--type", choices=[one.value for one in EXPORTED], default="disposable")
    export.add_argument("--format", choices=["txt", "csv", "json"], default="txt")

    mcp = add("mcp", "mcp:serve_mcp", "Serve tools for AI assistants (MCP), on standard streams.")
    mcp.add_argument("folders", nargs="*", metavar="FOLDER", help="lists below it may be cleaned")

    clean = add("clean", "clean_lists:clean", "Clean lists, without a server.")
    clean.add_argument(
        "files",
        nargs="+",
        metavar="FILE",
        help="a list, s3://bucket/list.csv, or - for standard input; * and ? stand for names, "
        "** for folders too; or one folder, of which what has changed is cleaned",
    )
    clean.add_argument(
        "--out",
        help="default: <name>-checked next to the list; ending in /: a folder, one result each; "
        "-: standard output",
    )
    clean.add_argument(
        "--cluster",
        metavar="ADDRESS",
        help="a Dask scheduler, tcp://scheduler:8786, whose workers write each result in parts",
    )
    clean.add_argument(
        "--merge",
        action="store_true",
        help="clean the files as one list, in their order; adds a column source_file",
    )
    clean.add_argument("--no-deduplicate", dest="deduplicate", action="store_const", const=False)
    clean.add_argument(
        "--second-email-column",
        metavar="COLUMN",
        help="has the address of rows whose first one is blank; adds a column email_used",
    )
    clean.add_argument(
        "--keep",
        choices=[keep.value for keep in Keep],
        help="which row of a duplicate is kept; default: last; newest: by the dates of --keep-by",
    )
    clean.add_argument(
        "--keep-by", metavar="COLUMN", help="the column of dates: its name, or its position from 1"
    )
    clean.add_argument(
        "--join-aliases",
        action="store_const",
        const=True,
        help="count addresses that reach one mailbox as duplicates: plus tags, dots at Gmail",
    )
    clean.add_argument(
        "--for",
        dest="platform",
        choices=[platform.value for platform in Platform],
        help="write this platform's contacts (rows kept) and suppression file (rows removed)",
    )
    clean.add_argument(
        "--policy",
        metavar="NAME",
        help="write what a named policy keeps, in its form; default: all rows, with their verdicts",
    )
    clean.add_argument(
        "--silent-months",
        type=int,
        choices=(0, *SILENT_MONTHS),
        help="leave out who has been silent for so long, 0: no one; default: as the policy says",
    )
    clean.add_argument(
        "--silent-by", metavar="COLUMN", help="the column of their dates; default: by its heading"
    )
    clean.add_argument(
        "--silent-order",
        choices=[order.value for order in DayOrder],
        help="what is first in dates such as 03/04/2025; default: as the column shows",
    )
    clean.add_argument(
        "--repair",
        choices=["safe"],
        help="add the column email_repaired and check the addresses in it; safe: only repairs with "
        "one possible meaning",
    )
    for option, variable, text in (
        ("--consent", "COLUMN", "a column that says who may be mailed"),
        ("--ignore-consent", "COLUMN", "a column that does not, whatever it holds"),
        ("--do-not-mail", "FILE", "people and domains that are not to be mailed, in any form"),
        ("--bounces", "FILE", "bounces of your mail service"),
    ):
        clean.add_argument(option, metavar=variable, action="append", default=[], help=text)
    clean.add_argument(
        "--no-own-lists",
        action="store_true",
        help="without your lists and bounces of the data folder",
    )
    clean.add_argument(
        "--no-header",
        dest="header",
        action="store_const",
        const=False,
        help="the first row is no header",
    )
    clean.add_argument("--email-column", help="a column's name, or its position from 1")
    clean.add_argument("--encoding", help="such as utf-8, cp1252, cp932; default: found out")
    clean.add_argument(
        "--escape",
        choices=["backslash", "doubled"],
        help="how quotes are written in cells; default: found out",
    )

    clean.add_argument(
        "--recipe", metavar="FILE", help="settings of an earlier project; options override it"
    )
    clean.add_argument("--dns", action="store_true", help="ask DNS where domains' mail goes")
    clean.add_argument("--json", action="store_true", help="print one JSON object")

    add(
        "integrity",
        "admin:find_faults",
        "Say whether the data folder holds what its database says.",
    )
    add(
        "doctor",
        "admin:examine",
        "Say how the data folder is, what is wrong, and how to fix it.",
    )
    backup = add("backup", "admin:back_up", "Write a backup of the whole data folder.")
    backup.add_argument(
        "file",
        nargs="?",
        type=Path,
        help="such as winnow.tar.zst; default: copy the database alone into the folder's backups",
    )
    restore = add("restore", "admin:restore", "Restore a backup into an empty data folder.")
    restore.add_argument("file", type=Path)
    return parser


def _add_people(parser: argparse.ArgumentParser) -> None:
    """Add the actions of ``winnow people`` to its parser."""
    parser.set_defaults(command="admin:manage_people")
    actions = parser.add_subparsers(required=True, metavar="ACTION", dest="action")

    def add(name: str, text: str) -> argparse.ArgumentParser:
        action = actions.add_parser(name, help=text, description=text)
        if name != "list":
            action.add_argument("name")
        return action

    adding = add("add", "Add a person; the first one must be an admin.")
    resetting = add("reset", "Give a person another password; ends their sign-ins.")
    changing = add("role", "Give a person another role.")
    for action in (adding, changing):
        action.add_argument("--role", choices=[role.value for role in Role], required=True)
    for action in (adding, resetting):
        action.add_argument("--password-file", metavar="FILE", help="default: asked for")
        action.add_argument(
            "--no-password", action="store_true", help="signs in by the proxy's header only"
        )
    add("list", "Name, role, and how they sign in.")
    removing = add("remove", "Remove a person; their keys and sign-ins end.")
    removing.add_argument("--yes", action="store_true", help="ask no question")

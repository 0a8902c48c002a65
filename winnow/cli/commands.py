"""The command line: every command is one function that returns the exit code."""

import argparse
import logging
import os
import signal
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from msgspec.structs import asdict

from winnow.cli.process import end_at_once
from winnow.core.accounts import COMMAND_LINE, LOCAL_ACCOUNT, Role
from winnow.core.disk_errors import mapping_disk_errors
from winnow.core.errors import BadField, WinnowError
from winnow.core.faults import write_log_lines
from winnow.core.lists.input_head import Choices
from winnow.core.lists.platforms import Platform
from winnow.core.tasks.keep_rule import Keep, KeepChoice
from winnow.core.tasks.repair_choice import SAFE_REPAIRS
from winnow.core.tasks.task import KeyType
from winnow.core.verdicts.domain_types import EXPORTED, DomainType
from winnow.services.tasks.recipe import RECIPE_MAX_BYTES, parse_recipe

if TYPE_CHECKING:
    from winnow.cli.reports import CleanReport

_ESCAPES = {"backslash": "\\", "doubled": ""}
REMOVED = {  # in 0.3, and what to use instead
    "sender": "checkdmarc checks a domain's own records",
    "verify": "decision pages are no longer sealed",
    "--judge-both": "--second-email-column fills blank cells of the email column",
    "--split": "with --for, files have the sizes that the platform takes",
}
Command = Callable[[argparse.Namespace], int]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; expected errors become one line on standard error and exit code 1."""
    parser, words = build_parser(), list(sys.argv[1:] if arguments is None else arguments)
    for word in [*words[:1], *(word.partition("=")[0] for word in words if word[:2] == "--")]:
        if word in REMOVED:
            parser.error(f"{word} was removed in 0.3: {REMOVED[word]}")
    options = parser.parse_args(words)
    try:
        with mapping_disk_errors():
            if getattr(options, "recipe", None) is not None:
                options = build_parser(_read_recipe(options.recipe)).parse_args(words)
            command: Command = options.command
            return command(options)
    except WinnowError as error:
        from winnow.cli.error_words import word_error

        detail, hint = word_error(error)
        sys.stderr.write(f"winnow: {detail}\n")
        if hint:
            sys.stderr.write(f"        {hint}\n")
        return 1


def _serve(options: argparse.Namespace) -> int:
    from winnow.cli.serve import serve

    return serve(options)


def _work(options: argparse.Namespace) -> int:
    from winnow import serving
    from winnow.environment import read_environment

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the server; the pipe ends us
    end_at_once()  # another worker claims the task again by its lease
    settings = read_environment(os.environ)
    write_log_lines("worker", logging.INFO, as_json=settings.json_log)
    serving.run_worker(settings, options.worker_id)
    return 0


def _create_key(options: argparse.Namespace) -> int:
    from winnow import wiring

    key_type = KeyType(options.type)
    services = wiring.services().act_as(COMMAND_LINE)
    services.accounts.require(options.account)
    _, secret = services.keys.create(options.account, options.name, key_type)
    sys.stdout.write(f"{secret}\n")
    return 0


def _list_keys(options: argparse.Namespace) -> int:
    from winnow import wiring

    services = wiring.existing_services(os.environ)
    if services is None:
        sys.stderr.write("winnow: there is no data folder yet, and no key\n")
        return 0
    services.accounts.require(options.account)
    for key in services.keys.list(options.account):
        state = "revoked" if key.revoked_at else "active"
        name = " ".join(key.name.split())  # one line per key
        sys.stdout.write(f"{key.prefix}\t{key.key_type}\t{state}\t{key.use_count}\t{name}\n")
    return 0


def _manage_hooks(options: argparse.Namespace) -> int:
    from winnow.cli.hooks import manage_hooks

    return manage_hooks(options)


def _reset_keys(options: argparse.Namespace) -> int:
    from winnow import wiring

    count = wiring.renew_pepper(os.environ)
    sys.stdout.write(f"a new pepper is made; keys revoked: {count}\n")
    return 0


def _create_account(options: argparse.Namespace) -> int:
    from winnow import wiring

    wiring.services().accounts.create(options.name)
    return 0


def _check(options: argparse.Namespace) -> int:
    from winnow.cli.check import check

    return check(options.address, asks_dns=options.dns)


def _serve_mcp(options: argparse.Namespace) -> int:
    from winnow.cli.mcp import serve_mcp

    return serve_mcp(options.folders)


def _manage_people(options: argparse.Namespace) -> int:
    from winnow.cli.people import manage_people

    return manage_people(options)


def _export(options: argparse.Namespace) -> int:
    from winnow.cli.check import find_folder, open_data
    from winnow.cli.export import export
    from winnow.environment import read_environment

    folder = find_folder(read_environment(os.environ))
    return export(open_data(folder), DomainType(options.type), options.format)


def _clean(options: argparse.Namespace) -> int:
    from winnow.cli.clean_lists import PIPE
    from winnow.cli.reports import CleanReport

    streams = (PIPE in options.files and options.out is None) or options.out == PIPE
    report = CleanReport(sys.stderr if streams else sys.stdout, options.json)
    try:
        with mapping_disk_errors():
            code = _clean_lists(options, report)
    except WinnowError as error:
        if not options.json:
            raise
        for source in options.files:
            report.fail(source, error)
        code = 1
    report.finish()
    return code


def _clean_lists(options: argparse.Namespace, report: "CleanReport") -> int:
    from winnow.cli.clean_lists import clean_lists
    from winnow.cli.merging import clean_merged
    from winnow.cli.targets import Outputs
    from winnow.core.tasks.run_request import RunRequest

    request = RunRequest(
        deduplicate=not options.no_deduplicate,
        email_column=options.email_column,
        second_email_column=options.second_email_column,
        keep=KeepChoice(Keep(options.keep), options.keep_by, options.join_aliases, options.mailbox),
        repair=SAFE_REPAIRS if options.repair == "safe" else options.repair,
        choices=Choices(
            encoding=options.encoding,
            escape=_ESCAPES.get(options.escape),
            has_header=options.has_header,
        ),
    )
    outputs = Outputs(
        platform=None if options.platform is None else Platform(options.platform),
        policy=options.policy,
        asks_dns=options.dns,
    )
    if options.cluster is not None:
        from winnow.cli.clean_on_cluster import clean_on_cluster

        return clean_on_cluster(
            *(options.cluster, options.files, options.out, request, outputs, report),
            is_merged=options.merge,
        )
    clean = clean_merged if options.merge else clean_lists
    return clean(options.files, options.out, request, outputs, report)


def _read_recipe(path: str) -> dict[str, Any]:
    """Return what a recipe sets, by option; what the command names itself goes first.

    Raises:
        BadField: The file cannot be read, or is no recipe.
    """
    try:
        text = Path(path).read_bytes()[: RECIPE_MAX_BYTES + 1].decode()
    except OSError as error:
        raise BadField("recipe", f"{path} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise BadField("recipe", f"{path} is not UTF-8 text") from error
    recipe = parse_recipe(text)
    options = asdict(recipe)  # most have the names of the recipe's fields
    deduplicates = options.pop("deduplicate")
    options |= {
        "has_header": options.pop("header"),
        "no_deduplicate": None if deduplicates is None else not deduplicates,
        "repair": recipe.repairs,
    }
    return {name: value for name, value in options.items() if value is not None}


def _build_knowledge(options: argparse.Namespace) -> int:
    from winnow import wiring

    sys.stdout.write(f"{wiring.services().knowledge().data_version}\n")
    return 0


def _find_faults(options: argparse.Namespace) -> int:
    from winnow import wiring

    faults = wiring.find_faults(os.environ)
    sys.stdout.writelines(f"{fault}\n" for fault in faults or ("everything adds up",))
    return 1 if faults else 0


def _examine(options: argparse.Namespace) -> int:
    from winnow import wiring

    services = wiring.existing_services(os.environ)
    if services is None:
        sys.stdout.write("There is no data folder yet: start the server with winnow serve.\n")
        return 0
    findings = list(services.monitoring.examine())
    for subject, text, advice in findings:
        sign = "ok  " if advice is None else "LOOK"
        sys.stdout.write(f"{sign}  {subject + ':':<13} {text}\n")
        if advice is not None:
            sys.stdout.write(f"{'':<20} {advice}\n")
    return 0 if all(finding.advice is None for finding in findings) else 1


def _back_up(options: argparse.Namespace) -> int:
    from winnow import wiring

    sys.stdout.write(f"{wiring.back_up(os.environ, options.file)}\n")
    return 0


def _restore(options: argparse.Namespace) -> int:
    from winnow import wiring

    sys.stdout.write(f"restored: {wiring.restore(os.environ, options.file)}\n")
    return 0


def build_parser(recipe: Mapping[str, Any] = MappingProxyType({})) -> argparse.ArgumentParser:
    """Return the parser of every command; the option ``command`` is the function to run.

    ``recipe`` has defaults of ``winnow clean``.
    """
    parser = argparse.ArgumentParser(
        prog="winnow", description="Email list hygiene on your own machine."
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    def add(name: str, command: Command, text: str) -> argparse.ArgumentParser:
        sub = commands.add_parser(name, help=text, description=text)
        sub.set_defaults(command=command)
        return sub

    server = add("serve", _serve, "Start the pages, the API and the workers.")
    server.add_argument("--address", default="127.0.0.1", help="default: this machine only")
    server.add_argument("--port", type=int, default=8501, help="a taken one gives way to the next")
    server.add_argument(
        "--browser",
        action=argparse.BooleanOptionalAction,
        help="open the desk in a browser; default: where there is a screen",
    )

    worker = add("worker", _work, "Work on lists until standard input ends (the server's part).")
    worker.add_argument("worker_id", nargs="?", default=f"by-hand-{os.getpid()}")

    keys = add("keys", _list_keys, "Make and list API keys.")
    actions = keys.add_subparsers(required=True, metavar="ACTION")
    create = actions.add_parser("create", help="make a key and print it, once")
    create.set_defaults(command=_create_key)
    create.add_argument("--name", required=True)
    create.add_argument("--type", choices=[kind.value for kind in KeyType], required=True)
    create.add_argument("--account", default=LOCAL_ACCOUNT)
    listing = actions.add_parser("list", help="prefix, type, state, uses, name")
    listing.set_defaults(command=_list_keys)
    listing.add_argument("--account", default=LOCAL_ACCOUNT)

    hook = actions.add_parser("hook", help="URL that is called when a list of a key is done")
    deliveries = actions.add_parser("deliveries", help="task, state, tries, outcome, time")
    again = actions.add_parser("replay", help="send a delivery of a key again")
    for name, action in (("hook", hook), ("deliveries", deliveries), ("replay", again)):
        action.set_defaults(command=_manage_hooks, action=name)
        action.add_argument("prefix", help="of the key: wk_live_0123456789ab")
        action.add_argument("--account", default=LOCAL_ACCOUNT)
    hook.add_argument("--url", help='set it and print its new secret, once; "" removes the hook')
    again.add_argument("task_id")

    reset = actions.add_parser("reset", help="make a new pepper where it is lost; revokes all keys")
    reset.set_defaults(command=_reset_keys)

    accounts = commands.add_parser("accounts", help="Make accounts.")
    account_actions = accounts.add_subparsers(required=True, metavar="ACTION")
    account = account_actions.add_parser("create", help="make an account")
    account.set_defaults(command=_create_account)
    account.add_argument("name")

    _add_people(commands.add_parser("people", help="Add, list and remove people who sign in."))

    check = add("check", _check, "Check one address; nothing leaves this machine without --dns.")
    check.add_argument("address")
    check.add_argument("--dns", action="store_true", help="ask DNS where the domain's mail goes")

    export = add("export", _export, "Print the domains of one type, for use in other software.")
    export.add_argument("--type", choices=[one.value for one in EXPORTED], default="disposable")
    export.add_argument("--format", choices=["txt", "csv", "json"], default="txt")

    mcp = add("mcp", _serve_mcp, "Serve tools for AI assistants (MCP), on standard streams.")
    mcp.add_argument("folders", nargs="*", metavar="FOLDER", help="lists below it may be cleaned")

    clean = add("clean", _clean, "Clean lists, without a server.")
    clean.add_argument(
        "files",
        nargs="+",
        metavar="FILE",
        help="a list, s3://bucket/list.csv, or - for standard input; * and ? stand for names, "
        "** for folders too",
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
    clean.add_argument("--no-deduplicate", action="store_true")
    clean.add_argument(
        "--second-email-column",
        metavar="COLUMN",
        help="has the address of rows whose first one is blank; adds a column email_used",
    )
    clean.add_argument(
        "--keep",
        choices=[keep.value for keep in Keep],
        default=Keep.LAST.value,
        help="which row of a duplicate stays; newest: by the dates of --keep-by",
    )
    clean.add_argument(
        "--keep-by", metavar="COLUMN", help="the column of dates: its name, or its position from 1"
    )
    clean.add_argument(
        "--join-aliases",
        action="store_true",
        help="count addresses that reach one mailbox as duplicates: plus tags, dots at Gmail",
    )
    clean.add_argument(
        "--mailbox", action="store_true", help="add the column mailbox: what each address reaches"
    )
    clean.add_argument(
        "--for",
        dest="platform",
        choices=[platform.value for platform in Platform],
        help="write this platform's contacts (what stays) and suppression file (what goes) instead",
    )
    clean.add_argument(
        "--policy",
        metavar="NAME",
        help="write what a named policy keeps, in its form; default: all rows, with their verdicts",
    )
    clean.add_argument(
        "--repair",
        choices=["safe"],
        help="add the column email_repaired and check the addresses in it; safe: no other is meant",
    )
    clean.add_argument("--email-column", help="a column's name, or its position from 1")
    clean.add_argument("--encoding", help="such as utf-8, cp1252, cp932; default: found out")
    clean.add_argument(
        "--escape",
        choices=list(_ESCAPES),
        help="how quotes are written in cells; default: found out",
    )

    clean.add_argument(
        "--recipe", metavar="FILE", help="settings of an earlier project; options go first"
    )
    clean.add_argument("--dns", action="store_true", help="ask DNS where domains' mail goes")
    clean.add_argument("--json", action="store_true", help="print one JSON object")
    clean.set_defaults(**{"has_header": None, **recipe})

    knowledge = commands.add_parser("knowledge", help="The domain data.")
    knowledge_actions = knowledge.add_subparsers(required=True, metavar="ACTION")
    build = knowledge_actions.add_parser("build", help="compile it now and print its version")
    build.set_defaults(command=_build_knowledge)

    add("integrity", _find_faults, "Say whether the data folder holds what its database says.")
    add("doctor", _examine, "Say how the data folder is, what is wrong, and how to fix it.")
    backup = add("backup", _back_up, "Write a backup of the whole data folder.")
    backup.add_argument(
        "file",
        nargs="?",
        type=Path,
        help="such as winnow.tar.zst; default: copy the database alone into the folder's backups",
    )
    restore = add("restore", _restore, "Restore a backup into an empty data folder.")
    restore.add_argument("file", type=Path)
    return parser


def _add_people(parser: argparse.ArgumentParser) -> None:
    """Add the actions of ``winnow people`` to its parser."""
    parser.set_defaults(command=_manage_people)
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

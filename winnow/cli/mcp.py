"""``winnow mcp``: tools for AI assistants over standard input and output (MCP)."""

import os
from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from winnow.cli.check import answer_all
from winnow.core.errors import BadField, WinnowError
from winnow.core.identities import LOCAL_ACCOUNT
from winnow.core.release import VERSION, describe_install
from winnow.core.tasks.run_request import RunRequest
from winnow.core.verdicts.domain_types import DomainType
from winnow.core.verdicts.reasons import Reason
from winnow.environment import read_environment

if TYPE_CHECKING:
    from mcp.server import MCPServer

MANY = 1_000  # addresses of one call, as of the API
_INSTRUCTIONS = (
    "Winnow judges email addresses on this machine, without network: white (no known problem), "
    "grey (review), black (remove). White does not mean that mail arrives."
)


def serve_mcp(options: Namespace) -> int:
    """Serve the tools until standard input ends.

    Raises:
        BadField: A folder is none, or the package of the protocol is not installed.
    """
    roots = []
    for folder in options.folders:
        if not Path(folder).is_dir():
            raise BadField("folder", f"{folder} is no folder")
        roots.append(Path(os.path.realpath(folder)))
    try:
        server = make_server(roots)
    except ImportError as error:
        problem = f"this needs a package that is not installed: {error.name}"
        raise BadField("mcp", problem, hint=describe_install("mcp")) from error
    server.run()
    return 0


def make_server(roots: Sequence[Path]) -> "MCPServer":
    """Return the server; lists below ``roots``, which are real paths, can be cleaned.

    Raises:
        ImportError: The package of the protocol is not installed.
    """
    from mcp.server import MCPServer
    from mcp.server.mcpserver.exceptions import ToolError
    from mcp.types import ToolAnnotations

    reading = ToolAnnotations(read_only_hint=True, open_world_hint=False)
    adding = ToolAnnotations(read_only_hint=False, destructive_hint=False, open_world_hint=False)
    server = MCPServer("winnow", instructions=_INSTRUCTIONS, version=VERSION, log_level="WARNING")

    def explaining(error: WinnowError) -> ToolError:
        said = (error.detail.removesuffix("."), (error.hint or "").removesuffix("."))
        return ToolError("".join(f"{one}. " for one in said if one).strip())

    @server.tool(annotations=reading)
    def check(address: str) -> dict[str, Any]:
        """Check one email address: category, domain type, reasons, evidence, suggestion."""
        return check_many([address])["results"][0]

    @server.tool(annotations=reading)
    def check_many(addresses: list[str]) -> dict[str, list[dict[str, Any]]]:
        """Check up to 1,000 email addresses; the results are in their order."""
        if not 1 <= len(addresses) <= MANY:
            raise ToolError(f"addresses: give 1 to {MANY:,} of them.")
        try:
            answers = answer_all(read_environment(os.environ), addresses)
        except WinnowError as error:
            raise explaining(error) from error
        return {"results": msgspec.to_builtins(answers)}

    @server.tool(annotations=adding)
    def clean_file(
        path: str, out: str | None = None, email_column: str | int | None = None
    ) -> dict[str, Any]:
        """Write a list again with the columns category and domain_type.

        path and out are below the folders given at start. A relative path is in the one that has
        the list, a relative out in the same one; out is <name>-checked next to the list by default,
        and never replaces a file. email_column is the name of the column of addresses, or its
        position from 1, if the list does not show it. Returns the counts, no addresses.
        """
        try:
            return _clean(path, out, email_column, roots)
        except WinnowError as error:
            raise explaining(error) from error
        except OSError as error:
            raise ToolError(f"{path}: {error.strerror or error}") from error

    @server.tool(annotations=reading)
    def explain(code: str) -> str:
        """Explain a reason or a domain type of an answer in one sentence."""
        if code in set(DomainType):
            return DomainType(code).meaning
        if code in set(Reason):
            return Reason(code).rule
        raise ToolError(f"code: {code[:60]} is neither a reason nor a domain type.")

    @server.tool(annotations=reading)
    def list_projects() -> dict[str, list[dict[str, Any]]]:
        """List the projects on this machine: name, state, day, counts by category."""
        from winnow import wiring

        try:
            services = wiring.existing_services(os.environ)
        except WinnowError as error:
            raise explaining(error) from error
        tasks = () if services is None else services.tasks.list(LOCAL_ACCOUNT)
        return {
            "projects": [
                {
                    "task_id": task.task_id,
                    "name": task.project_name,
                    "status": task.state.value,
                    "submitted_at": task.submitted_at.isoformat(timespec="seconds"),
                    "by_category": task.summary and task.summary.count_categories(),
                }
                for task in tasks
            ]
        }

    return server


def _clean(
    path: str, out: str | None, email_column: str | int | None, roots: Sequence[Path]
) -> dict[str, Any]:
    """Clean one list below the folders.

    Raises:
        BadField: A path is none, or elsewhere, also by a link; the target exists.
        WinnowError: The list cannot be cleaned; no file is left.
    """
    from winnow.api.schemas.batch import present_summary
    from winnow.cli.clean import clean_file
    from winnow.cli.targets import Outputs, name_result

    source = _find_below(path, roots, "path")
    homes = [root for root in roots if source.is_relative_to(root)]
    found_by = {root: os.path.realpath(root / path) == str(source) for root in homes}
    home = max(homes, key=lambda root: (found_by[root], len(root.parts)))
    place = home / (out or source.with_name(name_result(source.name)))
    target = _find_below(str(place), roots, "out")
    ending = name_result(source.name).rpartition("-checked")[2]
    if target.name.startswith(".") or not target.name.lower().endswith(ending.lower()):
        raise BadField("out", f"must end with {ending}, as the list does, and not begin with a dot")
    request = RunRequest(email_column=None if email_column is None else str(email_column))
    cleaned = clean_file(source, target, request, Outputs(), may_replace=False)
    summary = present_summary(cleaned.outcome.summary, cleaned.asked)
    return {
        "out": str(cleaned.written[0].path),
        "email_column": cleaned.column,
        "summary": msgspec.to_builtins(summary),
        "warnings": [str(notice.text) for notice in cleaned.notices],
    }


def _find_below(path: str, roots: Sequence[Path], field: str) -> Path:
    """Return the real path of one that may be relative to the folder that has it.

    Raises:
        BadField: It is none, or below none of the folders, or in several.
    """
    try:
        reals = [Path(os.path.realpath(root / path)) for root in roots] or [Path(path)]
        found = [one for one in dict.fromkeys(reals) if one.exists()]
    except ValueError as error:  # a NUL, or half of a surrogate pair
        raise BadField(field, "is no path") from error
    if len(found) > 1:
        raise BadField(field, "is in several folders", hint="Give the whole path.")
    real = (found or reals)[0]
    if not any(real.is_relative_to(root) for root in roots):
        allowed = ", ".join(map(str, roots)) or "none"
        raise BadField(field, f"is not below the folders given at start ({allowed})")
    return real

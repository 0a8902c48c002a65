"""``winnow clean --cluster``: lists cleaned by the workers of a Dask scheduler."""

import os
import sys
from collections.abc import Sequence
from pathlib import Path

from winnow.cli.check import find_folder, open_data
from winnow.cli.reports import CleanReport, list_counts, report_each
from winnow.cli.targets import ListPair, Outputs, choose_targets, find_sources
from winnow.core.errors import BadField
from winnow.core.tasks.run_request import RunRequest, list_chosen
from winnow.environment import read_environment
from winnow.library.open_data import open_domain_data
from winnow.lists.inspection.signature import split_file_name
from winnow.lists.merging import choose_format, name_merge
from winnow.stores import HOW_TO_INSTALL, is_taken, is_url, name_file, place_next_to

_DONE_BY_WORKERS = {"choices", "email_column", "deduplicate"}
_OPTIONS = {
    "joins_aliases": "--join-aliases",
    "mail": "the table mail of a recipe",
    "silence": "--silent-by, --silent-order",
    "who_decides": "who_decides of a recipe",
}
_REFRESHED = (
    "note: The workers judge by the domain data of the installed Winnow ({installed}), not by the "
    "newer lists that this machine has fetched.\n"
)


def clean_on_cluster(
    address: str,
    files: Sequence[str],
    out: str | None,
    request: RunRequest,
    outputs: Outputs,
    report: CleanReport,
    *,
    is_merged: bool,
) -> int:
    """Clean lists on a cluster, each into a folder of parts; report each.

    Args:
        address: The scheduler's, such as ``tcp://scheduler:8786``.
        files: URLs, and paths that all workers share, also with wildcards.
        out: The target; of many lists a folder, which ends in a slash. None: each list's folder.
        request: How they are read and which duplicates stay.
        outputs: Must be the usual ones.
        report: Takes what becomes of each list.
        is_merged: Whether the files are one list, in their order.

    Returns:
        The exit code.

    Raises:
        WinnowError: The one list cannot be cleaned, or nothing can.
    """
    _refuse_options(request, outputs, report)
    try:
        from winnow.cluster.dask_job import ListJob, naming_failures, open_client
        from winnow.cluster.list_parts import KEPT, look_into
    except ImportError as error:
        problem = f"this needs a package that is not installed: {error.name}"
        raise BadField("cluster", problem, hint=HOW_TO_INSTALL) from error
    sources = [_name_for_all(one) for one in find_sources(files)]
    lists = {source: [source] for source in sources}
    if is_merged:
        names = [name_file(source) for source in sources]
        merged = name_merge(names, choose_format([split_file_name(one)[1] for one in names], KEPT))
        lists = {place_next_to(sources[0], merged): sources}
    pairs = choose_targets(list(lists), None if out is None else _name_for_all(out), outputs)
    installed = open_domain_data().data_version
    if open_data(find_folder(read_environment(os.environ))).data_version != installed:
        sys.stdout.write(_REFRESHED.format(installed=installed))
    with open_client(address) as client:
        looks = {
            source: client.submit(look_into, source, request, is_merged, pure=False)
            for source in sources
        }
        jobs: dict[ListPair, ListJob] = {}

        def begin(pair: ListPair) -> None:
            if is_taken(pair.target):
                hint = "Remove it, or name another place with --out."
                raise BadField("out", f"{pair.target} is not empty", hint=hint)
            if not is_url(pair.target):
                Path(pair.target).mkdir(exist_ok=True)
            with naming_failures():
                found = [looks[source].result() for source in lists[pair.source]]
            jobs[pair] = ListJob(client, found, pair.target, request)

        def finish(pair: ListPair) -> None:
            job, counts = jobs[pair], jobs[pair].wait()
            by_both = [(*both, count) for both, count in counts.most_common()]
            said = list_counts(job.rows_in, job.rows_in - counts.total(), by_both, job.column)
            notes = [f"note: {notice.text}" for notice in job.notices]
            for line in (pair.target, *said, *notes):
                report.add_line(line)

        is_failed = report_each(pairs, begin, report)
        return report_each(list(jobs), finish, report) or is_failed


def _refuse_options(request: RunRequest, outputs: Outputs, report: CleanReport) -> None:
    """Refuse options that workers do not have.

    Raises:
        BadField: Names the options.
    """
    given = {
        "--for": outputs.platform is not None,
        "--dns": outputs.asks_dns,
        "--json": report.as_json,
        "--policy, --silent-months": outputs.choice is not None,
        "--no-own-lists": not outputs.mail.uses_own,
        "--consent, --ignore-consent, --do-not-mail, --bounces": bool(
            (*outputs.mail.consent, *outputs.mail.ignored)
            or (*outputs.mail.do_not_mail, *outputs.mail.bounces)
        ),
    }
    chosen = list_chosen(request)  # all that workers do not do, whatever fields there are
    names = {**chosen, **chosen.get("keep", {})}.keys() - _DONE_BY_WORKERS
    if not request.keep.has_ranks:
        names -= {"keep"}
    said = {"keep": f"--keep {request.keep.keep}", **_OPTIONS}
    options = [option for option, is_given in given.items() if is_given]
    options += (said.get(name, f"--{name.replace('_', '-')}") for name in sorted(names))
    refused = ", ".join(options)
    if refused:
        hint = "Leave it out, or clean the list on one machine, without --cluster."
        raise BadField("cluster", f"does not work with {refused}", hint=hint)


def _name_for_all(place: str) -> str:
    """Return a URL, or a path by which workers with other current folders find it."""
    end = "/" if place.endswith("/") else ""
    return place if is_url(place) else os.path.abspath(place) + end

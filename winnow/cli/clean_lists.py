"""``winnow clean`` for lists that lie in buckets, for many at once, and for a cluster's workers."""

import os
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path

from winnow import wiring
from winnow.cli.clean import (
    Outputs,
    clean_file,
    make_folder,
    name_column,
    name_result,
    print_cleaned,
    print_outcome,
    show_progress,
)
from winnow.cli.policies import read_choice
from winnow.cluster.clean_request import CleanRequest, ListChoices
from winnow.cluster.locations import (
    Location,
    fixed_start,
    has_wildcard,
    is_in_bucket,
    match_names,
    parse_location,
    resolve_links,
)
from winnow.cluster.object_store import open_store
from winnow.core.errors import BadField, WinnowError
from winnow.core.figures import count_things
from winnow.core.tasks.task import KeyType
from winnow.lists.inspection.signature import find_extension
from winnow.services.runs import merge_notices


@dataclass(frozen=True, slots=True)
class _Pair:
    """A list, and where its result goes. ``is_named``: the result may replace a file there."""

    source: Location
    target: Location
    is_named: bool


def clean_lists(
    files: Sequence[str],
    out: str | None,
    chosen: ListChoices,
    outputs: Outputs,
    *,
    cluster: str | None = None,
) -> int:
    """Clean lists one after another and print what was counted of each.

    Of many, one that cannot be cleaned is told, and the others are cleaned.

    Args:
        files: Paths and ``s3://bucket/key``, also with wildcards.
        out: Where to; of many lists a folder, which ends in a slash. None: beside each list.
        chosen: How they are read and what stays.
        outputs: What is written.
        cluster: The address of a scheduler; None: this machine does it.

    Raises:
        WinnowError: The one list cannot be cleaned, or nothing can.
    """
    if cluster is None and len(files) == 1 and _is_plain(files[0]) and _is_plain(out or ""):
        print_cleaned(
            clean_file(Path(files[0]), None if out is None else Path(out), chosen, outputs)
        )
        return 0
    if cluster is not None and not outputs.is_usual:
        problem = "works on the checked list alone: without --for, --policy and --split"
        raise BadField("cluster", problem, hint="Clean it there, then write these of its result.")
    sources = find_sources(files)
    pairs = _choose_targets(sources, out, outputs)
    if out is not None and not is_in_bucket(out):
        make_folder(out)
    failed = 0
    with _open_cleaner(cluster, chosen, outputs) as cleaner:
        for pair in pairs:
            try:
                _require_free(pair)
                cleaner.clean(pair)
            except WinnowError as error:
                if len(pairs) == 1:
                    raise
                failed += 1
                hint = f" {error.hint}" if error.hint else ""
                sys.stderr.write(f"winnow: {pair.source}: {error.detail}{hint}\n")
    if failed:
        lists = count_things(len(pairs), "list")
        sys.stderr.write(f"winnow: {failed} of {lists} could not be cleaned\n")
    return 1 if failed else 0


def _is_plain(text: str) -> bool:
    """Tell whether a text names one file of this machine, whatever signs are in it."""
    if is_in_bucket(text) or "://" in text or text.endswith("/"):
        return False
    return os.path.lexists(text) or not has_wildcard(Location(None, text))


def find_sources(files: Sequence[str]) -> list[Location]:
    """Return the lists that are meant, each once.

    Raises:
        BadField: A name with wildcards has no match.
    """
    found: dict[Location, None] = {}
    for text in files:
        location = parse_location(text, "file")
        if _is_plain(text) or not has_wildcard(location):
            found[location] = None
            continue
        stored = list(open_store(location.bucket).list(fixed_start(location)))
        if location.name in stored:  # what is called so is meant, as on this machine
            found[location] = None
            continue
        names = match_names(location, stored)
        lists = [Location(location.bucket, name) for name in names]
        results = {str(one.beside(name_result(one.file_name))) for one in lists if _is_list(one)}
        lists = [one for one in lists if _is_list(one) and str(one) not in results]
        if not lists:
            raise BadField("file", f"no list is named {location}")
        found.update(dict.fromkeys(lists))
    return list(found)


def _is_list(location: Location) -> bool:
    try:
        name_result(location.file_name)
    except WinnowError:
        return False
    return True


def _choose_targets(sources: Sequence[Location], out: str | None, outputs: Outputs) -> list[_Pair]:
    """Return where each list's result goes.

    Raises:
        BadField: Two would go to one place, or many to one file.
    """
    target = None if out is None else parse_location(out, "out")
    is_folder = target is not None and _is_folder(target)
    if target is not None and not is_folder and len(sources) > 1:
        raise BadField("out", "is one file, and there are several lists", hint="End it in a slash.")
    choice = read_choice(os.environ, outputs.policy)
    pairs = []
    for source in sources:
        name = name_result(source.file_name, outputs.platform, choice)
        place = source.beside(name) if target is None else target
        place = place.join(name) if is_folder else place
        if target is not None and place.bucket is None and os.path.islink(place.name):
            place = resolve_links(place)  # what a link leads to is replaced, not the link
        pairs.append(_Pair(source, place, target is not None))
    places = [resolve_links(pair.target) for pair in pairs]
    twice = next((place for place, count in Counter(places).items() if count > 1), None)
    if twice is not None:
        raise BadField("out", f"two lists would be written to {twice}")
    lists = {resolve_links(source) for source in sources}
    over = next((place for place in places if place in lists), None)
    if over is not None:
        problem = f"{over} is one of the lists" if len(lists) > 1 else "is the list itself"
        raise BadField("out", problem, hint="Name another place.")
    return pairs


def _is_folder(target: Location) -> bool:
    """Tell whether results go into a place: by its last sign, or because files are in it.

    In a bucket a name that ends as a list's does is a file's.
    """
    if not target.name or target.name.endswith("/"):
        return True
    if target.bucket is None:
        return os.path.isdir(target.name)
    if find_extension(target.file_name) is not None:
        return False
    return any(True for _ in open_store(target.bucket).list(f"{target.name}/"))


def _require_free(pair: _Pair) -> None:
    if not pair.is_named and open_store(pair.target.bucket).find(pair.target.name) is not None:
        problem = f"{pair.target.file_name} is already there"
        raise BadField("out", problem, hint="Name another with --out.")


def _open_cleaner(
    cluster: str | None, chosen: ListChoices, outputs: Outputs
) -> "AbstractContextManager[_Copies | _OnCluster]":
    return nullcontext(_Copies(chosen, outputs)) if cluster is None else _OnCluster(cluster, chosen)


class _Copies:
    """Cleans a copy of a list here, and puts the files where they were asked for."""

    def __init__(self, chosen: ListChoices, outputs: Outputs) -> None:
        self._chosen = chosen
        self._outputs = outputs

    def clean(self, pair: _Pair) -> None:
        """Clean one list and print what was counted."""
        source, target = pair.source, pair.target
        if source.bucket is None and target.bucket is None:
            print_cleaned(
                clean_file(Path(source.name), Path(target.name), self._chosen, self._outputs)
            )
            return
        from winnow.cluster.alone import fetch_file, send_file

        with tempfile.TemporaryDirectory(prefix="winnow-") as folder:
            copy = Path(folder) / "list"
            results = Path(folder) / "out"
            results.mkdir()
            if source.bucket is None:
                copy = Path(source.name)
            else:
                found = open_store(source.bucket).find(source.name)
                if found is None:
                    raise BadField("file", f"there is no {source}")
                fetch_file(found, copy)
            out = results / target.file_name
            cleaned = clean_file(
                Path(source.file_name), out, self._chosen, self._outputs, content=copy
            )
            for one in cleaned.written:
                place = target.beside(one.path.name)
                store = open_store(place.bucket)
                upload = store.begin_upload(place.name, source)
                try:
                    receipts = send_file(one.path, place, upload)
                    store.complete(place.name, upload, receipts)
                except BaseException:
                    store.abort(place.name, upload)
                    raise
            print_cleaned(cleaned, lambda path: str(target.beside(path.name)))


class _OnCluster:
    """Lets the workers of a scheduler clean lists; a context that leaves it again."""

    def __init__(self, address: str, chosen: ListChoices) -> None:
        from winnow.cluster.cluster_job import Installation
        from winnow.cluster.workers import DaskWorkers

        self._chosen = chosen
        self._workers = DaskWorkers(address)
        try:
            self._workers.require(Installation.here())
        except BaseException:
            self._workers.__exit__()
            raise
        self._judge = wiring.open_judges(os.environ).judge_for(KeyType.LIVE)

    def __enter__(self) -> "_OnCluster":
        return self

    def __exit__(self, *_: object) -> None:
        self._workers.__exit__()

    def clean(self, pair: _Pair) -> None:
        """Clean one list and print what was counted."""
        from winnow.cluster.clean_list import clean_on_cluster

        request = CleanRequest(pair.source, pair.target, self._judge, self._chosen, show_progress)
        cleaned = clean_on_cluster(request, self._workers)
        column = name_column(cleaned.columns, cleaned.email_column)
        notices = merge_notices(cleaned.notices, cleaned.outcome.notices)
        print_outcome([str(pair.target)], cleaned.outcome, notices, column)

"""A list cleaned by a cluster's workers: the same bytes as by one machine alone.

The list is cut into ranges; each is read into pieces by whichever worker is free; domains are
judged here, while duplicates are looked for in groups by their keys; then the result's parts are
planned, and written. Nothing is seen under the result's name before all of them are there.
"""

import hashlib
import json
import tempfile
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from winnow.cluster.alone import AloneJob, clean_alone, clean_on_worker
from winnow.cluster.bucket_pass import (
    COMPARED,
    choose_bucket_count,
    find_bucket_duplicates,
    list_spans,
)
from winnow.cluster.clean_request import Cleaned, CleanRequest
from winnow.cluster.cluster_job import PLACE, ClusterJob, Installation
from winnow.cluster.list_ranges import OddList, choose_range_bytes, count_quotes
from winnow.cluster.object_store import LEAST_PART_BYTES, MOST_PARTS, StoredFile, open_store
from winnow.cluster.packed_arrays import pack
from winnow.cluster.part_pass import (
    CODES,
    TABLE,
    PlannedPart,
    Settled,
    SharedTable,
    plan_parts,
    settle_range,
    write_part,
)
from winnow.cluster.range_pass import READ, RangeRead, RangeTexts, read_range
from winnow.cluster.run_folder import RunFolder, open_run
from winnow.cluster.stable_hash import StableHash
from winnow.cluster.workers import Workers
from winnow.core.errors import BadField, EmptyFile, WinnowError
from winnow.core.lists.input_head import Head
from winnow.core.tasks.run_options import RunOptions
from winnow.core.tasks.task import InputPlan, Notice, Phase, Progress
from winnow.core.verdicts.judge import LiveJudge
from winnow.library.shipped_data import ShippedData, ship_domain_data
from winnow.lists.engine.augment import Suffixes
from winnow.lists.engine.date_cells import DateCounts
from winnow.lists.engine.domain_spellings import PARSING_SHARE, parse_spellings
from winnow.lists.engine.domain_texts import DomainTexts
from winnow.lists.engine.row_codes import FIRST_DOMAIN
from winnow.lists.engine.row_counts import RowCounter
from winnow.lists.engine.row_ranks import RowRanks
from winnow.lists.engine.verdict_table import VerdictTable, judge_domains, number_exact
from winnow.lists.formats.delimited.notices import tell_loose, tell_ragged, tell_removed_ragged
from winnow.lists.formats.delimited.records_file import open_records
from winnow.lists.inspection.inspect import read_head
from winnow.lists.inspection.signature import find_extension, split_file_name
from winnow.lists.list_format import BatchOutcome
from winnow.lists.result.added_columns import ADDED, join_tail, name_notice
from winnow.lists.text.loose_lines import HEADER_MAX_BYTES, LooseLines

_START_BYTES = 6 << 20  # of a list, by which it is understood: more than is read with care
_N = TypeVar("_N", np.uint8, np.int64)
_QUOTES = "quotes"  # a piece of the list
_OF_WHOLE_LISTS = {"broken_later", "encoding_mixed", "encoding_assumed"}  # notices


@dataclass(frozen=True, slots=True)
class Cutting:
    """How a list is shared out; None: by its size. Speed depends on it, and no byte."""

    range_bytes: int | None = None
    bucket_count: int | None = None
    place: str = PLACE


def clean_on_cluster(
    request: CleanRequest, workers: Workers, cutting: Cutting = Cutting()
) -> Cleaned:
    """Clean a list that all workers can read into a file that all can write.

    Pieces of a former run of the same list, with the same choices and the same Winnow, are taken
    up. After an error they stay for the next run; the unfinished result goes.

    Raises:
        WinnowError: What is wrong, as on one machine; nothing is seen of the result.
    """
    source = open_store(request.source.bucket).find(request.source.name)
    if source is None:
        raise BadField("file", f"there is no {request.source}")
    request.require_places()
    return _Run(request, source, workers, cutting).clean()


@dataclass(frozen=True, slots=True)
class _ListVerdicts:
    """What the second pass needs of the verdicts; ``digest`` is of all of it."""

    table: VerdictTable
    suffixes: Suffixes
    names: tuple[str, ...]
    digest: str


class _Run:
    """One list's run."""

    def __init__(
        self, request: CleanRequest, source: StoredFile, workers: Workers, cutting: Cutting
    ) -> None:
        self._request = request
        self._source = source
        self._workers = workers
        self._cutting = cutting
        self._installation = Installation.here()

    def clean(self) -> Cleaned:
        reason = self._find_form()
        if reason is not None:
            return self._clean_alone(reason)
        with tempfile.TemporaryDirectory(prefix="winnow-") as folder:
            path = Path(folder) / "start"
            start = self._read_start()
            path.write_bytes(start)
            chosen, name = self._request.chosen, self._source.location.file_name
            head = read_head(path, name, chosen.choices, email_column=chosen.email_column)
            plan, options = chosen.plan(head)
            reason = _find_oddity(plan, options)
            if reason is not None:
                return self._clean_alone(reason)
            with open_records(path, plan, Path(folder), _ignore) as records:
                above, codec = records.above, records.codec
            if codec != "utf-8":
                return self._clean_alone("it is not in UTF-8.")
        try:
            return self._clean_ranges(head, plan, options, above, start)
        except OddList as odd:
            return self._clean_alone(str(odd))

    def _find_form(self) -> str | None:
        """Return why the list is not to be cut, where its name says so, or the result's."""
        _, code = split_file_name(self._source.location.file_name)
        if not code.traits.is_text or code.traits.unpacked is not None:
            return f"{code.traits.file_name} is not cut into ranges."
        target = find_extension(self._request.target.file_name)
        if target is not None and target.traits.unpacked is not None:
            return "the result is to be packed."
        return None

    def _read_start(self) -> bytes:
        source = self._source
        wanted = min(source.size_bytes, _START_BYTES)
        store = open_store(source.location.bucket)
        start = store.read(source.location.name, 0, wanted, source.version)
        if wanted == source.size_bytes:
            return start
        return start[: start.rfind(b"\n") + 1] or start

    def _clean_alone(self, reason: str) -> Cleaned:
        """Let one worker do what a single machine does."""
        request, installation = self._request, self._installation
        parts = {"list": _describe(self._source), "chosen": repr(request.chosen), "way": "alone"}
        run = open_run(request.source, request.target, _digest(parts))
        if run.former_upload is not None:
            run.abort()
        try:
            upload = run.begin_upload(request.source, "").number
            job = AloneJob(installation, self._source, request.target, upload, request.chosen)
            data = _ship_judge(request)
            if data is None:
                cleaned, receipts = clean_alone(job, request.judge)
            else:
                ((cleaned, receipts),) = self._workers.begin(clean_on_worker, [(job, data)]).wait()
            self._complete(run, upload, receipts)
        except BaseException as error:
            _give_up(run, error, keeps_pieces=False)
            raise
        who = "this machine" if data is None else "one worker"
        told = Notice("one_reader", f"The list was read in one go, by {who}: {reason}")
        return Cleaned(
            cleaned.outcome.add_notices((told,)),
            cleaned.notices,
            cleaned.columns,
            cleaned.email_column,
        )

    def _clean_ranges(
        self, head: Head, plan: InputPlan, options: RunOptions, above: bytes, start: bytes
    ) -> Cleaned:
        job, run = self._open_job(head, plan, options, above, start)
        try:
            reads = self._read_ranges(job, run)
            outcome = self._finish(job, run, reads)
        except BaseException as error:
            _give_up(run, error, keeps_pieces=not isinstance(error, (OddList, EmptyFile)))
            raise
        notices = tuple(one for one in head.notices if one.code not in _OF_WHOLE_LISTS)
        return Cleaned(outcome, notices, head.columns, plan.email_column)

    def _open_job(
        self, head: Head, plan: InputPlan, options: RunOptions, above: bytes, start: bytes
    ) -> tuple[ClusterJob, RunFolder]:
        source, request, cutting = self._source, self._request, self._cutting
        estimate = head.row_estimate * source.size_bytes // max(1, len(start))
        begin = len(above)
        header = start[begin : begin + HEADER_MAX_BYTES]
        job = ClusterJob(
            self._installation,
            source,
            request.target,
            plan,
            above,
            LooseLines.of_start(header, begin, source.size_bytes, plan),
            options.keep,
            request.chosen.deduplicate,
            request.judge.role_names,
            cutting.range_bytes or choose_range_bytes(source.size_bytes),
            cutting.bucket_count or choose_bucket_count(estimate),
            bool(request.judge.exact),
            cutting.place,
        )
        run = open_run(request.source, request.target, job.fingerprint)
        return job.keep_pieces(run.folder), run

    def _read_ranges(self, job: ClusterJob, run: RunFolder) -> list[RangeRead]:
        is_inside = self._follow_quotes(job, run)
        done = 0
        reads: dict[int, RangeRead] = {}
        for number in sorted(run.found.get(READ, ())):
            reads[number] = RangeRead.from_json(job.read_piece(READ, number))
            done += reads[number].row_count
        missing = [number for number in range(job.range_count) if number not in reads]

        def tell(read: RangeRead) -> None:
            nonlocal done
            done += read.row_count
            self._report(Phase.READING, done, None)

        calls = [(job, number, is_inside[number], is_inside[number + 1]) for number in missing]
        answers = self._workers.begin(read_range, calls).wait(tell)
        reads.update(zip(missing, answers, strict=True))
        found = [reads[number] for number in range(job.range_count)]
        for one, following in pairwise(found):
            if one.end != following.start:
                raise OddList("quotes stand in the middle of cells.")
        return found

    def _follow_quotes(self, job: ClusterJob, run: RunFolder) -> list[bool]:
        """Return whether quotes are open at each range's bound, and at the list's end."""
        if run.found.get(_QUOTES):
            counts = json.loads(job.read_piece(_QUOTES, 0))
        else:
            calls = [(job, number) for number in range(job.range_count - 1)]
            counts = self._workers.begin(count_quotes, calls).wait() if calls else []
            job.put_piece(_QUOTES, 0, json.dumps(counts).encode())
        is_inside, before = [False], 0
        for count in counts:
            before += count
            is_inside.append(bool(before % 2))
        return [*is_inside, False]

    def _finish(self, job: ClusterJob, run: RunFolder, reads: list[RangeRead]) -> BatchOutcome:
        row_count = sum(read.row_count for read in reads)
        if not row_count:
            raise EmptyFile("The list has no rows.", hint="Check that it is the right file.")
        ranks = RowRanks(job.keep)
        for read in reads:
            ranks.dates.add(DateCounts(**read.dates))
        compared = sorted(run.found.get(COMPARED, ())) if job.deduplicate else []
        buckets = range(job.bucket_count) if job.deduplicate else ()
        ends = {bucket: json.loads(job.read_piece(COMPARED, bucket)) for bucket in compared}
        missing = [bucket for bucket in buckets if bucket not in ends]
        dates = asdict(ranks.dates)
        pending = self._workers.begin(
            find_bucket_duplicates,
            [(job, bucket, list_spans(reads, bucket), dates) for bucket in missing],
        )
        widest = max(len(job.plan.columns), *(read.widest for read in reads))
        judged = self._judge(job, reads, row_count, widest)
        ends.update(zip(missing, pending.wait(), strict=True))
        settled = self._workers.begin(
            settle_range, [(job, number, _list_gone(ends, number)) for number in range(len(reads))]
        ).wait()
        starts = [read.start for read in reads]
        sizes = [one.size_bytes for one in settled]
        parts = plan_parts(starts, sizes, len(job.above), LEAST_PART_BYTES, MOST_PARTS)
        self._write_parts(job, run, parts, judged, row_count)
        return self._word_outcome(job, reads, settled, judged, ranks, row_count, widest)

    def _judge(
        self, job: ClusterJob, reads: list[RangeRead], row_count: int, widest: int
    ) -> _ListVerdicts:
        """Judge every domain of the list; write what the second pass needs of it."""
        judge = self._request.judge
        domains = DomainTexts(FIRST_DOMAIN)
        seen = np.zeros(1 << 16, np.uint8)
        counts = np.zeros(1 << 16, np.int64)
        for number, read in enumerate(reads):
            texts = RangeTexts.read(job, number)
            codes = domains.number(texts.texts)
            top = FIRST_DOMAIN + len(domains)
            seen, counts = _lengthen(seen, top), _lengthen(counts, top)
            seen[codes] |= texts.seen
            counts[codes] += texts.counts
            seen[: len(read.seen)] |= np.array(read.seen, np.uint8)

        def tell(share: float) -> None:
            self._report(Phase.LOOKING_UP, int(share * row_count), row_count)

        exact_codes = number_exact(domains, judge, StableHash())
        spellings = parse_spellings(domains, lambda share: tell(share * PARSING_SHARE))
        table = judge_domains(
            spellings,
            exact_codes,
            seen,
            judge,
            lambda share: tell(PARSING_SHARE + share * (1 - PARSING_SHARE)),
            count_codes=lambda count: _lengthen(counts, count)[:count].copy(),
        )
        plan = job.plan
        names = ADDED.name(plan.columns if plan.has_header else ())
        tails = (*map(ADDED.list_cells, table.verdicts), names)
        suffixes = Suffixes(
            tuple(join_tail(cells, plan.delimiter) for cells in tails),
            plan.delimiter.encode(),
            widest,
        )
        return _ListVerdicts(
            table, suffixes, names, self._share(job, reads, domains, table, suffixes)
        )

    def _share(
        self,
        job: ClusterJob,
        reads: list[RangeRead],
        domains: DomainTexts,
        table: VerdictTable,
        suffixes: Suffixes,
    ) -> str:
        """Write what verdicts mean, and for each range what its own codes do; return a digest."""
        digest = hashlib.sha256()
        own = np.arange(FIRST_DOMAIN, dtype=np.uint32)
        for number in range(len(reads)):
            codes = np.concatenate((own, domains.number(RangeTexts.read(job, number).texts)))
            arrays: dict[str, NDArray[Any]] = {
                "kinds": table.kind_codes.take(codes),
                "faults": table.spellings.faults.take(codes),
            }
            if table.exact:
                arrays["canonical"] = table.spellings.canonical.take(codes)
            data = pack(arrays)
            digest.update(data)
            job.put_piece(CODES, number, data)
        data = SharedTable(table.kinds, table.exact, suffixes).pack()
        digest.update(data)
        job.put_piece(TABLE, 0, data)
        return digest.hexdigest()

    def _write_parts(
        self,
        job: ClusterJob,
        run: RunFolder,
        parts: list[PlannedPart],
        judged: _ListVerdicts,
        row_count: int,
    ) -> None:
        """Write the result; parts that a former attempt has sent of the same are taken up."""
        target = self._request.target
        store = open_store(target.bucket)
        digest = _digest({"parts": [asdict(part) for part in parts], "verdicts": judged.digest})
        former, sent = run.former_upload, None
        if former is not None and former.digest == digest:
            sent = store.list_parts(target.name, former.number)
        if former is None or sent is None:
            run.abort()
            former = run.begin_upload(self._request.source, digest)
        receipts = {
            part.place.number: sent[part.place.number][1]
            for part in parts
            if sent is not None and sent.get(part.place.number, (0, ""))[0] == part.size_bytes
        }
        missing = [part for part in parts if part.place.number not in receipts]
        done = len(receipts)

        def tell(receipt: str) -> None:
            nonlocal done
            done += 1
            self._report(Phase.WRITING, row_count * done // len(parts), row_count)

        calls = [(job, part, target, former.number) for part in missing]
        answers = self._workers.begin(write_part, calls).wait(tell)
        numbers = (part.place.number for part in missing)
        receipts.update(zip(numbers, answers, strict=True))
        self._complete(run, former.number, [receipts[number] for number in sorted(receipts)])

    def _complete(self, run: RunFolder, upload: str, receipts: list[str]) -> None:
        """Let the result be seen, unless another run is about to write it."""
        run.require_own()
        target = self._request.target
        open_store(target.bucket).complete(target.name, upload, receipts)
        run.remove()

    def _word_outcome(
        self,
        job: ClusterJob,
        reads: list[RangeRead],
        settled: list[Settled],
        judged: _ListVerdicts,
        ranks: RowRanks,
        row_count: int,
        widest: int,
    ) -> BatchOutcome:
        counter = RowCounter(judged.table.verdicts, 0)
        for one in settled:
            counter.add_counts(np.array(one.by_verdict, np.int64), one.invalid_count)
        width = len(job.plan.columns)
        notices = (
            *tell_ragged(width, widest, sum(read.odd_count for read in reads)),
            *tell_loose(sum(read.loose_count for read in reads)),
            *name_notice(ADDED, judged.names),
            *tell_removed_ragged(width, sum(one.ragged_removed for one in settled)),
            *ranks.list_notices(job.plan.columns),
        )
        version = self._request.judge.data_version
        return BatchOutcome(
            counter.summarise(row_count, judged.table.names, version), tuple(notices)
        )

    def _report(self, phase: Phase, rows_done: int, rows_total: int | None) -> None:
        self._request.report(Progress(phase, rows_done, rows_total))


def _give_up(run: RunFolder, error: BaseException, *, keeps_pieces: bool) -> None:
    """Leave nothing of a run that failed but pieces that the next one takes up.

    Raises:
        BadField: It failed because another run of the same result has begun.
    """
    is_own = run.is_own
    run.abort()
    if not keeps_pieces or run.is_removed:
        run.remove()
    if not is_own and isinstance(error, WinnowError):
        raise run.word_overtaken() from error


def _find_oddity(plan: InputPlan, options: RunOptions) -> str | None:
    """Return why a list is read in one go, where its beginning or what was chosen says so."""
    if options.plan_addresses(plan) is not None:
        return "its addresses are repaired, or stand in two columns."
    if plan.encoding != "utf-8":
        return f"it is in {plan.encoding}, not in UTF-8."
    if plan.escape:
        return "backslashes escape in its cells."
    if plan.newline == "\r":
        return "its lines end in CR alone."
    return None


def _ship_judge(request: CleanRequest) -> ShippedData | None:
    """Return the data that a worker judges with as this machine does; None where it cannot."""
    judge = request.judge
    if not isinstance(judge, LiveJudge) or judge.asks_network:
        return None
    data = ship_domain_data()
    return data if data.version == judge.data_version else None


def _list_gone(ends: dict[int, list[int]], number: int) -> list[tuple[int, int, int]]:
    """Return the buckets that have rows of a range that go, with where they stand there."""
    spans = [
        (bucket, one[number - 1] if number else 0, one[number]) for bucket, one in ends.items()
    ]
    return [span for span in spans if span[2] > span[1]]


def _lengthen(array: NDArray[_N], count: int) -> NDArray[_N]:
    if count <= len(array):
        return array
    longer = np.zeros(max(count, 2 * len(array)), array.dtype)
    longer[: len(array)] = array
    return longer


def _describe(source: StoredFile) -> list[object]:
    return [str(source.location), source.size_bytes, source.version]


def _digest(parts: Mapping[str, object]) -> str:
    text = json.dumps(parts, sort_keys=True, default=repr)
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def _ignore(rows: int, total: None, done: int) -> None:
    """Tell nobody how far it is."""

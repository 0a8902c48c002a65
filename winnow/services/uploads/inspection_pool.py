"""Questions about files: answered in this process, or by a server's pool of looking processes."""

import logging
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Protocol, cast

from winnow.core.errors import BrokenFile, InspectionLost, QueryEnded, ShuttingDown
from winnow.core.file_faults import FileFault
from winnow.limited.messages import Answer, JudgeOffline, Question, Reply, Request
from winnow.limited.process import Exceeded, Excess, LimitedProcess
from winnow.words import translatable

PROCESS_COUNT = 2
MEMORY_BYTES = 448 << 20  # of one process; ordinary lists need up to 270
QUERY_MEMORY_BYTES = 768 << 20  # of a process that queries projects: DuckDB, and the answer
RETIRE_BYTES = 320 << 20  # a process that has taken more ends, which frees it
CPU_SECONDS = 30
BYTES_PER_SECOND = 10_000_000  # more time for larger files: twenty times what is needed
AGAIN_SECONDS = 10.0  # after no process could be started, one is tried again
USUAL_RATIO = 8  # of a packed list: some 5, rarely 40

_log = logging.getLogger(__name__)
_DEATHS = {Excess.DEATH, Excess.KILLED}
_DETAILS = {
    Excess.MEMORY: translatable("Looking into this file takes more memory than any ordinary list."),
    Excess.TIME: translatable("Looking into this file takes longer than any ordinary list."),
    Excess.DEATH: translatable("This file could not be looked into."),
}
_SHEET_HINT = translatable("Save the sheet with the list as CSV and upload that file.")
_TEXT_HINT = translatable("Save the list again as CSV in UTF-8, or split it into smaller files.")


class Inspector(Protocol):
    """Answers questions about untrusted files. Thread-safe."""

    def ask(self, question: Question[Answer]) -> Answer:
        """Return the answer; errors are those of the question."""


@dataclass(eq=False, repr=False)
class Inspections:
    """Answers in this process, until a server hands over to an inspector of other processes."""

    judge_offline: JudgeOffline

    def __post_init__(self) -> None:
        self._inspector: Inspector | None = None

    def hand_over(self, inspector: Inspector) -> None:
        """Use another inspector from now on."""
        self._inspector = inspector

    def take_back(self) -> None:
        """Answer in this process again."""
        self._inspector = None

    def ask(self, question: Question[Answer]) -> Answer:
        """Answer, or ask the inspector."""
        if self._inspector is None:
            return question.answer(self.judge_offline)
        return self._inspector.ask(question)


class InspectionPool:
    """Asks its own processes, a few at once, so that the server's own process opens no upload.

    Further callers wait. Thread-safe.
    """

    def __init__(
        self,
        command: Sequence[str],
        environ: Mapping[str, str],
        *,
        memory_bytes: int = MEMORY_BYTES,
        cpu_seconds: int = CPU_SECONDS,
        first_wait_seconds: float = 0.0,
    ) -> None:
        """Prepare; nothing is started yet.

        Args:
            command: What starts a looking process.
            environ: Its whole environment.
            memory_bytes: How much resident memory each may take.
            cpu_seconds: How much processor time an answer may take, however small the file.
            first_wait_seconds: How long after ``start`` one gets ready, if not asked before.
        """
        self._command = tuple(command)
        self._environ = dict(environ)
        self._memory_bytes = memory_bytes
        self._cpu_seconds = cpu_seconds
        self._turns = threading.BoundedSemaphore(PROCESS_COUNT)
        self._guard = threading.Lock()
        self._idle: list[LimitedProcess] = []
        self._busy: set[LimitedProcess] = set()
        self._is_stopping = False
        self._first_wait_seconds = first_wait_seconds
        self._next_try: threading.Timer | None = None
        self.is_down = False
        """Whether the last process that was started could not answer anything."""

    def start(self) -> None:
        """Have one process ready soon."""
        self._get_ready_after(self._first_wait_seconds)

    def stop(self) -> None:
        """End all processes; waiting callers get an error."""
        with self._guard:
            self._is_stopping = True
            processes = (*self._idle, *self._busy)
            self._idle.clear()
            if self._next_try is not None:
                self._next_try.cancel()
        for process in processes:
            process.kill()

    def kill(self) -> None:
        """Kill all processes at once; takes no lock, so that a signal handler may call it."""
        self._is_stopping = True
        for process in (*self._idle, *self._busy):
            process.kill()

    def list_process_ids(self) -> tuple[int, ...]:
        """Return the ids of the living processes."""
        with self._guard:
            return tuple(process.process_id for process in (*self._idle, *self._busy))

    def ask(self, question: Question[Answer]) -> Answer:
        """Have a question answered.

        Raises:
            InputError, BadField: As the question says, and for a list that needs more memory or
            time than any ordinary one.
            QueryEnded: A question about a project's cells took more memory or time than it may.
            InspectionLost: The process was killed from outside, twice, or none can be started.
            ShuttingDown: The server stops.
        """
        traits = None if question.file_format is None else question.file_format.traits
        size_bytes = question.path.stat().st_size
        if traits is not None and traits.unpacked is not None:
            size_bytes *= USUAL_RATIO
        seconds = self._cpu_seconds + size_bytes // BYTES_PER_SECOND
        try:
            reply = self._request(Request(question, seconds))
        except OSError as error:
            self._report_down(error)
            raise InspectionLost(is_down=True) from error
        except Exceeded as exceeded:
            has_died = exceeded.excess in _DEATHS
            if has_died:  # of the question? Then it answers an empty one
                self._get_ready()
            if self._is_stopping:
                raise ShuttingDown("The server is stopping.") from None
            if has_died and self.is_down:
                raise InspectionLost(is_down=True) from None
            _log.warning("a looking process was ended: %s", exceeded.excess)
            if exceeded.excess is Excess.KILLED:
                raise InspectionLost from None
            if traits is None:
                raise QueryEnded from None
            hint = _SHEET_HINT if traits.has_sheets else _TEXT_HINT
            detail, fault = _DETAILS[exceeded.excess], FileFault.TOO_COSTLY
            raise BrokenFile(detail, hint=hint, fault=fault) from None
        if reply.crash is not None:  # our own code failed; the text says where
            raise RuntimeError(reply.crash)
        if reply.error is not None:
            raise reply.error
        return cast("Answer", reply.answer)

    def _request(self, request: Request) -> Reply:
        with self._turns:
            try:
                return self._ask_one(self._take(), request)
            except Exceeded as exceeded:
                if exceeded.excess not in _DEATHS:
                    raise
                return self._ask_one(self._take(), request)  # it may have died for another reason

    def _ask_one(self, process: LimitedProcess, request: Request) -> Reply:
        try:
            reply = process.ask(request, self._memory_bytes)
        except BaseException:
            self._drop(process)
            raise
        self.is_down = False
        self._put_back(process)
        return reply

    def _take(self) -> LimitedProcess:
        with self._guard:
            if self._is_stopping:
                raise ShuttingDown("The server is stopping.")
            self._idle = [process for process in self._idle if process.is_alive()]
            if self._idle:
                process = self._idle.pop()
            else:
                process = LimitedProcess(self._command, self._environ)
            self._busy.add(process)
            return process

    def _drop(self, process: LimitedProcess) -> None:
        with self._guard:
            self._busy.discard(process)
        process.kill()

    def _put_back(self, process: LimitedProcess) -> None:
        is_spent = process.read_peak_bytes() > RETIRE_BYTES
        with suppress(OSError), self._guard:  # without a following one, the next question starts it
            self._busy.discard(process)
            if not self._is_stopping:
                following = LimitedProcess(self._command, self._environ) if is_spent else process
                self._idle.append(following)
        if is_spent:
            process.close()

    def _get_ready(self) -> None:
        try:
            self._request(Request(None, self._cpu_seconds))
        except ShuttingDown:
            return
        except (Exceeded, OSError) as error:
            self._report_down(error)

    def _report_down(self, error: Exception) -> None:
        _log.error("no looking process can be started: %s", error)
        self.is_down = True
        self._get_ready_after(AGAIN_SECONDS)

    def _get_ready_after(self, seconds: float) -> None:
        with self._guard:
            if self._next_try is not None:
                self._next_try.cancel()
            if not self._is_stopping:
                self._next_try = threading.Timer(seconds, self._get_ready)
                self._next_try.daemon = True
                self._next_try.start()

"""One judge for each key type, over domain knowledge that is opened when first needed."""

import logging
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf

from winnow.core.judging.judge import Judge, SandboxJudge
from winnow.core.ports import DomainKnowledge
from winnow.core.tasks.task import KeyType
from winnow.core.waiting import prepare_to_wait
from winnow.services.network.network import Sources, Tick

ARRAY_BUDGET_SECONDS = 10.0  # of DNS, and of registries: callers wait for the answer
_log = logging.getLogger(__name__)


@dataclass(eq=False, repr=False)
class Judges:
    """Opens the knowledge when first asked, and again when its sources change. Thread-safe.

    Args:
        open_knowledge: Called once for each value of ``read_mark``.
        read_mark: Returns another value after any process has changed the sources of the
            knowledge. Called with each use.
        open_sources: Returns the network sources of one check or task; takes a callback for the
            share done, and the seconds that each may take.
    """

    open_knowledge: Callable[[], DomainKnowledge]
    read_mark: Callable[[], object] = lambda: None
    open_sources: Callable[[Tick, float], Sources] = lambda *said: Sources()

    def __post_init__(self) -> None:
        self._mark: object = None
        self._guard = threading.Lock()
        self._live: Judge | None = None
        self._sandbox = SandboxJudge()

    def knowledge(self) -> DomainKnowledge:
        """Return the domain knowledge; the very first use on a machine compiles it."""
        return self._open().knowledge

    def judge_for(self, key_type: KeyType) -> Judge:
        """Return the judge of single checks; the sandbox's needs no knowledge and no network."""
        return self.judge_task(key_type, _ignore)[0]

    def judge_offline(self, key_type: KeyType) -> Judge:
        """Return the judge that uses no network, whatever is switched on."""
        return self._sandbox if key_type is KeyType.SANDBOX else self._open()

    def judge_array(self, key_type: KeyType, list_domains: Callable[[], Sequence[str]]) -> Judge:
        """Return the judge of one array of addresses, for which answers are gathered at once.

        ``list_domains`` returns the distinct domains; it is called only if the network is asked.
        """
        judge, _ = self.judge_task(key_type, _ignore, ARRAY_BUDGET_SECONDS)
        if judge.asks_network:
            judge.prepare(list_domains())
        return judge

    def judge_task(
        self, key_type: KeyType, tick: Tick, most_seconds: float = inf
    ) -> tuple[Judge, Sources]:
        """Return a judge for one task and its sources, by the network switches of now.

        ``tick`` is called with the share of look-ups done, 0 to 1; an error in it ends the task.
        """
        if key_type is KeyType.SANDBOX:
            return self._sandbox, Sources()
        offline = self._open()
        sources = self.open_sources(tick, most_seconds)
        if sources.is_empty:
            return offline, sources
        prepare_to_wait()
        return Judge(offline.knowledge, mail=sources.mail, age=sources.age), sources

    def _open(self) -> Judge:
        mark, live = self.read_mark(), self._live
        if live is not None and mark == self._mark:
            return live
        prepare_to_wait()
        if not self._guard.acquire(blocking=live is None) and live is not None:
            return live  # also while another thread opens the changed knowledge
        try:
            if self._live is None or mark != self._mark:
                self._mark = mark  # also after a failure: the next change is the next try
                self._live = Judge(self.open_knowledge())
        except Exception as error:
            if self._live is None:
                raise
            _log.error("changed domain knowledge cannot be opened: %s", type(error).__name__)
        finally:
            self._guard.release()
        return self._live


def _ignore(share: float) -> None:
    """Ignore the progress."""

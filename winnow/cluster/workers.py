"""The workers of a Dask scheduler, and what goes wrong with them in sentences."""

import asyncio
import logging
from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError
from typing import Any, Protocol, TypeVar

from winnow.cluster.cluster_job import Installation
from winnow.cluster.object_store import HOW_TO_INSTALL
from winnow.core.errors import BadField

T = TypeVar("T")
_INSTALL = "Install the same Winnow, with its extra cluster, on all of them."
_SECONDS_TO_CONNECT = 15
_SECONDS_FOR_A_WORKER = 60


class Pending(Protocol[T]):
    """Calls under way."""

    def wait(self, tell: Callable[[T], None] = lambda answer: None) -> list[T]:
        """Return the answers in order; ``tell`` is given each as it comes.

        The first that fails ends the others, and is raised.
        """


class Workers(Protocol):
    """Whoever runs the tasks of a list."""

    def begin(self, function: Callable[..., T], calls: Sequence[tuple[Any, ...]]) -> Pending[T]:
        """Call a function with each of these arguments, in any order, some at once.

        A call whose worker is lost is made again by another.
        """


class DaskWorkers:
    """Those of a scheduler; a context that leaves it again."""

    def __init__(self, address: str) -> None:
        """Connect.

        Raises:
            BadField: The address, the scheduler, a worker; which, and what to do.
        """
        if "://" not in address:
            hint = "Write it as the scheduler says it, such as tcp://scheduler:8786."
            raise BadField("cluster", f"{address[:80]} is no address of a scheduler", hint=hint)
        try:
            import xxhash  # noqa: F401 - what the pieces are made with
            from distributed import Client
        except ImportError as error:
            problem = f"this needs a package that is not installed: {error.name}"
            raise BadField("cluster", problem, hint=HOW_TO_INSTALL) from error
        logging.getLogger("distributed.client").setLevel(logging.CRITICAL)  # told by BadField
        _require_scheduler(address)
        try:
            self._client = Client(address, timeout=_SECONDS_TO_CONNECT, set_as_default=False)
        except (OSError, ValueError) as error:
            raise _word_silence(address) from error
        except ImportError as error:
            raise BadField("cluster", "the scheduler has another Dask", hint=_INSTALL) from error

    def __enter__(self) -> "DaskWorkers":
        return self

    def __exit__(self, *_: object) -> None:
        self._client.close()

    def require(self, installation: Installation) -> None:
        """Refuse workers of another installation before anything is begun.

        Raises:
            BadField: There is one, or there are no workers.
        """
        try:
            self._client.wait_for_workers(1, timeout=_SECONDS_FOR_A_WORKER)
        except TimeoutError as error:
            raise BadField("cluster", "the scheduler has no worker", hint="Start one.") from error
        try:
            self._client.run(installation.require)
        except Exception as error:
            raise _word_failure(error) from error

    def begin(self, function: Callable[..., T], calls: Sequence[tuple[Any, ...]]) -> Pending[T]:
        """See ``Workers``."""
        futures = [self._client.submit(function, *call, pure=False, retries=1) for call in calls]
        return _DaskPending(futures, self._client.loop)


def _require_scheduler(address: str) -> None:
    """Shake hands once: ``Client`` waits without end for a listener that says nothing.

    Raises:
        BadField: Nobody, or nothing of Dask's, answers in time.
    """
    try:
        asyncio.run(_shake_hands(address))
    except TypeError as error:
        hint = "For tls:// name the certificates in Dask's settings, distributed.comm.tls."
        raise BadField("cluster", f"{address} cannot be used so", hint=hint) from error
    except Exception as error:  # what strangers say Dask takes for frames, and fails in any way
        raise _word_silence(address) from error


def _word_silence(address: str) -> BadField:
    hint = "Check that it runs, and that this machine reaches it."
    return BadField("cluster", f"no scheduler answers at {address}", hint=hint)


async def _shake_hands(address: str) -> None:
    from distributed.comm import connect
    from distributed.security import Security

    async with asyncio.timeout(_SECONDS_TO_CONNECT):
        comm = await connect(
            address, _SECONDS_TO_CONNECT, **Security().get_connection_args("client")
        )
    await comm.close()


class _DaskPending(Pending[T]):
    def __init__(self, futures: list[Any], loop: Any) -> None:
        self._futures = futures
        self._loop = loop

    def wait(self, tell: Callable[[T], None] = lambda answer: None) -> list[T]:
        from distributed import as_completed

        places = {future.key: place for place, future in enumerate(self._futures)}
        answers: list[Any] = [None] * len(self._futures)
        try:
            for future in as_completed(self._futures, loop=self._loop):
                answer = future.result()
                answers[places[future.key]] = answer
                tell(answer)
        except Exception as error:
            raise _word_failure(error) from error
        finally:
            for future in self._futures:
                if not future.done():
                    future.cancel()
        return answers


def _word_failure(error: BaseException) -> BaseException:
    """Return what a cluster's failure is to be told as; what a task raised itself stays."""
    name = type(error).__name__
    if isinstance(error, ModuleNotFoundError):
        return BadField("cluster", f"a worker has no {error.name}", hint=_INSTALL)
    if isinstance(error, (AttributeError, ImportError)):
        return BadField("cluster", "a worker has another Winnow", hint=_INSTALL)
    if name == "KilledWorker":
        problem = "several workers were lost over the same piece of the list"
        hint = "They may be short of memory: some 2 GB each. What is finished is taken up."
        return BadField("cluster", problem, hint=hint)
    if isinstance(error, MemoryError):
        hint = "Give each some 2 GB. What is finished is taken up."
        return BadField("cluster", "a worker is short of memory", hint=hint)
    if name in ("FutureCancelledError", "CommClosedError") or isinstance(error, CancelledError):
        hint = "Start again once it is back: what is finished is taken up."
        return BadField("cluster", "the scheduler was lost", hint=hint)
    return error

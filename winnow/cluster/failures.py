"""Dask's client, and failures of a cluster as the product's errors."""

import logging
from collections.abc import Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager

from distributed import Client, KilledWorker

from winnow.core.errors import BadField
from winnow.library.open_data import DomainDataDiffers

_INSTALL = "Install the same Winnow, with its extra cluster, on all of them."
_CONNECT_SECONDS, _WORKER_SECONDS = 15, 60


@contextmanager
def open_client(address: str) -> Iterator[Client]:
    """Connect to a scheduler that has workers.

    Raises:
        BadField: There is no scheduler, or it has no worker.
    """
    logging.getLogger("distributed.client").setLevel(logging.CRITICAL)  # BadField says the same
    try:
        client = Client(address, timeout=_CONNECT_SECONDS, set_as_default=False)
    except (OSError, ValueError, TypeError) as error:
        hint = "Check that it runs, and that this machine reaches it: tcp://scheduler:8786."
        raise BadField("cluster", f"no scheduler answers at {address}", hint=hint) from error
    with client:
        try:
            client.wait_for_workers(1, timeout=_WORKER_SECONDS)
        except TimeoutError as error:
            raise BadField("cluster", "the scheduler has no worker", hint="Start one.") from error
        yield client


@contextmanager
def naming_failures() -> Iterator[None]:
    """Turn a failure of workers into the product's error; errors of tasks are unchanged.

    Raises:
        BadField: Which failure, and what to do.
    """
    try:
        yield
    except DomainDataDiffers as error:
        raise BadField("cluster", str(error)) from error
    except (AttributeError, ImportError) as error:
        raise BadField("cluster", f"a worker has another Winnow: {error}", hint=_INSTALL) from error
    except (CancelledError, KilledWorker, MemoryError, RuntimeError, OSError) as error:
        problem = f"the workers could not finish: {type(error).__name__}: {error}"
        hint = "Give each worker more memory; start again when scheduler and workers run."
        raise BadField("cluster", problem, hint=hint) from error

"""Wait for a state, however long a busy machine takes."""

import time
from collections.abc import Callable

PATIENCE_SECONDS = 240.0  # for a machine that is busy with twenty other things; below QUICK_SECONDS


def wait_until(
    condition: Callable[[], bool],
    explain: Callable[[], object] = lambda: "waited too long",
    *,
    seconds: float = PATIENCE_SECONDS,
) -> None:
    """Poll until a condition holds.

    Raises:
        AssertionError: It does not for minutes; the message is the explanation.
    """
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, explain()
        time.sleep(0.02)

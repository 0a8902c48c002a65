"""How a run of tests ended, kept for ``.ci/lane.sh``."""

import pytest


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """Keep the exit code: failed tests run once more only if the run came to its end."""
    cache = getattr(session.config, "cache", None)
    if cache is not None and not hasattr(session.config, "workerinput"):  # not in xdist's processes
        cache.set("winnow/ended", int(exitstatus))

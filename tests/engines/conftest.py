"""The domain data of a program of its own, apart from this machine's."""

from collections.abc import Iterator

import pytest

from winnow.library.open_data import open_domain_data


@pytest.fixture(scope="session", autouse=True)
def own_cache(pytestconfig: pytest.Config) -> Iterator[None]:
    """Let the library, and the workers that an engine starts, compile into pytest's cache."""
    assert pytestconfig.cache is not None
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(pytestconfig.cache.mkdir("engines")))
        open_domain_data.cache_clear()
        yield
        open_domain_data.cache_clear()

"""The domain data of a program of its own, apart from this machine's."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.engines.cluster_lists import open_cluster
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


@pytest.fixture(scope="module")
def bucket_and_cluster() -> Iterator[tuple[Any, Any]]:
    """A bucket's client, and two workers of Dask."""
    with pytest.MonkeyPatch.context() as patch, open_cluster(patch) as both:
        yield both


@pytest.fixture(scope="module")
def bucket(bucket_and_cluster: tuple[Any, Any]) -> Any:
    """The bucket's client."""
    return bucket_and_cluster[0]


@pytest.fixture(scope="module")
def dask_cluster(bucket_and_cluster: tuple[Any, Any]) -> Any:
    """Two workers of Dask that know the bucket."""
    return bucket_and_cluster[1]

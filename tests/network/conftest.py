"""Servers of our own for the clients of the network."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.applications import Clock
from tests.network.rdap_site import RdapSite


@pytest.fixture
def site(tmp_path: Path, clock: Clock) -> Iterator[RdapSite]:
    """A registry that answers as the test says."""
    with RdapSite(tmp_path, clock) as running:
        yield running

"""Domain data on its way to other machines: the same verdicts, or a refusal."""

import pickle
from collections.abc import Iterator
from dataclasses import replace

import pytest

import winnow
from winnow.domain_data.compiled_file import CompiledFileBroken
from winnow.library.open_data import DomainDataDiffers, ShippedData, open_domain_data

VALUES = ["ana@gmial.com", "x@mailinator.com", "info@uni-koeln.de", "n/a", None]


@pytest.fixture(scope="module")
def shipped(pytestconfig: pytest.Config) -> Iterator[ShippedData]:
    assert pytestconfig.cache is not None
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(pytestconfig.cache.mkdir("engines")))
        open_domain_data.cache_clear()
        yield winnow.ship_data()
    open_domain_data.cache_clear()


@pytest.mark.slow
def test_what_arrives_judges_as_at_home(shipped: ShippedData) -> None:
    arrived = pickle.loads(pickle.dumps(shipped))  # noqa: S301
    assert arrived.version == shipped.version == open_domain_data().data_version
    assert winnow.check_column(VALUES, data=arrived) == winnow.check_column(VALUES)
    assert len(pickle.dumps(shipped)) < 8 << 20


@pytest.mark.parametrize("other", [{"release": "0.0.9"}, {"fingerprint": "f" * 64}])
def test_a_worker_of_another_version_refuses(shipped: ShippedData, other: dict[str, str]) -> None:
    foreign = replace(shipped, version="2020-01-01.abcdef", **other)
    with pytest.raises(DomainDataDiffers, match=r"the run began .* 2020-01-01\.abcdef"):
        winnow.check_column(VALUES, data=foreign)


def test_what_was_changed_on_its_way_is_refused(shipped: ShippedData) -> None:
    cut = replace(shipped, version="cut", content=shipped.content[:-1])
    with pytest.raises(CompiledFileBroken, match="not what was written"):
        winnow.check_column(VALUES, data=cut)


def test_no_folder_is_needed(
    shipped: ShippedData, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken = tmp_path_factory.mktemp("home") / "taken"
    taken.write_text("a file where the folder would be")
    monkeypatch.setenv("XDG_CACHE_HOME", str(taken))
    assert winnow.ship_data().content == shipped.content

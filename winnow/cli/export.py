"""``winnow export``: the domains of one type, for use in other software."""

import csv
import os
import sys
from argparse import Namespace
from collections.abc import Iterable
from datetime import date
from operator import attrgetter

import msgspec

from winnow.cli.check import find_folder, open_data
from winnow.core.figures import count_doing
from winnow.core.judging.judge import Judge
from winnow.core.release import VERSION
from winnow.core.verdicts.domain_types import DomainType
from winnow.core.verdicts.facts import LocalFlag
from winnow.domain_data.build.catalogue import ListInfo
from winnow.domain_data.look_up.look_up import Knowledge
from winnow.environment import read_environment

MAY_BE_PASSED_ON = frozenset({"MIT", "BSD-3-Clause", "Apache-2.0", "CC0-1.0", "MPL-2.0"})


class ExportSource(msgspec.Struct, frozen=True):
    """One list behind an export; most licences ask that it is named."""

    name: str
    licence: str
    released_on: date | None


class ExportedDomains(msgspec.Struct, frozen=True):
    """The domains that Winnow gives a type, and the lists that name them."""

    domain_type: str
    data_version: str
    sources: tuple[ExportSource, ...]
    domains: tuple[str, ...]
    version: str = VERSION


def export_domains(options: Namespace) -> int:
    """Print the domains of a type by the data folder's data, or the installation's."""
    folder = find_folder(read_environment(os.environ))
    return export(open_data(folder), DomainType(options.type), options.format)


def export(knowledge: Knowledge, domain_type: DomainType, file_format: str) -> int:
    """Print the names of lists that are judged to be of a type, without network.

    Names that only lists of other licences have are left out, with a notice on standard error.
    """
    found, omitted = collect_names(knowledge, domain_type, MAY_BE_PASSED_ON)
    match file_format:
        case "json":
            sys.stdout.write(msgspec.json.encode(found).decode() + "\n")
        case "csv":
            writer = csv.writer(sys.stdout, lineterminator="\n")
            writer.writerow(("domain", "domain_type"))
            writer.writerows((domain, found.domain_type) for domain in found.domains)
        case _:
            made = f"# winnow {found.version}, domain data {found.data_version}"
            sources = [f"# {one.name}, {one.licence}" for one in found.sources]
            sys.stdout.writelines(f"{line}\n" for line in (made, *sources, *found.domains))
    if omitted:
        sys.stderr.write(
            f"winnow: {count_doing(omitted, 'domain', 'is', 'are')} left out: the licence of the "
            "list does not allow passing it on\n"
        )
    return 0


def collect_names(
    knowledge: Knowledge, domain_type: DomainType, licences: Iterable[str]
) -> tuple[ExportedDomains, int]:
    """Return the names of a type that lists of these licences have, and how many only others do."""
    judge, allowed = Judge(knowledge), frozenset(licences)
    domains, sources, omitted = [], set[ListInfo](), 0
    for name, lists in knowledge.list_names():
        if judge.decide(LocalFlag.NONE, judge.facts(name)).domain_type is not domain_type:
            continue
        passed_on = {info for info in lists if info.licence in allowed}
        if lists and not passed_on:
            omitted += 1
            continue
        domains.append(name)
        sources |= passed_on
    described = tuple(
        ExportSource(one.name, one.licence, one.released_on)
        for one in sorted(sources, key=attrgetter("name"))
    )
    found = ExportedDomains(domain_type.value, knowledge.data_version, described, tuple(domains))
    return found, omitted

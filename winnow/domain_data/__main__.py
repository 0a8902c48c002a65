"""``python -m winnow.domain_data OUT``: build the compiled file and report what it took over."""

import argparse
import sys
from pathlib import Path

from winnow.domain_data.build.build import build_knowledge
from winnow.domain_data.build.report import BuildReport


def format_report(report: BuildReport) -> str:
    """Write a report as plain text."""
    lines = [f"data {report.data_version}: {report.name_count} names, {report.size_bytes} bytes"]
    lines.append("\nlists: entries, version, date, licence, family")
    lines.extend(
        f"  {info.name}: {info.entries}, {info.version or '-'}, {info.released_on or 'no date'}, "
        f"{info.licence}, {info.family or '-'}"
        for info in report.lists
    )
    lines.append("\nnames on both of two disposable lists")
    lines.extend(f"  {one} and {other}: {n}" for (one, other), n in report.overlaps.items())
    lines.append("\nnames at or above a public suffix, matched by nothing")
    lines.append("  " + " ".join(report.at_public_suffix))
    lines.append("\nlisted names that a guard answers for")
    lines.extend(f"  {guard}: {count}" for guard, count in report.guards.items())
    lines.append("\nconflicts: on a disposable list, and known to be honest")
    lines.extend(f"  {name}: {guard}" for name, guard in report.conflicts)
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m winnow.domain_data", description=__doc__)
    parser.add_argument("out", type=Path, help="where to write the compiled file")
    sys.stdout.write(format_report(build_knowledge(parser.parse_args().out)))

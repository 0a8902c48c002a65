r"""Names that the list reviewed by hand removed or allows, by old releases of its package.

    python -m benchmarks.removals old    # old/DAY/ as for benchmarks.decay; writes removals.tsv

A name that came and was removed between two of the days is not seen.
"""

import runpy
import sys
from pathlib import Path

from benchmarks.decay import LIST
from winnow.domain_data.build.catalogue import read_package, to_a_labels

PATH = Path(__file__).resolve().parents[1] / "winnow/domain_data/data/removals.tsv"
HEAD = """\
# name: Names removed after review
# source: counted by this project's rule (benchmarks/removals.py) in releases of the package disposable-email-domains (MIT)
# date: {date}
# licence: MIT
# about: Names that disposable-email-domains had once and removed, or had on its own list of allowed names: name, the day by which it was so (of the last release that says it), removed or allowed.
"""  # noqa: E501 - as long as the other files' heads


def find_removals(folder: Path) -> dict[str, tuple[str, str]]:
    """Return each name with its day and how the list cleared it."""
    found: dict[str, tuple[str, str]] = {}
    before: frozenset[str] = frozenset()
    for release in sorted(path for path in folder.iterdir() if (path / LIST).exists()):
        lists = runpy.run_path(str(release / LIST))
        names = frozenset(lists.get("blocklist") or lists["blacklist"])
        found |= dict.fromkeys(before - names, (release.name, "removed"))
        found |= dict.fromkeys(
            lists.get("allowlist") or lists.get("whitelist", ()), (release.name, "allowed")
        )
        before = names
    now = read_package("disposable_email_domains")
    return {name: how for name, how in found.items() if to_a_labels(name) == name not in now}


def main() -> None:
    """Write the file again."""
    found = find_removals(Path(sys.argv[1]))
    newest = max(day for day, _ in found.values())
    rows = "".join(f"{name}\t{day}\t{how}\n" for name, (day, how) in sorted(found.items()))
    PATH.write_text(HEAD.format(date=newest) + rows, encoding="utf-8")


if __name__ == "__main__":
    main()

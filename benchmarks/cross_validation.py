"""The offline signs chosen anew without what they are then measured on.

Honest names are cut into folds. The signs are chosen from the others, and from the disposable lists
without the crawl's names; then the fold left out is judged.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from zlib import crc32

from benchmarks.sign_rules import choose_signs, read_disposable
from winnow.domain_data.build.catalogue import read_reviewed
from winnow.domain_data.build.packages import read_suffix_rules
from winnow.domain_data.compiled_file import read_compiled
from winnow.domain_data.look_up.look_up import Knowledge
from winnow.domain_data.name_table import NameTable
from winnow.domain_data.suffixes import SuffixRules

FOLDS = 5


@dataclass(frozen=True, slots=True)
class Fold:
    """Knowledge whose signs were chosen without the ``honest`` names and without the crawl's."""

    knowledge: Knowledge
    honest: Sequence[str]


def make_folds(compiled: Path, honest: Sequence[str], crawl: Collection[str]) -> Iterator[Fold]:
    """Give each fold; names below one registrable domain stay together."""
    header, table = read_compiled(compiled)
    names = NameTable(table)
    split = SuffixRules(read_suffix_rules()).split
    lists = read_disposable(crawl)
    dynamic = {name for name in read_reviewed("risky_suffixes.txt").names if "." in name}
    folds = {name: crc32((split(name)[0] or name).encode()) % FOLDS for name in honest}
    for number in range(FOLDS):
        signs = choose_signs(lists, [name for name in honest if folds[name] != number])
        changed = {
            **header,
            "risky_suffixes": sorted(signs.suffixes | dynamic),
            "letter_pairs": signs.pairs,
            "letter_pairs_limits": [signs.limit, signs.short_limit],
        }
        held_out = [name for name in honest if folds[name] == number]
        yield Fold(Knowledge(changed, names), held_out)

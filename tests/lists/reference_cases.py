"""Every element of a workbook that names rows, before and after rows 3 and 5 are removed.

The schema's own list is ISO/IEC 29500-1, 18, with MS-XLSX for later versions.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

SHEET, OTHER, WORKBOOK = "xl/sheets/data.xml", "xl/sheets/other.xml", "xl/workbook.xml"
TABLE, COMMENTS, THREADS = "xl/t1.xml", "xl/c1.xml", "xl/tc1.xml"
DRAWING, OTHER_DRAWING, VML = "xl/d1.xml", "xl/d2.xml", "xl/v1.vml"
CHART = "xl/chart.xml"
PIVOT, CACHE = "xl/p1.xml", "xl/cache.xml"
DRAWING_LINKS = "xl/_rels/d1.xml.rels"
_CHANGE = re.compile(r"\{([^{}|]*)\|([^{}|]*)\}")


@dataclass(frozen=True)
class Case:
    """What is in a part: ``{4|3}`` is 4 before, 3 after. ``covers`` are the schema's words."""

    covers: str
    part: str
    text: str
    tells: bool = False  # a notice names it

    @property
    def before(self) -> str:
        return _CHANGE.sub(r"\1", self.text)

    @property
    def after(self) -> str:
        return _CHANGE.sub(r"\2", self.text)


def _read_cases() -> Iterator[Case]:
    """Yield the cases of a file: a head, ``== part: covers``, and lines that are one text."""
    text = (Path(__file__).parents[1] / "golden" / "references.txt").read_text("utf-8")
    for block in text.split("\n\n"):
        head, *lines = block.splitlines()
        part, told, covers = re.fullmatch(r"== (\S+)( told)?: (.*)", head).groups()  # type: ignore[union-attr]
        yield Case(covers, part, "".join(lines).replace("\\n", "\n"), bool(told))


CASES = list(_read_cases())

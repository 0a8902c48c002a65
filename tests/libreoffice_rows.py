"""LibreOffice deletes rows of workbooks itself: what it then works out is what must come out."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.libreoffice import run

_HEADER = '<?xml version="1.0" encoding="UTF-8"?>\n'
_LIBRARY = "http://openoffice.org/2000/library"
_MACRO = """
Sub Judge(jobs As String)
  Dim number As Integer, line As String, parts, rows, place As Long, doc
  Dim hidden(0) As New com.sun.star.beans.PropertyValue
  Dim saved(0) As New com.sun.star.beans.PropertyValue
  hidden(0).Name = "Hidden" : hidden(0).Value = True
  saved(0).Name = "FilterName" : saved(0).Value = "Calc MS Excel 2007 XML"
  number = FreeFile
  Open jobs For Input As #number
  Do While Not EOF(number)
    Line Input #number, line
    parts = Split(line, "|")
    doc = StarDesktop.loadComponentFromURL(ConvertToURL(parts(0)), "_blank", 0, hidden())
    rows = Split(parts(3), ",")
    For place = UBound(rows) To 0 Step -1
      doc.Sheets.getByName(parts(2)).Rows.removeByIndex(CLng(rows(place)) - 1, 1)
    Next place
    doc.calculateAll()
    doc.storeToURL(ConvertToURL(parts(1)), saved())
    doc.close(True)
  Loop
  Close #number
  StarDesktop.terminate()
End Sub
"""


@dataclass(frozen=True)
class Job:
    """A workbook to open, the rows of a sheet to delete there (ascending, maybe none)."""

    source: Path
    target: Path
    sheet: str = ""
    removed: Sequence[int] = ()


def work_out(jobs: Sequence[Job], folder: Path) -> None:
    """Have LibreOffice delete rows, work all formulas out and save, in one start.

    Args:
        jobs: Each target is written as .xlsx; one that it could not open is not there.
        folder: For its profile.
    """
    profile = folder / "rows-profile"
    if not profile.exists():  # the first start writes a profile over whatever is there
        run(profile, "--norestore", "--terminate_after_init")
        _write_macro(profile / "user" / "basic" / "Standard")
    path = folder / "jobs.txt"
    path.write_text(
        "".join(
            f"{job.source}|{job.target}|{job.sheet}|{','.join(map(str, job.removed))}\n"
            for job in jobs
        ),
        "utf-8",
    )
    run(profile, "--norestore", f"macro:///Standard.Winnow.Judge({path})")


def _write_macro(folder: Path) -> None:
    (folder / "script.xlb").write_text(
        f'{_HEADER}<library:library xmlns:library="{_LIBRARY}" library:name="Standard" '
        'library:readonly="false" library:passwordprotected="false">'
        '<library:element library:name="Winnow"/></library:library>',
        "utf-8",
    )
    (folder / "Winnow.xba").write_text(
        f'{_HEADER}<script:module xmlns:script="http://openoffice.org/2000/script" '
        f'script:name="Winnow" script:language="StarBasic">{_MACRO}</script:module>',
        "utf-8",
    )

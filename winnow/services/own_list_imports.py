"""Files that become entries of the own lists: our own export, or any file that names somebody."""

from collections.abc import Callable

from winnow.core.errors import BadField
from winnow.core.own_lists.entries import ImportReport
from winnow.core.ports import Blobs
from winnow.core.verdicts.verdict import Category
from winnow.lists.execution.run_files import create_file
from winnow.services.inspection.inspections import Inspector
from winnow.services.inspection.own_file_questions import PatternQuestion
from winnow.services.own_list_csv import read_lines
from winnow.services.own_lists import ENTRIES_MAX, IMPORT_MAX_BYTES, OwnListBook
from winnow.services.uploads import mapping_full_disk


class OwnListImports:
    """Reads files for the own lists. Synchronous and thread-safe."""

    def __init__(
        self,
        blobs: Blobs,
        book: OwnListBook,
        inspector: Inspector,
        is_public_suffix: Callable[[str], bool],
    ) -> None:
        self._blobs = blobs
        self._book = book
        self._inspector = inspector
        self._is_public_suffix = is_public_suffix

    def import_file(
        self, account: str, file_name: str, data: bytes, category: Category
    ) -> ImportReport:
        """Add what a file names.

        A CSV file with the columns pattern and category says itself which list each entry goes on;
        all that any other file names goes on the list of ``category``.

        Raises:
            BadField: The file is too large, or the lists would be too long; nothing changed.
            UnsupportedFormat, BrokenFile, EmptyFile: It cannot be read; nothing changed.
        """
        if len(data) > IMPORT_MAX_BYTES:
            raise BadField("file", f"is larger than {IMPORT_MAX_BYTES >> 20} MiB")
        if _names_categories(data):
            return self._book.import_csv(account, data)
        with mapping_full_disk(), self._blobs.scratch() as folder:
            path = folder / "own-list"
            with create_file(path) as file:
                file.write(data)
            question = PatternQuestion(path, file_name, folder, self._is_public_suffix, ENTRIES_MAX)
            named = self._inspector.ask(question)
        if len(named.patterns) > ENTRIES_MAX:
            raise BadField(
                "own lists",
                f"would have more than {ENTRIES_MAX:,} entries",
                hint="Lay such a file beside a list as a do-not-mail file.",
            )
        return self._book.import_patterns(account, named, category)


def _names_categories(data: bytes) -> bool:
    """Whether a file has the columns of our own export."""
    try:
        next(read_lines(data), None)
    except BadField:
        return False
    return True

"""Import of files into the own lists: our own export, or any file with addresses or domains."""

from collections.abc import Callable
from dataclasses import dataclass

from winnow.core.disk_errors import mapping_disk_errors
from winnow.core.errors import BadField
from winnow.core.own_lists.entries import ImportReport
from winnow.core.ports import Blobs
from winnow.core.verdicts.verdict import Category
from winnow.lists.execution.run_files import create_file
from winnow.services.own.own_list_csv import read_lines
from winnow.services.own.own_lists import ENTRIES_MAX, IMPORT_MAX_BYTES, OwnListBook
from winnow.services.uploads.inspection.inspections import Inspector
from winnow.services.uploads.inspection.own_file_questions import PatternQuestion


@dataclass(eq=False, repr=False)
class OwnListImports:
    """Reads files for the own lists. Synchronous and thread-safe."""

    blobs: Blobs
    book: OwnListBook
    inspector: Inspector
    is_public_suffix: Callable[[str], bool]

    def import_file(
        self, account: str, file_name: str, data: bytes, category: Category
    ) -> ImportReport:
        """Add the addresses and domains of a file.

        A CSV file with the columns pattern and category names the list of each entry. Entries of
        any other file are put on the list of ``category``.

        Raises:
            BadField: The file is too large, or the lists would be too long; nothing changed.
            UnsupportedFormat, BrokenFile, EmptyFile: It cannot be read; nothing changed.
        """
        if len(data) > IMPORT_MAX_BYTES:
            raise BadField("file", f"is larger than {IMPORT_MAX_BYTES >> 20} MiB")
        if _names_categories(data):
            return self.book.import_csv(account, data)
        with mapping_disk_errors(), self.blobs.scratch() as folder:
            path = folder / "own-list"
            with create_file(path) as file:
                file.write(data)
            question = PatternQuestion(path, file_name, folder, self.is_public_suffix, ENTRIES_MAX)
            named = self.inspector.ask(question)
        if len(named.patterns) > ENTRIES_MAX:
            raise BadField(
                "your lists",
                f"would have more than {ENTRIES_MAX:,} entries",
                hint="Add such a file to a list as a do-not-mail file.",
            )
        return self.book.import_patterns(account, named, category)


def _names_categories(data: bytes) -> bool:
    """Return whether a file has the columns of our own export."""
    try:
        next(read_lines(data), None)
    except BadField:
        return False
    return True

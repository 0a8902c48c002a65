"""Who may be mailed, as the options of ``winnow clean`` say: columns, files, the data folder."""

import os
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from winnow.cli.process import make_visible
from winnow.cli.targets import MailChoice, require_given
from winnow.core.addresses.mailbox import HasPlusTags
from winnow.core.figures import count_things
from winnow.core.identities import LOCAL_ACCOUNT
from winnow.core.lists.input_head import Head
from winnow.core.lists.side_files import OwnFileKind
from winnow.core.meaning.columns import MailDecisions
from winnow.core.meaning.vocabulary import fold_words
from winnow.core.own_lists.patterns import OwnLists
from winnow.core.verdicts.reasons import Reason
from winnow.domain_data.suffixes import is_public_suffix
from winnow.library.clean_file import FileRun
from winnow.lists.inspection.columns import choose_column
from winnow.lists.result.cell_table import CellReader
from winnow.lists.result.noes import Rows
from winnow.storage.blobs.folder import DataFolder
from winnow.storage.database.light_read import has_own_files, read_own_lists

_LINES_NAMED = 5

if TYPE_CHECKING:
    from winnow.lists.marks.key_files import MatchedRows, OwnKeys
    from winnow.lists.marks.keyed_hash import AddressHash

Files: TypeAlias = "tuple[Sequence[OwnKeys], AddressHash]"


@dataclass(frozen=True, slots=True)
class MailFiles:
    """Own lists, and files as hashes by kind: the data folder's last, with its own key."""

    own_lists: OwnLists
    files: Mapping[OwnFileKind, Sequence[Files]]
    has_plus_tags: HasPlusTags

    def find_rows(self, cells: CellReader) -> dict[Reason, list[Rows]]:
        """Return a result's rows that the files name, by reason."""
        if not self.files:
            return {}
        from winnow.lists.marks.key_files import find_named_rows, list_file_reasons

        found: dict[OwnFileKind, list[MatchedRows]] = {kind: [] for kind in OwnFileKind}
        for kind, some in self.files.items():
            for keys, hashes in some:
                found[kind] += find_named_rows(cells, keys, hashes, self.has_plus_tags)
        return list_file_reasons(found)


def open_files(
    choice: MailChoice, folder: DataFolder | None, has_plus_tags: HasPlusTags
) -> MailFiles:
    """Read the files and the data folder, which is not changed.

    Raises:
        WinnowError: A file that is named cannot be read.
    """
    own_lists, files = OwnLists(), dict[OwnFileKind, list[Files]]()
    if choice.do_not_mail or choice.bounces:
        files = _read_files(choice)
    if choice.uses_own and folder is not None:
        own_lists = read_own_lists(folder.database, LOCAL_ACCOUNT)
        if has_own_files(folder.database, LOCAL_ACCOUNT):
            from winnow import wiring  # with the database, which takes half a second

            services = wiring.services(os.environ)
            store, lost = services.file_store, services.never_mail.list_lost(LOCAL_ACCOUNT)
            if lost:
                said = "match no one any more: see Rules, Never mail, or add them again"
                sys.stderr.write(f"winnow: {count_things(len(lost), 'file')} of people {said}\n")
            for kind, keys in store.open_standing(LOCAL_ACCOUNT).items():
                files.setdefault(kind, []).append((keys, store.hashes))
    return MailFiles(own_lists, files, has_plus_tags)


def _read_files(choice: MailChoice) -> dict[OwnFileKind, list[Files]]:
    """Read the files that are named; hashes are keyed for this run alone."""
    from winnow.lists.marks.keyed_hash import SECRET_BYTES, AddressHash
    from winnow.lists.side_files.bounce_file import read_bounces
    from winnow.lists.side_files.named_file import read_named

    hashes = AddressHash.of(os.urandom(SECRET_BYTES))
    found: dict[OwnFileKind, list[Files]] = {kind: [] for kind in OwnFileKind}
    for path in map(Path, (*choice.do_not_mail, *choice.bounces)):
        require_given(path)
    with tempfile.TemporaryDirectory(prefix="winnow-") as folder:
        scratch = Path(folder)
        for path in map(Path, choice.do_not_mail):
            keys, counts = read_named(path, path.name, hashes, is_public_suffix, scratch)
            if counts.left_out:
                lines = ", ".join(map(str, counts.left_out_lines[:_LINES_NAMED]))
                said = f"{count_things(counts.left_out, 'line')} without an address or a domain"
                sys.stderr.write(f"winnow: {make_visible(path.name)}: {said}: {lines}\n")
            found[OwnFileKind.DO_NOT_MAIL].append(([keys], hashes))
        for path in map(Path, choice.bounces):
            keys, _ = read_bounces(path, path.name, hashes, scratch)
            found[OwnFileKind.BOUNCES].append(([keys], hashes))
    return found


def decide_columns(choice: MailChoice, head: Head, known: MailDecisions) -> MailDecisions:
    """Return what the command says of a list's columns, and what a recipe does beside it.

    Raises:
        BadField: There is no such column.
    """
    found = dict(known.columns)
    for option, names, counts in (
        ("consent", choice.consent, True),
        ("ignore_consent", choice.ignored, False),
    ):
        for name in names:
            place = choose_column(head.columns, name, option)
            found[fold_words(head.columns[place])] = counts
    return MailDecisions(found, known.values)


def report_columns(run: FileRun) -> None:
    """Say which columns leave out most rows, and which words are not known."""
    noes = run.outcome.noes
    for one in () if noes is None else noes.columns:
        if fold_words(one.name) in run.asked.mail.columns:
            continue
        name = make_visible(one.name.strip())
        forbidding = sum(word.count for word in one.words if word.outcome.forbids)
        if one.applied and 2 * forbidding > run.outcome.summary.rows_out:
            sys.stderr.write(
                f"winnow: {name} says no in {count_things(forbidding, 'row')}, more than half"
                f'; if it is not about mail: --ignore-consent "{name}"\n'
            )
        unknown = [word for word in one.words if not word.is_known][:5]
        if one.applied and unknown:
            words = make_visible(", ".join(f"{word.value} ({word.count:,})" for word in unknown))
            sys.stderr.write(f"winnow: {name}: not known, and mailed: {words}\n")
        elif not one.applied and forbidding:
            sys.stderr.write(
                f"winnow: {name} may say who is not to be mailed, and is not used; "
                f'to use it: --consent "{name}"\n'
            )

"""Results of ``winnow clean``: as text list by list, or as one JSON object at the end."""

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TextIO

from winnow.cli.list_files import Written
from winnow.cli.process import make_visible, word_error
from winnow.cli.targets import ListPair
from winnow.core.addresses.repair_kinds import RepairKind
from winnow.core.errors import WinnowError
from winnow.core.figures import count_things
from winnow.core.lists.input_head import name_column
from winnow.core.lists.notices import Notice
from winnow.core.tasks.run_request import RunRequest
from winnow.core.verdicts.domain_types import Ground
from winnow.lists.list_format import BatchOutcome

_SAID = (Ground.UNSUBSCRIBED, Ground.SAID_ELSEWHERE, Ground.SAID_BEFORE)


@dataclass(frozen=True, slots=True)
class CleanedFile:
    """A cleaned list: the files written, counts and notices.

    ``by_policy``: a policy decided which rows stay. ``left_out``: rows that are not to be mailed,
    by the first ground; ``later``: how many others get no mail this time.
    """

    outcome: BatchOutcome
    asked: RunRequest
    notices: Sequence[Notice]
    column: str
    written: Sequence[Written] = ()
    by_policy: bool = False
    left_out: Mapping[Ground, int] = field(default_factory=dict)
    later: int = 0

    @property
    def unsubscribed(self) -> int:
        """How many rows say so in a column of the list, or others of their mailboxes."""
        return sum(count for one, count in self.left_out.items() if one in _SAID)


@dataclass(slots=True)
class CleanReport:
    """What becomes of each list, on one stream."""

    stream: TextIO
    as_json: bool = False
    _lists: list[dict[str, Any]] = field(default_factory=list)

    def add(self, source: str, cleaned: CleanedFile, show: Callable[[Path], str] = str) -> None:
        """Report a cleaned list; ``show`` returns the place of a written file."""
        if not self.as_json:
            for line in describe_cleaned(cleaned, show):
                self.add_line(line)
            return
        from winnow.api.schemas.batch import Warning as Said
        from winnow.api.schemas.batch import present_summary

        self._lists.append(
            {
                "source": source,
                "email_column": cleaned.column,
                "files": [{"path": show(one.path), "rows": one.rows} for one in cleaned.written],
                "summary": present_summary(cleaned.outcome.summary, cleaned.asked),
                "unsubscribed": cleaned.unsubscribed,
                "not_to_mail": {one.value: count for one, count in cleaned.left_out.items()},
                "not_this_time": cleaned.later,
                "warnings": [
                    Said(one.code, one.text, one.lines, one.count) for one in cleaned.notices
                ],
            }
        )

    def add_line(self, line: str) -> None:
        """Report something else; left out of JSON."""
        if not self.as_json:
            self.stream.write(f"{make_visible(line)}\n")

    def fail(self, source: str, error: WinnowError) -> None:
        """Report a list that cannot be cleaned: in JSON, and as text on standard error.

        The text is left out where the JSON goes there.
        """
        named = source.encode("utf-8", "backslashreplace").decode()  # some are no text
        detail, hint = word_error(error)
        if not self.as_json or self.stream is not sys.stderr:
            said = " ".join(filter(None, (f"{make_visible(named)}:", detail, hint)))
            sys.stderr.write(f"winnow: {said}\n")
        problem = {"code": error.code, "fault": error.fault, "detail": detail, "hint": hint}
        self._lists.append({"source": named, "error": problem})

    def finish(self) -> None:
        """Write the JSON object, if that is asked for."""
        if self.as_json:
            from winnow.api.operations import ENCODER

            self.stream.write(ENCODER.encode({"lists": self._lists}).decode() + "\n")


def describe_cleaned(cleaned: CleanedFile, show: Callable[[Path], str]) -> list[str]:
    """Return the lines with the files written, the counts and the notices."""
    if sys.stderr.isatty():
        sys.stderr.write("\r\033[K")
    written, summary = cleaned.written, cleaned.outcome.summary
    lines = _describe_files(written, show)
    lines += list_counts(
        summary.rows_in, summary.duplicates_removed, summary.by_category_and_type, cleaned.column
    )
    if summary.repaired:
        lines.append(
            f"{count_things(sum(summary.repaired.values()), 'address', 'addresses')} repaired"
        )
        lines += [
            f"  {count:>10,}  {RepairKind(kind).words}" for kind, count in summary.repaired.items()
        ]
    lines += [f"note: {notice.text}" for notice in cleaned.notices]
    if cleaned.unsubscribed:
        lines.append(f"{cleaned.unsubscribed:,} unsubscribed, by a column of the list")
    others = {one: count for one, count in cleaned.left_out.items() if one not in _SAID}
    lines += [f"{count:,} {ground.words}" for ground, count in others.items()]
    if cleaned.by_policy:
        kept = written[0].rows
        lost = summary.rows_out - kept - cleaned.later
        if cleaned.later:
            lines.append(f"{cleaned.later:,} silent for a long time: not mailed this time")
        lines.append(f"{count_things(kept, 'row')} kept, {lost:,} removed")
    elif any(cleaned.left_out.values()) and written[0].layout is None:
        lines.append("note: The file has every row; with --policy or --for these are left out.")
    return lines


def list_counts(
    rows_in: int, removed: int, by_category_and_type: Sequence[tuple[str, str, int]], column: str
) -> list[str]:
    """Return the lines with the counts of a list."""
    lines = [
        f"{count_things(rows_in, 'row')} in, {rows_in - removed:,} out, "
        f"{count_things(removed, 'duplicate')} removed",
        f"email column: {column}",
    ]
    lines += [
        f"  {count:>10,}  {category}, {domain_type}"
        for category, domain_type, count in by_category_and_type
    ]
    if 2 * removed > rows_in:
        half = "More than half of the rows were removed as duplicates."
        lines.append(f"note: {half} Is {column} the right column?")
    return lines


def _describe_files(written: Sequence[Written], show: Callable[[Path], str]) -> list[str]:
    """Return lines that name the files, and the columns of a platform's."""
    lines = []
    for one in written:
        lines.append(show(one.path))
        if one.layout is None and one.parts < 2:
            continue
        files = f" in {count_things(one.parts, 'file')}" if one.parts > 1 else ""
        lines.append(f"  {count_things(one.rows, 'row')}{files}")
        columns = one.layout.columns if one.layout is not None else ()
        lines += [
            f"  {laid.name}: {name_column(one.columns, laid.source or 0)}" for laid in columns
        ]
    contacts = written[0]
    if contacts.layout is not None and contacts.layout.left_out:
        left_out = (name_column(contacts.columns, one) for one in contacts.layout.left_out)
        lines.append(f"left out: {', '.join(left_out)}")
    missing = [field for one in written if one.layout for field in one.layout.missing]
    lines += [
        f"note: The platform asks for a {field.value}; no column holds it." for field in missing
    ]
    return lines


def report_each(
    pairs: Sequence[ListPair], clean: Callable[[ListPair], None], report: CleanReport
) -> int:
    """Clean each list and report those that cannot be; return the exit code.

    Raises:
        WinnowError: There is one list, and it cannot be cleaned.
    """
    failed = 0
    for pair in pairs:
        try:
            clean(pair)
        except WinnowError as error:
            if len(pairs) == 1:
                raise
            failed += 1
            report.fail(pair.source, error)
    if failed:
        lists = count_things(len(pairs), "list")
        sys.stderr.write(f"winnow: {failed} of {lists} could not be cleaned\n")
    return 1 if failed else 0

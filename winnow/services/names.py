"""Names of files and projects: validated on input, made safe for downloads."""

import re
import unicodedata

from winnow.core.errors import BadField
from winnow.core.lists.comparison import Wanted
from winnow.core.lists.file_format import FileFormat
from winnow.core.lists.platforms import PlatformFile
from winnow.core.lists.rows import Variant
from winnow.core.unicode_forms import normalise_form
from winnow.lists.inspection.signature import find_extension, split_file_name

NAME_MAX_CHARACTERS = 50
IDEMPOTENCY_KEY_MAX_CHARACTERS = 255
FILE_NAME_MAX_CHARACTERS = 200
_FORBIDDEN = re.compile(r'[<>:"/\\|?*]')  # in file names on Windows
_RESERVED = re.compile(  # Windows device names, with any extension
    r"(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(?:\..*)?\Z", re.IGNORECASE
)
_NO_PART_OF_A_LINE = {"Cc", "Zl", "Zp"}  # control characters, line and paragraph separators
KEPT = "kept"  # only a file without black rows is ever called cleaned
_SUFFIXES = {
    Variant.AUGMENTED: "checked",
    Variant.CLEANED: "cleaned",
    Variant.REMOVED: "removed",
    Variant.REVIEW: "review",
    Variant.LATER: "not-mailed",
    Variant.SELECTION: "selection",
    Variant.ORIGINAL: "checked",
}


def read_name(field: str, text: str) -> str:
    """Return a name of 1 to 50 characters, trimmed, in one line: blanks for control characters.

    Raises:
        BadField: Empty, too long, or not text.
    """
    name = "".join(
        " " if unicodedata.category(character) in _NO_PART_OF_A_LINE else character
        for character in text
    ).strip()
    if not 1 <= len(name) <= NAME_MAX_CHARACTERS:
        raise BadField(field, "must have 1 to {most} characters", most=NAME_MAX_CHARACTERS)
    if any(unicodedata.category(character) == "Cs" for character in name):
        raise BadField(field, "must be text")
    return name


def read_project_name(text: str | None, file_name: str) -> str:
    """Return the project's name; absent or blank: the file's stem, cut to 50 characters."""
    if text is not None and text.strip():
        return read_name("project_name", text)
    stem, _ = split_file_name(file_name)
    return stem[:NAME_MAX_CHARACTERS].strip() or "list"


def read_file_name(text: str) -> str:
    """Return the last part of a file's name as a client sent it, without control characters."""
    last = re.split(r"[/\\]", text)[-1]
    kept = "".join(" " if _is_control(character) else character for character in last).strip()
    stem, dot, extension = kept.rpartition(".")
    if not dot:
        return kept[:FILE_NAME_MAX_CHARACTERS]
    known = find_extension(kept)
    if known is not None:  # such as csv.gz
        stem, extension = kept[: -len(known) - 1], kept[-len(known) :]
    return f"{stem[:FILE_NAME_MAX_CHARACTERS]}.{extension[:10]}"


def name_download(
    project_name: str,
    variant: Variant,
    file_format: FileFormat,
    *,
    takes_black: bool = True,
    platform: PlatformFile | None = None,
    wanted: Wanted | None = None,
) -> str:
    """Return a file name that every system takes: ``<project>-checked.csv`` and the like.

    Args:
        project_name: As people gave it.
        variant: What the file holds.
        file_format: Its format; a pack is a zip whatever its files are.
        takes_black: Whether black rows are removed; else the file is not called cleaned.
        platform: Whose it is: ``<project>-klaviyo.csv``, ``<project>-klaviyo-suppression.csv``.
        wanted: Which rows since an earlier list: ``<project>-add.csv``.
    """
    stem = make_file_stem(project_name)
    if platform is not None:
        chosen = f"-{wanted or _SUFFIXES[variant]}" if variant is Variant.SELECTION else ""
        use = "-suppression" if platform.is_suppression else ""
        return f"{stem}{chosen}-{platform.platform.value}{use}.{FileFormat.CSV.value}"
    if variant is Variant.PACK:
        return f"{stem}-files.zip"
    is_kept = variant is Variant.CLEANED and not takes_black
    suffix = wanted or (KEPT if is_kept else _SUFFIXES[variant])
    return f"{stem}-{suffix}.{file_format.value}"


def name_zip(file_name: str, file_format: FileFormat) -> str:
    """Return the name of the zip that a file is split into."""
    return f"{file_name.removesuffix(f'.{file_format.value}')}.zip"


def name_part(file_name: str, file_format: FileFormat, number: int, count: int) -> str:
    """Return the name of one of several files; sorting by name keeps their order."""
    stem = file_name.removesuffix(f".{file_format.value}")
    return f"{stem}-{number:0{len(str(count))}}.{file_format.value}"


def name_difference(project_name: str) -> str:
    """Return ``<project>-difference.csv``, by the later project's name."""
    return f"{make_file_stem(project_name)}-difference.csv"


def make_file_stem(project_name: str) -> str:
    """Return the start of a file name that every system takes.

    Separators, quotes, control and direction characters become hyphens; device names of Windows
    get an underscore before them.
    """
    text = normalise_form("NFC", project_name)
    text = "".join("-" if _is_control(character) else character for character in text)
    text = _FORBIDDEN.sub("-", text).strip(" .") or "list"
    if _RESERVED.match(text):
        text = f"_{text}"
    return text


def _is_control(character: str) -> bool:
    """Control, format (direction marks among them), surrogate, line and paragraph separators."""
    return unicodedata.category(character) in {"Cc", "Cf", "Cs", "Zl", "Zp"}

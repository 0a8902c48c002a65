"""Contracts that imports cannot tell: which packages write files, and who names folders."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from winnow.core.blobs import BlobKind

PRODUCT = Path(__file__).parents[1] / "winnow"
WRITERS = ("storage/blobs/", "lists/execution/")
EXCEPTIONS = {
    "atomic_files.py": "the one helper of all that is written whole or not at all",
    "cli/clean.py": "the file that was asked for on the command line",
    "cli/list_files.py": "the files that were asked for on the command line",
    "cli/folder_run.py": "outdated results of a folder, moved into another",
    "cli/merging.py": "the passing list that several files are merged into",
    "cli/clean_lists.py": "the list that came by standard input",
    "client.py": "the result that a caller downloads",
    "cli/process.py": "no file: the null device for streams that the process was started without",
    "library/clean_file.py": "the file that was asked for by a call",
    "lists/result/cell_table.py": "the table of a finished project's cells, made when first asked",
}
_PATH_WRITES = {"write_bytes", "write_text", "touch", "rename", "hardlink_to", "symlink_to"}
_MODULE_WRITES = {
    "os": {"open", "fsync", "replace", "rename", "link", "symlink", "truncate"},
    "shutil": {"copy", "copy2", "copyfile", "copyfileobj", "copymode", "copytree", "move"},
    "tempfile": {"mkstemp", "NamedTemporaryFile", "TemporaryFile", "SpooledTemporaryFile"},
    "np": {"save", "savez", "memmap"},
}


def find_writes(source: str) -> Iterator[int]:
    """Yield the lines of calls that make, change or move a file."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and _writes(node):
            yield node.lineno


def _writes(call: ast.Call) -> bool:
    keywords = {keyword.arg: keyword.value for keyword in call.keywords}
    match call.func:
        case ast.Name("open"):
            return _is_writing(keywords.get("mode") or next(iter(call.args[1:]), None))
        case ast.Name("mmap") | ast.Attribute(ast.Name("mmap"), "mmap"):
            return "ACCESS_READ" not in ast.unparse(call)
        case ast.Attribute(ast.Name("os"), "open"):
            return "O_RDONLY" not in ast.unparse(call)
        case ast.Attribute(ast.Name(module), name) if module in _MODULE_WRITES:
            return name in _MODULE_WRITES[module]
        case ast.Attribute(_, "open"):  # of a path; a zip's has its mode behind a name
            return _is_writing(keywords.get("mode") or next(iter(call.args), None))
        case ast.Attribute(ast.Call(ast.Attribute(ast.Name("pl"))), "replace"):  # of values
            return False
        case ast.Attribute(_, "replace"):  # of a path; texts take two
            return len(call.args) == 1 and not keywords
        case ast.Attribute(_, "tofile"):
            return True
        case ast.Attribute(_, name):
            return name in _PATH_WRITES
    return False


def _is_writing(mode: ast.expr | None) -> bool:
    return (
        isinstance(mode, ast.Constant)
        and isinstance(mode.value, str)
        and set(mode.value) <= set("rwxabt+")
        and not set(mode.value).isdisjoint("wxa+")
    )


def test_only_blobs_and_the_execution_of_lists_write_files() -> None:
    found = {
        name
        for path in sorted(PRODUCT.rglob("*.py"))
        if not (name := path.relative_to(PRODUCT).as_posix()).startswith(WRITERS)
        and any(find_writes(path.read_text(encoding="utf-8")))
    }
    assert found == set(EXCEPTIONS)


def find_folder_names(source: str) -> Iterator[int]:
    """Yield the lines of texts, but for docstrings, that spell a folder of blobs."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            words = node.value.split("/")
            if words[0] in set(BlobKind) and " " not in node.value:
                yield node.lineno


OTHER_RESULTS = {
    "cli/mcp.py": "the key results of an answer",
    "client.py": "the key results of an answer",
}


def test_one_module_spells_the_folders_of_blobs() -> None:
    found = {
        path.relative_to(PRODUCT).as_posix()
        for path in sorted(PRODUCT.rglob("*.py"))
        if any(find_folder_names(path.read_text(encoding="utf-8")))
    }
    assert found == {"core/blobs.py", *OTHER_RESULTS}


def test_no_pattern_repeats_a_group_possessively() -> None:
    """Python before 3.11.5, as Debian 12 has it, matches it wrongly (python/cpython#106052)."""
    texts = {path.name: path.read_text(encoding="utf-8") for path in PRODUCT.rglob("*.py")}
    assert [name for name, text in texts.items() if re.search(r"\)[*?+]\+", text)] == []

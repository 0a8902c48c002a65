"""Log lines, and the text of an unexpected error: its class and code locations, never its data."""

import logging
import traceback

FORMAT = "%(asctime)s %(levelname)s %(message)s"  # as .streamlit/config.toml has it


def write_log_lines(process: str = "", level: int = logging.WARNING) -> None:
    """Write what is logged to standard error, each line with time, level and the process's name.

    Call it once, at the start of a process.
    """
    text = f"{process} %(message)s" if process else "%(message)s"
    logging.basicConfig(level=level, format=FORMAT.replace("%(message)s", text))


_FRAMES_MAX = 8


def locate(error: BaseException) -> str:
    """Return the innermost code locations of an error: ``"read:12 > parse:40"``.

    Its message is left out, since it may hold an address, a cell or a key.
    """
    frames = traceback.extract_tb(error.__traceback__)[-_FRAMES_MAX:]
    return " > ".join(f"{frame.name}:{frame.lineno}" for frame in frames)


def describe_fault(error: BaseException) -> str:
    """Return the class of an error and its code locations: ``"KeyError at read:12 > parse:40"``."""
    return f"{type(error).__name__} at {locate(error)}"

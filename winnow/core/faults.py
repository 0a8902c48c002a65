"""Log lines, and the text of an unexpected error: its class and code locations, never its data."""

import json
import logging
import traceback
from contextvars import ContextVar
from datetime import UTC, datetime

FORMAT = "%(asctime)s %(levelname)s %(message)s"  # as .streamlit/config.toml has it
log_subject: ContextVar[dict[str, str]] = ContextVar("log_subject", default={})  # noqa: B039
"""``request_id`` or ``task_id`` of what is worked on, for each line of a JSON log."""


def write_log_lines(
    process: str = "", level: int = logging.WARNING, *, as_json: bool = False
) -> None:
    """Write what is logged to standard error, each line with time, level and the process's name.

    Call it once, at the start of a process.

    Args:
        process: Its name; "" is the server.
        level: The least that is written.
        as_json: Whether each line is a JSON object, with the id of its request or task.
    """
    text = f"{process} %(message)s" if process else "%(message)s"
    logging.basicConfig(level=level, format=FORMAT.replace("%(message)s", text))
    if as_json:
        for handler in logging.getLogger().handlers:
            handler.setFormatter(JsonLines(process))


class JsonLines(logging.Formatter):
    """Formatter of log lines as JSON objects: time in UTC, level, process, message, and an id."""

    def __init__(self, process: str) -> None:
        super().__init__()
        self._process = process or "server"

    def format(self, record: logging.LogRecord) -> str:
        """Return one line; an error's own text is left out, as everywhere."""
        line = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "process": self._process,
            "message": record.getMessage(),
            **log_subject.get(),
        }
        return json.dumps(line, ensure_ascii=False)


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

"""Log lines with their time and level, the same in every process of Winnow."""

import logging

FORMAT = "%(asctime)s %(levelname)s %(message)s"  # as .streamlit/config.toml has it


def write_log_lines(process: str = "", level: int = logging.WARNING) -> None:
    """Write what is logged to standard error, each line with time, level and the process's name.

    Call it once, at the start of a process.
    """
    text = f"{process} %(message)s" if process else "%(message)s"
    logging.basicConfig(level=level, format=FORMAT.replace("%(message)s", text))

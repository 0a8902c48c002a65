"""What may be said of an error that nobody foresaw."""

from pathlib import Path


def describe_crash(error: BaseException) -> str:
    """Name an unforeseen error and where it arose, without its text, which may hold a cell."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    place = ""
    if trace is not None:
        place = f" at {Path(trace.tb_frame.f_code.co_filename).name}:{trace.tb_lineno}"
    return f"{type(error).__name__}{place}"

"""Run one list: from the uploaded file to the augmented result with its row index."""

from winnow.lists.format_registry import find_format
from winnow.lists.list_format import BatchOutcome
from winnow.lists.requests import BatchRequest


def run_batch(request: BatchRequest) -> BatchOutcome:
    """Judge every row of a list and write the result and its row index.

    Raises:
        InputError: The input cannot be processed; the line is named.
        OSError: The disk is full or fails.
    """
    return find_format(request.plan.file_format).run(request)

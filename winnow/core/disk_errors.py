"""Errors of the disk as errors of the product: full, or failing."""

import errno
from collections.abc import Iterator
from contextlib import contextmanager

from winnow.core.errors import StorageFailed, StorageFull, WinnowError
from winnow.words import translatable

_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
_FAILING = {errno.EIO, errno.ENXIO, getattr(errno, "ESTALE", errno.EIO)}


def full_disk() -> StorageFull:
    """Return the error of a disk, or a quota of the system, that is full."""
    return StorageFull(
        translatable("The disk is full."), hint=translatable("Free some space and retry.")
    )


def failing_disk() -> StorageFailed:
    """Return the error of a disk that cannot be read or written."""
    return StorageFailed(
        translatable("The disk reports an input/output error."),
        hint=translatable("Check the disk: the log of the system says more. Then retry."),
    )


def name_disk_error(error: BaseException) -> WinnowError | None:
    """Return the product's error for an OSError of the disk; None for any other error."""
    number = error.errno if isinstance(error, OSError) else None
    if number in _FULL:
        return full_disk()
    return failing_disk() if number in _FAILING else None


@contextmanager
def mapping_disk_errors() -> Iterator[None]:
    """Turn an OSError that means a full or failing disk into StorageFull or StorageFailed."""
    try:
        yield
    except OSError as error:
        named = name_disk_error(error)
        if named is not None:
            raise named from error
        raise

"""Lists and results in fsspec stores: ``s3://bucket/key``, or paths that workers share."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from glob import glob, has_magic
from pathlib import Path
from typing import Any

from winnow.core.errors import BadField, WinnowError
from winnow.core.release import describe_install

HOW_TO_INSTALL = describe_install("cluster")


def is_url(text: str) -> bool:
    """Return whether a text names something in a store, not a path."""
    return "://" in text


def name_file(place: str) -> str:
    """Return the last part of a URL or a path."""
    return place.rpartition("/")[2] if is_url(place) else os.path.basename(place)


def place_next_to(place: str, file_name: str) -> str:
    """Return another file in the folder of a URL or a path."""
    return place[: len(place) - len(name_file(place))] + file_name


@contextmanager
def open_store(place: str, field: str) -> Iterator[tuple[Any, str]]:
    """Yield the file system of a URL or a path, and the name in it.

    Raises:
        BadField: Of this field: any error that the store raises in the context.
    """
    try:
        import fsspec

        yield fsspec.core.url_to_fs(place, use_listings_cache=False)
    except WinnowError:
        raise
    except FileNotFoundError as error:
        raise BadField(field, f"there is no {place}") from error
    except ImportError as error:
        scheme = place.partition("://")[0]
        problem = f"{scheme}:// needs a package that is not installed: {error.name or error}"
        raise BadField(field, problem, hint=HOW_TO_INSTALL) from error
    except Exception as error:
        hint = "Check the address, the credentials and their rights."
        raise BadField(field, f"{place} cannot be used: {error}", hint=hint) from error


def find_files(pattern: str) -> list[str]:
    """Return the files that a URL or a path with wildcards names, sorted; ``**`` is any folder.

    If a file has exactly this name, with its wildcards, it is the only one.

    Raises:
        BadField: The store cannot be read.
    """
    if not is_url(pattern):
        if os.path.lexists(pattern) or not has_magic(pattern):
            return [pattern]
        return sorted(one for one in glob(pattern, recursive=True) if os.path.isfile(one))
    with open_store(pattern, "file") as (store, name):
        if not has_magic(name) or store.exists(name):
            return [pattern]
        found = store.glob(name, detail=True).items()
        return sorted(store.unstrip_protocol(one) for one, info in found if info["type"] == "file")


def is_taken(place: str) -> bool:
    """Return whether a file, or a folder that is not empty, is at a URL or a path.

    Raises:
        BadField: The store cannot be read.
    """
    with open_store(place, "out") as (store, name):
        return bool(store.find(name))


def fetch_file(place: str, path: Path) -> None:
    """Copy a file out of a store.

    Raises:
        BadField: There is none, or it cannot be read.
    """
    with open_store(place, "file") as (store, name):
        store.get_file(name, str(path))


def send_file(path: Path, place: str) -> None:
    """Copy a file into a store; it is visible there once it is whole.

    Raises:
        BadField: It cannot be written.
    """
    with open_store(place, "out") as (store, name):
        store.put_file(str(path), name)

"""Winnow as a library: verdicts on email addresses, wherever they are.

    >>> import winnow
    >>> winnow.check("ana@mailinator.com").category
    <Category.BLACK: 'black'>

The public names are in ``__all__``. Nothing is opened and nothing heavy imported before one of
them is called. Nothing leaves the machine unless ``open_network`` is called and passed on.
``import winnow.polars`` (pandas, duckdb …) brings the same into that engine.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Mapping, Sequence

    from winnow.core.lists.cleaning import CleaningPolicy
    from winnow.core.tasks.task import Progress, Summary
    from winnow.library.check_text import CheckedAddress
    from winnow.library.open_data import ShippedData
    from winnow.library.open_network import OpenNetwork

__all__ = ["check", "check_column", "clean", "duplicate_keys", "open_network", "ship_data"]
__path__.append(f"{__path__[0]}/engines")  # where ``winnow.polars`` and the other engines are found


def check(
    text: str,
    *,
    own_lists: "Mapping[str, str] | None" = None,
    network: "OpenNetwork | None" = None,
) -> "CheckedAddress":
    """Check one value.

    Args:
        text: One address as written, e.g. ``"Ana@Example.COM"``.
        own_lists: Domains, addresses, wildcards (``*.example.com``) and local parts (``press@*``)
            that are always kept (``"white"``), reviewed (``"grey"``) or removed (``"black"``),
            whatever else is known.
        network: From ``open_network``: asked for the domain, a few seconds at most; if it does
        not answer, the verdict is the one without it, with ``mail_unknown`` among the
        reasons. None: no network is used.

    Raises:
        TypeError: ``text`` is not a text.
        BadField: An entry of ``own_lists`` is not valid.
    """
    from winnow.library.check_text import check_value

    return check_value(text, own_lists, network)


def check_column(
    values: Any,
    *,
    own_lists: "Mapping[str, str] | None" = None,
    data: "ShippedData | None" = None,
    network: "OpenNetwork | None" = None,
) -> Any:
    """Check a column of values.

    Args:
        values: A sequence of texts, a pandas or Polars Series, a pyarrow array, or anything with
            the Arrow PyCapsule interface. Null stays null.
        own_lists: As for ``check``.
        data: From ``ship_data`` where the run began; a worker judges with it, or refuses. None:
            this installation's own.
        network: As for ``check``, asked once for each domain, those of most rows first; a
            ``NetworkWarning`` says where it hardly answered.

    Returns:
        The caller's own kind: for a sequence a list with a ``CheckedAddress`` (None for None) for
        each value, for a Series a DataFrame (of pandas with the same index), for Arrow a Table.
        The columns are ``category``, ``domain_type``, ``reasons`` (stable codes, the deciding one
        first, joined by ``"; "``), ``suggestion``, ``is_role`` and ``domain``; in Arrow all but
        ``suggestion`` and ``is_role`` are dictionaries.

    Raises:
        TypeError: ``values`` is no column of texts.
        BadField: As ``check``.
        DomainDataDiffers: ``data`` is of another version than this installation.
    """
    from winnow.library.checkers import open_checker
    from winnow.library.open_network import ask_many

    with ask_many(network) as mail:
        return open_checker(own_lists, data, mail=mail).check_any(values)


def duplicate_keys(values: Any, *, join_aliases: bool = False) -> Any:
    """Return for each value the text that its duplicates share: what keep-last compares.

    NFC, trimmed, in lower case, the domain as an A-label. The key of a value that is no address
    begins with a NUL, so that it is never taken for one; blank and null values have none (null):
    they are no duplicates of one another.

    Args:
        values: As for ``check_column``.
        join_aliases: Whether addresses that reach one mailbox are duplicates: plus tags where the
            provider has them, dots at Gmail.

    Returns:
        A list, a Series (of pandas with the same index) or a pyarrow array, as ``values`` is.

    Raises:
        TypeError: ``values`` is no column of texts.
    """
    from winnow.library.checkers import open_checker

    return open_checker().key_any(values, join_aliases=join_aliases)


def open_network(
    *, dns_servers: "Sequence[str]" = (), budget_seconds: float | None = None
) -> "OpenNetwork":
    """Open DNS, to be handed to ``check`` and its like: where domains' mail goes.

    Only domains are sent, never addresses. Answers are kept in memory as long as they hold.

    Args:
        dns_servers: ``address`` or ``address:port``; none: those of this machine.
        budget_seconds: For one column or file; what is not answered by then is unknown. None: as
            the server has it, 900.

    Raises:
        BadField: A server is not valid.
        ImportError: ``pycares`` is not installed.
    """
    from winnow.library.open_network import open_network

    return open_network(dns_servers, budget_seconds)


def ship_data() -> "ShippedData":
    """Return the domain data of this installation, to be handed to other machines.

    It can be pickled, is the one compiled file of some 4 MB, and says its ``version``. A worker
    whose own Winnow or domain data is another one refuses it: one run is one version.
    """
    from winnow.library.open_data import ship_domain_data

    return ship_domain_data()


def clean(
    source: "str | os.PathLike[str]",
    out: "str | os.PathLike[str]",
    *,
    deduplicate: bool | None = None,
    email_column: str | int | None = None,
    second_email_column: str | int | None = None,
    keep: str | None = None,
    keep_by: str | int | None = None,
    join_aliases: bool | None = None,
    repair: str | None = None,
    policy: "CleaningPolicy | None" = None,
    recipe: "str | os.PathLike[str] | None" = None,
    own_lists: "Mapping[str, str] | None" = None,
    network: "OpenNetwork | None" = None,
    progress: "Callable[[Progress], None] | None" = None,
) -> "Summary":
    """Write a list again with ``category`` and ``domain_type`` added, whatever its size.

    Args:
        source: CSV, TSV, text, XLSX, Parquet, or text packed with gzip or Zstandard; only read.
        out: Written whole or not at all, in the list's own format, which its name must not deny,
            replacing a file that is there, never a pipe or a device; packed where the name says so
            (``.csv.gz``). Its folder must have space for the work.
        deduplicate: Keep only one row of each address; the default.
        email_column: Its name, or its position from 1; None: the one that holds the addresses.
        second_email_column: As ``email_column``: has the address of rows whose first one is blank;
            the column ``email_used`` is added, with each row's address. None: there is none.
        keep: Which row of an address stays: ``"last"``, ``"first"``, ``"newest"`` by the dates of
            the column ``keep_by``, or ``"complete"``.
        keep_by: As ``email_column``.
        join_aliases: As for ``duplicate_keys``.
        policy: Write only the rows that it keeps, and no one of whom any row says no. None: all
            rows, or as the recipe says.
        recipe: A file with settings of an earlier project; what is given here goes before it. Its
            platform is not used.
        own_lists: As for ``check``.
        repair: ``"safe"`` adds the column ``email_repaired``, by which rows are judged: addresses
            that are only written wrongly are repaired there; ``Summary.repaired`` counts them.
        network: As for ``check_column``.
        progress: Called a few times a second at most; an error that it raises ends the run, and
        no file is left.

    Returns:
        The exact counts.

    Raises:
        WinnowError: The list cannot be read, and why; no file is left.
        OSError: A file cannot be read or written; no file is left.
    """
    from pathlib import Path

    from winnow.library.clean_file import clean_file

    return clean_file(
        Path(source),
        Path(out),
        recipe=None if recipe is None else Path(recipe),
        policy=policy,
        own_lists=own_lists,
        network=network,
        progress=progress or (lambda now: None),
        deduplicate=deduplicate,
        email_column=email_column,
        second_email_column=second_email_column,
        keep=keep,
        keep_by=keep_by,
        join_aliases=join_aliases,
        repair=repair,
    )

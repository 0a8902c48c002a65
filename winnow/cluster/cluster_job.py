"""What every task of one list is told."""

import hashlib
import json
from dataclasses import asdict, dataclass, replace
from functools import cache

import numpy as np
from numpy.typing import NDArray

from winnow.cluster.locations import Location
from winnow.cluster.object_store import ObjectStore, StoredFile, open_store
from winnow.core.errors import BadField
from winnow.core.release import VERSION
from winnow.core.tasks.keep_rule import KeepRule
from winnow.core.tasks.task import InputPlan
from winnow.domain_data.build.build import fingerprint_sources
from winnow.lists.execution.memory import keep_freed_memory
from winnow.lists.text.loose_lines import LooseLines

_PIECES = 1  # the version of what stands in pieces
PLACE = "uint32"  # of a row in its range, which has fewer bytes than that counts


@dataclass(frozen=True, slots=True)
class Installation:
    """Winnow as it is installed: a run is of one of them."""

    release: str
    sources: str

    @classmethod
    def here(cls) -> "Installation":
        """Return that of this process."""
        return cls(VERSION, _fingerprint())

    def require(self) -> None:
        """Refuse to work for another installation than this one.

        Raises:
            BadField: It is another.
        """
        here = Installation.here()
        if here == self:
            return
        what = f"has Winnow {here.release}, the run began with Winnow {self.release}"
        if here.release == self.release:
            what = "has other domain data than where the run began"
        hint = "Install the same Winnow, and the same requirements, on all of them."
        raise BadField("cluster", f"a worker {what}", hint=hint)


@cache
def _fingerprint() -> str:
    return fingerprint_sources()


@dataclass(frozen=True, slots=True)
class ClusterJob:
    """A list, how it is read, and where the pieces of its run lie.

    Attributes:
        installation: What every worker must be.
        source: The list.
        pieces: The folder of the pieces.
        plan: How the list is read.
        above: What stands above its records: BOM, titles.
        loose: What tells lines that are no rows.
        keep: Which row of a duplicate stays.
        deduplicate: Whether only one does.
        role_names: Local parts that are flagged.
        range_bytes: Of the stretches that the list is cut into.
        bucket_count: Of groups of rows, by their keys, in which duplicates are looked for.
        keeps_keys: Whether rows' keys are wanted again when verdicts are given.
        place: The type of a row's place in its range.
    """

    installation: Installation
    source: StoredFile
    pieces: Location
    plan: InputPlan
    above: bytes
    loose: LooseLines
    keep: KeepRule
    deduplicate: bool
    role_names: frozenset[str]
    range_bytes: int
    bucket_count: int
    keeps_keys: bool
    place: str = PLACE

    def begin(self) -> None:
        """Refuse to work as another installation; let buffers be used again (Dask says otherwise).

        Raises:
            BadField: This one is another.
        """
        self.installation.require()
        keep_freed_memory()

    @property
    def fingerprint(self) -> str:
        """A digest of all that its pieces are made of, and how."""
        made_of = asdict(replace(self, role_names=frozenset()))
        made_of.update(pieces=None, above=self.above.hex(), role_names=sorted(self.role_names))
        made_of["loose"] = repr(self.loose)
        text = json.dumps(made_of, sort_keys=True, default=str)
        return hashlib.sha256(f"{_PIECES}\n{text}".encode()).hexdigest()[:32]

    def keep_pieces(self, folder: Location) -> "ClusterJob":
        """Return the same with its pieces in a folder."""
        return replace(self, pieces=folder)

    @property
    def range_count(self) -> int:
        """How many ranges there are, one at least."""
        return max(1, -(-(self.source.size_bytes - len(self.above)) // self.range_bytes))

    def bound(self, number: int) -> int:
        """Return where a range begins, as the list is cut before anybody looks into it."""
        return min(len(self.above) + number * self.range_bytes, self.source.size_bytes)

    @property
    def shuffle_type(self) -> "np.dtype[np.void]":
        """What is said of a row where duplicates are looked for.

        Sizes do not grow with the list: a place counts within its range.
        """
        fields = [("row", np.dtype(self.place)), ("key", np.uint64), ("domain", np.uint64)]
        return np.dtype([*fields, ("rank", np.uint64)] if self.keep.has_ranks else fields)

    def read_source(self, start: int, end: int) -> bytes:
        """Return bytes of the list.

        Raises:
            BadField: It is no longer what it was when the run began.
        """
        source = self.source
        store = open_store(source.location.bucket)
        return store.read(source.location.name, start, end - start, source.version)

    @property
    def store(self) -> ObjectStore:
        """The store of the pieces."""
        return open_store(self.pieces.bucket)

    def name_piece(self, kind: str, number: int) -> str:
        """Return a piece's name in the store."""
        return self.pieces.join(f"{kind}/{number:06}").name

    def put_piece(self, kind: str, number: int, data: bytes) -> None:
        """Write a piece, whole or not at all; the same piece again is the same."""
        self.store.put(self.name_piece(kind, number), data)

    def read_piece(self, kind: str, number: int) -> bytes:
        """Return a piece.

        Raises:
            BadField: It is not there any more: somebody began the same run anew.
        """
        data = self.store.get(self.name_piece(kind, number))
        if data is None:
            raise BadField(
                "out",
                "the pieces of this run were removed while it went on",
                hint="Start again, and only once at a time.",
            )
        return data

    def read_rows_of_piece(self, kind: str, number: int, start: int, end: int) -> NDArray[np.void]:
        """Return some entries of a piece that is one array of ``shuffle_type``."""
        size = self.shuffle_type.itemsize
        data = self.store.read(self.name_piece(kind, number), start * size, (end - start) * size)
        return np.frombuffer(data, self.shuffle_type)

"""Stream of a finished project's rows: bytes unchanged, or with other added cells."""

from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from winnow.core.verdicts.probability import tells_probability
from winnow.lists.result.advice import Rate
from winnow.lists.result.empty_runs import expand_runs
from winnow.lists.result.row_bytes import find_body_ends, read_bytes
from winnow.lists.result.row_columns import Mask, RowIndex, iterate_runs
from winnow.lists.result.row_tails import (
    NO_EXTRAS,
    Extras,
    find_suggestions,
    may_be_corrected,
    quote_cell,
    word_tails,
)
from winnow.lists.result.row_view import RowView


class RowStream:
    """Reads stretches of rows with the verdicts that hold now."""

    def __init__(self, index: RowIndex, view: RowView | None) -> None:
        self._index = index
        self.view = view = view or RowView.as_judged(index)
        self.verdicts = view.verdicts
        self.places = view.places
        self.alters_result = view.alters_result
        self._rated: tuple[NDArray[np.uint8], list[str]] | None = None

    def pieces(self, mask: Mask, extras: Extras = NO_EXTRAS) -> Iterator[bytes]:
        """Yield the rows that the mask wants, with their added cells."""
        tails = word_tails(self.verdicts, self._index.text, extras)
        for start, count in iterate_runs(self._index.row_count, self._index.text.width):
            rows = mask[start : start + count]
            if rows.any():
                yield self._expand(self._read(start, rows, tails, extras))

    def size_bytes(self, mask: Mask, extras: Extras = NO_EXTRAS) -> int:
        """Return how many bytes ``pieces`` will yield.

        Only where the stored rows have verdicts, and without suggestions or probabilities.
        """
        old_sizes = self._stored_tail_sizes()
        tails = word_tails(self.verdicts, self._index.text, extras)
        new_sizes = np.array([len(tail) for tail in tails.to_pylist()], np.int64)
        size = 0
        for start, count in iterate_runs(self._index.row_count):
            rows = mask[start : start + count]
            sizes = self._index.sizes(start, count).astype(np.int64)
            if self.alters_result or extras.is_needed:
                sizes -= old_sizes[self._index.verdict_places(start, count)]
                sizes += new_sizes[self.places(start, count)]
            size += int(sizes[rows].sum())
        return size

    def suggestions(self, extras: Extras) -> Iterator[tuple[int, str]]:
        """Yield the rows, counted from 0, that a suggestion is made for, and it."""
        is_candidate = may_be_corrected(self.verdicts)
        for start, count in iterate_runs(self._index.row_count):
            rows = np.flatnonzero(is_candidate[self.places(start, count)])
            if not len(rows):
                continue
            bounds = self._index.bounds(start, count)
            data = read_bytes(self._index, int(bounds[0]), int(bounds[-1]))
            bounds = bounds - bounds[0]
            found = self._find_suggestions(data, bounds[:-1], bounds[1:], rows, extras)
            yield from (
                (start + row, text) for row, text in zip(rows.tolist(), found, strict=True) if text
            )

    def rates(self, start: int, count: int, rate: Rate) -> tuple[NDArray[np.uint8], list[str]]:
        """Return how likely the rows' domains are disposable: places in texts, and these."""
        if self._rated is None:
            texts, numbers = {"": 0}, [np.zeros(1, np.uint8)]
            for names in self._index.read_names():
                found = rate(names.to_list())
                numbers.append(
                    np.array([texts.setdefault(text, len(texts)) for text in found], np.uint8)
                )
            self._rated = np.concatenate(numbers), list(texts)
        numbers_of, words = self._rated
        tells = np.array([tells_probability(verdict) for verdict in self.verdicts], np.uint8)
        codes = self._index.domain_codes(start, count)
        return numbers_of[codes] * tells[self.places(start, count)], words

    def read_rest(self) -> bytes:
        """Return what is after the last row: blank lines, a total."""
        if not self._index.text.has_verdicts or not self._index.row_count:
            return b""
        with self._index.text_path.open("rb") as file:
            file.seek(int(self._index.bounds(self._index.row_count - 1, 1)[-1]))
            return file.read()

    def _expand(self, rows: bytes) -> bytes:
        form = self._index.text
        return expand_runs(rows, form.delimiter.encode()) if form.has_runs else rows

    def _read(self, start: int, rows: Mask, tails: pa.Array, extras: Extras) -> bytes:
        count = len(rows)
        bounds = self._index.bounds(start, count)
        data = read_bytes(self._index, int(bounds[0]), int(bounds[-1]))
        bounds = bounds - bounds[0]
        has_verdicts = self._index.text.has_verdicts
        keeps_tails = has_verdicts and not self.alters_result and not extras.is_needed
        if keeps_tails and rows.all():
            return data.tobytes()
        wanted = np.flatnonzero(rows)
        if keeps_tails:
            lines = _take(data, bounds, wanted)
        else:
            ends = find_body_ends(data, bounds)
            cuts = ends
            if has_verdicts:
                cuts = ends - self._stored_tail_sizes()[self._index.verdict_places(start, count)]
            # Each row is three pieces: its own cells, its added cells, its line end.
            thirds = np.empty(3 * count + 1, np.int64)
            thirds[0:-1:3], thirds[1::3], thirds[2::3] = bounds[:-1], cuts, ends
            thirds[-1] = bounds[-1]
            places = self.places(start, count)[wanted]
            pieces = [_take(data, thirds, 3 * wanted), tails.take(pa.array(places))]
            if extras.suggest is not None:
                pieces.append(
                    self._word_suggestions(data, bounds[:-1], cuts, wanted, places, extras)
                )
            if extras.rate is not None:
                numbers, texts = self.rates(start, count, extras.rate)
                words = [self._word_cell(text) for text in texts]
                chosen = pa.array(words, pa.large_binary())
                pieces.append(chosen.take(pa.array(numbers[wanted])))
            lines = pc.binary_join_element_wise(
                *pieces, _take(data, thirds, 3 * wanted + 2), pa.scalar(b"", pa.large_binary())
            )
        offsets = np.frombuffer(lines.buffers()[1], np.int64, len(lines) + 1)
        return bytes(lines.buffers()[2].slice(int(offsets[0]), int(offsets[-1])).to_pybytes())

    def _word_suggestions(
        self,
        data: NDArray[np.uint8],
        starts: NDArray[np.int64],
        ends: NDArray[np.int64],
        wanted: NDArray[np.int64],
        places: NDArray[np.uint16],
        extras: Extras,
    ) -> pa.Array:
        """Return the last added cell of each wanted row, its delimiter before it."""
        candidates = np.flatnonzero(may_be_corrected(self.verdicts)[places])
        found = self._find_suggestions(data, starts, ends, wanted[candidates], extras)
        words = [self._word_cell(text) for text in found]
        chosen = np.zeros(len(wanted), np.int64)
        chosen[candidates] = np.arange(1, len(found) + 1)
        return pa.array([self._word_cell(""), *words], pa.large_binary()).take(pa.array(chosen))

    def _word_cell(self, text: str) -> bytes:
        """Return a cell with the delimiter before it."""
        form = self._index.text
        return (form.delimiter + quote_cell(text, form)).encode(form.encoding)

    def _find_suggestions(
        self,
        data: NDArray[np.uint8],
        starts: NDArray[np.int64],
        ends: NDArray[np.int64],
        rows: NDArray[np.int64],
        extras: Extras,
    ) -> list[str]:
        bodies = [data[starts[row] : ends[row]].tobytes() for row in rows.tolist()]
        return find_suggestions(bodies, self._index.text, extras)

    def _stored_tail_sizes(self) -> NDArray[np.int64]:
        measure_tail = self._index.text.added.measure_tail
        return np.array([measure_tail(verdict) for verdict in self._index.verdicts], np.int64)


def _take(
    data: NDArray[np.uint8], offsets: NDArray[np.int64], wanted: NDArray[np.int64]
) -> pa.Array:
    pieces = pa.LargeBinaryArray.from_buffers(
        pa.large_binary(),
        len(offsets) - 1,
        [None, pa.py_buffer(np.ascontiguousarray(offsets)), pa.py_buffer(data)],
    )
    return pieces.take(pa.array(wanted))

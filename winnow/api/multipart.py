"""``multipart/form-data`` (RFC 7578) decoded as it arrives, without holding or spooling a file."""

import logging
import re
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import unquote_to_bytes

from python_multipart.exceptions import FormParserError
from python_multipart.multipart import MultipartParser, parse_options_header

from winnow.core.errors import BadField, MalformedRequest

FIELD_MAX_BYTES = 8192  # the longest honest field is a column's name
PARTS_MAX = 32
HEADERS_MAX_A_PART = 8
HEADER_MAX_BYTES = 4096  # one header line of a part

_QUOTED = re.compile(rb'"(?:[^"\\]|\\.)*"')
_EXTENDED_NAME = re.compile(  # RFC 8187, 3.2.1
    rb";\s*filename\*\s*=\s*(?:utf-8|iso-8859-1)'[^';]*'([^;\s]+)", re.IGNORECASE
)

_SILENT = logging.getLogger("winnow.multipart.silent")
_SILENT.disabled = True


@dataclass(frozen=True, slots=True)
class Field:
    """One whole field that is not a file."""

    name: str
    value: str


@dataclass(frozen=True, slots=True)
class FileBegin:
    """A file begins. ``bytes_before`` of the body are before its content."""

    name: str
    file_name: str
    bytes_before: int


@dataclass(frozen=True, slots=True)
class FileBytes:
    """The next bytes of the file that began last."""

    data: bytes


@dataclass(frozen=True, slots=True)
class FileEnd:
    """The file that began last is whole."""


Event = Field | FileBegin | FileBytes | FileEnd


class FormDecoder:
    """Turns a body, fed chunk by chunk, into events; the chunk sizes do not change the events.

    Raises, from any of its methods:
        MalformedRequest: The body is not what its content type says.
        BadField: A field is too long or not text.
    """

    def __init__(self, content_type: str) -> None:
        kind, options = parse_options_header(content_type)
        if kind != b"multipart/form-data":
            msg = "The body must be multipart/form-data with a part named file."
            raise MalformedRequest(msg)
        self.boundary = options.get(b"boundary", b"")
        if not self.boundary:
            msg = "The content type multipart/form-data names no boundary."
            raise MalformedRequest(msg)
        self._events: list[Event] = []
        self._bytes_fed = 0
        self._parts = 0
        self._whole = False
        self._headers: dict[bytes, bytes] = {}
        self._header_name = b""
        self._header_value = b""
        self._name = ""
        self._file_name: str | None = None
        self._file_began = False
        self._value = bytearray()
        try:
            self._parser = MultipartParser(
                self.boundary,
                {
                    "on_part_begin": self._begin_part,
                    "on_header_field": self._take_header_name,
                    "on_header_value": self._take_header_value,
                    "on_header_end": self._end_header,
                    "on_headers_finished": self._end_headers,
                    "on_part_data": self._take_data,
                    "on_part_end": self._end_part,
                    "on_end": self._end,
                },
                max_header_count=HEADERS_MAX_A_PART,
                max_header_size=HEADER_MAX_BYTES,
            )
        except FormParserError as error:
            raise MalformedRequest("The multipart boundary is too long.") from error
        self._parser.logger = _SILENT  # it would quote what clients sent

    def feed(self, chunk: bytes) -> list[Event]:
        """Decode the body's next bytes and return the events in them."""
        self._events = []
        try:
            self._parser.write(chunk)
        except FormParserError as error:
            place = self._bytes_fed + max(getattr(error, "offset", 0), 0)
            msg = f"The multipart body breaks off its form near byte {place}."
            raise MalformedRequest(msg) from error
        self._bytes_fed += len(chunk)
        return self._events

    def close(self) -> None:
        """End the body; without its closing boundary it was cut short."""
        if not self._whole:
            msg = (
                f"The multipart body ends after {self._bytes_fed} bytes, before its last boundary."
            )
            raise MalformedRequest(msg)

    def _begin_part(self) -> None:
        self._parts += 1
        if self._parts > PARTS_MAX:
            msg = f"The multipart body has more than {PARTS_MAX} parts."
            raise MalformedRequest(msg)
        self._headers = {}
        self._file_name = None
        self._file_began = False
        self._value.clear()

    def _take_header_name(self, data: bytes, start: int, end: int) -> None:
        self._header_name += data[start:end]

    def _take_header_value(self, data: bytes, start: int, end: int) -> None:
        self._header_value += data[start:end]

    def _end_header(self) -> None:
        name, value = self._header_name.lower(), self._header_value.strip(b" \t")
        if name in self._headers:
            msg = "A part of the multipart body has the same header twice."
            raise MalformedRequest(msg)
        self._headers[name] = value
        self._header_name = self._header_value = b""

    def _end_headers(self) -> None:
        disposition, options = parse_options_header(self._headers.get(b"content-disposition"))
        if disposition != b"form-data" or b"name" not in options:
            msg = (
                f"Part {self._parts} of the multipart body has no Content-Disposition with a name."
            )
            raise MalformedRequest(msg)
        encoding = self._headers.get(b"content-transfer-encoding", b"binary").lower()
        if encoding not in {b"7bit", b"8bit", b"binary"}:  # RFC 7578, 4.7: deprecated
            msg = "A Content-Transfer-Encoding is not accepted: send the bytes as they are."
            raise MalformedRequest(msg)
        self._name = _decode_loosely(options[b"name"])
        if b"filename" in options:
            self._file_name = _decode_loosely(options[b"filename"])
        self._file_name = _read_extended_name(self._headers) or self._file_name

    def _take_data(self, data: bytes, start: int, end: int) -> None:
        if self._file_name is not None:
            self._begin_file(self._bytes_fed + start)
            self._events.append(FileBytes(data[start:end]))
            return
        if len(self._value) + end - start > FIELD_MAX_BYTES:
            raise BadField(_show_name(self._name), f"is longer than {FIELD_MAX_BYTES} bytes")
        self._value += data[start:end]

    def _begin_file(self, bytes_before: int) -> None:
        if not self._file_began and self._file_name is not None:
            self._file_began = True
            self._events.append(FileBegin(self._name, self._file_name, bytes_before))

    def _end_part(self) -> None:
        if self._file_name is not None:
            self._begin_file(self._bytes_fed)
            self._events.append(FileEnd())
            return
        try:
            value = self._value.decode()
        except UnicodeDecodeError as error:
            raise BadField(_show_name(self._name), "is not UTF-8 text") from error
        self._events.append(Field(self._name, value))

    def _end(self) -> None:
        self._whole = True


def _read_extended_name(headers: Mapping[bytes, bytes]) -> str | None:
    """Return the name in ``filename*=UTF-8''...``, None where there is none.

    RFC 7578, 4.2, forbids it. Clients send it nevertheless, some next to a plain name that is in
    base64 (.NET), some alone (Python's requests with urllib3 below 1.25).
    """
    disposition = _QUOTED.sub(b'""', headers[b"content-disposition"])
    found = _EXTENDED_NAME.search(disposition)
    return None if found is None else _decode_loosely(unquote_to_bytes(found[1]))


def _decode_loosely(raw: bytes) -> str:
    """Decode a name: UTF-8 as clients send it today, else Latin-1 as they used to."""
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return raw.decode("latin-1")


def _show_name(name: str) -> str:
    """Return a field's name where it is one that may be shown."""
    return name if name.isidentifier() and len(name) <= 40 else "field"

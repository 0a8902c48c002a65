"""``multipart/form-data`` (RFC 7578) decoded as it arrives, without holding or spooling a file."""

import re
from dataclasses import dataclass
from urllib.parse import unquote_to_bytes

from multipart import MultipartError, MultipartSegment, PushMultipartParser, parse_options_header

from winnow.core.errors import BadField, MalformedRequest

FIELD_MAX_BYTES = 8192  # the longest honest field is a column's name
PARTS_MAX = 32
HEADERS_MAX_A_PART = 8
HEADER_MAX_BYTES = 4096  # one header line of a part
BOUNDARY_MAX_BYTES = 256

_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"')
_EXTENDED_NAME = re.compile(  # RFC 8187, 3.2.1
    r";\s*filename\*\s*=\s*(?:utf-8|iso-8859-1)'[^';]*'([^;\s]+)", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Field:
    """One whole field that is not a file."""

    name: str
    value: str


@dataclass(frozen=True, slots=True)
class FileBegin:
    """A file begins; its bytes come next, then None."""

    name: str
    file_name: str


Event = Field | FileBegin | bytes | None


class FormDecoder:
    """Turns a body, fed chunk by chunk, into events; the chunk sizes do not change the events.

    Raises, from any of its methods:
        MalformedRequest: The body is not what its content type says.
        BadField: A field is too long or not text.
    """

    def __init__(self, content_type: str) -> None:
        kind, options = parse_options_header(content_type)
        if kind != "multipart/form-data":
            msg = "The body must be multipart/form-data with a part named file."
            raise MalformedRequest(msg)
        boundary = options.get("boundary", "").encode("latin-1", "replace")
        if not boundary:
            msg = "The content type multipart/form-data names no boundary."
            raise MalformedRequest(msg)
        if len(boundary) > BOUNDARY_MAX_BYTES:
            raise MalformedRequest("The multipart boundary is too long.")
        self._parser = PushMultipartParser(
            boundary,
            max_header_size=HEADER_MAX_BYTES,
            max_header_count=HEADERS_MAX_A_PART,
            max_segment_count=PARTS_MAX,
            header_charset="latin-1",  # _decode_loosely knows better
        )
        self._bytes_fed = 0
        self._part: MultipartSegment | None = None
        self._field_name: str | None = None  # None: the part is a file
        self._value = bytearray()

    def feed(self, chunk: bytes) -> list[Event]:
        """Decode the body's next bytes and return the events in them."""
        events: list[Event] = []
        try:
            for item in self._parser.parse(chunk):
                if isinstance(item, MultipartSegment):
                    events += self._begin_part(item)
                elif self._field_name is None:
                    events.append(item)
                elif item is None:
                    events.append(self._end_field(self._field_name))
                else:
                    self._take_value(self._field_name, item)
        except MultipartError as error:
            msg = f"The multipart body breaks off its form near byte {self._bytes_fed}."
            raise MalformedRequest(msg) from error
        self._bytes_fed += len(chunk)
        return events

    def estimate_file(self, body_bytes: int) -> int:
        """Return the size of the part that began last, in a body of so many bytes.

        It is right to the byte where no part comes behind, or too small.
        """
        received = self._part.bytes_received if self._part else 0
        # Behind the file: CRLF, the boundary between two pairs of hyphens, CRLF.
        others = self._bytes_fed - received + len(self._parser.boundary) + 8
        return max(received, body_bytes - others)

    def close(self) -> None:
        """End the body; without its closing boundary it was cut short."""
        try:
            self._parser.close()
        except MultipartError as error:
            msg = (
                f"The multipart body ends after {self._bytes_fed} bytes, before its last boundary."
            )
            raise MalformedRequest(msg) from error

    def _begin_part(self, part: MultipartSegment) -> list[Event]:
        if not part.name:
            msg = "A part of the multipart body has no Content-Disposition with a name."
            raise MalformedRequest(msg)
        if len(dict(part.headerlist)) < len(part.headerlist):
            msg = "A part of the multipart body has the same header twice."
            raise MalformedRequest(msg)
        encoding = part.header("Content-Transfer-Encoding", "binary").strip().lower()
        if encoding not in {"7bit", "8bit", "binary"}:  # RFC 7578, 4.7: deprecated
            msg = "A Content-Transfer-Encoding is not accepted: send the bytes as they are."
            raise MalformedRequest(msg)
        self._part = part
        self._value.clear()
        name, file_name = _decode_loosely(part.name), _read_file_name(part)
        self._field_name = name if file_name is None else None
        return [] if file_name is None else [FileBegin(name, file_name)]

    def _take_value(self, name: str, data: bytes) -> None:
        if len(self._value) + len(data) > FIELD_MAX_BYTES:
            raise BadField(_show_name(name), f"is longer than {FIELD_MAX_BYTES} bytes")
        self._value += data

    def _end_field(self, name: str) -> Field:
        try:
            return Field(name, self._value.decode())
        except UnicodeDecodeError as error:
            raise BadField(_show_name(name), "is not UTF-8 text") from error


def _read_file_name(part: MultipartSegment) -> str | None:
    """Return a part's file name, None where it is no file.

    RFC 7578, 4.2, forbids ``filename*=UTF-8''...``. Clients send it nevertheless, some next to a
    plain name that is in base64 (.NET), some alone (Python's requests with urllib3 below 1.25).
    """
    disposition = _QUOTED.sub('""', part["Content-Disposition"])
    extended = _EXTENDED_NAME.search(disposition)
    name = unquote_to_bytes(extended[1]).decode("latin-1") if extended else part.filename
    return None if name is None else _decode_loosely(name)


def _decode_loosely(text: str) -> str:
    """Decode a name: UTF-8 as clients send it today, else Latin-1 as they used to."""
    try:
        return text.encode("latin-1").decode()
    except UnicodeDecodeError:
        return text


def _show_name(name: str) -> str:
    """Return a field's name where it is one that may be shown."""
    return name if name.isidentifier() and len(name) <= 40 else "field"

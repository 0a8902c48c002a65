"""A small DNS server of our own on 127.0.0.1, UDP and TCP, that answers by name."""

import socket
import struct
import threading
from collections import Counter
from collections.abc import Callable
from contextlib import suppress

import dns.flags
import dns.message
import dns.name
import dns.rdatatype
import dns.rrset

from tests.waiting import PATIENCE_SECONDS

Answer = tuple[int, list[tuple[str, str, str]]]
"""An rcode and records as (owner, type, value); the value of an MX is ``preference host``."""


class NameServer:
    """Asks ``answer(name, type)``: None is silence, bytes go out as they are after the id."""

    def __init__(
        self,
        answer: Callable[[str, str], Answer | bytes | None],
        *,
        truncates: Callable[[str], bool] = lambda name: False,
        delays: Callable[[str], float] = lambda name: 0.0,
        drips: Callable[[str], bool] = lambda name: False,
    ) -> None:
        self._answer = answer
        self._drips = drips
        self._truncates = truncates
        self._delays = delays
        self._udp, self._tcp = open_listeners()
        self._udp.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)
        self.port = self._udp.getsockname()[1]
        self._is_stopped = threading.Event()
        self._threads = [threading.Thread(target=one) for one in (self._serve_udp, self._serve_tcp)]
        self._late: list[threading.Timer] = []
        self._connection: socket.socket | None = None
        self.asked: Counter[str] = Counter()
        self.tcp_count = 0

    @property
    def address(self) -> str:
        """Where it listens, as the resolver wants it."""
        return f"127.0.0.1:{self.port}"

    def __enter__(self) -> "NameServer":
        for listener in (self._udp, self._tcp):
            listener.settimeout(0.05)
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        """Fall dead: the ports are closed."""
        self._is_stopped.set()
        if self._connection:
            with suppress(OSError):  # it is over already
                self._connection.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join()
        for timer in self._late:
            timer.cancel()
            timer.join()
        self._udp.close()
        self._tcp.close()

    def _serve_udp(self) -> None:
        while not self._is_stopped.is_set():
            try:
                query, client = self._udp.recvfrom(4096)
            except TimeoutError:
                continue
            if delay := self._delays(read_question(query)[0]):
                timer = threading.Timer(delay, self._send, (query, client))
                timer.daemon = True
                timer.start()
                self._late.append(timer)
            else:
                self._send(query, client)

    def _send(self, query: bytes, client: tuple[str, int]) -> None:
        if self._is_stopped.is_set():
            return
        name, kind = read_question(query)
        self.asked[name] += 1
        if self._truncates(name):
            self._udp.sendto(encode(query, 0, [], flags=dns.flags.TC), client)
            return
        reply = self._reply(query, name, kind)
        if reply is not None:
            self._udp.sendto(reply[:65_000], client)

    def _serve_tcp(self) -> None:
        while not self._is_stopped.is_set():
            try:
                connection, _ = self._tcp.accept()
            except TimeoutError:
                continue
            self._connection = connection
            with connection:
                connection.settimeout(PATIENCE_SECONDS)
                try:
                    while head := connection.recv(2):
                        query = connection.recv(int.from_bytes(head, "big"))
                        self.tcp_count += 1
                        name, kind = read_question(query)
                        reply = self._reply(query, name, kind)
                        if reply is None:
                            continue
                        message = struct.pack("!H", len(reply)) + reply
                        if self._drips(name):
                            self._drip(connection, message)
                        else:
                            connection.sendall(message)
                except OSError:
                    continue

    def _drip(self, connection: socket.socket, message: bytes) -> None:
        """Send byte by byte, so slowly that nobody should wait for the end."""
        for place in range(len(message)):
            if self._is_stopped.wait(0.1):
                return
            connection.sendall(message[place : place + 1])

    def _reply(self, query: bytes, name: str, kind: str) -> bytes | None:
        answer = self._answer(name, kind)
        if answer is None:
            return None
        if isinstance(answer, bytes):
            return query[:2] + answer
        return encode(query, *answer)


def open_listeners() -> tuple[socket.socket, socket.socket]:
    """Bind UDP and TCP to one port that is free for both."""
    while True:
        udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        udp.bind(("127.0.0.1", 0))
        try:
            return udp, socket.create_server(("127.0.0.1", udp.getsockname()[1]))
        except OSError:
            udp.close()


def read_question(query: bytes) -> tuple[str, str]:
    """Return the name without its final dot, lower case, and the type of the question."""
    (asked,) = dns.message.from_wire(query).question
    return asked.name.to_text().rstrip(".").lower(), dns.rdatatype.to_text(asked.rdtype)


def encode(
    query: bytes, rcode: int, records: list[tuple[str, str, str]], *, flags: int = 0
) -> bytes:
    """Return a whole message that answers a query."""
    reply = dns.message.make_response(dns.message.from_wire(query), recursion_available=True)
    reply.set_rcode(rcode)
    reply.flags |= flags
    for owner, kind, value in records:
        reply.answer.append(dns.rrset.from_text(owner, 300, "IN", kind, value))
    return reply.to_wire(origin=dns.name.root, max_size=65_535)

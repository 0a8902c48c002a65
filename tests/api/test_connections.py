"""Who is given up, and who makes room, by a clock that the test turns."""

from dataclasses import dataclass, field

import pytest

from tests.api.conftest import OpenDesk
from tests.api.desk import BASE_PATH, Desk, call_raw
from winnow.api.errors import ServerBusy
from winnow.api.middleware import connections as bounds
from winnow.api.middleware.connections import LATE, Awaited, Connection, Connections, choose_limit


@dataclass(eq=False)
class Wire:
    """A transport: what a client has not taken yet, and whether we hung up."""

    unsent: int = 0
    is_aborted: bool = False

    def abort(self) -> None:
        self.is_aborted = True

    def get_write_buffer_size(self) -> int:
        return self.unsent


@dataclass
class Crowd:
    """Connections of a server with ten places, and the time."""

    now: float = 1000.0
    wires: list[Wire] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.connections = Connections(10, lambda: self.now)

    def come(self, client: str = "1.1.1.1", awaited: Awaited = Awaited.HEAD) -> Connection:
        wire = Wire()
        connection = self.connections.open(client, wire)
        assert connection is not None
        self.connections.expect(connection, awaited)
        self.wires.append(wire)
        return connection

    def live(self, seconds: float, *, bytes_a_second: int = 0) -> None:
        """Let time go by as the server does, second by second."""
        for _ in range(int(seconds)):
            self.now += 1.0
            for connection in self.connections._open.values():
                connection.bytes_in += bytes_a_second
            self.connections.drop_overdue()

    @property
    def aborted(self) -> list[bool]:
        return [wire.is_aborted for wire in self.wires]


@pytest.mark.parametrize(
    ("awaited", "bytes_a_second", "unsent", "seconds", "is_given_up"),
    [
        pytest.param(Awaited.HEAD, 0, 0, bounds.HEAD_SECONDS, False, id="head-in-time"),
        pytest.param(Awaited.HEAD, 1, 0, bounds.HEAD_SECONDS + 2, True, id="head-byte-by-byte"),
        pytest.param(Awaited.BODY, 1, 0, 2 * bounds.PACE_SECONDS, True, id="body-byte-by-byte"),
        pytest.param(Awaited.BODY, 300, 0, 600, False, id="body-over-a-slow-line"),
        pytest.param(Awaited.NOTHING, 0, 0, 3600, False, id="our-turn"),
        pytest.param(Awaited.FRAMES, 0, 0, 3600, False, id="silent-page"),
        pytest.param(Awaited.NOTHING, 0, 9, bounds.STALL_SECONDS, False, id="download-pauses"),
        pytest.param(Awaited.NOTHING, 0, 9, bounds.STALL_SECONDS + 2, True, id="stalled-download"),
        pytest.param(Awaited.HEAD, 0, 9, bounds.STALL_SECONDS + 2, True, id="answer-left-lying"),
    ],
)
def test_who_does_not_get_on_is_given_up(
    awaited: Awaited, bytes_a_second: int, unsent: int, seconds: float, is_given_up: bool
) -> None:
    crowd = Crowd()
    crowd.come(awaited=awaited)
    crowd.wires[0].unsent = unsent
    crowd.live(seconds, bytes_a_second=bytes_a_second)
    assert crowd.aborted == [is_given_up]


def test_who_is_not_read_is_not_slow() -> None:
    crowd = Crowd()
    connection = crowd.come(awaited=Awaited.BODY)
    connection.is_paused = lambda: True
    crowd.live(10 * bounds.PACE_SECONDS)
    connection.is_paused = lambda: False
    crowd.live(bounds.PACE_SECONDS - 1)
    assert crowd.aborted == [False]


@pytest.mark.parametrize("sign", ["less-unsent", "buffer-emptied-and-filled"])
def test_who_takes_a_download_slowly_is_not_given_up(sign: str) -> None:
    crowd = Crowd()
    connection = crowd.come(awaited=Awaited.NOTHING)
    crowd.wires[0].unsent = 90_000
    for _ in range(20):
        crowd.live(bounds.STALL_SECONDS - 2)
        if sign == "less-unsent":
            crowd.wires[0].unsent -= 1
        else:
            crowd.connections.note_taken(connection.transport)
        crowd.live(1)
    assert crowd.aborted == [False]


def test_a_full_house_makes_room_by_who_only_waits() -> None:
    crowd = Crowd()
    for awaited in (Awaited.NOTHING, Awaited.FRAMES, Awaited.NOTHING):
        crowd.come("2.2.2.2", awaited)
    crowd.come("3.3.3.3")
    for _ in range(6):
        crowd.come("6.6.6.6")
    newcomer = crowd.come("2.2.2.2")
    assert not newcomer.is_late
    assert crowd.aborted.index(True) == 4  # the oldest of whoever holds the most places idle
    assert crowd.aborted.count(True) == 1
    assert len(crowd.connections) == 10


def test_silent_uploads_and_stalled_downloads_make_room_too() -> None:
    crowd = Crowd()
    for _ in range(9):
        crowd.come(awaited=Awaited.NOTHING)
    crowd.come(awaited=Awaited.BODY)
    crowd.live(bounds.IDLE_SECONDS + 2)
    assert not crowd.come(awaited=Awaited.NOTHING).is_late
    assert crowd.aborted[9]
    crowd.wires[4].unsent = 1
    crowd.live(bounds.IDLE_SECONDS + 2)
    assert not crowd.come().is_late
    assert crowd.aborted[4]


def test_beyond_the_limit_a_few_are_told_and_the_rest_cut_off() -> None:
    crowd = Crowd()
    for _ in range(10):
        assert not crowd.come(awaited=Awaited.NOTHING).is_late
    for _ in range(bounds.CONNECTIONS_FOR_HEALTH):
        assert crowd.come(awaited=Awaited.NOTHING).is_late
    wire = Wire()
    assert crowd.connections.open("1.1.1.1", wire) is None
    assert wire.is_aborted
    crowd.connections.close(crowd.wires[0])
    assert crowd.come(awaited=Awaited.NOTHING).is_late
    assert not any(crowd.aborted)


def test_half_of_the_places_are_for_requests() -> None:
    crowd = Crowd()
    for _ in range(5):
        assert crowd.connections.may_upgrade()
        crowd.come(awaited=Awaited.FRAMES)
    assert not crowd.connections.may_upgrade()


@pytest.mark.parametrize(
    ("descriptors", "limit"), [(256, 64), (1024, 448), (1 << 20, 2000), (64, 16)]
)
def test_every_connection_finds_a_descriptor_for_its_file(descriptors: int, limit: int) -> None:
    assert choose_limit(descriptors) == limit


@pytest.mark.parametrize("path", ["/", "/desk/sign-in", f"{BASE_PATH}/openapi.json"])
def test_who_comes_too_late_is_told(desk: Desk, path: str) -> None:
    async def late(scope, receive, send):  # type: ignore[no-untyped-def]
        await desk.app({**scope, "state": {LATE: True}}, receive, send)

    headers = [(b"host", b"localhost")]
    answer = call_raw(late, "GET", path, headers)
    told = dict(answer.headers)
    assert answer.status == 503
    assert ServerBusy.code.encode() in answer.body
    assert (told[b"retry-after"], told[b"connection"]) == (b"5", b"close")
    assert call_raw(late, "GET", f"{BASE_PATH}/health", headers).status == 200


def test_the_limit_is_the_servers(desk_with: OpenDesk) -> None:
    assert desk_with().api.connections.limit == bounds.CONNECTIONS_MAX

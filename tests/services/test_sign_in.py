"""Sessions that begin, lapse and end on the server, and what hangs on them."""

from collections.abc import Callable

import pytest
from sqlalchemy import select

from tests.applications import CHECKED_LIST, Clock, OpenApplication, complete
from winnow.core.errors import Gone
from winnow.core.identities import LOCAL_ACCOUNT, LOCAL_IDENTITY, Role
from winnow.core.lists.exports import Export
from winnow.core.lists.rows import Variant
from winnow.services.accounts.sign_in import SIGN_IN_SECONDS, SignIn
from winnow.storage.database.tables import desk_sessions
from winnow.wiring import Application

Open = Callable[..., Application]


@pytest.fixture
def open_application(open_application: OpenApplication) -> Open:
    """Open one and the same folder with a password."""
    return lambda password="open sesame": open_application(password=password)


@pytest.fixture
def sign_in(open_application: Open) -> SignIn:
    return open_application().services.sign_in


def test_a_session_is_found_by_its_token_alone(sign_in: SignIn) -> None:
    assert sign_in.is_needed
    assert sign_in.verify("", "open sesame")
    for wrong in ("open sesam", "open sesame ", "", "\ud800"):
        assert not sign_in.verify("", wrong)
    token, other = sign_in.begin_session(), sign_in.begin_session()
    session, asking = sign_in.find_session(token), sign_in.identify(token)
    assert session != sign_in.find_session(other)
    assert asking is not None
    assert (asking.account, asking.role) == (LOCAL_ACCOUNT, Role.ADMIN)
    for wrong in (None, "", token[:-1], f"{token}A", token.swapcase(), session, "é", "x" * 9999):
        assert sign_in.find_session(wrong) is None
        assert sign_in.identify(wrong) is None


def test_a_session_lapses_after_a_working_day_and_is_swept(
    open_application: Open, clock: Clock
) -> None:
    opened = open_application()
    sign_in = opened.services.sign_in
    token = sign_in.begin_session()
    clock.advance(seconds=SIGN_IN_SECONDS - 1)
    assert sign_in.find_session(token)
    clock.advance(seconds=1)
    assert sign_in.find_session(token) is None
    later = sign_in.begin_session()
    opened.services.retention.sweep(clock())
    assert len(opened.database.fetch(select(desk_sessions))) == 1
    assert sign_in.find_session(later)
    clock.advance(days=-1)  # a clock set back makes none longer
    assert sign_in.find_session(later) is None


def test_signing_out_ends_one_session_for_every_process(open_application: Open) -> None:
    opened, other = open_application(), open_application()
    left, stays = (opened.services.sign_in.begin_session() for _ in range(2))
    assert other.services.sign_in.find_session(left)
    opened.services.sign_in.end_session(left)
    opened.services.sign_in.end_session(None)
    for each in (opened, other, open_application()):
        assert each.services.sign_in.find_session(left) is None
        assert each.services.sign_in.find_session(stays)


def test_who_watches_a_session_is_told_of_its_end(sign_in: SignIn) -> None:
    token, other = sign_in.begin_session(), sign_in.begin_session()
    session = sign_in.find_session(token)
    assert session is not None
    told: list[str] = []
    with sign_in.watch(session, lambda: told.append("watched")):
        sign_in.end_session(other)
        assert told == []
        sign_in.end_session(token)
        assert told == ["watched"]
    with sign_in.watch(session, lambda: told.append("too late")):
        assert told == ["watched", "too late"]
    sign_in.end_session(token)
    assert told == ["watched", "too late"]


def test_a_link_ends_with_its_session(open_application: Open) -> None:
    opened = open_application()
    downloads, sign_in = opened.services.downloads, opened.services.sign_in
    task = complete(opened)
    token = sign_in.begin_session()
    session = sign_in.name_session(token)

    def issue(session: str | None) -> str:
        link = downloads.issue(
            LOCAL_ACCOUNT, task.task_id, Export(Variant.ORIGINAL), session=session
        )
        return link.path.rpartition("/")[2]

    bound, free, stray = issue(session), issue(None), issue(sign_in.name_session(None))
    assert downloads.open(bound).session == session
    assert b"".join(downloads.open(free).read_content()) == CHECKED_LIST
    with pytest.raises(Gone):
        downloads.open(stray)
    sign_in.end_session(token)
    with pytest.raises(Gone, match="sign-in of this link has ended"):
        downloads.open(bound)
    assert downloads.open(free).session is None


def test_without_a_password_there_are_no_sessions(open_application: Open) -> None:
    sign_in = open_application(password=None).services.sign_in
    assert not sign_in.is_needed
    assert sign_in.name_session("x") is None
    assert sign_in.find_session(None) is None
    assert not sign_in.verify("", "")
    assert sign_in.identify(None) == LOCAL_IDENTITY

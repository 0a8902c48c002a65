"""People: names, passwords, roles, the last admin, and what ends with a person."""

import pytest
from sqlalchemy import select

from tests.applications import OpenApplication, complete, follow
from winnow.core.errors import BadField, Gone, KeyRejected, RoleRefused
from winnow.core.identities import LOCAL_ACCOUNT, Identity, Role
from winnow.core.tasks.task import KeyType
from winnow.services.accounts.people import SCRYPT_N
from winnow.services.services import Services
from winnow.storage.database.tables import people
from winnow.wiring import Application

PASSWORD = "correct horse"


@pytest.fixture
def services(opened: Application) -> Services:
    people = opened.services.people
    people.add("Ana", Role.ADMIN, None)
    people.add("bo@example.org", Role.MEMBER, None)
    people.add("cy", Role.READER, None)
    return opened.services


def act(services: Services, name: str) -> Services:
    return services.act_as(Identity(LOCAL_ACCOUNT, name, Role.READER))


def test_the_first_person_is_an_admin(opened: Application) -> None:
    with pytest.raises(BadField, match="role: must be admin"):
        opened.services.people.add("bo", Role.MEMBER, PASSWORD)
    assert (opened.services.people.exist, opened.services.sign_in.is_needed) == (False, False)


def test_names_are_plain_and_taken_once_and_passwords_long(services: Services) -> None:
    for name in ("", "a b", "local", "é", "-a", "a" * 61, "a~b", "a\nb"):
        with pytest.raises(BadField, match="name"):
            services.people.add(name, Role.READER, PASSWORD)
    with pytest.raises(BadField, match="name: is already there"):
        services.people.add("ANA", Role.READER, PASSWORD)
    with pytest.raises(BadField, match="password"):
        services.people.add("di", Role.READER, "short")


def test_each_signs_in_with_the_own_password_only(services: Services, opened: Application) -> None:
    for name, password in (("ana", PASSWORD), ("bo@example.org", "battery staple")):
        services.people.reset(name, password)
    for name, password, is_right in (
        ("ana", PASSWORD, True),
        (" ANA ", PASSWORD, True),
        ("ana", "battery staple", False),
        ("bo@example.org", PASSWORD, False),
        ("cy", "", False),
        ("cy", "none", False),
        ("nobody", PASSWORD, False),
        ("", PASSWORD, False),
    ):
        assert services.sign_in.verify(name, password) is is_right
    identity = services.sign_in.identify(services.sign_in.begin_session("Ana"))
    assert identity == Identity(LOCAL_ACCOUNT, "ana", Role.ADMIN)
    services.people.reset("bo@example.org", PASSWORD)
    found = {row.name: row.credential for row in opened.database.fetch(select(people))}
    assert found["ana"].startswith("scrypt$16$8$5$")
    assert SCRYPT_N == 16_384  # here it is less (tests/conftest.py)
    assert found["ana"].split("$")[4] != found["bo@example.org"].split("$")[4]  # the salt


def test_the_last_admin_stays(services: Services) -> None:
    people = services.people
    with pytest.raises(BadField, match="last admin"):
        people.change_role("ana", Role.MEMBER)
    people.change_role("bo@example.org", Role.ADMIN)
    people.change_role("ana", Role.READER)
    people.remove("ana")
    with pytest.raises(BadField, match="last admin"):
        people.remove("bo@example.org")
    with pytest.raises(BadField, match="is unknown"):
        people.remove("ana")


def test_removing_ends_keys_sign_ins_links_and_pages_and_a_reset_the_sign_ins(
    services: Services, opened: Application
) -> None:
    people, sign_in, ended = services.people, services.sign_in, list[str]()
    bo, kept, cys = act(services, "bo@example.org"), *map(sign_in.begin_session, ("ana", "cy"))
    own, secret = bo.keys.create(LOCAL_ACCOUNT, "nightly", KeyType.LIVE)
    _, others = act(services, "ana").keys.create(LOCAL_ACCOUNT, "hers", KeyType.LIVE)
    token = sign_in.begin_session("bo@example.org")
    session = sign_in.find_session(token)
    assert session is not None
    task = complete(opened)
    link = bo.downloads.issue(LOCAL_ACCOUNT, task.task_id, session=session)
    assert people.list_keys("bo@example.org") == (own,)
    people.reset("cy", "another password")
    with sign_in.watch(session, lambda: ended.append("page")):
        sign_in.sweep(opened.services.clock())
        assert not ended
        people.remove("bo@example.org")
        sign_in.sweep(opened.services.clock())
    assert ended == ["page"]
    assert [sign_in.identify(one) is None for one in (token, cys, kept)] == [True, True, False]
    with pytest.raises(KeyRejected):
        services.keys.authenticate(secret)
    services.keys.authenticate(others)
    with pytest.raises(Gone):
        follow(opened, link)


def test_members_see_and_revoke_only_their_own_keys(services: Services) -> None:
    ana, bo = act(services, "ana"), act(services, "bo@example.org")
    hers, _ = ana.keys.create(LOCAL_ACCOUNT, "hers", KeyType.LIVE)
    his, _ = bo.keys.create(LOCAL_ACCOUNT, "his", KeyType.LIVE)
    accounts, _ = services.keys.create(LOCAL_ACCOUNT, "before", KeyType.LIVE)
    assert bo.keys.list(LOCAL_ACCOUNT) == (his,)
    assert set(ana.keys.list(LOCAL_ACCOUNT)) == {hers, his, accounts}
    for other in (hers, accounts):
        with pytest.raises(RoleRefused):
            bo.keys.revoke(LOCAL_ACCOUNT, other.prefix)
    bo.keys.revoke(LOCAL_ACCOUNT, his.prefix)
    ana.keys.revoke(LOCAL_ACCOUNT, accounts.prefix)
    with pytest.raises(RoleRefused):
        act(services, "cy").keys.create(LOCAL_ACCOUNT, "none", KeyType.LIVE)


@pytest.mark.parametrize("password", [PASSWORD, None])
def test_what_is_for_all_is_void_once_there_are_people(
    open_application: OpenApplication, password: str | None
) -> None:
    services = open_application(password=password).services
    token = services.sign_in.begin_session() if password else None
    identity = services.sign_in.identify(token)
    assert identity is not None
    acting = services.act_as(identity)
    assert acting.people.list() == ()
    services.people.add("ana", Role.ADMIN, "battery staple")
    assert services.sign_in.identify(token) is None
    assert not services.sign_in.verify("", PASSWORD)
    with pytest.raises(RoleRefused):
        acting.tasks.list(LOCAL_ACCOUNT)


@pytest.mark.parametrize("admits", [True, False])
def test_a_proxys_name_is_a_person_or_by_the_setting_a_reader(
    open_application: OpenApplication, *, admits: bool
) -> None:
    services = open_application(
        user_header="remote-user", trusted_proxies=("127.0.0.1",), admits_unknown=admits
    ).services
    services.people.add("ana", Role.ADMIN, None)
    sign_in = services.sign_in
    assert sign_in.identify(sign_in.sign_proxy_token("ANA")) == Identity(
        LOCAL_ACCOUNT, "ana", Role.ADMIN
    )
    stranger = sign_in.identify(sign_in.sign_proxy_token("di@example.org"))
    assert (stranger and stranger.role) == (Role.READER if admits else None)
    for forged in ("~ana~", "~ana~00", "~ana", "~~", "~ana~é"):
        assert sign_in.identify(forged) is None
    assert sign_in.sign_proxy_token("a b") is None
    token = sign_in.sign_proxy_token("ana")
    session = sign_in.find_session(token)
    assert session is not None
    services.people.add("bo", Role.ADMIN, None)
    services.people.remove("ana")
    assert not sign_in.measure_session(session)

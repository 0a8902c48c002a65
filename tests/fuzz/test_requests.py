"""Requests that the OpenAPI document does not describe: any path, any headers, any body."""

import json
from collections.abc import Iterator
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.api.desk import BASE_PATH, DOCUMENT, Desk, RawAnswer, call_raw, open_desk
from tests.fuzz.mutations import FUZZED, change, read_corpus
from winnow.core.tasks.task import KeyType
from winnow.domain_data.look_up.look_up import Knowledge

HEADER_BYTES = st.binary(max_size=40)


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory, knowledge: Knowledge) -> Iterator[Desk]:
    opened = open_desk(
        tmp_path_factory.mktemp("requests") / "data", knowledge, {"WINNOW_RATE_LIMIT": "off"}
    )
    yield opened
    opened.application.database.close()


@pytest.fixture(scope="module")
def key(desk: Desk) -> str:
    return desk.key(KeyType.SANDBOX)


def check_answer(answer: RawAnswer) -> None:
    """Fail unless an answer is whole, ours, decided, and its headers hold no line break."""
    assert answer.status is not None
    assert answer.is_whole
    assert answer.status < 500, answer.body
    headers = dict(answer.headers)
    assert headers[b"x-request-id"]
    assert not [value for value in headers.values() if b"\n" in value or b"\r" in value]
    if answer.status >= 400:
        assert headers[b"content-type"] == b"application/problem+json"
        problem = json.loads(answer.body)
        assert problem["status"] == answer.status
        assert set(DOCUMENT["components"]["schemas"]["Problem"]["required"]) <= set(problem)
        assert problem["code"] != "internal_error"


@FUZZED
@given(
    method=st.sampled_from(["GET", "POST", "PUT", "DELETE", "HEAD", "OPTIONS", "BREW"]),
    path=st.text(max_size=40).map(lambda text: quote(text, safe="/%")),
    root=st.sampled_from([BASE_PATH + "/", "/desk/", "/desk/uploads/", "/desk/sign-in/"]),
    headers=st.lists(
        st.tuples(
            st.sampled_from(
                [
                    *(b"x-api-key", b"x-request-id", b"content-type", b"content-length", b"range"),
                    *(b"origin", b"sec-fetch-site", b"cookie", b"x-forwarded-for", b"accept"),
                    *(b"x-upload-token", b"x-file-name", b"idempotency-key", b"host", b"x-other"),
                ]
            ),
            HEADER_BYTES,
        ),
        max_size=8,
    ),
    body=st.lists(st.binary(max_size=200), max_size=3),
)
def test_any_request_below_our_roots_has_a_decided_answer(
    desk: Desk,
    method: str,
    path: str,
    root: str,
    headers: list[tuple[bytes, bytes]],
    body: list[bytes],
) -> None:
    if not any(name == b"host" for name, _ in headers):
        headers = [(b"host", b"localhost"), *headers]
    answer = call_raw(desk.app, method, root + path, headers, body)
    if method == "HEAD" or (answer.status or 0) < 400:
        assert answer.status is not None
        assert answer.status < 500
        return
    check_answer(answer)


@FUZZED
@given(body=change(read_corpus("form")), content_type=change(read_corpus("content_types")))
def test_any_body_to_the_batch_has_a_decided_answer(
    desk: Desk, key: str, body: bytes, content_type: bytes
) -> None:
    before = desk.files()
    for kind in (b"multipart/form-data; boundary=b", content_type):
        headers = [(b"host", b"localhost"), (b"x-api-key", key.encode()), (b"content-type", kind)]
        answer = call_raw(desk.app, "POST", f"{BASE_PATH}/batch-check-emails", headers, [body])
        check_answer(answer)
        if answer.status != 200:
            assert desk.files() == before
        before = desk.files()

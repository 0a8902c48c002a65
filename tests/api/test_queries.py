"""Values of the query and the form, as existing clients write them."""

from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from winnow.api.routes.batches import parse_deduplicate
from winnow.api.routes.checks import read_email
from winnow.core.errors import BadField


@pytest.mark.parametrize(
    ("query", "email"),
    [
        pytest.param(b"email=ana+news@x.de", "ana+news@x.de", id="literal-plus-is-a-plus"),
        pytest.param(b"email=ana%2Bnews%40x.de", "ana+news@x.de", id="encoded"),
        pytest.param(b"email=%20a@x.de%20", " a@x.de ", id="encoded-space"),
        pytest.param(b"email=", "", id="empty-is-a-value"),
        pytest.param(b"email", "", id="no-equals-sign"),
        pytest.param(b"a=1&email=a@x.de&b=2", "a@x.de", id="among-others"),
        pytest.param(b"email=a=b@x.de", "a=b@x.de", id="equals-in-value"),
        pytest.param("email=ü@x.de".encode(), "ü@x.de", id="raw-utf-8"),
        pytest.param(b"e%6Dail=a@x.de", "a@x.de", id="encoded-name"),
    ],
)
def test_email(query: bytes, email: str) -> None:
    assert read_email(query) == email


@given(st.text())
def test_every_text_survives_encoding(text: str) -> None:
    if "\ud800" <= max(text, default="") <= "\udfff":
        return
    assert read_email(b"email=" + quote(text, safe="@+").encode()) == text


@pytest.mark.parametrize(
    "query", [b"", b"mail=a@x.de", b"Email=a@x.de", b"email=a@x.de&email=b@x.de", b"email=%ff"]
)
def test_no_email(query: bytes) -> None:
    with pytest.raises(BadField, match=r"^email: "):
        read_email(query)


def test_deduplicate() -> None:
    assert parse_deduplicate(None)
    assert all(parse_deduplicate(word) for word in ("true", "True", "TRUE", "1", "yes", " Yes "))
    assert not any(parse_deduplicate(word) for word in ("false", "False", "0", "no", "NO"))
    for word in ("", "2", "maybe", "tru", "null"):
        with pytest.raises(BadField):
            parse_deduplicate(word)

"""Names, notes and cells that are markup: shown as text on every page, never read as markup."""

from collections.abc import Iterator

import pytest
from google.protobuf.message import Message
from streamlit.testing.v1.element_tree import Block, Node

from components.frame import page_urls
from tests.applications import complete, stage
from tests.pages.conftest import Desk
from winnow.core.identities import LOCAL_ACCOUNT
from winnow.core.tasks.task import KeyType
from winnow.core.verdicts.verdict import Category
from winnow.wiring import Application

IMAGE = "![p](http://evil.example/p.png)"
EVIL = f"<img src=x onerror=alert(1)>{IMAGE}"
LIST = (
    f'email,"{EVIL}"\r\none@mailboxes.example,"{EVIL}"\r\n{EVIL}@mailboxes.example,=1+1\r\n'
    f"two@throwaway.example,x\r\n"
).encode()
PLAIN = {
    "dataframe",
    "arrow_data_frame",
    "text_input",
    "selectbox",
    "multiselect",
    "text_area",
    "plotly_chart",
}
"""Elements that show their texts as they are, whatever stands in them."""


def walk(node: Node) -> Iterator[Node]:
    yield node
    if isinstance(node, Block):
        for child in node.children.values():
            yield from walk(child)


def read_texts(message: Message) -> Iterator[str]:
    """Yield every text that an element or block was sent with."""
    for field, value in message.ListFields():
        for each in value if field.is_repeated else [value]:
            if isinstance(each, Message):
                yield from read_texts(each)
            elif isinstance(each, str):
                yield each


@pytest.fixture
def task_id(opened: Application) -> str:
    """An open application where whatever can be named is markup."""
    services = opened.services
    services.keys.create(LOCAL_ACCOUNT, EVIL[:50], KeyType.LIVE)
    services.own_lists.add(LOCAL_ACCOUNT, "two@throwaway.example", Category.GREY, EVIL)
    services.checks.remember(
        LOCAL_ACCOUNT, [services.checks.check_address(LOCAL_ACCOUNT, f"{EVIL}@x.de")]
    )
    stage(opened, LIST, name=f"{EVIL}.csv")
    return complete(opened, LIST, name=f"{EVIL}.csv", project_name=EVIL[:50]).task_id


@pytest.mark.parametrize(
    "page", ["CHECK", "CLEAN", "PROJECTS", "RULES", "SETTINGS", "PROJECT"], ids=str.lower
)
def test_markup_is_shown_and_not_read(desk: Desk, task_id: str, page: str) -> None:
    query = {"task": task_id} if page == "PROJECT" else {"tab": "api"}
    app = desk.open(getattr(page_urls, page), **query)
    seen = 0
    for node in walk(app._tree):
        message = getattr(node, "proto", None)
        if not isinstance(message, Message) or node.type in PLAIN:
            continue
        for text in read_texts(message):
            seen += 1
            sign = "<img" if node.type == "html" else IMAGE[:4]  # HTML reads no Markdown
            assert sign not in text, (node.type, text)
    assert seen > 5

"""The document is a sound one, names what is served, and the page shows all of it."""

import re
from collections.abc import Iterator
from typing import Any

from jsonschema import Draft202012Validator

from tests.api.desk import BASE_PATH, DOCUMENT, Caller, Desk
from winnow.api.errors import ANSWERS
from winnow.core.release import VERSION
from winnow.core.verdicts.domain_types import DomainType
from winnow.core.verdicts.reasons import Reason


def walk(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        yield value
        for child in value.values():
            yield from walk(child)
    elif isinstance(value, list):
        for child in value:
            yield from walk(child)


def test_every_reference_leads_somewhere() -> None:
    for node in walk(DOCUMENT):
        if "$ref" in node:
            target: Any = DOCUMENT
            for step in node["$ref"].removeprefix("#/").split("/"):
                target = target[step]


def test_closed_sets_are_those_of_the_code() -> None:
    schemas = DOCUMENT["components"]["schemas"]
    assert schemas["DomainType"]["enum"] == sorted(DomainType)
    assert schemas["Reason"]["enum"] == sorted(Reason)


def test_nothing_of_the_code_s_own_stands_in_a_description() -> None:
    for node in walk(DOCUMENT):
        if isinstance(text := node.get("description"), str):
            assert not re.search(r"\n|``|\b(msgspec|Struct|None)\b", text), text


def conform(value: Any, name: str) -> None:
    """Check a value against a schema of the document, which is to name each of its fields."""
    schemas = {
        each: {**schema, "additionalProperties": False} if "properties" in schema else schema
        for each, schema in DOCUMENT["components"]["schemas"].items()
    }
    whole = {"$ref": f"#/components/schemas/{name}", "components": {"schemas": schemas}}
    Draft202012Validator(whole, format_checker=Draft202012Validator.FORMAT_CHECKER).validate(value)


def test_answers_are_what_the_document_says(desk: Desk, caller: Caller) -> None:
    for address in ("bo@mailinator.com", "ana@gmial.com", "ana+x@gmail.com", "plain", ""):
        conform(caller.check(address).json(), "Check")
    submitted = caller.submit().json()
    conform(submitted, "Submitted")
    conform(caller.read_status(submitted["task_id"]), "Status")
    desk.work()
    conform(caller.read_status(submitted["task_id"]), "Status")
    conform(caller.get(f"/batch-task-download/{submitted['task_id']}").json(), "Link")
    cancelled = caller.upload()
    desk.services.tasks.cancel("local", cancelled)
    conform(caller.read_status(cancelled), "Status")
    conform(caller.get("/nope").json(), "Problem")
    health = caller.get("/health").json()
    conform(health, "Health")
    assert health["version"] == VERSION
    assert caller.get("/openapi.json").json() == DOCUMENT


def test_the_page_shows_all_leads_nowhere_that_is_not_there_and_loads_nothing(desk: Desk) -> None:
    answer = desk.client(host="localhost:8501").get(f"{BASE_PATH}/docs")
    assert answer.headers["content-type"].startswith("text/html")
    assert "default-src 'none'" in answer.headers["content-security-policy"]
    page = answer.text
    for path, methods in DOCUMENT["paths"].items():
        assert f"<code>{path}</code>" in page
        for operation in methods.values():
            assert f'id="{operation["operationId"]}"' in page
    for name in DOCUMENT["components"]["schemas"]:
        assert f'id="schema-{name}"' in page
    for error in ANSWERS:
        assert f'id="{error.code}"' in page
    assert f"http://localhost:8501{BASE_PATH}/check-email?email=" in page
    anchors = set(re.findall(r'id="([^"]+)"', page))
    assert set(re.findall(r'href="#([^"]+)"', page)) <= anchors
    assert "{{" not in page
    assert not re.search(r"<(script|link|img|iframe)|@import|url\(", page)

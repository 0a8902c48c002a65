"""Each clause of the contract and of the calls added since has a test: ``golden/clauses.tsv``."""

import ast
import csv
from pathlib import Path

import pytest

from tests.api.desk import DOCUMENT

TESTS = Path(__file__).parents[1]
with (TESTS / "golden" / "clauses.tsv").open(encoding="utf-8") as file:
    CLAUSES = list(csv.DictReader(file, delimiter="\t"))
SECTIONS = ("1", "2.1", "2.2", "2.3", "3", "4.1", "4.2", "4.3", "4.4", "5", "8", "9")
OF_BEFORE = {
    ("post", "/check-email"),
    ("post", "/batch-check-emails"),
    ("get", "/batch-check-status/{task_id}"),
    ("get", "/batch-task-download/{task_id}"),
}


@pytest.mark.parametrize("clause", CLAUSES, ids=lambda one: f"{one['clause']}-{one['test']}")
def test_a_clause_names_a_test_that_exists(clause: dict[str, str]) -> None:
    tree = ast.parse((TESTS / clause["file"]).read_text(encoding="utf-8"))
    assert clause["test"] in {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


def test_every_section_of_the_contract_has_a_clause() -> None:
    named = {one["clause"] for one in CLAUSES}
    assert {f"contract {section}" for section in SECTIONS} <= named


def test_the_contracts_operations_are_served() -> None:
    served = {(method, path) for path, methods in DOCUMENT["paths"].items() for method in methods}
    assert served >= OF_BEFORE
    check = DOCUMENT["components"]["schemas"]["Check"]
    assert list(check["properties"])[:3] == ["email", "domain", "category"]
    form = DOCUMENT["components"]["schemas"]["SubmitBatchBody"]
    assert form["required"] == ["file"]
    assert {"file", "project_name", "deduplicate"} <= set(form["properties"])

"""A class has a name of its own: whoever searches for it finds one place."""

import ast
from collections import defaultdict

from tests.server import PROJECT

CONTRACT = PROJECT / "winnow" / "api" / "schemas"  # models bear the names that clients know


def test_no_two_classes_have_one_name() -> None:
    places: dict[str, list[str]] = defaultdict(list)
    for root in ("winnow", "pages", "components"):
        for path in sorted((PROJECT / root).rglob("*.py")):
            if not path.is_relative_to(CONTRACT):
                for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                    if isinstance(node, ast.ClassDef):
                        places[node.name].append(path.relative_to(PROJECT).as_posix())
    assert len(places) > 300
    assert {name: found for name, found in places.items() if len(found) > 1} == {}

"""Loads what the first page is drawn with, while the browser still loads itself."""

import ast
from importlib import import_module
from pathlib import Path

from components import page_urls

SCRIPTS = (Path(__file__).parent / "shell.py", page_urls.CHECK)
LATER = ("numpy", "PIL.ImageFile")  # what st.logo imports, whatever it is given


def load_first_page() -> None:
    """Import what the frame and the first page import; a page that comes sooner waits for it."""
    for script in SCRIPTS:
        for node in ast.walk(ast.parse(script.read_bytes())):
            if isinstance(node, ast.ImportFrom) and node.module:
                import_module(node.module)
    for name in LATER:
        import_module(name)

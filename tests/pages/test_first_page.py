"""What the pages are drawn with is loaded once, and nothing beyond."""

import subprocess
import sys

import pytest

from tests.server import PROJECT

EARLY = (
    "components.frame.frame",
    "components.check.checked_table",
    "winnow.core.addresses.pasted",
    "PIL.ImageFile",
)
NEVER = ("httpx", "pandas", "polars", "pyarrow", "plotly.express", "openpyxl", "pycares", "jinja2")


@pytest.mark.slow
def test_the_pages_are_loaded_without_what_few_of_them_need() -> None:
    script = (
        "import sys\n"
        "from components.frame.page_urls import load_pages\n"
        "load_pages()\n"
        f"print([name for name in {EARLY!r} if name not in sys.modules])\n"
        f"print([name for name in {NEVER!r} if name in sys.modules])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=PROJECT, capture_output=True, text=True, check=True
    )
    assert done.stdout.split("\n")[:2] == ["[]", "[]"]

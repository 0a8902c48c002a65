"""What the first page needs is loaded before the browser asks for it, and nothing beyond."""

import subprocess
import sys

from tests.server import PROJECT

EARLY = (
    "components.frame",
    "components.check_field",
    "winnow.core.addresses.pasted",
    "PIL.ImageFile",
)
NEVER = ("httpx", "pandas", "polars", "pyarrow", "plotly.express", "openpyxl", "pycares", "jinja2")


def test_the_first_page_is_loaded_without_what_other_pages_need() -> None:
    script = (
        "import sys\n"
        "from components.first_page import load_first_page\n"
        "load_first_page()\n"
        f"print([name for name in {EARLY!r} if name not in sys.modules])\n"
        f"print([name for name in {NEVER!r} if name in sys.modules])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=PROJECT, capture_output=True, text=True, check=True
    )
    assert done.stdout.split("\n")[:2] == ["[]", "[]"]

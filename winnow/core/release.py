"""Name and version of this release."""

VERSION = "0.3.0"  # pyproject.toml reads it from here
DISTRIBUTION = "winnow-email"  # the package index's "winnow" is another project
IS_REGISTERED = False  # on the index; until it is, texts name the wheel by its path
WHEEL = f"winnow_email-{VERSION}-py3-none-any.whl"


def describe_install(extra: str) -> str:
    """Return the sentence that says how to get the packages of an extra."""
    name = DISTRIBUTION if IS_REGISTERED else f"./{WHEEL}"
    return f"Install it with: pip install '{name}[{extra}]'"

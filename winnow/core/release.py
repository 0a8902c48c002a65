"""Name and version of this release."""

VERSION = "0.3.0"  # pyproject.toml reads it from here
DISTRIBUTION = "winnow-email"  # the package index's "winnow" is another project
IS_REGISTERED = False  # on the index; until it is, texts name the wheel by its path
WHEEL = f"winnow_email-{VERSION}-py3-none-any.whl"


def name_requirement(extra: str = "") -> str:
    """Return what ``pip install`` takes for this release, with an extra of its dependencies."""
    name = DISTRIBUTION if IS_REGISTERED else f"./{WHEEL}"
    return f"{name}[{extra}]" if extra else name


def describe_install(extra: str) -> str:
    """Return the sentence that says how to get the packages of an extra."""
    return f"Install it with: pip install '{name_requirement(extra)}'"

"""The HTML templates of reports, which escape whatever they show."""

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jinja2 import Template


@cache
def open_template(name: str) -> "Template":
    """Return a template by the name of its file."""
    from jinja2 import Environment, PackageLoader  # nothing but a report needs it here

    environment = Environment(
        loader=PackageLoader("winnow.lists", "data"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template(name)

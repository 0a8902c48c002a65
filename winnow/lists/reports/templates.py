"""The HTML templates of reports, which escape whatever they show."""

from functools import cache
from typing import TYPE_CHECKING

from winnow.core.figures import capitalise, cut_text, show_count, show_moment, show_share
from winnow.core.verdicts.verdict import name_action, phrase_reasons
from winnow.words import say, say_many

if TYPE_CHECKING:
    from jinja2 import Template

_FUNCTIONS = (
    *(capitalise, cut_text, show_count, show_moment, show_share),
    *(name_action, phrase_reasons, say, say_many),
)


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
    environment.globals |= {one.__name__: one for one in _FUNCTIONS}
    environment.filters["show_moment"] = show_moment
    return environment.get_template(name)

"""Whole HTML pages of the server: Jinja2 templates that escape all values."""

from functools import cache
from typing import TYPE_CHECKING, Any, Literal

from starlette.datastructures import Headers
from starlette.responses import HTMLResponse

from winnow.words import ENGLISH, say, speaking

if TYPE_CHECKING:
    from jinja2 import Environment


def answer_page(
    name: str,
    status: int = 200,
    *,
    language: str = ENGLISH,
    form_action: Literal["none", "self"] = "none",
    **values: Any,
) -> HTMLResponse:
    """Return a page that runs no script and loads nothing.

    Args:
        name: The name of its template.
        status: The HTTP status.
        language: The language of its texts.
        form_action: Where its form, if it has one, may be sent (Content-Security-Policy).
        values: What the template shows.
    """
    policy = (
        f"default-src 'none'; style-src 'unsafe-inline'; form-action '{form_action}'; "
        "base-uri 'none'; frame-ancestors 'none'"
    )
    with speaking(language):
        page = _open_templates().get_template(name).render(values, say=say, language=language)
    return HTMLResponse(page, status, headers={"content-security-policy": policy})


def read_languages(headers: Headers) -> tuple[str, ...]:
    """Return a browser's languages in its order: ``("de-AT", "en")`` (RFC 9110, 12.5.4)."""
    asked = headers.get("accept-language", "")
    return tuple(part.partition(";")[0].strip() for part in asked.split(","))


@cache
def _open_templates() -> "Environment":
    from jinja2 import Environment, PackageLoader  # no page of the desk needs it

    return Environment(
        loader=PackageLoader("winnow.api"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )

"""A sign-up form's server: refuses disposable addresses, asks again where one may be mistyped.

``pip install ./winnow_email-0.3.0-py3-none-any.whl``, then ``uvicorn signup_server:app``. The check
runs in this process: no Winnow server, no network.
"""

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

import winnow


async def sign_up(request: Request) -> JSONResponse:
    """Take ``{"email": …}``; 422 says what to tell the person."""
    email = str((await request.json()).get("email", ""))
    checked = winnow.check(email)
    if checked.suggestion:
        return JSONResponse({"ask": f"Did you mean {checked.suggestion}?"}, 422)
    if checked.category == "black":
        return JSONResponse({"ask": "Please give an address that you will keep."}, 422)
    needs_confirmation = checked.category == "grey"
    return JSONResponse({"email": email, "needs_confirmation": needs_confirmation})


app = Starlette(routes=[Route("/sign-up", sign_up, methods=["POST"])])

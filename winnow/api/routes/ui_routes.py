"""The pages' own upload route: a raw body, a short-lived token, never an API key."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from urllib.parse import unquote_to_bytes

from anyio import Lock
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse

from winnow.api.clients import check_same_site
from winnow.api.errors import SignInRequired
from winnow.api.middleware.shutdown import Shutdown
from winnow.api.upload_stream import open_upload, read_content_length, receive_chunks
from winnow.core.errors import BadField, KeyRejected, TaskUnknown
from winnow.core.identities import COOKIE_NAME
from winnow.core.lists.file_format import FORMATS
from winnow.core.lists.side_files import OwnFile, OwnFileKind
from winnow.core.lists.upload import Upload
from winnow.core.own_lists.entries import ImportReport
from winnow.core.verdicts.verdict import Category
from winnow.services.services import Services


@dataclass(eq=False, repr=False)
class UiOperations:
    """Requests of the pages' browser code: uploads and own files."""

    services: Callable[[], Services]
    shutdown: Shutdown

    def __post_init__(self) -> None:
        self._turn = Lock()

    async def upload(self, request: Request) -> JSONResponse:
        """Stream a raw body to disk as a staged upload; an aborted one leaves nothing."""
        acting, account = await self._admit(request)
        with self.shutdown.transfer():
            upload = await self._receive(request, acting, account, is_list=True)
        told = "upload_id", "file_name", "size_bytes"
        return JSONResponse({name: getattr(upload, name) for name in told})

    async def add_suppression(self, request: Request) -> JSONResponse:
        """Add a do-not-mail file, or an earlier list's; its content is not stored."""
        acting, account = await self._admit(request)
        beside, list_id = (request.path_params[name] for name in ("beside", "list_id"))
        files, kind = acting.own_files, OwnFileKind.DO_NOT_MAIL
        ways = {
            "uploads": lambda received: files.add(account, kind, received, upload_id=list_id),
            "projects": lambda received: files.add_to_task(account, list_id, received),
            "earlier": lambda received: files.add_earlier(account, list_id, received),
        }
        if beside not in ways:
            raise TaskUnknown("There is no such list.")
        return await self._add(request, acting, account, ways[beside])

    async def add_bounces(self, request: Request) -> JSONResponse:
        """Import a file of bounces; its content is not stored."""
        acting, account = await self._admit(request)
        add = partial(acting.own_files.add, account, OwnFileKind.BOUNCES)
        return await self._add(request, acting, account, add)

    async def import_own(self, request: Request) -> JSONResponse:
        """Import a file into the own lists; pages find its report by the id."""
        acting, account = await self._admit(request)
        category = request.path_params["category"]
        if category not in set(Category):
            raise TaskUnknown("There is no such list.")
        add = partial(acting.own_lists.import_file, account, category=Category(category))
        return await self._add(request, acting, account, add)

    async def _add(
        self,
        request: Request,
        acting: Services,
        account: str,
        add: Callable[[Upload], OwnFile | ImportReport],
    ) -> JSONResponse:
        """Receive a file and add what is in it."""
        with self.shutdown.transfer():
            received = await self._receive(request, acting, account, is_list=False)
            file = await run_in_threadpool(add, received)
        return JSONResponse({"file_id": file.file_id})

    async def _admit(self, request: Request) -> tuple[Services, str]:
        """Return what the signed-in person may do, and the account of the page's upload token."""
        check_same_site(request)
        token = request.headers.get("x-upload-token")
        if not token:
            raise KeyRejected("The header X-Upload-Token is missing.")
        services = self.services()
        account = await run_in_threadpool(services.uploads.account_of_token, token)
        cookie = request.cookies.get(COOKIE_NAME)
        identity = await run_in_threadpool(services.sign_in.identify, cookie)
        if identity is None:
            raise SignInRequired("Sign in first.")
        return services.act_as(identity), account

    async def _receive(
        self, request: Request, acting: Services, account: str, *, is_list: bool
    ) -> Upload:
        """Receive a list, or a file of any name, which its reader discards."""
        declared, file_name = read_content_length(request), _read_file_name(request)
        uploads, formats = acting.uploads, FORMATS if is_list else None
        begin = partial(uploads.begin, account, file_name, declared, formats)
        async with open_upload(begin, acting.drawn_pages, self._turn) as receiver:
            async for chunk in receive_chunks(request):
                await receiver.write(chunk)
            return await (receiver.finish() if is_list else receiver.receive())


def _read_file_name(request: Request) -> str:
    try:
        name = unquote_to_bytes(request.headers.get("x-file-name", "")).decode()
    except UnicodeDecodeError as error:
        raise BadField("X-File-Name", "is not percent-encoded UTF-8") from error
    if not name.strip():
        raise BadField("X-File-Name", "is missing")
    return name

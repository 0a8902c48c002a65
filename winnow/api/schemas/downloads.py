"""Download links and the files behind them."""

from datetime import datetime
from typing import Annotated

from msgspec import Struct

from winnow.api.errors import RangeNotSatisfiable
from winnow.api.schemas.operations import KEY_ERRORS, Operation, Parameter
from winnow.api.schemas.values import TASK_ID, about
from winnow.core import errors
from winnow.core.lists.file_format import FORMATS
from winnow.services.results.downloads import ZIP_TYPE


class Link(Struct, frozen=True):
    """A temporary link to a file."""

    download_url: Annotated[
        str, about("Serves the file directly, without a key; Range works.", format="uri")
    ]
    expires_at: Annotated[datetime, about("One hour after it was issued, unless set otherwise.")]


BATCH_DOWNLOAD = Operation(
    "batchDownload",
    "GET",
    "/batch-task-download/{task_id}",
    "Get a link to the result",
    Link,
    "A temporary link.",
    description="The whole list in its own format, with category and domain_type behind its "
    "columns.",
    parameters=(TASK_ID,),
    problems=(*KEY_ERRORS, errors.TaskUnknown, errors.ResultNotReady, errors.Gone),
)
DOWNLOAD: Operation[Struct] = Operation(
    "download",
    "GET",
    "/downloads/{token}",
    "Fetch a file",
    (*dict.fromkeys(one.result.traits.media_type for one in FORMATS), ZIP_TYPE),
    "The file; 206 for a part of it.",
    description="The link that batchDownload answered. Range requests resume a broken download.",
    parameters=(Parameter("token", "path"),),
    problems=(errors.TaskUnknown, errors.Gone, RangeNotSatisfiable),
    is_open=True,
)

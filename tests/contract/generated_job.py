"""The main job by a generated client: check, submit, poll, download. Run beside ``winnow_client``.

Arguments: the API's base address, a key. The result is written to the standard output.
"""

import sys
import time
import urllib.request
from io import BytesIO

from winnow_client.api.default import (
    batch_download,
    batch_status,
    check_email,
    health,
    submit_batch,
)
from winnow_client.client import AuthenticatedClient, Client
from winnow_client.models import (
    Category,
    Check,
    Link,
    Problem,
    Status,
    SubmitBatchBody,
    Submitted,
    TaskState,
)
from winnow_client.types import File

LIST = b"email,name\nana@gmail.com,1\nbo@mailinator.com,2\nana@gmail.com,3\nno-address,4\n"
POLLS = 600


def main(base_url: str, key: str) -> None:
    """Do the job; an answer that is not of the document's type ends it."""
    assert health.sync(client=Client(base_url=base_url)) is not None
    client = AuthenticatedClient(
        base_url=base_url, token=key, prefix="", auth_header_name="X-API-Key"
    )
    checked = check_email.sync(client=client, email="bo@mailinator.com")
    assert isinstance(checked, Check), checked
    assert checked.category is Category.BLACK

    def submit(content: bytes, **fields: object) -> object:
        body = SubmitBatchBody(File(BytesIO(content), "list.csv", "text/csv"), **fields)
        return submit_batch.sync(client=client, body=body, idempotency_key="job-1")

    submitted = submit(LIST, project_name="Generated", deduplicate=True)
    assert isinstance(submitted, Submitted), submitted
    again = submit(LIST, project_name="Generated", deduplicate=True)
    assert isinstance(again, Submitted), again
    assert again.task_id == submitted.task_id
    other = submit(LIST, project_name="Generated", deduplicate=False)
    assert isinstance(other, Problem), other
    assert (other.status, other.code) == (422, "bad_field")

    for _ in range(POLLS):
        status = batch_status.sync(str(submitted.task_id), client=client)
        assert isinstance(status, Status), status
        if status.status is not TaskState.PROCESSING:
            break
        time.sleep(0.1)
    assert status.status is TaskState.COMPLETED, status
    assert (status.summary.rows_in, status.summary.rows_out) == (4, 3)
    link = batch_download.sync(str(submitted.task_id), client=client)
    assert isinstance(link, Link), link
    with urllib.request.urlopen(link.download_url) as answer:  # noqa: S310  # our own server
        sys.stdout.buffer.write(answer.read())


if __name__ == "__main__":
    main(*sys.argv[1:])

"""A bucket that speaks S3, with the credentials and the endpoint that the environment names."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from winnow.cluster.locations import Location
from winnow.cluster.object_store import (
    FILE_GONE,
    HOW_TO_INSTALL,
    ONCE_AT_A_TIME,
    UPLOAD_GONE,
    PartPlace,
    StoredFile,
)
from winnow.core.errors import BadField

try:
    import boto3
    from botocore import exceptions as aws
    from botocore.config import Config
except ImportError as error:
    problem = f"s3:// needs a package that is not installed: {error.name}"
    raise BadField("file", problem, hint=HOW_TO_INSTALL) from error

_REMOVED_AT_ONCE = 1_000  # DeleteObjects takes no more
_ABSENT = {"404", "NoSuchKey", "NotFound", "NoSuchUpload"}
_DENIED = {"401", "403", "AccessDenied", "Forbidden", "AllAccessDisabled"}
_UNKNOWN = {"InvalidAccessKeyId", "SignatureDoesNotMatch", "ExpiredToken", "InvalidToken"}
_CHANGED = {"412", "PreconditionFailed"}
_CREDENTIALS = (
    "Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE, here and on workers."
)


def open_bucket(bucket: str) -> "S3Bucket":
    """Open a bucket; nothing is asked before the first call."""
    config = Config(
        retries={"mode": "standard", "max_attempts": 5}, connect_timeout=10, read_timeout=120
    )
    with _word_errors(bucket, "read"):
        return S3Bucket(bucket, boto3.session.Session().client("s3", config=config))


class S3Bucket:
    """An ``ObjectStore``. Thread-safe."""

    def __init__(self, bucket: str, client: Any) -> None:
        self._bucket = bucket
        self._client = client

    def find(self, name: str) -> StoredFile | None:
        """See ``ObjectStore``."""
        try:
            with _word_errors(self._bucket, "read"):
                head = self._client.head_object(Bucket=self._bucket, Key=name)
        except _Absent:
            with _word_errors(self._bucket, "read"):  # an absent bucket says no more than 404
                self._client.head_bucket(Bucket=self._bucket)
            return None
        return StoredFile(Location(self._bucket, name), head["ContentLength"], head["ETag"])

    def read(self, name: str, start: int, size_bytes: int, version: str | None = None) -> bytes:
        """See ``ObjectStore``."""
        if not size_bytes:
            return b""
        only = {} if version is None else {"IfMatch": version}
        stretch = f"bytes={start}-{start + size_bytes - 1}"
        with _word_errors(self._bucket, "read"):
            got = self._client.get_object(Bucket=self._bucket, Key=name, Range=stretch, **only)
            data: bytes = got["Body"].read()
        return data

    def get(self, name: str) -> bytes | None:
        """See ``ObjectStore``."""
        try:
            with _word_errors(self._bucket, "read"):
                got = self._client.get_object(Bucket=self._bucket, Key=name)
                data: bytes = got["Body"].read()
        except _Absent:
            return None
        return data

    def put(self, name: str, data: bytes) -> None:
        """See ``ObjectStore``."""
        with _word_errors(self._bucket, "written to"):
            self._client.put_object(Bucket=self._bucket, Key=name, Body=data)

    def list(self, prefix: str) -> Iterator[str]:
        """See ``ObjectStore``."""
        with _word_errors(self._bucket, "listed"):
            pages = self._client.get_paginator("list_objects_v2")
            for page in pages.paginate(Bucket=self._bucket, Prefix=prefix):
                yield from (one["Key"] for one in page.get("Contents", ()))

    def remove(self, names: Iterable[str], folder: str) -> None:
        """See ``ObjectStore``; a bucket has no folders."""
        keys = [{"Key": name} for name in names]
        for first in range(0, len(keys), _REMOVED_AT_ONCE):
            some = {"Objects": keys[first : first + _REMOVED_AT_ONCE], "Quiet": True}
            with _word_errors(self._bucket, "cleared up"):
                self._client.delete_objects(Bucket=self._bucket, Delete=some)

    def make_folder(self, name: str, source: Location) -> None:
        """See ``ObjectStore``; a bucket has no folders."""

    def begin_upload(self, name: str, source: Location) -> str:
        """See ``ObjectStore``; who may read is the bucket's affair."""
        with _word_errors(self._bucket, "written to"):
            begun = self._client.create_multipart_upload(Bucket=self._bucket, Key=name)
        return str(begun["UploadId"])

    def put_part(self, name: str, upload: str, place: PartPlace, data: bytes) -> str:
        """See ``ObjectStore``."""
        with _word_errors(self._bucket, "written to"):
            sent = self._client.upload_part(
                Bucket=self._bucket,
                Key=name,
                UploadId=upload,
                PartNumber=place.number,
                Body=data,
            )
        return str(sent["ETag"])

    def list_parts(self, name: str, upload: str) -> dict[int, tuple[int, str]] | None:
        """See ``ObjectStore``."""
        found: dict[int, tuple[int, str]] = {}
        try:
            with _word_errors(self._bucket, "read"):
                pages = self._client.get_paginator("list_parts")
                for page in pages.paginate(Bucket=self._bucket, Key=name, UploadId=upload):
                    for part in page.get("Parts", ()):
                        found[part["PartNumber"]] = part["Size"], part["ETag"]
        except _Absent:
            return None
        return found

    def complete(self, name: str, upload: str, receipts: Sequence[str]) -> None:
        """See ``ObjectStore``."""
        parts = [
            {"PartNumber": number, "ETag": receipt}
            for number, receipt in enumerate(receipts, start=1)
        ]
        with _word_errors(self._bucket, "written to"):
            self._client.complete_multipart_upload(
                Bucket=self._bucket, Key=name, UploadId=upload, MultipartUpload={"Parts": parts}
            )

    def abort(self, name: str, upload: str) -> None:
        """See ``ObjectStore``."""
        try:
            with _word_errors(self._bucket, "cleared up"):
                self._client.abort_multipart_upload(Bucket=self._bucket, Key=name, UploadId=upload)
        except _Absent:
            return


class _Absent(BadField):
    """There is no such object, or no such upload, where one was."""


@contextmanager
def _word_errors(bucket: str, doing: str) -> Iterator[None]:
    """Turn what the client raises into sentences."""
    place = f"s3://{bucket}"
    try:
        yield
    except aws.ClientError as error:
        raise _word_answer(error, place, doing) from error
    except (aws.NoCredentialsError, aws.PartialCredentialsError) as error:
        problem = f"there are no credentials for {place}"
        raise BadField("bucket", problem, hint=_CREDENTIALS) from error
    except (aws.ConnectionError, aws.HTTPClientError) as error:
        problem = f"{place} does not answer"
        hint = "Check the network, and AWS_ENDPOINT_URL where the bucket is not Amazon's."
        raise BadField("bucket", problem, hint=hint) from error
    except aws.ParamValidationError as error:
        raise BadField("bucket", f"there is no bucket {place}", hint="Check its name.") from error
    except (aws.BotoCoreError, ValueError) as error:
        problem = f"{place} cannot be opened: {type(error).__name__}"
        raise BadField("bucket", problem, hint="Check its name and the AWS settings.") from error


def _word_answer(error: Any, place: str, doing: str) -> Exception:
    answer = error.response.get("Error", {})
    code = str(answer.get("Code", ""))
    if code == "NoSuchBucket" or (code in _ABSENT and error.operation_name == "HeadBucket"):
        return BadField("bucket", f"there is no bucket {place}", hint="Check its name.")
    if code in _ABSENT:
        return _word_absence(code, place)
    if code in _UNKNOWN:
        return BadField("bucket", f"{place} does not know these credentials", hint=_CREDENTIALS)
    if code in _DENIED:
        problem = f"{place} may not be {doing} with these credentials"
        return BadField("bucket", problem, hint="Ask its owner for the right, or use others.")
    if code in _CHANGED:
        return BadField("file", "changed while it was read", hint="Start again.")
    return BadField("bucket", f"{place} could not be {doing}: {code or 'no reason given'}")


def _word_absence(code: str, place: str) -> _Absent:
    if code == "NoSuchUpload":
        return _Absent("out", f"an unfinished upload to {place} {UPLOAD_GONE}", hint=ONCE_AT_A_TIME)
    return _Absent("file", f"a file in {place} {FILE_GONE}", hint=ONCE_AT_A_TIME)

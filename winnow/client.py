"""Client of a Winnow server: check addresses, submit a list, wait, download.

    >>> from winnow.client import Client
    >>> with Client("http://localhost:8501/v1/external-api-requests", key) as client:
    ...     client.check("ana@mailinator.com")["category"]
    ...     client.clean("list.csv", "list-checked.csv")

Answers are dictionaries as the API's reference describes them. It needs ``httpx``, no other part
of Winnow.
"""

import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Self
from urllib.parse import quote

import httpx

POLL_SECONDS = 2.0
_MOST_RETRIES = 5
_RETRIED = frozenset({429, 503})  # with Retry-After
_LONGEST_PAUSE_SECONDS = 60.0


class ApiError(Exception):
    """The server refused a request, or what answered is not Winnow's API.

    Attributes:
        status: The HTTP status.
        problem: The answer (RFC 9457): ``code``, ``detail``, ``request_id`` …
    """

    def __init__(self, status: int, problem: Mapping[str, Any]) -> None:
        super().__init__(f"{status}: {problem.get('detail', 'no detail')}")
        self.status = status
        self.problem = problem


class TaskFailed(Exception):
    """A list could not be cleaned; it was not charged. ``error`` says why."""

    def __init__(self, error: Mapping[str, Any]) -> None:
        super().__init__(str(error.get("detail", "the list failed")))
        self.error = error


class Client:
    """Calls one server with one key. Not for several threads at once."""

    def __init__(self, base_url: str, key: str, *, timeout_seconds: float = 60.0) -> None:
        """Remember where the API is; ``base_url`` ends in ``/v1/external-api-requests``."""
        self._http = httpx.Client(
            base_url=base_url, headers={"X-API-Key": key}, timeout=timeout_seconds
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def check(self, email: str) -> dict[str, Any]:
        """Check one address.

        Raises:
            ApiError: The request was refused.
            httpx.HTTPError: The server cannot be reached.
        """
        return self._ask("POST", f"/check-email?email={quote(email)}")  # a blank as %20

    def check_many(self, emails: Sequence[str]) -> list[dict[str, Any]]:
        """Check up to 1,000 addresses; the answers are in their order. Errors as of ``check``."""
        answer = self._ask("POST", "/check-emails", json={"emails": list(emails)})
        results: list[dict[str, Any]] = answer["results"]
        return results

    def submit(self, path: str | Path, **fields: str | bool) -> str:
        """Submit a list (CSV, TSV or XLSX) and return its task's id. Errors as of ``check``.

        Args:
            path: The file.
            fields: Form fields of the API: ``project_name``, ``deduplicate``, ``email_column`` …
        """
        words = {
            name: str(value).lower() if isinstance(value, bool) else value
            for name, value in fields.items()
        }
        with Path(path).open("rb") as file:
            files = {"file": (Path(path).name, file)}
            answer = self._ask("POST", "/batch-check-emails", data=words, files=files)
        task_id: str = answer["task_id"]
        return task_id

    def wait(self, task_id: str, *, timeout_seconds: float | None = None) -> dict[str, Any]:
        """Wait until a task is completed and return its status.

        Raises:
            TaskFailed: The list could not be cleaned.
            TimeoutError: It takes longer; it goes on, and can be waited for again.
            ApiError, httpx.HTTPError: As ``check``.
        """
        end = None if timeout_seconds is None else time.monotonic() + timeout_seconds
        while True:
            status = self._ask("GET", f"/batch-check-status/{task_id}")
            if status["status"] == "completed":
                return status
            if status["status"] == "failed":
                raise TaskFailed(status.get("error", {}))
            if end is not None and time.monotonic() >= end:
                msg = f"the list is not done after {timeout_seconds:g} seconds"
                raise TimeoutError(msg)
            time.sleep(POLL_SECONDS)

    def download(self, task_id: str, out: str | Path) -> None:
        """Write the result of a completed task; a file that is there is replaced once it is whole.

        Raises:
            ApiError, httpx.HTTPError: As ``check``; no file is left.
            OSError: The file cannot be written.
        """
        url = self._ask("GET", f"/batch-task-download/{task_id}")["download_url"]
        target = Path(out)
        part = target.with_name(f".{target.name}.part")
        try:
            with (
                httpx.stream("GET", url, timeout=self._http.timeout) as answer,
                part.open("wb") as file,
            ):
                answer.raise_for_status()
                for chunk in answer.iter_bytes():
                    file.write(chunk)
            part.replace(target)
        finally:
            part.unlink(missing_ok=True)

    def clean(self, path: str | Path, out: str | Path, **fields: str | bool) -> dict[str, Any]:
        """Submit a list, wait, download the result; return the status. Errors as of the three."""
        task_id = self.submit(path, **fields)
        status = self.wait(task_id)
        self.download(task_id, out)
        return status

    def _ask(self, method: str, path: str, **content: Any) -> dict[str, Any]:
        """Send a request; where the server says when to come back, wait and send it again."""
        for _ in range(_MOST_RETRIES):
            answer = self._http.request(method, path, **content)
            pause = answer.headers.get("Retry-After", "")
            is_file = "files" in content  # its file has been read
            if answer.status_code not in _RETRIED or not pause.isdecimal() or is_file:
                break
            time.sleep(min(float(pause), _LONGEST_PAUSE_SECONDS))
        is_json = "json" in answer.headers.get("Content-Type", "")
        found: dict[str, Any] = answer.json() if is_json else {}
        if not answer.is_success or not is_json:  # a page of a proxy is no answer of the API
            raise ApiError(answer.status_code, found)
        return found

"""A whole backend on a temporary folder, with a clock that tests move."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from threading import Event
from typing import Any

from winnow.core.identities import LOCAL_ACCOUNT
from winnow.core.lists.exports import DownloadLink, Export
from winnow.core.lists.file_format import FileFormat
from winnow.core.lists.rows import RowFilter, Variant
from winnow.core.lists.upload import Upload
from winnow.core.ports import Registries, Resolver, StaticKnowledge
from winnow.core.seen_clock import begin_at
from winnow.core.settings import Settings
from winnow.core.tasks.input_plan import InputPlan
from winnow.core.tasks.run_request import RunRequest
from winnow.core.tasks.task import KeyType, Phase, Progress, Task, TaskState
from winnow.core.verdicts.facts import (
    AgeAnswer,
    DnsAnswer,
    DomainFacts,
    Evidence,
    Listing,
)
from winnow.core.verdicts.reasons import Reason
from winnow.network.hook_client import HookClient
from winnow.services.results.link_files import OpenDownload
from winnow.services.services import Services
from winnow.storage.repositories.seen_clock import write_seen_clock
from winnow.wiring import Application, build_application

DISPOSABLE = DomainFacts(
    "throwaway.example",
    listings=(
        Listing("one", "family one", "throwaway.example", date(2026, 3, 2)),
        Listing("two", "family two", "throwaway.example", date(2025, 12, 31)),
    ),
    premium=False,
)
MAILBOXES = DomainFacts("mailboxes.example", free=Listing("free", "free", "mailboxes.example"))
KNOWN = {facts.domain: facts for facts in (DISPOSABLE, MAILBOXES)}

LIST = (
    b"id,email\r\n"
    b"01,one@mailboxes.example\r\n"
    b"02,ONE@mailboxes.example\r\n"
    b"03,two@throwaway.example\r\n"
    b"04,not an address\r\n"
)
CHECKED_LIST = (
    b"id,email,category,domain_type\r\n"
    b"02,ONE@mailboxes.example,white,free\r\n"
    b"03,two@throwaway.example,black,disposable\r\n"
    b"04,not an address,black,invalid\r\n"
)
OpenApplication = Callable[..., Application]
"""Opens a backend with settings and doubles (``open_test_application``)."""


@dataclass(slots=True)
class Clock:
    """Stands still until it is moved."""

    now: datetime = field(default_factory=lambda: datetime(2026, 11, 20, 12, tzinfo=UTC))

    def __call__(self) -> datetime:
        return self.now

    def advance(self, **amount: float) -> None:
        """Move on by a timedelta."""
        self.now += timedelta(**amount)


class Interrupted:
    """Stands before an object; something happens before each call of a method, in turn."""

    def __init__(self, inner: object, name: str, *acts: Callable[[], object]) -> None:
        getattr(inner, name)  # else nothing would happen, and the test would pass
        self._inner, self._name, self._acts = inner, name, list(acts)

    def __getattr__(self, name: str) -> Any:
        if name == self._name and self._acts:
            self._acts.pop(0)()
        return getattr(self._inner, name)


class LoudResolver:
    """Fails whoever asks it: nothing may leave the machine."""

    def ask(
        self,
        question: str,
        names: Iterable[str],
        *,
        budget_seconds: float,
        tick: Callable[[int], None],
    ) -> Iterator[tuple[str, DnsAnswer]]:
        raise AssertionError("DNS was asked")


class LoudRegistries:
    """Fails whoever asks it, too."""

    def ask_ages(
        self, domains: Iterable[str], *, budget_seconds: float, tick: Callable[[int], None]
    ) -> Iterator[tuple[str, AgeAnswer]]:
        raise AssertionError("a registry was asked")

    def name_registry(self, domain: str) -> str | None:
        raise AssertionError("a registry was looked for")


def fetch_loudly(address: str) -> bytes:
    """Fail whoever fetches a list."""
    raise AssertionError(f"{address} was asked")


def open_test_application(
    root: Path,
    clock: Callable[[], datetime],
    resolver: Resolver | None = None,
    registries: Registries | None = None,
    fetch: Callable[[str], bytes] = fetch_loudly,
    open_hook_client: Callable[[], HookClient] | None = None,
    known: Mapping[str, DomainFacts] = KNOWN,
    data_version: str = "static",
    **settings: Any,
) -> Application:
    """Open a data folder with knowledge from a table; what is not given fails loudly if asked."""
    return build_application(
        Settings(data_dir=root / "data", **settings),
        clock=clock,
        open_knowledge=lambda: StaticKnowledge(known, data_version=data_version),
        open_resolver=lambda: resolver or LoudResolver(),
        open_registries=lambda: registries or LoudRegistries(),
        fetch=fetch,
        open_hook_client=open_hook_client,
    )


def stage(opened: Application, content: bytes = LIST, *, name: str = "list.csv") -> Upload:
    """Upload a list for the local account."""
    with opened.services.uploads.begin(LOCAL_ACCOUNT, name, len(content)) as writer:
        writer.write(content)
        return writer.finish()


def submit(opened: Application, content: bytes = LIST, **options: Any) -> Task:
    """Upload and submit a list for the local account, with fields of its request."""
    upload = stage(opened, content, name=options.pop("name", "list.csv"))
    names = {field.name for field in fields(RunRequest)} & options.keys()
    request = RunRequest(**{name: options.pop(name) for name in names})
    options = {"project_name": "spring", **options}
    return opened.services.tasks.submit(LOCAL_ACCOUNT, upload.upload_id, request, **options)


def make_task(name: str = "spring", **fields: Any) -> Task:
    """Return a task that no store has; it was submitted as the clock begins."""
    usual: dict[str, Any] = {
        "task_id": name,
        "account": LOCAL_ACCOUNT,
        "file_name": "list.csv",
        "key_type": KeyType.LIVE,
        "plan": InputPlan(FileFormat.CSV, 0, ("email",)),
        "state": TaskState.COMPLETED,
        "progress": Progress(Phase.INDEXING),
        "submitted_at": Clock().now,
        "expires_at": Clock().now,
    }
    return Task(project_name=name, **usual | fields)


def run(opened: Application) -> None:
    """Work on everything that waits."""
    while opened.services.runs.run_next("test", Event()) is not None:
        pass


def complete(opened: Application, content: bytes = LIST, **options: Any) -> Task:
    """Submit a list, work on it, and return the task as it is then."""
    task = submit(opened, content, **options)
    run(opened)
    return opened.services.tasks.get(LOCAL_ACCOUNT, task.task_id)


def delete_for_good(services: Services, task_id: str) -> None:
    """Delete a project and end the time for undo."""
    assert services.deletions.delete(LOCAL_ACCOUNT, [task_id]) is not None
    services.deletions.finish(LOCAL_ACCOUNT, [task_id])


def sweep(opened: Application) -> None:
    """Remove what has expired, as on a machine whose clock has been believed for days."""
    now = opened.services.clock()
    write_seen_clock(opened.database, begin_at(now))
    opened.services.retention.sweep(now)


def send(opened: Application, task: Task, export: Export) -> tuple[str, bytes]:
    """Return the name and the bytes of a file by a new link; its size must be what is said."""
    link = opened.services.downloads.issue(LOCAL_ACCOUNT, task.task_id, export)
    sent = follow(opened, link)
    names = (sent.file_name, link.file_name)  # of another extension where it is split
    assert len({name.rpartition(".")[0] for name in names}) == 1
    content = b"".join(sent.read_content())
    return sent.file_name, content


def follow(opened: Application, link: DownloadLink) -> OpenDownload:
    """Return what a link leads to."""
    return opened.services.downloads.open(link.path.rpartition("/")[2])


def receive(opened: Application, content: bytes, name: str = "list.csv") -> Upload:
    """Return an upload of the local account that has arrived and is in no list of them yet."""
    with opened.services.uploads.begin(LOCAL_ACCOUNT, name, None, formats=None) as writer:
        writer.write(content)
        return writer.receive()


def explain(opened: Application, task: Task, number: int = 1) -> tuple[Evidence, ...]:
    """Return the evidence for a row of a project."""
    results = opened.services.results
    row = results.row(LOCAL_ACCOUNT, task.task_id, number)
    return results.explain(LOCAL_ACCOUNT, task.task_id, row).evidence


def download(opened: Application, task: Task, variant: Variant = Variant.AUGMENTED) -> bytes:
    """Return one of a project's files."""
    return send(opened, task, Export(variant))[1]


def measure_use(opened: Application) -> tuple[int, int]:
    """Return the used and the reserved bytes of the local account."""
    use = opened.services.usage.storage(LOCAL_ACCOUNT)
    return use.used_bytes, use.reserved_bytes


def read_verdicts(opened: Application, task: Task) -> dict[str, tuple[str, tuple[Reason, ...]]]:
    """Return domain type and reasons of each row of a project, by address."""
    page = opened.services.results.rows(LOCAL_ACCOUNT, task.task_id, RowFilter(), 0, 1000)
    return {
        row.email: (row.verdict.domain_type.value, tuple(row.verdict.reasons)) for row in page.rows
    }

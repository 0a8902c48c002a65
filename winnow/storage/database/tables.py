"""The tables, as SQLAlchemy Core sees them. Plain types only: SQLite today, PostgreSQL as well."""

from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    Dialect,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    TypeDecorator,
    UniqueConstraint,
)

from winnow.words import pack_sentences, unpack_sentences

OLDEST_VERSION, SCHEMA_VERSION = 6, 30
OPENED = range(OLDEST_VERSION, SCHEMA_VERSION + 1)
"""Schemas that are opened: from 0.2 on, the first release whose data folders are."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


class UtcTime(TypeDecorator[datetime]):
    """A time in UTC as whole microseconds since 1970: sorts and compares the same everywhere."""

    impl = BigInteger
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> int | None:
        """Turn an aware time into microseconds."""
        return None if value is None else (value - _EPOCH) // _MICROSECOND

    def process_result_value(self, value: int | None, dialect: Dialect) -> datetime | None:
        """Turn microseconds into an aware time."""
        return None if value is None else _EPOCH + value * _MICROSECOND


class SentenceJson(TypeDecorator[Any]):
    """JSON in which sentences keep their patterns and fields; texts of 0.2 are as they were."""

    impl = JSON(none_as_null=True)
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Dialect) -> Any:
        """Take sentences apart."""
        return pack_sentences(value)

    def process_result_value(self, value: Any, dialect: Dialect) -> Any:
        """Make sentences again."""
        return unpack_sentences(value)


metadata = MetaData()

schema_version = Table("schema_version", metadata, Column("version", Integer, primary_key=True))

table_versions = Table(  # one more with every changed row: triggers of SQLite count
    "table_versions",
    metadata,
    Column("name", Text, primary_key=True),
    Column("version", BigInteger, nullable=False),
)

accounts = Table(
    "accounts",
    metadata,
    Column("name", Text, primary_key=True),
    Column("quota_bytes", BigInteger),  # in folders of before; the setting is the quota
    Column("used_bytes", BigInteger, nullable=False, default=0),  # own lists and their undo, too
    Column("reserved_bytes", BigInteger, nullable=False, default=0),
    Column("remembers_noes", Boolean),  # the never-mail list is on
    Column("created_at", UtcTime, nullable=False),
    CheckConstraint("used_bytes >= 0 AND reserved_bytes >= 0"),
)

reservations = Table(
    "reservations",
    metadata,
    Column("upload_id", Text, primary_key=True),
    Column("account", ForeignKey("accounts.name"), nullable=False),
    Column("size_bytes", BigInteger, nullable=False),
    CheckConstraint("size_bytes >= 0"),
)

uploads = Table(
    "uploads",
    metadata,
    Column("upload_id", Text, primary_key=True),
    Column("account", ForeignKey("accounts.name"), nullable=False),
    Column("file_name", Text, nullable=False),
    Column("size_bytes", BigInteger, nullable=False, default=0),
    Column("sha256", Text),  # None: still on its way
    Column("created_at", UtcTime, nullable=False),
    Column("merge", JSON(none_as_null=True)),  # as Merge writes it; None: of no files
    Column("merged_into", Text),  # the merged list that has its rows; None: none
    Column("mail", JSON(none_as_null=True)),  # decided before the run, as MailDecisions
    Column("project_name", Text),  # as typed before the run
)

tasks = Table(
    "tasks",
    metadata,
    Column("task_id", Text, primary_key=True),
    Column("account", ForeignKey("accounts.name"), nullable=False),
    Column("upload_id", Text, nullable=False),  # the input's name under inputs/
    Column("project_name", Text, nullable=False),
    Column("file_name", Text, nullable=False),
    Column("key_type", Text, nullable=False),
    Column("deduplicate", Boolean, nullable=False),
    Column("plan", JSON, nullable=False),
    Column("input_bytes", BigInteger, nullable=False),
    Column("input_sha256", Text, nullable=False),
    Column("idempotency_key", Text),
    Column("state", Text, nullable=False),
    # The lease: attempt is the fence, owner and lease_until say who works on it until when.
    Column("attempt", Integer, nullable=False, default=0),
    Column("owner", Text),
    Column("lease_until", UtcTime),
    Column("mark", Integer, nullable=False, default=0),  # how far this attempt came
    Column("best_mark", Integer, nullable=False, default=0),  # how far any lost one came
    Column("stalled_attempts", Integer, nullable=False, default=0),
    Column("phase", Text, nullable=False),
    Column("rows_done", BigInteger, nullable=False, default=0),
    Column("rows_total", BigInteger),
    Column("bytes_done", BigInteger, nullable=False, default=0),
    Column("bytes_total", BigInteger, nullable=False, default=0),
    Column("result", Text),  # the folder's name under results/
    Column("result_bytes", BigInteger, nullable=False, default=0),
    Column("summary", JSON(none_as_null=True)),
    Column("notices", SentenceJson),
    Column("error", SentenceJson),
    Column("created_at", UtcTime, nullable=False),
    Column("completed_at", UtcTime),
    Column("expires_at", UtcTime, nullable=False),
    Column("deleted_at", UtcTime),
    Column("fields_digest", Text),  # of what else came with the idempotency key
    Column("options", JSON(none_as_null=True)),  # as RunRequest writes them; None: the usual
    Column("key_prefix", Text),  # of the API key that submitted it; None: a page
    Column("undo_until", UtcTime),  # deleted by hand, can be undone until then; None: not deleted
    UniqueConstraint("account", "idempotency_key"),
    Index("tasks_to_claim", "state", "attempt", "created_at"),
    Index(  # all that ``list_names`` reads: rows have kilobytes of JSON before their last columns
        "tasks_present",
        "account",
        "created_at",
        "task_id",
        "deleted_at",
        "undo_until",
        "expires_at",
        "project_name",
    ),
    Index("tasks_set_aside", "undo_until"),
)

usage_ledger = Table(
    "usage_ledger",
    metadata,
    Column("task_id", Text, primary_key=True),
    Column("kind", Text, primary_key=True),
    Column("account", ForeignKey("accounts.name"), nullable=False),
    Column("count", BigInteger, nullable=False),
    Column("day", Text, nullable=False),
    Column("at", UtcTime, nullable=False),
    Index("ledger_by_day", "account", "day"),
)

single_usage = Table(
    "single_usage",
    metadata,
    Column("account", ForeignKey("accounts.name"), primary_key=True),
    Column("day", Text, primary_key=True),
    Column("count", BigInteger, nullable=False),
)

api_keys = Table(
    "api_keys",
    metadata,
    Column("prefix", Text, primary_key=True),
    Column("account", ForeignKey("accounts.name"), nullable=False),
    Column("name", Text, nullable=False),
    Column("key_type", Text, nullable=False),
    Column("secret_hash", LargeBinary, nullable=False),
    Column("created_at", UtcTime, nullable=False),
    Column("last_used_at", UtcTime),
    Column("use_count", BigInteger, nullable=False, default=0),
    Column("revoked_at", UtcTime),
    Column("maker", Text),  # a person's name; None: the account's
)

hooks = Table(
    "hooks",
    metadata,
    Column("prefix", ForeignKey("api_keys.prefix"), primary_key=True),
    Column("url", Text, nullable=False),
    Column("salt", LargeBinary, nullable=False),  # its secret is derived from it and the pepper
)

hook_deliveries = Table(
    "hook_deliveries",
    metadata,
    Column("task_id", ForeignKey("tasks.task_id"), primary_key=True),  # a task ends once
    Column("prefix", ForeignKey("api_keys.prefix"), nullable=False),
    Column("state", Text, nullable=False),
    Column("created_at", UtcTime, nullable=False),
    Column("due_at", UtcTime, nullable=False),
    Column("attempt", Integer, nullable=False),  # the fence
    Column("tries_left", Integer, nullable=False),
    Column("lease_until", UtcTime),
    Column("tried_at", UtcTime),
    Column("outcome", Text),
    Index("hook_deliveries_due", "state", "due_at"),
    Index("hook_deliveries_of_key", "prefix", "created_at"),
)

people = Table(
    "people",
    metadata,
    Column("name", Text, primary_key=True),  # lower case; all are in the account ``local``
    Column("role", Text, nullable=False),
    Column("credential", Text, nullable=False),  # as services.accounts.people writes it
    Column("created_at", UtcTime, nullable=False),
)

audit_log = Table(
    "audit_log",
    metadata,
    Column("entry_id", Integer, primary_key=True),
    Column("recorded_at", UtcTime, nullable=False),
    Column("person", Text, nullable=False),
    Column("key", Text, nullable=False),
    Column("event", Text, nullable=False),
    Column("subject", Text, nullable=False),
    Index("audit_log_by_time", "recorded_at"),
)

key_usage = Table(
    "key_usage",
    metadata,
    Column("prefix", Text, primary_key=True),
    Column("month", Text, primary_key=True),  # YYYY-MM
    Column("kind", Text, primary_key=True),
    Column("count", BigInteger, nullable=False),
)

bans = Table(
    "bans",
    metadata,
    Column("client", Text, primary_key=True),
    Column("attempts_taken", Integer, nullable=False),
    Column("lapses_at", UtcTime, nullable=False),
)

links = Table(
    "links",
    metadata,
    Column("token_hash", Text, primary_key=True),
    Column("task_id", ForeignKey("tasks.task_id"), nullable=False),
    Column("variant", Text, nullable=False),
    Column("expires_at", UtcTime, nullable=False),
    Column("choice", JSON(none_as_null=True)),  # what else was chosen; None: nothing
    Column("session_hash", Text),  # of the sign-in that asked for it; None: of no sign-in
    Column("person", Text),  # who asked for it
    Column("is_used", Boolean),  # its first use is in the audit log
    Index("links_of_task", "task_id"),
)

desk_sessions = Table(
    "desk_sessions",
    metadata,
    Column("token_hash", Text, primary_key=True),
    Column("password_digest", Text, nullable=False),  # of the password that it was opened with
    Column("expires_at", UtcTime, nullable=False),
    Column("person", Text),  # None: signed in with the one password
)

known_clients = Table(  # where someone has signed in
    "known_clients",
    metadata,
    Column("client_hash", Text, primary_key=True),
    Column("signed_in_at", UtcTime, nullable=False),
)

recent_checks = Table(
    "recent_checks",
    metadata,
    Column("check_id", Integer, primary_key=True),
    Column("account", ForeignKey("accounts.name"), nullable=False),
    Column("email", Text, nullable=False),
    Column("verdict", JSON, nullable=False),
    Column("checked_at", UtcTime, nullable=False),
    Index("checks_of_account", "account", "check_id"),
)

switches = Table(
    "switches",
    metadata,
    Column("name", Text, primary_key=True),
    Column("is_on", Boolean, nullable=False),
    Column("changed_at", UtcTime, nullable=False),
)

domain_answers = Table(
    "domain_answers",
    metadata,
    Column("name", Text, primary_key=True),
    Column("question", Text, primary_key=True),  # mail, ns: of a domain; address: of a host
    Column("route", Text, nullable=False),
    Column("targets", Text, nullable=False),  # hosts or addresses, the preferred first, by blanks
    Column("asked_at", UtcTime, nullable=False),
    Column("expires_at", UtcTime, nullable=False),
    sqlite_with_rowid=False,  # one tree to write instead of two: lists bring many at once
)

domain_ages = Table(
    "domain_ages",
    metadata,
    Column("domain", Text, primary_key=True),  # a registrable one
    Column("registered_at", UtcTime),  # None: its registry does not say
    Column("asked_at", UtcTime, nullable=False),
    Column("expires_at", UtcTime, nullable=False),
    sqlite_with_rowid=False,
)

mail_servers = Table(
    "mail_servers",
    metadata,
    Column("server", Text, primary_key=True),  # a mail host, or its address
    Column("domain", Text, primary_key=True),  # a known one that it serves
    Column("is_disposable", Boolean, nullable=False),  # else: known to be honest
    Column("seen_at", UtcTime, nullable=False),
)

network_use = Table(
    "network_use",
    metadata,
    Column("switch", Text, primary_key=True),
    Column("day", Text, primary_key=True),
    Column("count", BigInteger, nullable=False),
)

own_entries = Table(
    "own_entries",
    metadata,
    Column("account", ForeignKey("accounts.name"), primary_key=True),
    Column("pattern", Text, primary_key=True),  # as core.own_lists.Pattern.text
    Column("kind", Text, nullable=False),
    Column("category", Text, nullable=False),
    Column("note", Text, nullable=False, default=""),
    Column("added_at", UtcTime, nullable=False),
    Index("own_entries_by_age", "account", "added_at"),
)

own_changes = Table(
    "own_changes",
    metadata,
    Column("change_id", Integer, primary_key=True),
    Column("account", ForeignKey("accounts.name"), nullable=False),
    Column("made_at", UtcTime, nullable=False),
    Column("added", Integer, nullable=False),
    Column("changed", Integer, nullable=False),
    Column("removed", Integer, nullable=False),
    Column("steps", JSON, nullable=False),  # each entry before, and what differs after; null: none
    Column("size_bytes", BigInteger),  # as it counts toward the quota; None: it does not
    Index("own_changes_by_account", "account", "change_id"),
    sqlite_autoincrement=True,
)

own_list_versions = Table(
    "own_list_versions",
    metadata,
    Column("account", ForeignKey("accounts.name"), primary_key=True),
    Column("version", BigInteger, nullable=False),  # one more with every change
)

policies = Table(
    "policies",
    metadata,
    Column("account", ForeignKey("accounts.name"), primary_key=True),
    Column("policy_id", Text, primary_key=True),
    Column("name", Text, nullable=False),
    Column("name_key", Text, nullable=False),  # the name without case
    Column("choice", JSON(none_as_null=True)),  # as DownloadChoice writes it; None: nothing chosen
    Column("is_default", Boolean, nullable=False),
    Column("place", Integer, nullable=False),  # in the order that they were made
    UniqueConstraint("account", "name_key"),
)

mail_choices = Table(
    "mail_choices",
    metadata,
    Column("account", ForeignKey("accounts.name"), primary_key=True),
    Column("headings", Text, primary_key=True),  # the hash of a list's set of headings
    Column("decisions", JSON, nullable=False),  # as MailDecisions
    Column("decided_at", UtcTime, nullable=False),
    Column("last_list", JSON(none_as_null=True)),  # as LastList; None: none has finished yet
)

own_files = Table(
    "own_files",
    metadata,
    Column("file_id", Text, primary_key=True),  # the name of its hashes under ownfiles/
    Column("account", ForeignKey("accounts.name"), nullable=False),
    Column("kind", Text, nullable=False),
    Column("upload_id", Text),  # of the list that it belongs to; None: the account's
    Column("said_by", Text),  # hash of the list that put it on the never-mail list; None: not there
    Column("file_name", Text, nullable=False),
    Column("size_bytes", BigInteger, nullable=False, default=0),
    Column("sha256", Text),  # None: on its way, or going
    Column("counts", JSON(none_as_null=True)),  # what it named; no address, no cell
    Column("created_at", UtcTime, nullable=False),
    Index("own_files_of_account", "account", "kind"),
    Index("own_files_of_upload", "upload_id"),
)

COUNTED = (people, switches, own_list_versions, policies, own_files)
"""Tables that pages read and that lists under way leave alone."""

"""Recipe: the settings of a cleaning as a small TOML file, for the next list of its kind."""

import tomllib
from typing import Literal

import tomli_w
from msgspec import Struct, ValidationError, convert, to_builtins
from msgspec.structs import asdict

from winnow.core.addresses.repair_kinds import RepairKind
from winnow.core.errors import BadField
from winnow.core.lists.platforms import Platform
from winnow.core.lists.silence import DayOrder
from winnow.core.meaning.columns import (
    LISTED_CHARACTERS,
    NO_DECISIONS,
    VALUES_LISTED,
    MailDecisions,
)
from winnow.core.tasks.keep_rule import MAILBOX_HINT, Keep, KeepChoice
from winnow.core.tasks.repair_choice import SAFE_REPAIRS, RepairChoice, RepairPlace
from winnow.core.tasks.task import Task

RECIPE_MAX_BYTES = 65_536
_COLUMNS = ("email_column", "second_email_column", "keep_by", "silent_by")
_HEAD = "# Winnow recipe: winnow clean LIST --recipe THIS-FILE\n"


class RepairTable(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Repairs of a recipe; never of single addresses."""

    kinds: tuple[RepairKind, ...] = ()
    place: RepairPlace = RepairPlace.COLUMN
    domains: dict[str, str] = {}

    def __post_init__(self) -> None:
        if any("@" in old + new for old, new in self.domains.items()):
            msg = "repair.domains must be domains"
            raise ValueError(msg)


class DecisionTable(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Decisions of a recipe: which columns are about mail, which values may be mailed."""

    columns: dict[str, bool] = {}
    values: dict[str, dict[str, bool]] = {}

    def __post_init__(self) -> None:
        for values in self.values.values():
            is_long = any(len(one) > LISTED_CHARACTERS or "@" in one for one in values)
            if is_long or len(values) > VALUES_LISTED:
                msg = "mail.values must be at most 50 short values a column"
                raise ValueError(msg)


class Recipe(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Settings of a cleaning; None leaves a setting as it usually is.

    Columns are names, or positions from 1. ``policy`` is the name of the policy that removes rows,
    ``platform`` the mail platform whose files are written. ``silent_months`` leaves out who has
    been silent, by the dates of ``silent_by``, ``silent_order`` first.
    """

    email_column: str | None = None
    header: bool | None = None
    second_email_column: str | None = None
    deduplicate: bool | None = None
    keep: Keep | None = None
    keep_by: str | None = None
    join_aliases: bool | None = None
    policy: str | None = None
    silent_months: Literal[3, 6, 12, 18, 24, 36] | None = None  # SILENT_MONTHS
    silent_by: str | None = None
    silent_order: DayOrder | None = None
    platform: Platform | None = None
    repair: Literal["safe"] | RepairTable | None = None
    mail: DecisionTable | None = None

    @property
    def decisions(self) -> MailDecisions:
        """What was decided of the columns that say who may be mailed."""
        table = self.mail
        return NO_DECISIONS if table is None else MailDecisions(table.columns, table.values)

    @property
    def repairs(self) -> RepairChoice | None:
        """Which repairs are made."""
        table = self.repair
        if not isinstance(table, RepairTable):
            return None if table is None else SAFE_REPAIRS
        return RepairChoice(frozenset(table.kinds), table.domains, place=table.place)

    @property
    def form_fields(self) -> dict[str, str]:
        """The settings as form fields of the API, without those that are no text."""
        values = asdict(self).items()
        tables = ("repair", "mail")
        return {name: str(one) for name, one in values if one is not None and name not in tables}


def make_recipe(
    task: Task, policy: str | None, platform: Platform | None, silent_months: int = 0
) -> Recipe:
    """Return the settings that a project was cleaned and downloaded with."""
    plan, options = task.plan, task.options
    keep, date_column, repair = options.keep.keep, options.keep.date_column, options.repair
    second, mail, silent = plan.second_email_column, options.mail, options.silence
    values = {name: dict(some) for name, some in mail.values.items()}
    return Recipe(
        email_column=_name_column(plan.columns, plan.email_column),
        header=None if plan.has_header else False,
        second_email_column=None if second is None else _name_column(plan.columns, second),
        deduplicate=None if task.deduplicate else False,
        keep=None if keep is Keep.LAST else keep,
        keep_by=None if date_column is None else _name_column(plan.columns, date_column),
        join_aliases=options.keep.joins_aliases or None,
        policy=policy and str(policy),  # one of a new account is a translatable text
        silent_months=silent_months or None,  # type: ignore[arg-type]
        silent_by=None if silent.column is None else _name_column(plan.columns, silent.column),
        silent_order=silent.order,
        platform=platform,
        repair=None
        if repair is None
        else RepairTable(tuple(sorted(repair.kinds)), repair.place, dict(repair.domains)),
        mail=None if mail == NO_DECISIONS else DecisionTable(dict(mail.columns), values),
    )


def _name_column(columns: tuple[str, ...], index: int) -> str:
    """Return a column's name, or its position from 1: for one blank, shared, or like an address."""
    name = columns[index].strip() if index < len(columns) else ""
    is_own = (
        bool(name)
        and not name.isdecimal()
        and "@" not in name
        and [one.strip() for one in columns].count(name)
    )
    return name if is_own == 1 else str(index + 1)


def write_recipe(recipe: Recipe) -> str:
    """Return a recipe as TOML 1.0; ``parse_recipe`` reads it."""
    return _HEAD + tomli_w.dumps(to_builtins(recipe))


def parse_recipe(text: str) -> Recipe:
    """Read a recipe.

    Raises:
        BadField: It is too long or not TOML, or has a key that is unknown or of another type.
    """
    if len(text) > RECIPE_MAX_BYTES:
        raise BadField("recipe", "is longer than {most} bytes", most=RECIPE_MAX_BYTES)
    try:
        values = tomllib.loads(text)
        if "mailbox" in values:
            raise BadField("mailbox", "was removed", hint=MAILBOX_HINT)
        positions = {name: values[name] for name in _COLUMNS if type(values.get(name)) is int}
        values |= {name: str(position) for name, position in positions.items()}
        recipe = convert(values, Recipe)
        KeepChoice(recipe.keep or Keep.LAST, recipe.keep_by)
    except ValidationError as error:
        raise _refuse("cannot be used: {problem}", error) from error
    except (ValueError, RecursionError) as error:  # ValueError: also a number of 4,300 digits
        raise _refuse("is not TOML: {problem}", error) from error
    except BadField as error:
        raise BadField(
            "recipe", "{name} {problem}", name=error.field, problem=error.problem, hint=error.hint
        ) from error
    return recipe


def _refuse(problem: str, error: Exception) -> BadField:
    """Return an error with the start of another's text, which must not carry an address."""
    text = str(error)
    return BadField("recipe", problem, problem="…" if "@" in text else text[:200])

"""Recipe: the settings of a cleaning as a small TOML file, for the next list of its kind.

What holds for one list alone is not in it: how its text is read, groups left out, repairs of single
addresses, of which files or which task it was made.
"""

import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace
from operator import attrgetter
from pathlib import Path
from typing import Any, Literal

from msgspec import Struct, ValidationError, convert, structs, to_builtins

from winnow.core.addresses.repair_kinds import RepairKind
from winnow.core.errors import BadField, WinnowError
from winnow.core.lists.cleaning import WhoDecides
from winnow.core.lists.platforms import Platform
from winnow.core.lists.silence import DayOrder
from winnow.core.meaning.columns import LISTED_CHARACTERS, VALUES_LISTED, MailDecisions
from winnow.core.tasks.keep_rule import DATED, MAILBOX_HINT, Keep
from winnow.core.tasks.repair_choice import SAFE_REPAIRS, RepairChoice, RepairPlace
from winnow.core.tasks.run_request import USUAL, RunRequest

RECIPE_MAX_BYTES = 65_536
_COLUMNS = ("email_column", "second_email_column", "keep_by", "silent_by")
_WHERE = {
    **{one: one for one in ("email_column", "second_email_column", "deduplicate", "who_decides")},
    "header": "choices.has_header",
    "keep": "keep.keep",
    "keep_by": "keep.keep_by",
    "join_aliases": "keep.joins_aliases",
    "silent_by": "silence.column",
    "silent_order": "silence.order",
    "repair": "repair",
    "mail": "mail",
}
"""Fields of a request by the settings that say them; the others are of a download."""


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
    ``platform`` the mail platform whose files are written. ``who_decides`` about people who say
    both, in place of the policy. ``silent_months`` leaves out who has been silent, by the dates of
    ``silent_by``, ``silent_order`` first.
    """

    email_column: str | None = None
    header: bool | None = None
    second_email_column: str | None = None
    deduplicate: bool | None = None
    keep: Keep | None = None
    keep_by: str | None = None
    join_aliases: bool | None = None
    policy: str | None = None
    who_decides: WhoDecides | None = None
    silent_months: Literal[0, 3, 6, 12, 18, 24, 36] | None = None  # none, or of SILENT_MONTHS
    silent_by: str | None = None
    silent_order: DayOrder | None = None
    platform: Platform | None = None
    repair: Literal["safe"] | RepairTable | None = None
    mail: DecisionTable | None = None

    @property
    def decisions(self) -> MailDecisions:
        """What was decided of the columns that say who may be mailed, as written and folded."""
        table = self.mail or DecisionTable()
        found = MailDecisions(table.columns, table.values)
        for name, values in table.values.items():
            for value, is_mailed in values.items():
                found = found.decide_value(name, value, is_mailed)
        for name, is_about_mail in table.columns.items():
            found = found.decide_column(name, is_about_mail)
        return found

    @property
    def repairs(self) -> RepairChoice | None:
        """Which repairs are made."""
        table = self.repair
        if not isinstance(table, RepairTable):
            return None if table is None else SAFE_REPAIRS
        return RepairChoice(frozenset(table.kinds), table.domains, place=table.place)

    @property
    def request(self) -> RunRequest:
        """What is asked of a run; a setting that is not there is as usual."""
        values = structs.asdict(self) | {"repair": self.repairs, "mail": self.decisions}
        parts: dict[str, dict[str, Any]] = defaultdict(dict)
        for name, where in _WHERE.items():
            part, _, field = where.rpartition(".")
            if values[name] is not None:
                parts[part][field] = values[name]
        whole = parts.pop("")
        whole |= {one: replace(getattr(USUAL, one), **some) for one, some in parts.items()}
        return replace(USUAL, **whole)

    @classmethod
    def of(cls, request: RunRequest) -> "Recipe":
        """Return what a request says otherwise than usual, its columns as text."""
        fields = [(name, attrgetter(where)) for name, where in _WHERE.items()]
        chosen = {name: read(request) for name, read in fields if read(request) != read(USUAL)}
        if (repair := request.repair) is not None:
            kinds, domains = tuple(sorted(repair.kinds)), dict(repair.domains)
            chosen["repair"] = RepairTable(kinds, repair.place, domains)
        if "mail" in chosen:
            chosen["mail"] = convert(request.mail, DecisionTable, from_attributes=True)
        return cls(**chosen)


def read_recipe(path: Path) -> Recipe:
    """Read a recipe's file.

    Raises:
        BadField: It cannot be read, or is no recipe; the file is named.
    """
    try:
        text = path.read_bytes()[: RECIPE_MAX_BYTES + 1].decode()
    except OSError as error:
        raise BadField("recipe", f"{path} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise BadField("recipe", f"{path} is not UTF-8 text") from error
    try:
        return parse_recipe(text)
    except WinnowError as error:
        raise WinnowError(f"{path}: {error.detail}", hint=error.hint) from error


def parse_recipe(text: str) -> Recipe:
    """Read a recipe.

    Raises:
        BadField: It is too long or not TOML, or has a key that is unknown or of another type.
    """
    if len(text) > RECIPE_MAX_BYTES:
        raise BadField("recipe", "is longer than {most} bytes", most=RECIPE_MAX_BYTES)
    import tomllib  # few cleanings have a recipe

    try:
        return build_recipe(tomllib.loads(text))
    except (ValueError, RecursionError) as error:  # ValueError: also a number of 4,300 digits
        raise _refuse("recipe", "is not TOML: {problem}", str(error)) from error
    except BadField as error:
        if error.field == "recipe":
            raise
        raise BadField(
            "recipe", "{name} {problem}", name=error.field, problem=error.problem, hint=error.hint
        ) from error


def build_recipe(values: Mapping[str, Any]) -> Recipe:
    """Return the recipe of some settings by name, as TOML has them.

    Raises:
        BadField: Names the setting that is of another type, or the recipe if it is unknown.
    """
    if "mailbox" in values:
        raise BadField("mailbox", "was removed", hint=MAILBOX_HINT)
    texts = {name: str(values[name]) for name in _COLUMNS if type(values.get(name)) is int}
    try:
        recipe = convert({**values, **texts}, Recipe)
    except ValidationError as error:
        place = re.search(r"`\$\.(\w+)", str(error))
        field = "recipe" if place is None else place[1]
        problem = str(error).removesuffix(f" - at `$.{field}`")
        raise _refuse(field, "cannot be used: {problem}", problem) from error
    _ = recipe.request  # refuses a rule by dates without their column
    return recipe


def read_settings(recipe: Path | None, given: Mapping[str, Any]) -> Recipe:
    """Return the settings of a recipe's file, if any, with those that are given in their place.

    Args:
        recipe: The file.
        given: By name; None is not given, and what is no setting is not read.

    Raises:
        BadField: As ``read_recipe``, or names a setting.
    """
    known = {} if recipe is None else to_builtins(read_recipe(recipe))
    names = Recipe.__struct_fields__
    chosen = {name: given[name] for name in names if given.get(name) is not None}
    return build_recipe(override(known, chosen))


def override(recipe: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return a recipe's settings with others in their place; another keep rule has no dates."""
    keep = str(given.get("keep", DATED[0])).strip().lower()
    dropped = set() if keep in DATED else {"keep_by"}
    return {name: one for name, one in recipe.items() if name not in dropped} | {**given}


def _refuse(field: str, problem: str, text: str) -> BadField:
    """Return an error with the start of another's text, which must not carry an address."""
    return BadField(field, problem, problem="…" if "@" in text else text[:200])

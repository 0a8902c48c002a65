"""Recipe: the settings of a cleaning as a small TOML file, for the next list of its kind."""

import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from winnow.core.addresses.repair_kinds import RepairKind
from winnow.core.errors import BadField
from winnow.core.lists.platforms import Platform
from winnow.core.tasks.keep_rule import Keep, KeepChoice
from winnow.core.tasks.repair_choice import RepairChoice, RepairPlace, parse_repair
from winnow.core.tasks.task import Task

RECIPE_MAX_BYTES = 65_536
_HEAD = "# Winnow recipe: winnow clean LIST --recipe THIS-FILE\n"
_PLACES = [place.value for place in RepairPlace]


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """Settings of a cleaning; None leaves a setting as it usually is.

    Columns are names, or positions from 1. ``policy`` is the name of the policy that removes rows,
    ``platform`` the mail platform whose files are written. ``repair`` never has single addresses.
    """

    email_column: str | None = None
    header: bool | None = None
    second_email_column: str | None = None
    deduplicate: bool | None = None
    keep: Keep | None = None
    keep_by: str | None = None
    join_aliases: bool | None = None
    mailbox: bool | None = None
    repair: RepairChoice | None = None
    policy: str | None = None
    platform: Platform | None = None

    @property
    def form_fields(self) -> dict[str, str]:
        """The form fields of the API that say the same; ``header`` and ``repair`` have none."""
        values = {
            "email_column": self.email_column,
            "second_email_column": self.second_email_column,
            "deduplicate": _write_switch(self.deduplicate),
            "join_aliases": _write_switch(self.join_aliases),
            "mailbox": _write_switch(self.mailbox),
            "keep": self.keep,
            "keep_by": self.keep_by,
        }
        return {name: value for name, value in values.items() if value is not None}


def _write_switch(value: bool | None) -> str | None:
    return None if value is None else str(value).lower()


_TEXTS = frozenset({"email_column", "second_email_column", "keep_by", "policy"})
_SWITCHES = frozenset({"header", "deduplicate", "join_aliases", "mailbox"})


def make_recipe(task: Task, policy: str | None, platform: Platform | None) -> Recipe:
    """Return the settings that a project was cleaned and downloaded with."""
    plan, options = task.plan, task.options
    keep, date_column = options.keep.keep, options.keep.date_column
    second = plan.second_email_column
    return Recipe(
        email_column=_name_column(plan.columns, plan.email_column),
        header=None if plan.has_header else False,
        second_email_column=None if second is None else _name_column(plan.columns, second),
        deduplicate=None if task.deduplicate else False,
        keep=None if keep is Keep.LAST else keep,
        keep_by=None if date_column is None else _name_column(plan.columns, date_column),
        join_aliases=options.keep.joins_aliases or None,
        mailbox=options.keep.adds_mailbox or None,
        repair=options.repair,
        policy=policy,
        platform=platform,
    )


def _name_column(columns: tuple[str, ...], index: int) -> str:
    """Return a column's name, or its position from 1 where the name is blank or not its own."""
    name = columns[index].strip() if index < len(columns) else ""
    is_own = bool(name) and not name.isdecimal() and [one.strip() for one in columns].count(name)
    return name if is_own == 1 else str(index + 1)


def write_recipe(recipe: Recipe) -> str:
    """Return a recipe as TOML 1.0; ``parse_recipe`` reads it."""
    lines = [_HEAD]
    for field in fields(Recipe):
        value = getattr(recipe, field.name)
        if isinstance(value, bool):
            lines.append(f"{field.name} = {str(value).lower()}\n")
        elif isinstance(value, str):
            lines.append(f"{field.name} = {_quote(value)}\n")
    if recipe.repair is not None:
        kinds = ", ".join(_quote(kind) for kind in sorted(recipe.repair.kinds))
        lines += [
            f"\n[repair]\nkinds = [{kinds}]\nplace = {_quote(recipe.repair.place)}\n",
            "\n[repair.domains]\n" if recipe.repair.domains else "",
        ]
        lines += [f"{_quote(old)} = {_quote(new)}\n" for old, new in recipe.repair.domains.items()]
    return "".join(lines)


def _quote(text: str) -> str:
    """Return a TOML basic string: JSON's, but that TOML has no raw DEL (TOML 1.0, String)."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def parse_recipe(text: str) -> Recipe:
    """Read a recipe.

    Raises:
        BadField: It is too long or not TOML, or names the key that is unknown or has another type.
    """
    if len(text) > RECIPE_MAX_BYTES:
        raise BadField("recipe", "is longer than {most} bytes", most=RECIPE_MAX_BYTES)
    try:
        values = {name: _read_value(name, value) for name, value in tomllib.loads(text).items()}
    except (ValueError, RecursionError) as error:  # ValueError: also a number of 4,300 digits
        problem = _hide_address(str(error))
        raise BadField("recipe", "is not TOML: {problem}", problem=problem) from error
    recipe = Recipe(**values)
    try:
        KeepChoice(recipe.keep or Keep.LAST, recipe.keep_by)
    except BadField as error:
        raise BadField(
            "recipe", "{name} {problem}", name=error.field, problem=error.problem, hint=error.hint
        ) from error
    return recipe


def _read_value(name: str, value: Any) -> Any:
    if name in _TEXTS and isinstance(value, str | int) and not isinstance(value, bool):
        return str(value)
    if name in _SWITCHES and isinstance(value, bool):
        return value
    if name == "keep":
        return Keep(_require_one_of(name, value, list(Keep)))
    if name == "platform":
        return Platform(_require_one_of(name, value, list(Platform)))
    if name == "repair":
        return _read_repair(value)
    if name in _SWITCHES:
        raise BadField("recipe", "{name} must be true or false", name=name)
    if name in _TEXTS:
        raise BadField("recipe", "{name} must be text", name=name)
    raise BadField("recipe", "has the unknown key {name}", name=_hide_address(name))


def _hide_address(text: str) -> str:
    """Return the start of a text for an error, which never carries an address."""
    return "…" if "@" in text else text[:100]


def _read_repair(value: Any) -> RepairChoice | None:
    if value == "safe":
        return parse_repair("safe")
    if not isinstance(value, Mapping) or set(value) - {"kinds", "place", "domains"}:
        raise BadField("recipe", 'repair must be "safe", or a table of kinds, place and domains')
    kinds, domains = value.get("kinds", []), value.get("domains", {})
    if not isinstance(kinds, list) or not isinstance(domains, Mapping):
        raise BadField("recipe", "repair.kinds must be a list, repair.domains a table")
    if not all(isinstance(new, str) and "@" not in old + new for old, new in domains.items()):
        raise BadField("recipe", "repair.domains must be domains")
    wanted = [_require_one_of("repair.kinds", kind, list(RepairKind)) for kind in kinds]
    place = _require_one_of("repair.place", value.get("place", RepairPlace.COLUMN), _PLACES)
    return RepairChoice(frozenset(map(RepairKind, wanted)), dict(domains), place=RepairPlace(place))


def _require_one_of(name: str, value: Any, allowed: list[str]) -> str:
    if not isinstance(value, str) or value not in allowed:
        raise BadField(
            "recipe", "{name} must be one of {names}", name=name, names=", ".join(allowed)
        )
    return value

"""Recipe of a project: its settings, for the next list of its kind."""

from collections.abc import Mapping, Sequence, Set

import tomli_w
from msgspec import to_builtins

from winnow.core.addresses.repair_kinds import SAFE_KINDS
from winnow.core.lists.input_head import Choices
from winnow.core.lists.platforms import Platform
from winnow.core.lists.silence import USUAL_SILENCE, SilenceChoice
from winnow.core.meaning.columns import (
    LISTED_CHARACTERS,
    NO_DECISIONS,
    VALUES_LISTED,
    ColumnMeaning,
    decides_alike,
    fold_value,
)
from winnow.core.meaning.vocabulary import fold_words
from winnow.core.tasks.keep_rule import Keep, KeepRule
from winnow.core.tasks.repair_choice import RepairChoice
from winnow.core.tasks.run_request import RunRequest
from winnow.core.tasks.task import Task
from winnow.lists.recipe import DecisionTable, Recipe, RepairTable

_HEAD = "# Winnow recipe: winnow clean LIST --recipe THIS-FILE\n"


def make_recipe(
    task: Task,
    policy: str | None,
    platform: Platform | None,
    silent_months: int | None = None,
    columns: Sequence[ColumnMeaning] = (),
) -> Recipe:
    """Return the settings that a project was cleaned and downloaded with.

    Of more decided values of a column than a recipe may have, those come last that are decided so
    without it; noes come first, then what ``columns`` met in the project's list, then the newest.
    """
    plan, asked = task.plan, task.request
    keep, date_column, repair = asked.keep.keep, asked.keep.date_column, asked.repair
    second, mail, silent = plan.second_email_column, asked.mail, asked.silence
    met = {(fold_words(one.name), fold_value(word.value)) for one in columns for word in one.words}
    values = {name: _choose_values(name, some, met) for name, some in mail.values.items()}
    return Recipe(
        email_column=_name_column(plan.columns, plan.email_column),
        header=None if plan.has_header else False,
        second_email_column=None if second is None else _name_column(plan.columns, second),
        deduplicate=None if asked.deduplicate else False,
        keep=None if keep is Keep.LAST else keep,
        keep_by=None if date_column is None else _name_column(plan.columns, date_column),
        join_aliases=asked.keep.joins_aliases or None,
        policy=policy and str(policy),  # one of a new account is a translatable text
        silent_months=silent_months or None,  # type: ignore[arg-type]
        silent_by=None if silent.place is None else _name_column(plan.columns, silent.place),
        silent_order=silent.order,
        platform=platform,
        repair=None
        if repair is None
        else RepairTable(tuple(sorted(repair.kinds)), repair.place, dict(repair.domains)),
        mail=None if mail == NO_DECISIONS else DecisionTable(dict(mail.columns), values),
    )


def count_lost(task: Task, recipe: Recipe) -> int:
    """Return how many decided values of a project its recipe leaves out, and a list decides anew.

    They are more than a recipe may have of a column, or too long for one.
    """
    return sum(
        value not in recipe.decisions.values[name] and not decides_alike(name, value, is_mailed)
        for name, values in task.request.mail.values.items()
        for value, is_mailed in values.items()
    )


def _choose_values(
    name: str, decided: Mapping[str, bool], met: Set[tuple[str, str]]
) -> dict[str, bool]:
    short = [
        one for one in reversed([*decided]) if len(one) <= LISTED_CHARACTERS and "@" not in one
    ]
    short.sort(
        key=lambda one: (
            decides_alike(name, one, decided[one]),
            decided[one],
            (name, one) not in met,
        )
    )
    chosen = set(short[:VALUES_LISTED])
    return {one: is_mailed for one, is_mailed in decided.items() if one in chosen}


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


def fit_recipe(recipe: Recipe, columns: Sequence[str]) -> RunRequest:
    """Return a recipe's settings for a list on pages; columns without a name of their own do not.

    On pages the repairs are the safe ones.
    """

    def find(name: str | None) -> int | None:
        if name is None or name.isdecimal():
            return None
        places = [place for place, one in enumerate(columns) if fold_words(one) == fold_words(name)]
        return places[0] if len(places) == 1 else None

    date = find(recipe.keep_by)
    keep = recipe.keep or Keep.LAST
    keep = Keep.LAST if (keep is Keep.NEWEST) != (date is not None) else keep
    silent = SilenceChoice(find(recipe.silent_by), recipe.silent_order)
    is_elsewhere = recipe.silent_by is not None and silent.column is None
    return RunRequest(
        choices=Choices(
            email_column=find(recipe.email_column),
            second_email_column=find(recipe.second_email_column),
        ),
        deduplicate=recipe.deduplicate is not False,
        keep=KeepRule(keep, date if keep is Keep.NEWEST else None, recipe.join_aliases is True),
        repair=None if recipe.repair is None else RepairChoice(SAFE_KINDS),
        silence=USUAL_SILENCE if is_elsewhere else silent,
    )


def write_recipe(recipe: Recipe) -> str:
    """Return a recipe as TOML 1.0; ``parse_recipe`` reads it."""
    return _HEAD + tomli_w.dumps(to_builtins(recipe))

"""Recipe of a project: its settings, for the next list of its kind."""

from collections.abc import Mapping, Sequence, Set
from dataclasses import replace

import tomli_w
from msgspec import structs, to_builtins

from winnow.core.addresses.repair_kinds import SAFE_KINDS
from winnow.core.lists.exports import NOTHING_CHOSEN, DownloadChoice
from winnow.core.lists.input_head import Choices
from winnow.core.lists.named_policy import NamedPolicy
from winnow.core.lists.platforms import Platform
from winnow.core.meaning.columns import (
    LISTED_CHARACTERS,
    VALUES_LISTED,
    ColumnMeaning,
    MailDecisions,
    decides_alike,
    fold_value,
)
from winnow.core.meaning.vocabulary import fold_words
from winnow.core.tasks.repair_choice import RepairChoice
from winnow.core.tasks.run_request import RunRequest
from winnow.core.tasks.task import Task
from winnow.lists.recipe import Recipe

_HEAD = "# Winnow recipe: winnow clean LIST --recipe THIS-FILE\n"


def make_recipe(
    task: Task,
    choice: DownloadChoice = NOTHING_CHOSEN,
    known: Sequence[NamedPolicy] = (),
    platform: Platform | None = None,
    columns: Sequence[ColumnMeaning] = (),
) -> Recipe:
    """Return the settings that a project was cleaned and downloaded with.

    Of ``known`` it names the policy that, but for who decides, makes the download's ``choice``.
    Of more decided values of a column than a recipe may have, those come last that are decided so
    without it; noes come first, then what ``columns`` met in the project's list, then the newest.
    """
    plan, asked, who = task.plan, task.request, choice.policy.who_decides
    met = {(fold_words(one.name), fold_value(word.value)) for one in columns for word in one.words}
    values = {name: _choose_values(name, some, met) for name, some in asked.mail.values.items()}
    fitting = [one for one in known if one.choice.let_decide(who) == choice]
    named = min(fitting, key=lambda one: one.choice != choice, default=None)
    is_policys = asked.who_decides is None and named is not None and named.choice == choice
    asked = replace(
        asked,
        choices=Choices(has_header=None if plan.has_header else False),
        email_column=plan.email_column,
        second_email_column=plan.second_email_column,
        mail=MailDecisions(asked.mail.columns, values),
        who_decides=asked.who_decides if is_policys or not known else who,
    )
    return structs.replace(
        Recipe.of(asked.find_columns(lambda place: _name_column(plan.columns, int(place)))),
        policy=named and str(named.name),  # one of a new account is a translatable text
        silent_months=choice.policy.silent_months or None,
        platform=platform,
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
    def order(one: str) -> tuple[bool, ...]:
        return decides_alike(name, one, decided[one]), decided[one], (name, one) not in met

    short = (one for one in reversed([*decided]) if len(one) <= LISTED_CHARACTERS)
    chosen = sorted((one for one in short if "@" not in one), key=order)[:VALUES_LISTED]
    return {one: is_mailed for one, is_mailed in decided.items() if one in chosen}


def _name_column(columns: tuple[str, ...], index: int) -> str:
    """Return a column's name, or its position from 1: for one blank, shared, or like an address."""
    name = columns[index].strip() if index < len(columns) else ""
    is_name = bool(name) and "@" not in name and not name.isdecimal()
    is_own = is_name and [one.strip() for one in columns].count(name) == 1
    return name if is_own else str(index + 1)


def fit_recipe(recipe: Recipe, columns: Sequence[str]) -> RunRequest:
    """Return a recipe's settings for a list on pages; columns without a name of their own do not.

    On pages the repairs are the safe ones.
    """

    def find(name: int | str) -> int | None:
        places = [at for at, one in enumerate(columns) if fold_words(one) == fold_words(str(name))]
        return places[0] if len(places) == 1 and not str(name).isdecimal() else None

    asked = recipe.request.find_columns(find)
    return replace(asked, repair=asked.repair and RepairChoice(SAFE_KINDS))


def write_recipe(recipe: Recipe) -> str:
    """Return a recipe as TOML 1.0; ``parse_recipe`` reads it."""
    return _HEAD + tomli_w.dumps(to_builtins(recipe))

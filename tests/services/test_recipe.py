"""Recipes: what is written is read again, by TOML's own reader; what is none is refused."""

import tomllib
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.applications import make_task
from winnow.core.addresses.repair_kinds import RepairKind
from winnow.core.errors import BadField
from winnow.core.lists.cleaning import CleaningPolicy, WhoDecides
from winnow.core.lists.exports import DownloadChoice
from winnow.core.lists.file_format import FileFormat
from winnow.core.lists.input_head import Choices
from winnow.core.lists.merging import Merge
from winnow.core.lists.named_policy import SHIPPED
from winnow.core.lists.platforms import Platform
from winnow.core.lists.silence import USUAL_SILENCE, DayOrder, SilenceChoice
from winnow.core.meaning.columns import MailDecisions, fold_value, read_columns
from winnow.core.tasks.input_plan import InputPlan
from winnow.core.tasks.keep_rule import Keep, KeepRule
from winnow.core.tasks.repair_choice import SAFE_REPAIRS, RepairChoice, RepairPlace
from winnow.core.tasks.run_request import USUAL, RunRequest
from winnow.core.tasks.task import Task
from winnow.lists.recipe import Recipe, RepairTable, parse_recipe
from winnow.services.tasks.recipe import count_lost, fit_recipe, make_recipe, write_recipe

NAMES = st.none() | st.text(st.characters(exclude_categories=["Cs"]), min_size=1)
DOMAINS = st.dictionaries(
    st.text("ab.ü\x7f\"'\\ \n", min_size=1), st.text("ab.", min_size=1), max_size=3
)
REPAIRS = st.none() | st.builds(
    RepairTable,
    st.lists(st.sampled_from(list(RepairKind)), unique=True).map(tuple),
    st.sampled_from(RepairPlace),
    DOMAINS,
)


@given(
    NAMES, NAMES, NAMES, st.none() | st.booleans(), REPAIRS, st.none() | st.sampled_from(Platform)
)
def test_what_is_written_is_read(
    column: str | None,
    second: str | None,
    policy: str | None,
    switch: bool | None,
    repair: RepairTable | None,
    platform: Platform | None,
) -> None:
    recipe = Recipe(
        email_column=column,
        header=switch,
        second_email_column=second,
        deduplicate=switch,
        keep=None if second is None else Keep.NEWEST,
        keep_by=second,
        repair=repair,
        policy=policy,
        silent_months=12 if switch else None,
        silent_by=column,
        silent_order=DayOrder.MONTH if switch else None,
        who_decides=WhoDecides.KEPT if switch else None,
        platform=platform,
    )
    text = write_recipe(recipe)
    assert tomllib.loads(text).get("email_column") == column
    assert parse_recipe(text) == recipe


def test_a_recipe_by_hand() -> None:
    recipe = parse_recipe('email_column = 3\nrepair = "safe"\nkeep = "first"\n')
    assert recipe == Recipe(email_column="3", repair="safe", keep=Keep.FIRST)
    assert recipe.repairs == SAFE_REPAIRS
    table = "[repair]\nkinds = ['dots']\n[repair.domains]\n'gmial.com' = 'gmail.com'\n"
    chosen = RepairChoice(
        frozenset({RepairKind.DOTS}), {"gmial.com": "gmail.com"}, place=RepairPlace.COLUMN
    )
    assert parse_recipe(table).repairs == chosen
    assert parse_recipe("") == Recipe()
    written = "[mail.values.'E-Mail Néws']\n'No, Thanks' = false\n[mail.values.News]\n'Ja' = true\n"
    decided = parse_recipe(f"{written}[mail.columns]\nNews = false\n").decisions
    assert decided.find_value("e-mail news", "no thanks") is False
    assert (decided.columns["email news"], decided.columns["news"]) == (True, False)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("email_column = ", "is not TOML"),
        ("email_column = true", "email_column cannot be used"),
        ("email_column = ['a']", "email_column cannot be used"),
        ("header = 1", "Expected `bool | null`"),
        ("colour = 1", "unknown field `colour`"),
        ("keep = 'best'", "Invalid enum value 'best'"),
        ("keep = 'newest'", "keep_by is missing"),
        ("keep_by = 'date'", "keep_by goes with keep=newest only"),
        ("platform = 'fax'", "Invalid enum value 'fax'"),
        ("repair = 'all'", "repair cannot be used"),
        ("[repair]\nkinds = ['magic']", "`$.repair.kinds[0]`"),
        ("[repair]\nkinds = 'dots'", "`$.repair.kinds`"),
        ("[repair]\nplace = 'here'", "`$.repair.place`"),
        ("[repair.domains]\n'a@b.de' = 'c.de'", "cannot be used"),
        ("[repair.singles]\n'a@b.de' = 'a@c.de'", "unknown field `singles`"),
        ("a=" + "[" * 20_000, "is not TOML"),
        ("#" * 70_000, "is longer than"),
        ("email_column = " + "1" * 5_000, "is not TOML"),
        ("email_column = 0x" + "1" * 5_000, "is not TOML"),
    ],
)
def test_what_is_no_recipe_is_refused(text: str, words: str) -> None:
    with pytest.raises(BadField, match="recipe: ") as caught:
        parse_recipe(text)
    assert words in str(caught.value)


@pytest.mark.parametrize("has_header", [True, False])
def test_a_recipe_of_a_project_carries_no_address(has_header: bool) -> None:
    names = ("ana@x.de", "Mail", "bo@x.de")
    plan = InputPlan(FileFormat.CSV, 0, names, has_header=has_header, second_email_column=2)
    task = make_task(plan=plan)
    made = make_recipe(task)
    assert (made.email_column, made.second_email_column) == ("1", "3")
    assert "@" not in write_recipe(made)


def test_a_recipe_holds_what_fits_of_many_decisions() -> None:
    mail = MailDecisions().decide_value("Status", "yes 0", is_mailed=True)
    for number in range(1, 60):
        mail = mail.decide_value("Status", f"yes {number}", is_mailed=True)
        mail = mail.decide_value("Status", f"no {number}", is_mailed=number > 40)
    mail = mail.decide_value("Status", "x" * 61, is_mailed=False)
    met = read_columns(("Mail", "Status"), ({}, {"Yes 0": 3}), 0, mail)
    plan = InputPlan(FileFormat.CSV, 0, ("Mail", "Status"), has_header=True)
    task = make_task(plan=plan, request=RunRequest(mail=mail))
    made = parse_recipe(write_recipe(make_recipe(task, columns=met))).decisions
    kept = made.values["status"]
    assert len(kept) == 50
    assert {one for one, is_mailed in kept.items() if not is_mailed} == {
        f"no {number}" for number in range(1, 41)
    }
    assert {"yes 0", "yes 59"} <= kept.keys()
    assert count_lost(task, made_of(task)) == 1, "the others are mailed without a decision"


def made_of(task: Task) -> Recipe:
    return parse_recipe(write_recipe(make_recipe(task)))


def test_of_many_noes_those_go_that_the_tables_say_as_well() -> None:
    known = ["Unsubscribed", "Opted out", "Spam complaint", "abgemeldet"]
    own = [f"Level {number}" for number in range(50)]
    bounced = MailDecisions().decide_value("Status", "Bounced", is_mailed=True)
    mail = bounced
    for value in (*own[:25], *known, *own[25:]):
        mail = mail.decide_value("Status", value, is_mailed=False)
    plan = InputPlan(FileFormat.CSV, 0, ("Mail", "Status"), has_header=True)
    task = make_task(plan=plan, request=RunRequest(mail=mail))
    recipe = made_of(task)
    assert recipe.decisions.values["status"].keys() == {fold_value(one) for one in own}
    assert count_lost(task, recipe) == 1, "people who bounced are mailed by decision"
    without = make_task(plan=plan, request=RunRequest(mail=bounced))
    assert count_lost(without, made_of(without)) == 0


@pytest.mark.parametrize(
    ("columns", "silence"),
    [
        (("email", "Last order", "last click"), SilenceChoice(2, DayOrder.MONTH)),
        (("email", "Last order"), USUAL_SILENCE),
        (("email", "Last click", "LAST CLICK"), USUAL_SILENCE),
    ],
)
def test_a_list_takes_the_dates_of_a_recipe_where_it_has_the_column(
    columns: tuple[str, ...], silence: SilenceChoice
) -> None:
    recipe = parse_recipe(
        'silent_by = "Last click"\nsilent_order = "month"\nkeep = "newest"\n'
        'keep_by = "Last click"\njoin_aliases = true\nwho_decides = "any-no"\n'
    )
    asked, date = fit_recipe(recipe, columns), silence.column
    assert (asked.silence, asked.who_decides) == (silence, WhoDecides.ANY_NO)
    assert asked.keep == KeepRule(Keep.NEWEST if date else Keep.LAST, date, joins_aliases=True)
    assert fit_recipe(Recipe(silent_order=DayOrder.DAY), columns).silence.order is DayOrder.DAY


@pytest.mark.parametrize("text", ["'ana@x.de' = 1", "['ana@x.de']\n['ana@x.de']\n"])
def test_an_error_carries_no_address(text: str) -> None:
    with pytest.raises(BadField) as caught:
        parse_recipe(text)
    assert "@" not in str(caught.value)


def test_the_recipe_of_a_project_asks_for_the_same_in_every_field() -> None:
    asked = parse_recipe(
        "email_column = 'Mail'\nheader = false\nsecond_email_column = 'Old'\ndeduplicate = false\n"
        "keep = 'newest'\nkeep_by = 'When'\njoin_aliases = true\nsilent_by = 'When'\n"
        "who_decides = 'newest'\n"
        "[repair]\nkinds = ['dots']\n[mail.columns]\nNews = true\n[mail.values.News]\nno = false\n"
    ).request
    plan = InputPlan(
        FileFormat.CSV, 0, ("Mail", "Old", "When"), has_header=False, second_email_column=1
    )
    made = make_recipe(make_task(plan=plan, request=asked.settle(2, 2)))
    assert made.request == asked


OTHERS: dict[type, dict[str, Any]] = {
    RunRequest: {
        "email_column": "Mail",
        "second_email_column": "Old",
        "deduplicate": False,
        "keep": KeepRule(Keep.NEWEST, "When"),
        "repair": RepairChoice(),
        "mail": MailDecisions({"news": True}),
        "silence": SilenceChoice("When"),
        "who_decides": WhoDecides.NEWEST,
    },
    Choices: {"has_header": False},
    KeepRule: {"keep": Keep.FIRST, "keep_by": "When", "joins_aliases": True},
    SilenceChoice: {"column": "When", "order": DayOrder.DAY},
    MailDecisions: {"columns": {"news": False}, "values": {"news": {"no": False}}},
    RepairChoice: {
        "kinds": frozenset({RepairKind.DOTS}),
        "domains": {"gmial.com": "gmail.com"},
        "place": RepairPlace.COLUMN,
    },
}
OF_ONE_LIST: dict[type, dict[str, Any]] = {
    RunRequest: {
        "choices": Choices("latin-1"),
        "left_out": ((1, "x"),),
        "made_from": "another",
        "merge": Merge((), 0),
    },
    Choices: {  # how one file is read; the columns are in the request itself
        "encoding": "cp1252",
        "delimiter": ";",
        "sheet": "Two",
        "first_row": 2,
        "escape": "",
        "email_column": 0,
        "second_email_column": 0,
    },
    KeepRule: {"adds_mailbox": True},  # was removed
    RepairChoice: {"singles": {"a@b.de": None}},  # addresses
}
PARTS = {type(one.default): one.name for one in fields(RunRequest) if is_dataclass(one.default)}
PARTS |= {RepairChoice: "repair"}


@pytest.mark.parametrize(
    ("part", "name"),
    [(one, field.name) for one in (RunRequest, *PARTS) for field in fields(one)],
)
def test_every_field_of_a_request_is_in_recipes_or_holds_for_one_list(
    part: type, name: str
) -> None:
    is_in_recipes, given = name in OTHERS[part], OTHERS[part] | OF_ONE_LIST.get(part, {})
    changed = {name: given[name]}
    changed |= {"keep_by": {"keep": Keep.NEWEST}, "values": {"columns": {"news": True}}}.get(
        name, {}
    )
    if part is not RunRequest:
        of = getattr(USUAL, PARTS[part]) or RepairChoice()
        changed = {PARTS[part]: replace(of, **changed)}
    asked = replace(USUAL, **changed)
    assert asked != USUAL
    assert (parse_recipe(write_recipe(Recipe.of(asked))).request == asked) is is_in_recipes


@pytest.mark.parametrize("asked", [None, *WhoDecides])
@pytest.mark.parametrize("chosen", WhoDecides)
@pytest.mark.parametrize("own", WhoDecides)
def test_a_recipe_has_who_decides_in_the_download(
    asked: WhoDecides | None, chosen: WhoDecides, own: WhoDecides
) -> None:
    """As the policy that it names, or as it says besides; where it was asked for it says so."""
    policy, *others = SHIPPED
    known = [replace(policy, choice=DownloadChoice().let_decide(own)), *others]
    task = make_task(request=RunRequest(who_decides=asked))
    made = make_recipe(task, DownloadChoice().let_decide(chosen), known)
    assert made.policy == "Standard"
    assert made.who_decides == (None if asked is None and chosen is own else chosen)
    unnamed = DownloadChoice(CleaningPolicy(frozenset())).let_decide(chosen)
    made = make_recipe(task, unnamed, known)
    assert (made.policy, made.who_decides) == (None, unnamed.policy.who_decides)


def test_the_manual_has_every_key() -> None:
    manual = (Path(__file__).parents[2] / "docs" / "command-line.md").read_text(encoding="utf-8")
    listed = manual.partition("## Recipes")[2].partition("## ")[0]
    assert [one for one in Recipe.__struct_fields__ if f"{one} = " not in listed] == []

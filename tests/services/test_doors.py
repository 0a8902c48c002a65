"""Who says no, by lists and files of services: in no file of people to mail, by any door."""

import csv
from collections import defaultdict
from pathlib import Path
from threading import Event

import pytest

import winnow
from tests.applications import complete, download, follow, receive, send, stage
from tests.conftest import Terminal
from tests.services.test_downloads import unpack
from tests.services.test_mail_files import DOORS
from tests.services.test_merges import merge
from tests.services.test_own_files import forbid
from tests.tables import write_csv
from tests.test_mcp import call
from winnow.cli.mcp import make_server
from winnow.core.identities import LOCAL_ACCOUNT
from winnow.core.lists.cleaning import Cleaning, CleaningPolicy
from winnow.core.lists.named_policy import SHIPPED
from winnow.core.lists.rows import Variant
from winnow.core.lists.side_files import OwnFileKind
from winnow.core.tasks.task import Task
from winnow.core.verdicts.verdict import Action
from winnow.services.tasks.recipe import make_recipe, write_recipe
from winnow.wiring import Application

CASES = Path(__file__).parents[3] / "shared" / "data" / "cases"
OWN = {  # every kind of no, without the shared folder
    "own.csv": (
        "email,Status\nana.k+x@gmail.com,Unsubscribed\nben.l@web.de,Complained\nben.l@web.de,\n"
        "cara.m@orange.fr,Bounced\ndora.n@libero.it,Pending\neve@web.de,Subscribed\n"
        "Fay <fay@web.de>,Abgemeldet\nfay@web.de,Subscribed\n",
        {"ana.k+x@gmail.com", "ben.l@web.de", "cara.m@orange.fr", "dora.n@libero.it", "fay@web.de"},
        {"eve@web.de"},
    )
}
RECIPE, FORMS = (
    b'policy = "Standard"\n',
    ("--policy standard", "--for brevo", "--recipe recipe.toml"),
)


def read_cases() -> dict[str, tuple[str, set[str], set[str]]]:
    """Return the content of each list, who is not to be mailed and who is."""
    if not CASES.exists():
        return OWN
    wanted = defaultdict(lambda: (set[str](), set[str]()))
    with (CASES / "expected.tsv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            if row["must be"] in ("do not mail", "contact") and "--" not in row["note"]:
                wanted[row["file"]][row["must be"] == "contact"].add(row["address"])
    return OWN | {name: (name, *who) for name, who in wanted.items()}


CASES_READ = read_cases()


@pytest.fixture(params=CASES_READ)
def case(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def prepare(case: str) -> tuple[list[Path | bytes], set[str], set[str]]:
    """Return the files of a case, the lists first, and who is not to be mailed and who is."""
    content, no, yes = CASES_READ[case]
    if case in OWN:
        return [content.encode()], no, yes
    files: list[Path | bytes] = [CASES / name for name in case.split(" + ")]
    if case.startswith(("bounces", "do-not-mail")):
        files.insert(0, write_csv([("email",), *((one,) for one in sorted(no | yes))]))
    return files, no, yes


def run(opened: Application, case: str) -> Task:
    """Complete a case's list, its bounces imported and its do-not-mail file added."""
    files, _, _ = prepare(case)
    read = [one if isinstance(one, bytes) else one.read_bytes() for one in files]
    if " + " in case:
        merged = merge(opened, *(stage(opened, one, name=f"{len(one)}.csv") for one in read))
        task = opened.services.tasks.submit(LOCAL_ACCOUNT, merged.upload_id)
        opened.services.runs.run_next("test", Event())
        return opened.services.tasks.get(LOCAL_ACCOUNT, task.task_id)
    names = {"consent-constantcontact2.csv": "Email address", "consent-de_abbestellt.csv": "E-Mail"}
    task = complete(opened, read[0], email_column=names.get(case))
    for one in files[1:]:
        assert isinstance(one, Path)
        if case.startswith("bounces"):
            received = receive(opened, one.read_bytes(), one.name)
            opened.services.own_files.add(LOCAL_ACCOUNT, OwnFileKind.BOUNCES, received)
        else:
            forbid(opened, task, one.read_bytes(), one.name)
    return task


@pytest.mark.slow
def test_the_doors_of_a_project(opened: Application, case: str) -> None:
    _, no, yes = prepare(case)
    task = run(opened, case)
    before = complete(opened, b"email\nnobody@firm.example\n")
    issue = opened.services.downloads.issue
    link = issue(LOCAL_ACCOUNT, task.task_id, earlier_id=before.task_id)
    files = unpack(download(opened, task, Variant.PACK))
    mailed = {f"{door}": send(opened, task, door)[1] for door in DOORS}
    mailed |= {name: data for name, data in files.items() if "cleaned" in name or "review" in name}
    mailed["difference"] = b"".join(follow(opened, link).read_content())
    for name, data in mailed.items():
        assert not {one for one in no if one.encode() in data}, name
    assert {one for one in yes if one.encode() in mailed[f"{DOORS[0]}"]} == yes
    assert {one for one in no if one.encode() in download(opened, task, Variant.REMOVED)} == no
    effect = opened.services.results.weigh(LOCAL_ACCOUNT, task.task_id, CleaningPolicy())
    report = opened.services.decisions.report(task, Cleaning(CleaningPolicy(), effect)).content
    recipe = write_recipe(make_recipe(task, known=SHIPPED)).encode()
    assert not {one for one in (*no, *yes) if one.encode() in report + recipe}
    assert f"{effect.by_action[Action.DO_NOT_MAIL]} ⊘ do not mail".encode() in report


@pytest.mark.slow
def test_the_doors_of_the_command_and_the_library(terminal: Terminal, case: str) -> None:
    files, no, yes = prepare(case)
    paths = []
    for place, one in enumerate(files):
        path = terminal.folder / (one.name if isinstance(one, Path) else f"list-{place}.csv")
        path.write_bytes(one.read_bytes() if isinstance(one, Path) else one)
        paths.append(path.name)
    lists, given = paths, ""
    if case.startswith(("bounces", "do-not-mail")):
        lists, given = paths[:1], f"--{'bounces' if case[0] == 'b' else 'do-not-mail'} {paths[1]}"
    given += " --merge" if len(lists) > 1 else ""
    written = {}
    terminal.write("recipe.toml", RECIPE)
    for number, form in enumerate(FORMS):
        line = f"winnow clean {' '.join(lists)} {form} {given} --out out-{number}.csv"
        terminal.run(line)
        written[form] = terminal.folder / f"out-{number}.csv"
    if not given:
        written["library"] = terminal.folder / "library.csv"
        winnow.clean(terminal.folder / lists[0], written["library"], policy=CleaningPolicy())
        written["recipe"] = terminal.folder / "by-recipe.csv"
        winnow.clean(terminal.folder / lists[0], written["recipe"], recipe=Path("recipe.toml"))
    for form, path in written.items():
        data = path.read_bytes()
        assert {one for one in (*no, *yes) if one.encode() in data} == yes, form
        if "--for" not in form:
            assert data == written[FORMS[0]].read_bytes(), f"{form} writes another file"


@pytest.mark.slow
def test_the_door_of_assistants(terminal: Terminal, case: str) -> None:
    """It writes the whole list, called checked, and no file of people to mail."""
    files, no, yes = prepare(case)
    first = files[0]
    path = terminal.write("list.csv", first if isinstance(first, bytes) else first.read_bytes())
    done = call(make_server([terminal.folder]), "clean_file", path=path.name).structured_content
    assert Path(done["out"]).name == "list-checked.csv"
    assert not {one for one in (*no, *yes) if one in str(done)}
    if len(files) == 1:
        whole = Path(done["out"]).read_bytes()
        assert {one for one in (*no, *yes) if one.encode() in whole} == no | yes
        assert sum(done["summary"]["do_not_mail"].values()) >= len(no)


@pytest.mark.parametrize("form", FORMS)
def test_the_cluster_makes_no_file_of_people_to_mail(terminal: Terminal, form: str) -> None:
    terminal.write("list.csv", OWN["own.csv"][0].encode())
    terminal.write("recipe.toml", RECIPE)
    line = f"winnow clean list.csv --cluster tcp://127.0.0.1:9 {form}"
    assert "cluster: does not work with" in terminal.run(line, code=1)[1]
    assert terminal.list_files() == ["list.csv", "recipe.toml"]

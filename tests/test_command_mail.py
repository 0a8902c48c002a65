"""``winnow clean``: who may be mailed, by columns, files and the data folder."""

import json
from pathlib import Path
from threading import Event

import pytest

from tests.conftest import Terminal
from tests.tables import read_csv
from winnow.cli.commands import main
from winnow.core.identities import LOCAL_ACCOUNT
from winnow.core.lists.cleaning import WhoDecides
from winnow.core.lists.side_files import OwnFileKind
from winnow.core.verdicts.verdict import Category
from winnow.wiring import services

LIST = (
    "email,note,Unsubscribed\n"
    "ana.k+news@gmail.com,x,\nben@web.de,gone,\ncara@web.de,x,\ndora@web.de,x,TRUE\neve@web.de,x,\n"
    "dora@web.de,x,\nfay@frei.de,x,\n"
)
EVERYONE = ["ana.k+news@gmail.com", "ben@web.de", "cara@web.de", "dora@web.de", "eve@web.de",
            "fay@frei.de"]  # fmt: skip


@pytest.mark.parametrize(
    ("options", "left_out"),
    [
        pytest.param([], ["dora@web.de"], id="a-removed-rows-no"),
        pytest.param(["--ignore-consent", "unsubscribed"], [], id="the-column-says-nothing"),
        pytest.param(["--do-not-mail", "named.txt"], ["ana.k+news@gmail.com", "dora@web.de",
                     "fay@frei.de"], id="by-mailbox-and-domain"),
        pytest.param(["--bounces", "bounces.csv"], ["ben@web.de", "cara@web.de", "dora@web.de"],
                     id="bounces-and-complaints"),
        pytest.param(["--no-deduplicate"], ["dora@web.de", "dora@web.de"], id="both-rows"),
    ],
)  # fmt: skip
def test_people_are_in_the_suppression_file_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: list[str], left_out: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("WINNOW_DATA_DIR", str(tmp_path / "none"))
    Path("list.csv").write_text(LIST)
    Path("named.txt").write_text("a.nak@googlemail.com\nfrei.de\n")
    Path("bounces.csv").write_text(
        "email,type\ncara@web.de,hard\neve@web.de,soft\nben@web.de,complaint\n"
    )
    main(["clean", "list.csv", "--for", "brevo", "--out", "out.csv", *options])
    kept, gone = (
        sorted(row[0] for row in read_csv(Path(name).read_bytes())[1:])
        for name in ("out.csv", "out-suppression.csv")
    )
    assert gone == left_out
    assert kept == [one for one in EVERYONE if one not in left_out]
    assert not Path("none").exists()


@pytest.mark.parametrize(
    ("options", "left_out"),
    [("", {"ana.k+news", "ben", "cara", "dora", "eve"}), ("--no-own-lists", {"dora"})],
)
@pytest.mark.parametrize("form", ["--policy standard", "--for brevo"])
def test_the_data_folders_lists_bounces_and_remembered_noes_count(
    terminal: Terminal, form: str, options: str, left_out: set[str]
) -> None:
    """The keep list outranks a hard bounce, and no person's no: eve complained."""
    opened = services()
    opened.never_mail.turn(LOCAL_ACCOUNT, is_on=True)
    with opened.uploads.begin(LOCAL_ACCOUNT, "october.csv", None) as writer:
        writer.write(b"email,Unsubscribed\nan.ak@googlemail.com,TRUE\n")
        opened.tasks.submit(LOCAL_ACCOUNT, writer.finish().upload_id)
    opened.runs.run_next("test", Event())
    opened.own_lists.add(LOCAL_ACCOUNT, "ben@web.de", Category.BLACK, "")
    for pattern in ("eve@web.de", "frei.de"):
        opened.own_lists.add(LOCAL_ACCOUNT, pattern, Category.WHITE, "")
    content = b"email,type\ncara@web.de,hard\neve@web.de,complaint\nfay@frei.de,hard\n"
    with opened.uploads.begin(LOCAL_ACCOUNT, "bounces.csv", None, formats=None) as writer:
        writer.write(content)
        opened.own_files.add(LOCAL_ACCOUNT, OwnFileKind.BOUNCES, writer.receive())
    terminal.write("list.csv", LIST.encode())
    said, _ = terminal.run("winnow clean list.csv --out all.csv")
    assert "1 bounced before\nnote: The file has every row; with --policy or" in said
    said, _ = terminal.run("winnow clean list.csv --out all.csv --json")
    counted = {"do-not-mail": 2, "said-elsewhere": 1, "bounced": 1}  # fay is on the keep list
    assert json.loads(said)["lists"][0]["not_to_mail"] == counted
    said, _ = terminal.run(f"winnow clean list.csv {form} {options} --out out.csv")
    assert "every row" not in said
    kept = [row[0] for row in read_csv((terminal.folder / "out.csv").read_bytes())[1:]]
    assert kept == [one for one in EVERYONE if one.partition("@")[0] not in left_out]


SAYS_BOTH = (
    "email,Status,Day\na@web.de,unsubscribed,2026-01-01\na@web.de,subscribed,2026-02-01\n"
    "b.o@gmail.com,unsubscribed,2026-02-01\nbo@gmail.com,subscribed,2026-01-01\ncara@web.de,,\n"
)


@pytest.mark.parametrize("form", ["", "--policy standard", "--for brevo"])
@pytest.mark.parametrize("who", ["", *WhoDecides])
def test_who_decides_by_a_recipe_but_not_in_a_policy_that_is_given(
    terminal: Terminal, who: str, form: str
) -> None:
    terminal.write("list.csv", SAYS_BOTH.encode())
    settings = f"who_decides = '{who}'\n" if who else ""
    settings += "" if form else "policy = 'Standard'\n"
    terminal.write("recipe.toml", f"keep = 'newest'\nkeep_by = 'Day'\n{settings}".encode())
    terminal.run(f"winnow clean list.csv {form} --recipe recipe.toml --out out.csv")
    kept = [row[0] for row in read_csv((terminal.folder / "out.csv").read_bytes())[1:]]
    by_row = {"newest": ["a@web.de"], "kept": ["a@web.de", "bo@gmail.com"]}
    mailed = [] if "policy" in form else by_row.get(who, [])
    assert kept == [*mailed, "cara@web.de"]


DATED = "email,Unsubscribed,Last click\nana@web.de,,{new}\nben@web.de,,{old}\ncara@web.de,x,{old}\n"


@pytest.mark.parametrize("options", [["--policy", "Standard"], [], ["--for", "brevo"]])
def test_silent_people_get_a_file_of_their_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("WINNOW_DATA_DIR", str(tmp_path / "none"))
    Path("list.csv").write_text(DATED.format(new="2999-01-01", old="01/02/2019"))
    wanted = ["clean", "list.csv", "--out", "out.csv", "--silent-months", "12", *options]
    assert main(wanted) == 1  # the day or the month may be first
    assert not Path("out.csv").exists()
    Path("settings.toml").write_text('silent_order = "month"\nsilent_by = "last click"\n')
    assert main([*wanted, "--recipe", "settings.toml"]) == 0
    assert [row[0] for row in read_csv(Path("out.csv").read_bytes())[1:]] == ["ana@web.de"]
    later = read_csv(Path("out-not-mailed.csv").read_bytes())
    assert [row[0] for row in later[1:]] == ["ben@web.de"]
    if "--for" in options:
        gone = read_csv(Path("out-suppression.csv").read_bytes())
        assert [row[0] for row in gone[1:]] == ["cara@web.de"]

"""The commands, run in this process as they are typed."""

import io
import json
import os
import stat
import subprocess
import sys
from argparse import Action
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec
import pandas as pd
import pytest

from tests.applications import LIST, submit
from tests.conftest import Terminal
from tests.folders import describe_tree
from tests.workbooks import read_cells, write_workbook
from winnow.api.schemas.check import present_check
from winnow.cli import clean
from winnow.cli.commands import build_parser, main
from winnow.core.identities import LOCAL_ACCOUNT
from winnow.core.lists.cleaning import CleaningPolicy
from winnow.core.lists.exports import DownloadChoice
from winnow.core.lists.file_format import FileFormat
from winnow.core.lists.side_files import OwnFileKind
from winnow.core.verdicts.domain_types import Ground
from winnow.core.verdicts.verdict import Category
from winnow.environment import read_environment
from winnow.library.open_data import open_domain_data
from winnow.lists import batch
from winnow.lists.list_format import BatchOutcome
from winnow.lists.requests import BatchRequest
from winnow.wiring import open_application, services

COMMANDS = [one.choices for one in build_parser()._actions if isinstance(one.choices, dict)]
CLEAN_OPTIONS = [one for one in COMMANDS[0]["clean"]._actions if one.option_strings]
ONE = b"email\nana@gmail.com\n"
OPTED_OUT = b"email,Opt-out\nana@gmail.com,no\nbo@gmail.com,yes\n"
CONTACTS = (
    "Vorname;E-Mail;Nachname;Nr\r\nAna;ana@firm-a.de;B;1\r\nBo; bo@gmail.com;C;2\r\n"
    "Cy;cy@mailinator.com;D;3\r\nDi;nobody;E;4\r\nEve;eve@firm-a.de;F;5\r\n"
)
DATED = b"id,email,when,note\n1,a@gmail.com,1/2/2024,x\n2,A@gmail.com,2/1/2024,\n3,a@gmail.com,,\n"
MIXED = b"id,email\r\n1,ana@gmail.com\r\n2,bo@mailinator.com\r\n3,info@siemens.com\r\n4,foo\r\n"


def test_clean_writes_the_checked_list_beside_the_list(terminal: Terminal, data_dir: Path) -> None:
    content = LIST.replace(b"throwaway.example", b"mailinator.com")
    terminal.write("in/list.csv ", content.replace(b"mailboxes.example", b"siemens.com"))
    out, _ = terminal.run("winnow clean 'in/list.csv '")
    assert (terminal.folder / "in/list-checked.csv").read_bytes() == (
        b"id,email,category,domain_type\r\n"
        b"02,ONE@siemens.com,white,business\r\n"
        b"03,two@mailinator.com,black,disposable\r\n"
        b"04,not an address,black,invalid\r\n"
    )
    assert "4 rows in, 3 out, 1 duplicate removed" in out
    assert terminal.list_files() == ["in", "in/list-checked.csv", "in/list.csv "]
    assert not (data_dir / "winnow.db").exists()


CLEANED: dict[str, tuple[bytes, str, dict[str, bytes], str]] = {
    "no-header": (
        b"x@gmail.com,Ana\n", "--no-header", {"checked": b"x@gmail.com,Ana,white,free\n"}, ""),
    "no-address": (
        b"email,name\nnobody,Ana\n", "",
        {"checked": b"email,name,category,domain_type\nnobody,Ana,black,invalid\n"},
        "note: No first cell of email is an address. Is this the right column?"),
    "duplicates": (
        b"contact\nx@gmail.com\nx@gmail.com\n", "--no-deduplicate --email-column contact",
        {"checked": b"contact,category,domain_type\n" + b"x@gmail.com,white,free\n" * 2}, ""),
    "second-column": (
        b"email,home\n,x@gmail.com\n", "--second-email-column home",
        {"checked": b"email,home,email_used,category,domain_type\n"
                    b",x@gmail.com,x@gmail.com,white,free\n"}, ""),
    "first": (
        DATED, "--keep first",
        {"checked": b"id,email,when,note,category,domain_type\n"
                    b"1,a@gmail.com,1/2/2024,x,white,free\n"}, ""),
    "newest": (
        DATED, "--keep newest --keep-by when",
        {"checked": b"id,email,when,note,category,domain_type\n"
                    b"2,A@gmail.com,2/1/2024,,white,free\n"},
        "Dates in \u201cwhen\u201d were read as month/day/year."),
    "aliases": (
        b"email\na.na@gmail.com\nana+x@googlemail.com\n", "--join-aliases",
        {"checked": b"email,category,domain_type\n"
                    b"ana+x@googlemail.com,grey,suspicious signs\n"}, ""),
    "repairs": (
        b'email;id\r\nmailto:a@gmail.com;1\r\n"b@gmail,com";2\r\nx@gmail.com;3\r\n',
        "--repair safe",
        {"checked": b"email;id;email_repaired;category;domain_type\r\n"
                    b"mailto:a@gmail.com;1;a@gmail.com;white;free\r\n"
                    b'"b@gmail,com";2;b@gmail.com;white;free\r\n'
                    b"x@gmail.com;3;x@gmail.com;white;free\r\n"},
        "2 addresses repaired\n1  a comma for a dot, or a dot too many"),
    "policy-case-aside": (
        MIXED, "--policy standard",
        {"cleaned": b"id,email,category,domain_type\r\n1,ana@gmail.com,white,free\r\n"
                    b"3,info@siemens.com,white,business\r\n"}, "2 rows kept, 2 removed"),
    "policy-without-free-providers": (
        MIXED, "--policy 'B2B outreach'",
        {"cleaned": b"id,email,category,domain_type,reason\r\n"
                    b"3,info@siemens.com,white,business,business; role_account\r\n"}, ""),
    "policy-and-platform": (
        MIXED, "--policy 'B2B outreach' --for mailchimp",
        {"mailchimp": b"Email Address\r\ninfo@siemens.com\r\n", "mailchimp-suppression":
         b"Email Address\r\nbo@mailinator.com\r\n"}, ""),
    "platform": (
        CONTACTS.encode("utf-8-sig"), "--for mailchimp",
        {"mailchimp": b"Email Address,First Name,Last Name\r\nana@firm-a.de,Ana,B\r\n"
                      b"bo@gmail.com,Bo,C\r\neve@firm-a.de,Eve,F\r\n",
         "mailchimp-suppression": b"Email Address\r\ncy@mailinator.com\r\n"},
        "  First Name: Vorname\nleft out: Nr"),
    "repaired-for-a-platform": (
        b'email,first name\n"ana@gmail,com",Ana\nbo@gmail.com,Bo\n', "--for brevo --repair safe",
        {"brevo": b"EMAIL,FIRSTNAME\r\nana@gmail.com,Ana\r\nbo@gmail.com,Bo\r\n",
         "brevo-suppression": b"EMAIL\r\n"},
        "  EMAIL: email_repaired\nleft out: email"),
    "platform-that-asks-for-names": (
        b"email\nana@gmail.com\nbo@gmail.com\n", "--for salesforce",
        {"salesforce": b"Email\r\nana@gmail.com\r\nbo@gmail.com\r\n",
         "salesforce-suppression": b"Email Address\r\n"},
        "note: The platform asks for a last name; no column holds it."),
    "unsubscribed-for-a-platform": (
        OPTED_OUT, "--for brevo",
        {"brevo": b"EMAIL\r\nana@gmail.com\r\n",
         "brevo-suppression": b"EMAIL\r\nbo@gmail.com\r\n"}, "1 unsubscribed"),
    "unsubscribed": (
        OPTED_OUT, "",
        {"checked": b"email,Opt-out,category,domain_type\nana@gmail.com,no,white,free\n"
                    b"bo@gmail.com,yes,white,free\n"}, ""),
}  # fmt: skip


@pytest.mark.parametrize("case", CLEANED)
def test_clean_obeys_its_options(terminal: Terminal, data_dir: Path, case: str) -> None:
    content, options, files, said = CLEANED[case]
    terminal.write("list.csv", content)
    out, _ = terminal.run(f"winnow clean list.csv {options}")
    made = {path.stem: path.read_bytes() for path in Path().glob("list-*.csv")}
    assert made == {f"list-{name}": written for name, written in files.items()}
    assert len(terminal.list_files()) == 1 + len(files)
    assert not [line for line in said.splitlines() if line not in out]
    assert not (data_dir / "winnow.db").exists()
    terminal.run(f"winnow clean list.csv {options}", code=1)  # they are there


@pytest.mark.parametrize(
    ("content", "options", "code", "message"),
    [
        (None, "", "bad_field", "there is no such file"),
        (b"email,email\na@x.de,b@x.de\n", "", "ambiguous_email_column", "--email-column"),
        (LIST, "--email-column 7", "bad_field", "--email-column: the list has no column"),
        (LIST, "--encoding latin-99", "bad_field", "--encoding: this encoding"),
        (b"id,name\n1,x\n", "", "no_email_column", "No column is named email"),
        (
            *(b"Privat;Arbeit\na@x.de;b@x.de\n", "", "ambiguous_email_column"),
            "addresses: columns 1 (Privat), 2 (Arbeit).",
        ),
        (b"a@x.de;1\nb@x.de;2\n", "", "no_email_column", "no header row"),
        (b"", "", "empty_file", ""),
        (LIST, "--out list.csv", "bad_field", "is the list itself"),
        (LIST, "--out out.xlsx", "bad_field", "Name a file ending in .csv."),
        (LIST, "--out out.zip", "bad_field", "Name a file ending in .csv."),
        (LIST, "--out x.pdf", "bad_field", "x.pdf would be"),
        (LIST, "--out x.gz", "bad_field", "x.gz would be"),
        (LIST, "--out x.bak", "bad_field", "x.bak would be"),
        (LIST, "--out /dev/stdout", "bad_field", "is no file"),
        (LIST, "--keep newest", "bad_field", "Name the column of dates."),
        (LIST, "--keep newest --keep-by 'signed up'", "bad_field", "no column 'signed up'"),
        (LIST, "--keep-by id", "bad_field", "goes with keep=newest only"),
        (LIST, "--out no/such/folder.csv", "bad_field", "no such folder"),
        (LIST, "--out /proc/list.csv", "bad_field", "list.csv cannot be written"),
        (LIST, "--policy strict", "bad_field", "\u201cB2B outreach\u201d"),
    ],
)
def test_clean_says_what_is_wrong_and_leaves_nothing(
    terminal: Terminal, content: bytes | None, options: str, code: str, message: str
) -> None:
    if content is not None:
        terminal.write("list.csv", content)
    before = describe_tree(terminal.folder)
    _, err = terminal.run(f"winnow clean list.csv {options}", code=1)
    assert err.startswith("winnow: ")
    assert message in err
    assert "email_column" not in err  # flags are named, not fields
    assert "Read it differently" not in err
    out, err = terminal.run(f"winnow clean list.csv {options} --json", code=1)
    [only] = json.loads(out)["lists"]
    assert (only["source"], only["error"]["code"]) == ("list.csv", code)
    assert only["error"]["detail"] in err
    assert (only["error"]["fault"] is None) == (code == "bad_field")
    assert {**describe_tree(terminal.folder), ".": None} == {**before, ".": None}


def test_clean_reads_and_replaces_the_file_behind_a_link_and_nothing_that_is_no_file(
    terminal: Terminal,
) -> None:
    source, old = terminal.write("list.csv", LIST), terminal.write("old.csv", b"old")
    Path("link.csv").symlink_to("old.csv")
    Path("same.csv").symlink_to("list.csv")
    os.link("list.csv", "twin.csv")
    os.mkfifo("pipe.csv")
    for out in ("pipe.csv", os.devnull, "same.csv", "twin.csv", "LIST.csv/../list.csv"):
        _, err = terminal.run(f"winnow clean list.csv --out {out}", code=1)
        assert err.startswith("winnow: out: ")
    assert source.read_bytes() == Path("twin.csv").read_bytes() == LIST
    assert stat.S_ISCHR(Path(os.devnull).stat().st_mode)
    terminal.run("winnow clean list.csv --out link.csv")
    assert Path("link.csv").is_symlink()
    assert old.read_bytes().startswith(b"id,email,category")
    Path("list-checked.csv").symlink_to("nowhere.csv")
    terminal.run("winnow clean list.csv", code=1)
    assert Path("list-checked.csv").is_symlink()
    assert not Path("nowhere.csv").exists()
    for lists in ("pipe.csv", "list.csv pipe.csv --merge"):
        _, err = terminal.run(f"winnow clean {lists}", code=1)
        assert "pipe.csv is a folder, a pipe or a device" in err
    os.mkfifo("out-suppression.csv")
    _, err = terminal.run("winnow clean list.csv --for brevo --out out.csv", code=1)
    assert "out-suppression.csv is no file" in err
    assert stat.S_ISFIFO(Path("out-suppression.csv").stat().st_mode)
    assert not Path("out.csv").exists()


def test_clean_never_overwrites_by_itself(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("list.csv", "other.csv"):
        terminal.write(name, LIST)
    taken = terminal.folder / "list-checked.csv"
    with monkeypatch.context() as meanwhile:
        meanwhile.setattr(clean, "show_progress", lambda progress: taken.write_bytes(b"precious"))
        assert "already there" in terminal.run("winnow clean list.csv", code=1)[1]
    terminal.run("winnow clean list.csv", code=1)
    assert taken.read_bytes() == b"precious"
    terminal.run("winnow clean missing.csv", code=1)
    suppression = terminal.write("list-brevo-suppression.csv", b"precious")
    terminal.run("winnow clean list.csv other.csv --for brevo", code=1)
    assert suppression.read_bytes() == b"precious"
    assert not Path("list-brevo.csv").exists()
    assert Path("other-brevo.csv").exists()


def test_clean_tells_what_was_assumed_and_that_most_rows_went(terminal: Terminal) -> None:
    rows = "ana@gmail.com;Über;1\n" * 3
    terminal.write("list.csv", f"email;Straße;category\n{rows}".encode("cp1252"))
    out, _ = terminal.run("winnow clean list.csv")
    doubt, read, _ = [line for line in out.splitlines() if line.startswith("note: ")]
    assert (
        "More than half of the rows were removed as duplicates. Is email the right column?" in doubt
    )
    assert "Windows-1252" in read


def test_clean_by_a_policy_of_the_data_folder(terminal: Terminal) -> None:
    kept = DownloadChoice(
        CleaningPolicy(frozenset({Ground.FREE_PROVIDER})), file_format=FileFormat.XLSX
    )
    services(os.environ).policies.create(LOCAL_ACCOUNT, "Companies", kept)
    terminal.write("list.csv", MIXED)
    out, _ = terminal.run("winnow clean list.csv --policy companies")
    rows = read_cells(terminal.folder / "list-kept.xlsx")
    assert [row[0] for row in rows] == ["id", "2", "3", "4"]
    assert "3 rows kept, 1 removed" in out


@pytest.mark.parametrize(
    ("options", "rows"),
    [
        ("--policy months", 1),
        ("", 2),
        ("--policy months --silent-months 36", 3),
        ("--silent-months 0", 3),
    ],
)
def test_months_of_a_policy_that_is_given_go_before_a_recipes(
    terminal: Terminal, options: str, rows: int
) -> None:
    kept = DownloadChoice(CleaningPolicy(silent_months=6))
    services(os.environ).policies.create(LOCAL_ACCOUNT, "Months", kept)
    today = datetime.now(UTC).date()
    people = (f"a{days}@gmail.com,{today - timedelta(days)}" for days in (30, 300, 900))
    terminal.write("list.csv", "\n".join(("mail,last click", *people)).encode())
    terminal.write("r.toml", b'policy = "Months"\nsilent_months = 24\n')
    terminal.run(f"winnow clean list.csv --recipe r.toml --out out.csv {options}")
    assert len(pd.read_csv("out.csv")) == rows


def test_check_answers_as_the_pages_do(terminal: Terminal) -> None:
    opened = services()
    opened.own_lists.add(LOCAL_ACCOUNT, "wegwerf.example.org", Category.BLACK, "complained")
    opened.own_lists.add(LOCAL_ACCOUNT, "mailinator.com", Category.WHITE, "")
    texts = ("a@wegwerf.example.org", "x@mailinator.com", "ana@gmial.com", "n/a", "ü@frei.de")
    for text in (*texts, "x@guerrillamail.com"):
        answer = json.loads(terminal.run(f"winnow check {text}")[0])
        shown = present_check(opened.checks.check_address(LOCAL_ACCOUNT, text))
        assert answer == json.loads(msgspec.json.encode(shown))
    assert len(answer) == 10
    first = answer["explanation"]["evidence"][0]
    assert first.keys() == {"reason", "rule", "source", "dated", "matched", "asked_at"}
    assert first["rule"] == "On a list of disposable mail services that is reviewed by hand."


def test_check_takes_many_and_a_pipe(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("bo@gmail.com\n\n  cy@gmail.com \n"))
    for line, texts in (
        ("ana@gmail.com x@mailinator.com", ["ana@gmail.com", "x@mailinator.com"]),
        ("ana@gmail.com -", ["ana@gmail.com", "bo@gmail.com", "cy@gmail.com"]),
    ):
        out, _ = terminal.run(f"winnow check {line}")
        assert [json.loads(one)["email"] for one in out.splitlines()] == texts


@pytest.mark.parametrize("way", ["clean", "merge", "refuse", "options", "no-such-file"])
def test_a_name_of_a_file_cannot_steer_the_terminal(terminal: Terminal, way: str) -> None:
    names = ["a\x1b]0;owned\x07\x1b[2J.csv", "b\u202evsc.csv", "c\x9b2J.csv"]
    for name in names:
        Path(name).write_bytes(b"\x1b[31mName,email\n1,ana@firm.de\n" if way != "refuse" else b"")
    words = {
        "options": ["clean", f"--{names[0]}"],
        "no-such-file": ["clean", f"{names[0]}.csv"],
        "merge": ["clean", *names, "--merge", "--out", "m.csv"],
    }.get(way, ["clean", *names])
    with suppress(SystemExit):
        main(words)
    said = "".join(terminal.output.readouterr())
    assert said
    assert not set(said) & set("\x1b\x07\u202e\x9b")


@pytest.mark.parametrize("home", ["/dev/null", None])
def test_clean_needs_no_home_folder(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch, home: str | None
) -> None:
    for name in ("WINNOW_DATA_DIR", "XDG_DATA_HOME", "XDG_CACHE_HOME", "HOME"):
        monkeypatch.delenv(name, raising=False)
    if home is None:  # of a user whom the system does not know
        monkeypatch.setattr(os.path, "expanduser", str)
    else:
        monkeypatch.setenv("HOME", home)
    open_domain_data.cache_clear()
    Path("list.csv").write_bytes(b"email\nana@firm.de\n")
    terminal.run("winnow clean list.csv")
    open_domain_data.cache_clear()
    assert {path.name for path in Path().iterdir()} == {"list.csv", "list-checked.csv"}


def test_a_server_without_a_home_folder_names_the_setting(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("WINNOW_DATA_DIR", "XDG_DATA_HOME", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", "/dev/null")
    assert main(["serve", "--port", "0"]) == 1
    assert "WINNOW_DATA_DIR" in terminal.output.readouterr().err


def test_files_are_named_on_both_sides_of_an_option(terminal: Terminal) -> None:
    for name in ("a.csv", "b.csv"):
        terminal.write(name, ONE)
    terminal.run("winnow clean a.csv --merge --out m.csv b.csv")
    assert (terminal.folder / "m.csv").read_bytes().count(b"b.csv") == 1
    with pytest.raises(SystemExit):
        terminal.run("winnow clean a.csv --nonsense b.csv")


def test_variables_of_the_examples_stop_no_command(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    services()
    for name in ("WINNOW_URL", "WINNOW_SITE", "WINNOW_KEY"):
        monkeypatch.setenv(name, "https://lists.example.org")
    assert "WINNOW_BACKUP_DIR names a folder" in terminal.run("winnow doctor")[0]


@pytest.mark.parametrize(
    ("words", "heavy"),
    [
        (
            ("check", "x@mailinator.com"),
            ("polars", "pyarrow", "pandas", "numpy", "sqlalchemy", "starlette"),
        ),
        (
            ("clean", "list.csv"),
            ("pandas", "sqlalchemy", "streamlit", "duckdb", "starlette", "pyarrow.dataset"),
        ),
    ],
)
def test_a_command_imports_no_package_that_it_does_not_need(
    terminal: Terminal, data_dir: Path, tmp_path: Path, words: Sequence[str], heavy: Sequence[str]
) -> None:
    (tmp_path / "list.csv").write_text("email,unsubscribed\nana@x.org,\nana@x.org,yes\n")
    code = (
        "import sys; from winnow.__main__ import main; main(); "
        f"print([one for one in {heavy} if one in sys.modules])"
    )
    before = sorted(os.listdir(data_dir))
    command = [sys.executable, "-c", code, *words]
    ran = subprocess.run(command, capture_output=True, text=True, check=True, cwd=tmp_path)
    assert ran.stdout.splitlines()[-1] == "[]"
    assert sorted(os.listdir(data_dir)) == before


def test_keys_accounts_and_upkeep(terminal: Terminal, data_dir: Path) -> None:
    terminal.run("winnow accounts create sales")
    out, _ = terminal.run("winnow keys create --name crm --type sandbox --account sales")
    listed, _ = terminal.run("winnow keys list --account sales")
    assert listed == f"{out.partition('.')[0]}\tsandbox\tactive\t0\tcrm\n"
    terminal.run("winnow keys create --name '' --type live", code=1)
    terminal.run("winnow integrity")
    name = terminal.run("winnow backup")[0].splitlines()[-1]
    assert (data_dir / "backups" / name).is_file()


def test_hooks_of_keys(terminal: Terminal) -> None:
    prefix = terminal.run("winnow keys create --name crm --type live")[0].partition(".")[0]
    hook = f"winnow keys hook {prefix}"
    out, err = terminal.run(f"{hook} --url https://shop.example/winnow")
    assert out.startswith("whsec_")
    assert "hooks are off" in err
    assert terminal.run(hook)[0] == "https://shop.example/winnow\n"
    assert "WINNOW_HOOK_NETWORKS" in terminal.run(f"{hook} --url http://shop.example/", code=1)[1]
    opened = open_application(read_environment(os.environ))
    task = submit(opened, key_prefix=prefix).task_id
    opened.services.tasks.cancel(LOCAL_ACCOUNT, task)
    assert terminal.run(f"winnow keys deliveries {prefix}")[0] == f"{task}\twaiting\t0\t\t\n"
    terminal.run(f"winnow keys replay {prefix} {task}")
    terminal.run(f"winnow keys replay {prefix} 0", code=1)
    terminal.run(f"{hook} --url ''")
    assert terminal.run(hook)[0] == "no hook\n"
    terminal.run("winnow keys hook wk_live_0", code=1)


@pytest.mark.parametrize(
    ("command", "code"), [("keys list", 0), ("keys hook a", 1), ("integrity", 0), ("backup", 1)]
)
@pytest.mark.parametrize("is_there", [True, False], ids=["empty", "missing"])
def test_a_command_that_only_reads_makes_nothing(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch, command: str, code: int, *, is_there: bool
) -> None:
    folder = terminal.folder / "not" / "yet"
    if is_there:
        folder.mkdir(parents=True)
    monkeypatch.setenv("WINNOW_DATA_DIR", str(folder))
    terminal.run(f"winnow {command}", code=code)
    assert terminal.list_files() == (["not", "not/yet"] if is_there else [])


@pytest.mark.parametrize(
    "command",
    [
        *("keys list", "keys create --name a --type live", "keys hook wk_live_0", "keys reset"),
        *("accounts create sales", "integrity", "backup", "check a@b.de"),
        *("clean list.csv", "worker", "serve"),
    ],
)
def test_no_command_touches_a_folder_of_others(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    terminal.write("list.csv", LIST)
    folder = terminal.write("photos/inputs/holiday.jpg", b"x").parents[1]
    folder.chmod(0o755)
    monkeypatch.setenv("WINNOW_DATA_DIR", str(folder))
    before = describe_tree(terminal.folder)
    assert "not Winnow's" in terminal.run(f"winnow {command}", code=1)[1]
    assert describe_tree(terminal.folder) == before


def test_lost_keys_are_made_anew_only_where_the_pepper_is_gone(
    terminal: Terminal, data_dir: Path
) -> None:
    terminal.run("winnow keys reset", code=1)
    terminal.run("winnow keys create --name crm --type live")
    terminal.run("winnow keys reset", code=1)
    opened = services()
    with opened.uploads.begin(LOCAL_ACCOUNT, "bounces.csv", None, formats=None) as writer:
        writer.write(b"email,type\na@web.de,hard\nb@web.de,soft\nc@web.de,complaint\n")
        opened.own_files.add(LOCAL_ACCOUNT, OwnFileKind.BOUNCES, writer.receive())
    (data_dir / "pepper").unlink()
    said, _ = terminal.run("winnow keys reset")
    assert "keys revoked: 1" in said
    assert "2 remembered noes are lost" in said
    assert "revoked" in terminal.run("winnow keys list")[0]


@pytest.mark.parametrize("name", ["WINNOW_WORKERS", "WINNOW_NONSENSE", "WINNOW_BAN_THRESHOLD"])
def test_a_wrong_setting_is_named(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv(name, "many")
    for command in ("keys list", "serve"):
        assert name in terminal.run(f"winnow {command}", code=1)[1]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        pytest.param("--address 0.0.0.0", "WINNOW_PASSWORD", id="beyond-without-a-password"),
        pytest.param("--port 65536", "No port from 65536 on is free", id="no-such-port"),
    ],
)
def test_serving_is_refused(terminal: Terminal, options: str, said: str) -> None:
    assert said in terminal.run(f"winnow serve {options}", code=1)[1]


def test_clean_merges_files_of_any_form(terminal: Terminal) -> None:
    terminal.write("a.csv", "name;E-Mail\nJürgen;x@gmail.com\n".encode("cp1252"))
    terminal.write("b.txt", b"X@gmail.com\ny@mailinator.com\n")
    write_workbook(terminal.folder / "c.xlsx", [("email", "zip"), ("z@gmail.com", "007")])
    out, _ = terminal.run("winnow clean a.csv b.txt c.xlsx --merge --out merged.csv")
    frame = pd.read_csv("merged.csv", dtype=str, keep_default_na=False)
    assert list(frame.columns) == [
        *("name", "E-Mail", "zip", "source_file", "category", "domain_type")
    ]
    assert frame.to_numpy().tolist() == [
        ["", "X@gmail.com", "", "b.txt", "white", "free"],
        ["", "y@mailinator.com", "", "b.txt", "black", "disposable"],
        ["", "z@gmail.com", "007", "c.xlsx", "white", "free"],
    ]
    assert "a.csv: 1 row\nb.txt: 2 rows\nc.xlsx: 1 row\n" in out
    assert "4 rows in, 3 out, 1 duplicate removed" in out
    terminal.run("winnow clean a.csv b.txt c.xlsx --merge --no-deduplicate")
    assert len(pd.read_csv("a and 2 more-checked.csv")) == 4
    terminal.run("winnow clean ?.* --merge --out out/")
    assert len(pd.read_csv("out/a and 2 more-checked.csv")) == 3
    made = ["a and 2 more-checked.csv", "merged.csv", "out", "out/a and 2 more-checked.csv"]
    assert terminal.list_files() == sorted([*made, "a.csv", "b.txt", "c.xlsx"])


ABSENT = "needs a package that is not installed: "


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("a.csv --merge", "needs at least two files"),
        ("a.csv s3://bucket/b.csv --merge", "none of a bucket"),
        ("a.csv b.csv --merge --out s3://bucket/c.csv", "in a bucket"),
        ("a.csv none.csv --merge", "none.csv: "),
        ("a.csv broken.csv --merge", "broken.csv: Line 2: the quote"),
        ("a.csv late.csv --merge", "late.csv: Line 200,002: "),
        ("a.csv b.csv --merge --out b.csv", "b.csv is one of the lists"),
        ("a.csv b.csv --merge --out A2.csv", "A2.csv is one of the lists"),  # a link to a.csv
        ("a.csv two.csv --merge", "two.csv: More than one column"),
        ("a.csv b.csv --merge --out -", "standard output"),
        ("a.csv --recipe r.toml", "r.toml: "),
        ("*.tsv", "file: no list is named"),
        ("a.csv b.csv --out all.csv", "out: is one file, and there are several lists"),
        ("a.csv in/a.csv --out in/", "out: two lists would be written to"),
        ("s3://lists/a.csv", f"{ABSENT}fsspec"),
        ("a.csv --cluster tcp://x:1 --join-aliases --repair safe", "--join-aliases, --repair"),
        ("a.csv --cluster tcp://127.0.0.1:1", f"cluster: this {ABSENT}"),
    ],
)
def test_lists_that_cannot_be_cleaned_are_named_and_nothing_is_written(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch, words: str, told: str
) -> None:
    for absent in ("fsspec", "distributed"):
        monkeypatch.setitem(sys.modules, absent, None)
    for module in ("dask_job", "failures", "list_parts"):
        monkeypatch.delitem(sys.modules, f"winnow.cluster.{module}", raising=False)
    for name in ("a.csv", "b.csv", "in/a.csv"):
        terminal.write(name, ONE)
    terminal.write("r.toml", b"keep = 7\n")
    terminal.write("broken.csv", b'email,n\nx@gmail.com,"1\n')
    terminal.write("late.csv", b"email,n\n" + b"x@gmail.com,1\n" * 200_000 + b'y@gmail.com,"\n')
    terminal.write("two.csv", b"from,to\n" + b"x@gmail.com,y@gmail.com\n" * 3)
    os.link("a.csv", "A2.csv")
    before = {**describe_tree(terminal.folder), ".": None}
    assert told in terminal.run(f"winnow clean {words}", code=1)[1]
    assert {**describe_tree(terminal.folder), ".": None} == before


@pytest.mark.parametrize("more", ["", "b.csv", "b.csv --merge"])
def test_clean_makes_the_folder_that_ends_in_a_slash_and_takes_one_that_is_there(
    terminal: Terminal, more: str
) -> None:
    for name in ("a.csv", "b.csv"):
        terminal.write(name, ONE)
    terminal.run(f"winnow clean a.csv {more} --out checked/")
    Path("there").mkdir()
    terminal.run(f"winnow clean a.csv {more} --out there")
    for folder in ("checked", "there"):
        assert len(list(Path(folder).iterdir())) == (2 if more == "b.csv" else 1)
    _, err = terminal.run(f"winnow clean a.csv {more} --out no/such/", code=1)
    assert "there is no such folder" in err
    terminal.run(f"winnow clean a.csv {more} --out b.csv/", code=1)
    assert Path("b.csv").read_bytes() == ONE


def test_clean_takes_many_lists_each_into_its_own(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    def run(source: Any, request: BatchRequest, *others: Any) -> BatchOutcome:
        if request.path.name == "d.csv":
            raise MemoryError
        return usual(source, request, *others)

    usual = batch._run
    monkeypatch.setattr(batch, "_run", run)
    for name in ("a.csv", "b.csv", "a-checked.csv", "d.csv"):
        terminal.write(name, b"email\n" + name[:1].encode() + b"@gmail.com\n")
    terminal.write("c.csv", b"a,b\n1,2\n")
    Path("out").mkdir()
    _, err = terminal.run("winnow clean *.csv --out out/", code=1)
    assert {path.name: path.read_bytes() for path in Path("out").iterdir()} == {
        f"{name}-checked.csv": f"email,category,domain_type\n{name}@gmail.com,white,free\n".encode()
        for name in ("a", "b")
    }
    assert "winnow: c.csv: No column is named email." in err
    assert "winnow: d.csv: There was not enough memory for this list." in err
    assert "winnow: 2 of 4 lists could not be cleaned" in err


@pytest.mark.parametrize(
    "words",
    [
        *("sender shop.example", "verify page.html", "clean a.csv --judge-both"),
        *("clean a --split=50", "clean a --mailbox"),
    ],
)
def test_what_was_removed_is_named_with_what_to_use_instead(
    words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(words.split())
    assert stopped.value.code == 2
    assert " was removed: " in capsys.readouterr().err


def test_a_refresh_that_the_setting_locks_is_refused_in_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("WINNOW_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("WINNOW_NETWORK", "off")
    assert main(["refresh"]) == 1
    assert "WINNOW_NETWORK says what may be turned on." in capsys.readouterr().err


WORKERS_HAVE = {
    *("--cluster", "--email-column", "--encoding", "--escape", "--help", "--merge"),
    *("--no-deduplicate", "--no-header", "--out", "--recipe"),
}


@pytest.mark.parametrize(
    "action",
    [
        pytest.param(one, id=one.option_strings[-1])
        for one in CLEAN_OPTIONS
        if one.option_strings[-1] not in WORKERS_HAVE
    ],
)
def test_an_option_that_workers_lack_is_refused(terminal: Terminal, action: Action) -> None:
    terminal.write("a.csv", ONE)
    (option,) = action.option_strings
    words = option if action.nargs == 0 else f"{option} {[*(action.choices or ['Standard'])][-1]}"
    if option in {"--keep", "--keep-by"}:
        words = "--keep newest --keep-by 1"
    said = terminal.run(f"winnow clean a.csv --cluster tcp://x:1 {words}", code=1)[1]
    assert "cluster: does not work with" in said
    assert option in said

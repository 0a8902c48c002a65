"""The commands, run in this process."""

import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import msgspec
import pandas as pd
import pytest

from tests.applications import LIST, submit
from tests.folders import describe_tree, set_up_data_folder
from tests.workbooks import read_cells, write_workbook
from winnow.api.schemas.check import present_check
from winnow.cli import clean
from winnow.cli.commands import main
from winnow.core.accounts import LOCAL_ACCOUNT
from winnow.core.lists.cleaning import CleaningPolicy
from winnow.core.lists.contact_fields import ContactField
from winnow.core.lists.exports import DownloadChoice
from winnow.core.lists.file_format import FileFormat
from winnow.core.lists.platforms import Platform
from winnow.core.verdicts.domain_types import Ground
from winnow.core.verdicts.verdict import Category
from winnow.environment import read_environment
from winnow.wiring import open_application, services


@pytest.fixture(autouse=True)
def data_dir(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pytestconfig: pytest.Config, knowledge: object
) -> Path:
    """A folder of its own with the knowledge that is compiled already."""
    assert pytestconfig.cache is not None
    assert knowledge
    data_dir = set_up_data_folder(tmp_path / "data", pytestconfig.cache.mkdir("knowledge"))
    monkeypatch.setenv("WINNOW_DATA_DIR", str(data_dir))
    return data_dir


def test_clean_writes_the_checked_list_beside_the_list(
    tmp_path: Path, data_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = tmp_path / "list.csv"
    content = LIST.replace(b"throwaway.example", b"mailinator.com")
    source.write_bytes(content.replace(b"mailboxes.example", b"siemens.com"))
    assert main(["clean", str(source)]) == 0
    assert (tmp_path / "list-checked.csv").read_bytes() == (
        b"id,email,category,domain_type\r\n"
        b"02,ONE@siemens.com,white,business\r\n"
        b"03,two@mailinator.com,black,disposable\r\n"
        b"04,not an address,black,invalid\r\n"
    )
    assert "4 rows in, 3 out, 1 duplicate removed" in capsys.readouterr().out
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        *("data", "list-checked.csv", "list.csv")
    ]
    assert not (data_dir / "winnow.db").exists()


def test_clean_keeps_duplicates_and_takes_any_column(tmp_path: Path) -> None:
    source = write_workbook(tmp_path / "a.xlsx", [("contact",), ("x@gmail.com",), ("x@gmail.com",)])
    out = tmp_path / "b.xlsx"
    options = ["--no-deduplicate", "--email-column", "contact", "--out", str(out)]
    assert main(["clean", str(source), *options]) == 0
    assert read_cells(out) == [
        ("contact", "category", "domain_type"),
        *([("x@gmail.com", "white", "free")] * 2),
    ]


DATED = b"id,email,when,note\n1,a@gmail.com,1/2/2024,x\n2,A@gmail.com,2/1/2024,\n3,a@gmail.com,,\n"


@pytest.mark.parametrize(
    ("content", "options", "cleaned", "said"),
    [
        pytest.param(
            b"email,other\n,x@gmail.com\n",
            ("--second-email-column", "other"),
            b"email,other,email_used,category,domain_type\n,x@gmail.com,x@gmail.com,white,free\n",
            (),
            id="second-column",
        ),
        pytest.param(
            DATED,
            ("--keep", "first"),
            b"id,email,when,note,category,domain_type\n1,a@gmail.com,1/2/2024,x,white,free\n",
            (),
            id="first",
        ),
        pytest.param(
            DATED,
            ("--keep", "newest", "--keep-by", "when"),
            b"id,email,when,note,category,domain_type\n2,A@gmail.com,2/1/2024,,white,free\n",
            ("Dates in “when” were read as month/day/year.",),
            id="newest",
        ),
        pytest.param(
            b"email\na.na@gmail.com\nana+x@googlemail.com\n",
            ("--join-aliases",),
            b"email,category,domain_type\nana+x@googlemail.com,grey,suspicious signs\n",
            (),
            id="aliases",
        ),
        pytest.param(
            b"email\nA.na+x@googlemail.com\n",
            ("--mailbox",),
            b"email,mailbox,category,domain_type\n"
            b"A.na+x@googlemail.com,ana@gmail.com,grey,suspicious signs\n",
            (),
            id="mailbox",
        ),
        pytest.param(
            b'email;id\r\nmailto:a@gmail.com;1\r\n"b@gmail,com";2\r\nx@gmail.com;3\r\n',
            ("--repair", "safe"),
            b"email;id;email_repaired;category;domain_type\r\n"
            b"mailto:a@gmail.com;1;a@gmail.com;white;free\r\n"
            b'"b@gmail,com";2;b@gmail.com;white;free\r\n'
            b"x@gmail.com;3;x@gmail.com;white;free\r\n",
            ("2 addresses repaired", "1  a comma for a dot, or a dot too many"),
            id="repairs",
        ),
    ],
)
def test_clean_obeys_its_options(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    content: bytes,
    options: tuple[str, ...],
    cleaned: bytes,
    said: tuple[str, ...],
) -> None:
    source, out = tmp_path / "a.csv", tmp_path / "b.csv"
    source.write_bytes(content)
    assert main(["clean", str(source), "--out", str(out), *options]) == 0
    assert out.read_bytes() == cleaned
    told = capsys.readouterr().out
    assert not [one for one in said if one not in told]


@pytest.mark.parametrize(
    ("content", "options", "message"),
    [
        (b"email,email\na@x.de,b@x.de\n", (), "--email-column"),
        (LIST, ("--email-column", "7"), "--email-column: the list has no column"),
        (LIST, ("--encoding", "latin-99"), "--encoding: this encoding"),
        (b"id,name\n1,x\n", (), "No column is named email"),
        (
            b"Privat;Arbeit\na@x.de;b@x.de\n",
            (),
            "More than one column holds addresses: columns 1 (Privat), 2 (Arbeit).",
        ),
        (b"a@x.de;1\nb@x.de;2\n", (), "no header row"),
        (b"", (), ""),
        (LIST, ("--out", "list.csv"), "is the list itself"),
        (LIST, ("--out", "out.xlsx"), "Name a file ending in .csv."),
        (LIST, ("--out", "out.zip"), "Name a file ending in .csv."),
        (LIST, ("--out", "/dev/stdout"), "is no file"),
        (LIST, ("--keep", "newest"), "Name the column of dates."),
        (LIST, ("--keep", "newest", "--keep-by", "signed up"), "no column 'signed up'"),
        (LIST, ("--keep-by", "id"), "goes with keep=newest only"),
        (LIST, ("--out", "no/such/folder.csv"), "no such folder"),
        (LIST, ("--out", "/proc/list.csv"), "list.csv cannot be written"),
        (LIST, ("--policy", "strict"), "\u201cB2B outreach\u201d"),
    ],
)
def test_clean_says_what_is_wrong_and_leaves_nothing(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    content: bytes,
    options: tuple[str, ...],
    message: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("list.csv").write_bytes(content)
    assert main(["clean", "list.csv", *options]) == 1
    error = capsys.readouterr().err
    assert error.startswith("winnow: ")
    assert message in error
    assert "email_column" not in error  # flags are named, not fields
    assert "Read it differently" not in error
    assert Path("list.csv").read_bytes() == content
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data", "list.csv"]


def test_clean_replaces_the_file_behind_a_link_and_nothing_that_is_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("list.csv").write_bytes(LIST)
    Path("old.csv").write_bytes(b"old")
    Path("link.csv").symlink_to("old.csv")
    Path("same.csv").symlink_to("list.csv")
    os.link("list.csv", "twin.csv")
    os.mkfifo("pipe.csv")
    for out in ("pipe.csv", os.devnull, "same.csv", "twin.csv", "LIST.csv/../list.csv"):
        assert main(["clean", "list.csv", "--out", out]) == 1
        assert capsys.readouterr().err.startswith("winnow: out: ")
    assert Path("list.csv").read_bytes() == Path("twin.csv").read_bytes() == LIST
    assert stat.S_ISCHR(Path(os.devnull).stat().st_mode)
    assert main(["clean", "list.csv", "--out", "link.csv"]) == 0
    assert Path("link.csv").is_symlink()
    assert Path("old.csv").read_bytes().startswith(b"id,email,category")
    Path("list-checked.csv").symlink_to("nowhere.csv")
    assert main(["clean", "list.csv"]) == 1
    assert Path("list-checked.csv").is_symlink()
    assert not Path("nowhere.csv").exists()


def test_clean_says_of_what_is_no_file_that_it_is_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    os.mkfifo("pipe.csv")
    Path("list.csv").write_bytes(LIST)
    for lists in (["pipe.csv"], ["list.csv", "pipe.csv", "--merge"]):
        assert main(["clean", *lists]) == 1
        assert "pipe.csv is a folder, a pipe or a device" in capsys.readouterr().err
    os.mkfifo("out-suppression.csv")
    assert main(["clean", "list.csv", "--for", "brevo", "--out", "out.csv"]) == 1
    assert "out-suppression.csv is no file" in capsys.readouterr().err
    assert stat.S_ISFIFO(Path("out-suppression.csv").stat().st_mode)
    assert not Path("out.csv").exists()


def test_clean_names_the_result_by_the_format_whatever_stands_behind(tmp_path: Path) -> None:
    source = tmp_path / "list.csv "
    source.write_bytes(LIST)
    assert main(["clean", str(source)]) == 0
    assert (tmp_path / "list-checked.csv").exists()


def test_clean_leaves_what_came_to_its_place_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    source, taken = tmp_path / "list.csv", tmp_path / "list-checked.csv"
    source.write_bytes(LIST)
    monkeypatch.setattr(clean, "show_progress", lambda progress: taken.write_bytes(b"other"))
    assert main(["clean", str(source)]) == 1
    assert "already there" in capsys.readouterr().err
    assert taken.read_bytes() == b"other"


def test_clean_tells_what_was_assumed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "list.csv"
    source.write_bytes("email;Straße;category\nana@gmail.com;Über;1\n".encode("cp1252"))
    assert main(["clean", str(source)]) == 0
    notes = [line for line in capsys.readouterr().out.splitlines() if line.startswith("note: ")]
    assert len(notes) == 2
    assert "Windows-1252" in notes[0]


def test_clean_notes_that_most_rows_went(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = tmp_path / "list.csv"
    source.write_text("name,email\n" + "Ana,ana@gmail.com\n" * 3)
    assert main(["clean", str(source)]) == 0
    assert "More than half of the rows went. Is email the right column?" in capsys.readouterr().out


MIXED = b"id,email\r\n1,ana@gmail.com\r\n2,bo@mailinator.com\r\n3,info@siemens.com\r\n4,foo\r\n"


@pytest.mark.parametrize(
    ("policy", "cleaned"),
    [
        pytest.param(
            "standard",
            b"id,email,category,domain_type\r\n"
            b"1,ana@gmail.com,white,free\r\n3,info@siemens.com,white,business\r\n",
            id="case-aside",
        ),
        pytest.param(
            "B2B outreach",
            b"id,email,category,domain_type,reason\r\n"
            b"3,info@siemens.com,white,business,business; role_account\r\n",
            id="no-free-providers",
        ),
    ],
)
def test_clean_by_a_policy_that_winnow_begins_with(
    tmp_path: Path, data_dir: Path, policy: str, cleaned: bytes
) -> None:
    source = tmp_path / "list.csv"
    source.write_bytes(MIXED)
    assert main(["clean", str(source), "--policy", policy]) == 0
    assert (tmp_path / "list-cleaned.csv").read_bytes() == cleaned
    assert not (tmp_path / "list-checked.csv").exists()
    assert not (data_dir / "winnow.db").exists()


def test_unsubscribed_rows_are_in_the_suppression_file_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = tmp_path / "list.csv"
    source.write_bytes(b"email,Opt-out\nana@gmail.com,no\nbo@gmail.com,yes\n")
    assert main(["clean", str(source), "--for", "brevo"]) == 0
    assert "1 unsubscribed" in capsys.readouterr().out
    assert (tmp_path / "list-brevo.csv").read_bytes().split() == [b"EMAIL", b"ana@gmail.com"]
    suppressed = (tmp_path / "list-brevo-suppression.csv").read_bytes()
    assert suppressed.split() == [b"EMAIL", b"bo@gmail.com"]
    assert main(["clean", str(source)]) == 0
    assert b"bo@gmail.com,yes,white,free" in (tmp_path / "list-checked.csv").read_bytes()


def test_clean_by_a_policy_of_the_data_folder(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kept = DownloadChoice(
        CleaningPolicy(frozenset({Ground.FREE_PROVIDER})), file_format=FileFormat.XLSX
    )
    services(os.environ).policies.create(LOCAL_ACCOUNT, "Companies", kept)
    source = tmp_path / "list.csv"
    source.write_bytes(MIXED)
    assert main(["clean", str(source), "--policy", "companies"]) == 0
    rows = read_cells(tmp_path / "list-kept.xlsx")
    assert [row[0] for row in rows] == ["id", "2", "3", "4"]
    assert "3 rows stay, 1 goes" in capsys.readouterr().out


def test_clean_by_a_policy_for_a_platform(tmp_path: Path) -> None:
    source = tmp_path / "list.csv"
    source.write_bytes(MIXED)
    assert main(["clean", str(source), "--policy", "B2B outreach", "--for", "mailchimp"]) == 0
    contacts = (tmp_path / "list-mailchimp.csv").read_text("utf-8-sig")
    suppressed = (tmp_path / "list-mailchimp-suppression.csv").read_text("utf-8-sig")
    assert "info@siemens.com" in contacts
    assert "ana@gmail.com" not in contacts
    assert "ana@gmail.com" in suppressed


def test_clean_never_overwrites_by_itself(tmp_path: Path) -> None:
    source = tmp_path / "list.csv"
    source.write_bytes(LIST)
    (tmp_path / "list-checked.csv").write_bytes(b"precious")
    assert main(["clean", str(source)]) == 1
    assert (tmp_path / "list-checked.csv").read_bytes() == b"precious"
    assert main(["clean", str(tmp_path / "missing.csv")]) == 1
    (tmp_path / "other.csv").write_bytes(LIST)
    (tmp_path / "list-brevo-suppression.csv").write_bytes(b"precious")
    assert main(["clean", str(source), str(tmp_path / "other.csv"), "--for", "brevo"]) == 1
    assert (tmp_path / "list-brevo-suppression.csv").read_bytes() == b"precious"
    assert not (tmp_path / "list-brevo.csv").exists()
    assert (tmp_path / "other-brevo.csv").exists()


def test_check_prints_the_nine_fields_and_why(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "x@mailinator.com"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert len(answer) == 10
    assert (answer["category"], answer["type"]) == ("black", "disposable")
    assert answer["explanation"]["reasons"][0] == "disposable_reviewed"
    first = answer["explanation"]["evidence"][0]
    assert first.keys() == {"reason", "rule", "source", "dated", "matched", "asked_at"}
    assert first["rule"] == "On a list of disposable mail services that is reviewed by hand."


def test_check_answers_as_the_pages_do(capsys: pytest.CaptureFixture[str]) -> None:
    opened = services()
    opened.own_lists.add(LOCAL_ACCOUNT, "wegwerf.example.org", Category.BLACK, "complained")
    opened.own_lists.add(LOCAL_ACCOUNT, "mailinator.com", Category.WHITE, "")
    for text in ("a@wegwerf.example.org", "x@mailinator.com", "ana@gmial.com", "n/a", "ü@frei.de"):
        assert main(["check", text]) == 0
        answer = present_check(opened.checks.check(LOCAL_ACCOUNT, text))
        assert json.loads(capsys.readouterr().out) == json.loads(msgspec.json.encode(answer))


def test_check_imports_no_package_for_lists(data_dir: Path) -> None:
    heavy = ("polars", "pyarrow", "pandas", "duckdb", "numpy", "streamlit", "sqlalchemy")
    code = (
        "import sys; from winnow.__main__ import main; main(['check', 'x@mailinator.com']); "
        f"print([one for one in {heavy} if one in sys.modules])"
    )
    before = sorted(os.listdir(data_dir))
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.splitlines()[-1] == "[]"
    assert sorted(os.listdir(data_dir)) == before


def test_check_asks_no_dns_that_the_operator_locks(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("WINNOW_NETWORK", "off")
    assert main(["check", "x@mailinator.com", "--dns"]) == 1
    assert "WINNOW_NETWORK" in capsys.readouterr().err


def test_keys_and_accounts(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["accounts", "create", "sales"]) == 0
    command = ["keys", "create", "--name", "crm", "--type", "sandbox", "--account", "sales"]
    assert main(command) == 0
    secret = capsys.readouterr().out.strip()
    assert main(["keys", "list", "--account", "sales"]) == 0
    listed = capsys.readouterr().out
    assert listed == f"{secret.partition('.')[0]}\tsandbox\tactive\t0\tcrm\n"
    assert main(["keys", "create", "--name", "", "--type", "live"]) == 1


def test_hooks_of_keys(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["keys", "create", "--name", "crm", "--type", "live"]) == 0
    prefix = capsys.readouterr().out.partition(".")[0]
    hook = ["keys", "hook", prefix]
    assert main([*hook, "--url", "https://shop.example/winnow"]) == 0
    said = capsys.readouterr()
    assert said.out.startswith("whsec_")
    assert "hooks are off" in said.err
    assert main(hook) == 0
    assert capsys.readouterr().out == "https://shop.example/winnow\n"
    assert main([*hook, "--url", "http://shop.example/"]) == 1
    assert "WINNOW_HOOK_NETWORKS" in capsys.readouterr().err
    opened = open_application(read_environment(os.environ))
    task = submit(opened, key_prefix=prefix).task_id
    opened.services.tasks.cancel(LOCAL_ACCOUNT, task)
    assert main(["keys", "deliveries", prefix]) == 0
    assert capsys.readouterr().out == f"{task}\twaiting\t0\t\t\n"
    assert main(["keys", "replay", prefix, task]) == 0
    assert main(["keys", "replay", prefix, "0"]) == 1
    assert main([*hook, "--url", ""]) == 0
    assert main(hook) == 0
    assert capsys.readouterr().out == "no hook\n"
    assert main(["keys", "hook", "wk_live_0"]) == 1


def test_upkeep(capsys: pytest.CaptureFixture[str], data_dir: Path) -> None:
    assert main(["accounts", "create", "sales"]) == 0
    assert main(["integrity"]) == 0
    assert main(["backup"]) == 0
    name = capsys.readouterr().out.splitlines()[-1]
    assert (data_dir / "backups" / name).is_file()
    assert main(["knowledge", "build"]) == 0


@pytest.mark.parametrize(
    ("command", "code"),
    [(["keys", "list"], 0), (["keys", "hook", "a"], 1), (["integrity"], 0), (["backup"], 1)],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
@pytest.mark.parametrize("is_there", [True, False], ids=["empty", "missing"])
def test_a_command_that_only_reads_makes_nothing(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    command: list[str],
    code: int,
    is_there: bool,
) -> None:
    folder = tmp_path / "not" / "yet"
    if is_there:
        folder.mkdir(parents=True)
    monkeypatch.setenv("WINNOW_DATA_DIR", str(folder))
    assert main(command) == code
    assert folder.exists() == is_there
    assert not is_there or not list(folder.iterdir())


@pytest.mark.parametrize(
    "command",
    [
        ["keys", "list"],
        ["keys", "create", "--name", "a", "--type", "live"],
        ["keys", "hook", "wk_live_0"],
        ["keys", "reset"],
        ["accounts", "create", "sales"],
        ["integrity"],
        ["backup"],
        ["check", "a@b.de"],
        ["knowledge", "build"],
        ["clean", "list.csv"],
        ["worker"],
        ["serve"],
    ],
    ids=" ".join,
)
def test_no_command_touches_a_folder_of_others(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    command: list[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("list.csv").write_bytes(LIST)
    folder = tmp_path / "photos"
    (folder / "inputs").mkdir(parents=True, mode=0o755)
    (folder / "inputs" / "holiday.jpg").write_bytes(b"x")
    folder.chmod(0o755)
    monkeypatch.setenv("WINNOW_DATA_DIR", str(folder))
    before = describe_tree(tmp_path)
    assert main(command) == 1
    assert "not Winnow's" in capsys.readouterr().err
    assert describe_tree(tmp_path) == before


def test_lost_keys_are_made_anew_only_where_the_pepper_is_gone(
    data_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["keys", "reset"]) == 1
    assert main(["keys", "create", "--name", "crm", "--type", "live"]) == 0
    assert main(["keys", "reset"]) == 1
    (data_dir / "pepper").unlink()
    capsys.readouterr()
    assert main(["keys", "reset"]) == 0
    assert "keys revoked: 1" in capsys.readouterr().out
    assert main(["keys", "list"]) == 0
    assert "revoked" in capsys.readouterr().out


@pytest.mark.parametrize("name", ["WINNOW_WORKERS", "WINNOW_NONSENSE"])
def test_a_wrong_setting_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    monkeypatch.setenv(name, "many")
    assert main(["keys", "list"]) == 1
    assert name in capsys.readouterr().err


def test_serving_beyond_this_machine_needs_a_password(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["serve", "--address", "0.0.0.0"]) == 1  # noqa: S104
    assert "WINNOW_PASSWORD" in capsys.readouterr().err


def test_serving_where_nobody_can_listen_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["serve", "--port", "65536"]) == 1
    assert "No port from 65536 on is free" in capsys.readouterr().err


PLATFORM_LIST = (
    "Vorname;E-Mail;Nachname;Nr\r\n"
    "Ana;ana@firm-a.de;B;1\r\n"
    "Bo; bo@gmail.com;C;2\r\n"
    "Cy;cy@mailinator.com;D;3\r\n"
    "Di;nobody;E;4\r\n"
    "Eve;eve@firm-a.de;F;5\r\n"
)


def test_clean_writes_a_platforms_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    platform = Platform.MAILCHIMP
    source = tmp_path / "list.csv"
    source.write_text(PLATFORM_LIST, encoding="utf-8-sig")
    assert main(["clean", str(source), "--for", platform.value]) == 0
    traits = platform.traits
    first, last = (traits.fields[one] for one in (ContactField.FIRST_NAME, ContactField.LAST_NAME))
    assert (tmp_path / f"list-{platform.value}.csv").read_bytes().decode() == (
        f"{traits.email},{first},{last}\r\n"
        "ana@firm-a.de,Ana,B\r\nbo@gmail.com,Bo,C\r\neve@firm-a.de,Eve,F\r\n"
    )
    assert (tmp_path / f"list-{platform.value}-suppression.csv").read_bytes().decode() == (
        f"{traits.suppression}\r\ncy@mailinator.com\r\n"
    )
    said = capsys.readouterr().out
    assert f"  {first}: Vorname\n" in said
    assert "left out: Nr\n" in said
    assert sorted(path.name for path in tmp_path.iterdir() if path.name != "data") == [
        *(f"list-{platform.value}-suppression.csv", f"list-{platform.value}.csv", "list.csv")
    ]
    assert main(["clean", str(source), "--for", platform.value]) == 1


def test_a_platform_gets_the_repaired_addresses(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = tmp_path / "list.csv"
    source.write_text('email,first name\n"ana@gmail,com",Ana\nbo@gmail.com,Bo\n')
    assert main(["clean", str(source), "--for", "brevo", "--repair", "safe"]) == 0
    assert (tmp_path / "list-brevo.csv").read_text().splitlines() == [
        *("EMAIL,FIRSTNAME", "ana@gmail.com,Ana", "bo@gmail.com,Bo")
    ]
    said = capsys.readouterr().out
    assert "  EMAIL: email_repaired\n" in said
    assert "left out: email\n" in said


def test_clean_says_what_a_platform_asks_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = tmp_path / "list.txt"
    source.write_text("ana@gmail.com\nbo@gmail.com\n")
    assert main(["clean", str(source), "--for", "salesforce"]) == 0
    assert "note: The platform asks for a last name; no column holds it." in capsys.readouterr().out
    assert (tmp_path / "list-salesforce.csv").read_text().split() == [
        *("Email", "ana@gmail.com", "bo@gmail.com")
    ]


def test_clean_merges_files_of_any_form(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first, second = tmp_path / "a.csv", tmp_path / "b.txt"
    first.write_bytes("name;E-Mail\nJürgen;x@gmail.com\n".encode("cp1252"))
    second.write_bytes(b"X@gmail.com\ny@mailinator.com\n")
    third = write_workbook(tmp_path / "c.xlsx", [("email", "zip"), ("z@gmail.com", "007")])
    out = tmp_path / "merged.csv"
    files = [str(path) for path in (first, second, third)]
    assert main(["clean", *files, "--merge", "--out", str(out)]) == 0
    frame = pd.read_csv(out, dtype=str, keep_default_na=False)
    assert list(frame.columns) == [
        *("name", "E-Mail", "zip", "source_file", "category", "domain_type")
    ]
    assert frame.to_numpy().tolist() == [
        ["", "X@gmail.com", "", "b.txt", "white", "free"],
        ["", "y@mailinator.com", "", "b.txt", "black", "disposable"],
        ["", "z@gmail.com", "007", "c.xlsx", "white", "free"],
    ]
    told = capsys.readouterr().out
    assert "a.csv: 1 row\nb.txt: 2 rows\nc.xlsx: 1 row\n" in told
    assert "4 rows in, 3 out, 1 duplicate removed" in told
    assert main(["clean", *files, "--merge", "--no-deduplicate"]) == 0
    assert len(pd.read_csv(tmp_path / "a and 2 more-checked.csv")) == 4
    out.unlink()
    assert main(["clean", f"{tmp_path}/?.*", "--merge", "--out", f"{tmp_path}/data/"]) == 0
    assert len(pd.read_csv(tmp_path / "data" / "a and 2 more-checked.csv")) == 3
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        *("a and 2 more-checked.csv", "a.csv", "b.txt", "c.xlsx", "data")
    ]


@pytest.mark.parametrize(
    ("files", "options", "told"),
    [
        (["a.csv"], ["--merge"], "needs at least two files"),
        (["a.csv", "s3://bucket/b.csv"], ["--merge"], "none of a bucket"),
        (["a.csv", "b.csv"], ["--merge", "--out", "s3://bucket/c.csv"], "in a bucket"),
        (["a.csv", "none.csv"], ["--merge"], "none.csv: "),
        (["a.csv", "broken.csv"], ["--merge"], "broken.csv: Line 2: the quote"),
        (["a.csv", "late.csv"], ["--merge"], "late.csv: Row 200,002: "),
        (["a.csv", "b.csv"], ["--merge", "--out", "b.csv"], "b.csv is one of the lists"),
        (["a.csv", "b.csv"], ["--merge", "--out", "A2.csv"], "A2.csv is one of the lists"),
        (["a.csv", "two.csv"], ["--merge"], "two.csv: More than one column"),
    ],
    ids=[
        "alone",
        "bucket",
        "to-a-bucket",
        "missing",
        "broken",
        "broken-later",
        "onto-itself",
        "onto-itself-by-another-name",
        "which-column",
    ],
)
def test_what_cannot_be_merged_is_named_and_leaves_nothing(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    files: list[str],
    options: list[str],
    told: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    contents = {
        "a.csv": "email\nx@gmail.com\n",
        "b.csv": "email\ny@gmail.com\n",
        "broken.csv": 'email,n\nx@gmail.com,"1\n',
        "late.csv": "email,n\n" + "x@gmail.com,1\n" * 200_000 + 'y@gmail.com,"\n',
        "two.csv": "from,to\n" + "x@gmail.com,y@gmail.com\n" * 3,
    }
    for name, text in contents.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    os.link("a.csv", "A2.csv")
    before = {**describe_tree(tmp_path), ".": None}
    assert main(["clean", *files, *options]) == 1
    assert told in capsys.readouterr().err
    assert {**describe_tree(tmp_path), ".": None} == before


@pytest.mark.parametrize("more", [(), ("b.csv",), ("b.csv", "--merge")])
def test_clean_makes_the_folder_that_ends_in_a_slash_and_takes_one_that_is_there(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    more: tuple[str, ...],
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("a.csv", "b.csv"):
        Path(name).write_bytes(b"email\nana@gmail.com\n")
    assert main(["clean", "a.csv", *more, "--out", "checked/"]) == 0
    Path("there").mkdir()
    assert main(["clean", "a.csv", *more, "--out", "there"]) == 0
    for folder in ("checked", "there"):
        assert len(list(Path(folder).iterdir())) == (2 if more == ("b.csv",) else 1)
    assert main(["clean", "a.csv", *more, "--out", "no/such/"]) == 1
    assert "there is no such folder" in capsys.readouterr().err
    assert main(["clean", "a.csv", *more, "--out", "b.csv/"]) == 1
    assert Path("b.csv").read_bytes() == b"email\nana@gmail.com\n"


def test_clean_takes_many_lists_each_into_its_own(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("a.csv", "b.csv", "a-checked.csv"):
        (tmp_path / name).write_bytes(b"email\n" + name[:1].encode() + b"@gmail.com\n")
    (tmp_path / "c.csv").write_bytes(b"a,b\n1,2\n")
    (tmp_path / "out").mkdir()
    assert main(["clean", str(tmp_path / "*.csv"), "--out", f"{tmp_path}/out/"]) == 1
    assert {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()} == {
        f"{name}-checked.csv": f"email,category,domain_type\n{name}@gmail.com,white,free\n".encode()
        for name in ("a", "b")
    }
    said = capsys.readouterr().err
    assert f"winnow: {tmp_path}/c.csv: No column is named email." in said
    assert "winnow: 1 of 3 lists could not be cleaned" in said


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["*.tsv"], "file: no list is named"),
        (["a.csv", "b.csv", "--out", "all.csv"], "out: is one file, and there are several lists"),
        (["a.csv", "in/a.csv", "--out", "in/"], "out: two lists would be written to"),
        (["s3://lists/a.csv"], "file: s3:// needs a package that is not installed: fsspec"),
        (
            ["a.csv", "--cluster", "tcp://x:1", "--dns"],
            "cluster: does not work with --dns",
        ),
        (
            ["a.csv", "--cluster", "tcp://127.0.0.1:1"],
            "cluster: this needs a package that is not installed: ",
        ),
    ],
)
def test_clean_says_what_it_cannot_find_or_has_not(
    options: list[str],
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for absent in ("fsspec", "distributed"):
        monkeypatch.setitem(sys.modules, absent, None)
    for module in ("dask_job", "failures", "list_parts"):
        monkeypatch.delitem(sys.modules, f"winnow.cluster.{module}", raising=False)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "in").mkdir()
    for name in ("a.csv", "b.csv", "in/a.csv"):
        (tmp_path / name).write_bytes(b"email\nana@gmail.com\n")
    assert main(["clean", *options]) == 1
    assert said in capsys.readouterr().err
    assert sorted(path.name for path in tmp_path.rglob("*.csv")) == ["a.csv", "a.csv", "b.csv"]


@pytest.mark.parametrize(
    "words",
    [
        ["sender", "shop.example"],
        ["verify", "page.html"],
        ["clean", "a.csv", "--judge-both"],
        ["clean", "a.csv", "--split=5000"],
    ],
)
def test_what_was_removed_is_named_with_what_to_use_instead(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(words)
    assert stopped.value.code == 2
    assert " was removed in 0.3: " in capsys.readouterr().err

"""The commands, run in this process."""

import json
from pathlib import Path

import openpyxl
import pytest

from backend.cli import main
from tests.houses import LIST
from tests.workbooks import read_cells, write_workbook


@pytest.fixture(autouse=True)
def data_dir(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pytestconfig: pytest.Config, knowledge: object
) -> Path:
    """A folder of its own with the knowledge that is compiled already."""
    assert pytestconfig.cache is not None
    assert knowledge
    data_dir = tmp_path / "data"
    data_dir.mkdir()
    (data_dir / "knowledge").symlink_to(pytestconfig.cache.mkdir("knowledge"))
    monkeypatch.setenv("WINNOW_DATA_DIR", str(data_dir))
    return data_dir


def test_clean_writes_the_checked_list_beside_the_list(
    tmp_path: Path, data_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = tmp_path / "list.csv"
    source.write_bytes(LIST.replace(b"throwaway.example", b"mailinator.com"))
    assert main(["clean", str(source)]) == 0
    assert (tmp_path / "list-checked.csv").read_bytes() == (
        b"id,email,category,domain_type\r\n"
        b"02,ONE@mailboxes.example,white,unlisted\r\n"
        b"03,two@mailinator.com,black,disposable\r\n"
        b"04,not an address,black,invalid\r\n"
    )
    assert "4 rows in, 3 out, 1 duplicates removed" in capsys.readouterr().out
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


@pytest.mark.parametrize(
    ("content", "options", "message"),
    [
        (b"id,name\n1,x\n", (), "No column is named email"),
        (b"", (), ""),
        (LIST, ("--out", "list.csv"), "already there"),
        (LIST, ("--out", "no/such/folder.csv"), "no such folder"),
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
    assert Path("list.csv").read_bytes() == content
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data", "list.csv"]


def test_clean_tells_what_was_assumed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "list.csv"
    source.write_bytes("email;Straße;category\nana@gmail.com;Über;1\n".encode("cp1252"))
    assert main(["clean", str(source)]) == 0
    notes = [line for line in capsys.readouterr().out.splitlines() if line.startswith("note: ")]
    assert len(notes) == 2
    assert "Windows-1252" in notes[0]


def test_clean_takes_the_sheet_that_has_the_column(tmp_path: Path) -> None:
    source = tmp_path / "list.xlsx"
    book = openpyxl.Workbook()
    book.active.append(("name", "email"))
    book.active.append(("Ana", "ana@gmail.com"))
    second = book.create_sheet("Second")
    second.append(("mail",))
    second.append(("bo@mailinator.com",))
    book.save(source)
    assert main(["clean", str(source), "--email-column", "mail"]) == 0
    result = openpyxl.load_workbook(tmp_path / "list-checked.xlsx")
    assert result["Second"]["B2"].value == "black"


def test_clean_never_overwrites_by_itself(tmp_path: Path) -> None:
    source = tmp_path / "list.csv"
    source.write_bytes(LIST)
    (tmp_path / "list-checked.csv").write_bytes(b"precious")
    assert main(["clean", str(source)]) == 1
    assert (tmp_path / "list-checked.csv").read_bytes() == b"precious"
    assert main(["clean", str(tmp_path / "missing.csv")]) == 1


def test_check_prints_the_nine_fields_and_why(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "x@mailinator.com"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert len(answer) == 10
    assert (answer["category"], answer["type"]) == ("black", "disposable")
    assert answer["explanation"]["reasons"][0] == "disposable_reviewed"


def test_keys_and_accounts(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["accounts", "create", "sales"]) == 0
    command = ["keys", "create", "--name", "crm", "--type", "sandbox", "--account", "sales"]
    assert main(command) == 0
    secret = capsys.readouterr().out.strip()
    assert main(["keys", "list", "--account", "sales"]) == 0
    listed = capsys.readouterr().out
    assert listed == f"{secret.partition('.')[0]}\tsandbox\tactive\t0\tcrm\n"
    assert main(["keys", "create", "--name", "", "--type", "live"]) == 1


def test_upkeep(capsys: pytest.CaptureFixture[str], data_dir: Path) -> None:
    assert main(["integrity"]) == 0
    assert main(["backup"]) == 0
    name = capsys.readouterr().out.splitlines()[-1]
    assert (data_dir / "backups" / name).is_file()
    assert main(["knowledge", "build"]) == 0


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

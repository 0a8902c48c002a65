"""``winnow clean``: who may be mailed, by columns, files and the data folder."""

from pathlib import Path

import pytest

from tests.tables import read_csv
from winnow.cli.commands import main

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

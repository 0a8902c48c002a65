"""Lists in the encodings of the world: told, judged, and given back in the same encoding."""

import csv
import io
import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from tests.lists.delimited_support import make_judge, run_list, scratch_folder
from winnow.core.errors import UnsupportedFormat
from winnow.core.lists.exports import DownloadChoice, Export
from winnow.core.lists.file_format import FileFormat
from winnow.core.lists.input_head import ENCODINGS, MULTIBYTE, Choices, EncodingDoubt
from winnow.core.lists.rows import RowFilter, Variant
from winnow.core.tasks.task import InputPlan
from winnow.core.unicode_forms import guard_cell
from winnow.core.verdicts.judge import judge_text
from winnow.lists.inspection.inspect import plan_input, read_head
from winnow.lists.result.result_rows import ResultRows
from winnow.lists.result.row_index import META
from winnow.lists.result.row_text import RESULT_NAME

NAMES = {
    "ja": "田中 太郎,さくら 花子,ソフト 能登,高橋 ポール,渡辺 表示,みなみ 構内,カタカナ 予約",
    "zh": "王伟,李娜,张敏,刘洋,陈静,杨丽,北京市,上海市场,广州大学,深圳公司,我们的朋友,电子邮件地址",
    "tw": "陳志明,林淑芬,黃建國,許功蓋,張雅婷,王大同,臺北市政府,高雄縣,電子郵件信箱,我們的朋友",
    "ko": "김민준,이서연,박지후,최수빈,정하은,서울특별시,부산광역시,전자 우편 주소,우리 친구들",
    "ru": "Мария Иванова,Сергей Кузнецов,Ольга Смирнова,Дмитрий Попов,Съезд Москва,Ёлка Пятигорск",
    "uk": "Оксана Шевченко,Іван Ковальчук,Юлія Їжак,Андрій Ґудзь,Київ,Єлизавета Львів",
    "el": "Γιώργος Παπαδόπουλος,Μαρία Δημητρίου,Ελένη Άγγελος,Νίκος Οικονόμου,Αθήνα",
    "he": "יוסף כהן,רחל לוי,דוד מזרחי,שרה פרץ,תל אביב,ירושלים,חיפה",
    "ar": "محمد أحمد,فاطمة علي,عبد الله حسن,عائشة خالد,القاهرة,الرياض,دمشق",
    "th": "สมชาย ใจดี,สมหญิง รักไทย,กรุงเทพมหานคร,เชียงใหม่,ประเทศไทย",
    "tr": "Ayşe Yılmaz,Mehmet Öztürk,Çağla Şahin,İpek Güneş,Iğdır",  # noqa: RUF001
    "hu": "Őri Gyöngyi,Kovács Ernő,Szűcs Tünde,Győr Fűzfő,Nagy Bálint,Sándor Móricz",
    "lt": "Žygimantas Šarūnas,Rūta Čepaitė,Eglė Jančiauskienė,Vytautas Ąžuolas",
}
TOLD = [
    ("ja", "cp932"),
    ("ja", "euc_jp"),
    ("zh", "gb18030"),
    ("tw", "cp950"),
    ("ko", "cp949"),
    ("ru", "cp866"),
    ("ru", "iso8859-5"),
    ("ru", "mac-cyrillic"),
    ("ru", "cp1251"),
    ("ru", "koi8-r"),
    ("uk", "koi8-u"),
    ("uk", "mac-cyrillic"),
    ("el", "iso8859-7"),
    ("el", "cp1253"),
    ("he", "cp1255"),
    ("ar", "cp1256"),
    ("th", "cp874"),
    ("tr", "cp857"),
    ("tr", "cp1254"),
    ("hu", "cp1250"),
    ("lt", "cp1257"),
]


def write(language: str, encoding: str) -> bytes:
    names = 3 * NAMES[language].split(",")
    rows = "".join(f"{name},user{place}@frei.de\r\n" for place, name in enumerate(names))
    return f"name,email\r\n{rows}".encode(encoding)


@pytest.mark.parametrize(("language", "encoding"), TOLD)
def test_an_encoding_is_told_and_said_to_be_likely(tmp_path, language, encoding) -> None:
    path = tmp_path / "list"
    path.write_bytes(write(language, encoding))
    head = read_head(path, "list.csv")
    names = 3 * NAMES[language].split(",")
    assert [row[0] for row in head.sample_rows] == names[:20]
    assert head.encoding == encoding
    assert head.encoding_doubt is EncodingDoubt.SLIGHT
    assert head.row_count == len(names)
    (notice,) = [one for one in head.notices if one.code == "encoding_assumed"]
    assert "probably" in notice.text
    chosen = read_head(path, "list.csv", Choices(encoding=encoding))
    assert chosen.encoding_doubt is EncodingDoubt.NONE
    assert chosen.sample_rows == head.sample_rows


PEOPLE = {
    "pl": "Łukasz Wiśniewski,Michał Dąbrowski,Grażyna Źrebiec,Agnieszka Zielińska,Józef Wójcik",
    "cs": "Jiří Dvořák,Tomáš Němec,Zdeněk Šťastný,Ondřej Růžička,Lenka Černá,Petr Žižka",
    "de": "Jürgen Müller,Käthe Groß,Günther Schröder,Jörg Strauß,Änne Böhm,Ulrike Füßl",
    "fr": "Hélène Lefèvre,François Dupré,Zoë Bâtard,Jérôme Garçon,Benoît Gué",
    "es": "José Núñez,María Peña,Iñaki Martínez,Begoña Muñoz,Petr Šimek,Luka Žák",
}


@pytest.mark.parametrize(
    ("countries", "encodings"),
    [
        (("pl", "cs"), ("cp1250", "iso8859-2", "cp852")),
        (("pl", "de"), ("cp1250", "iso8859-2", "cp852")),
        (("cs", "de"), ("cp1250", "iso8859-2", "cp852")),
        (("pl", "cs", "de"), ("cp1250", "iso8859-2", "cp852")),
        (("de", "fr"), ("cp1252", "cp850", "mac-roman")),
        (("de", "es"), ("cp1252",)),
        (("fr", "es"), ("cp1252",)),
    ],
)
def test_names_of_several_countries_are_read(tmp_path, countries, encodings) -> None:
    names = 3 * ",".join(PEOPLE[country] for country in countries).split(",")
    rows = "".join(f"{name},user{place}@frei.de\r\n" for place, name in enumerate(names))
    path = tmp_path / "list"
    for encoding in encodings:
        path.write_bytes(f"name,email\r\n{rows}".encode(encoding))
        head = read_head(path, "list.csv")
        assert [row[0] for row in head.sample_rows] == names[:20], encoding


def test_an_encoding_that_begins_late_is_told(tmp_path) -> None:
    path = tmp_path / "list"
    plain = "".join(f"Ana Long Enough {n},user{n}@frei.de\n" for n in range(50_000))
    late = NAMES["ja"].replace(",", ",x@frei.de\n") + ",y@frei.de\n"
    path.write_bytes(f"name,email\n{plain}{late}".encode("cp932"))
    head = read_head(path, "list.csv")
    assert head.encoding == "cp932"
    assert head.row_estimate == pytest.approx(50_000, rel=0.05)


@pytest.mark.parametrize("encoding", sorted(MULTIBYTE))
def test_international_addresses_are_judged_as_what_they_are(tmp_path, encoding) -> None:
    domain = {"cp949": "한국.kr"}.get(encoding, "中文.com")
    emails = [f"ana@{domain}", f"{domain[:2]}@frei.de", "bob@wegwerf.net"]
    data = ("email,name\n" + "".join(f"{email},{domain}\n" for email in emails)).encode(encoding)
    path = tmp_path / "list"
    path.write_bytes(data)
    plan = plan_input(read_head(path, "list.csv", Choices(encoding=encoding)))
    judge = make_judge()
    run = run_list(data, plan, judge, tmp_path)
    rows = run.rows.page(RowFilter(), 0, 9).rows
    assert [row.verdict for row in rows] == [judge_text(judge, email).verdict for email in emails]
    assert rows[0].verdict.category == "white"
    assert run.rows.count(RowFilter(text=domain[:2])) == 3


LETTERS = {
    "cp932": "ソ表能ポ構~\\|@ab①髙",
    "euc_jp": "表能ポソ~\\|@ab",
    "gb18030": "王镕䶮丂亅\\|@ab€",
    "gbk": "王镕丂亅\\|@ab",
    "cp950": "許功蓋育\\|@ab",
    "big5hkscs": "許功蓋咗\\|@ab",
    "cp949": "김똠갂\\|@ab",
}
ODD_BYTES = {  # a second form of a letter, half a letter, no letter
    "cp932": (b"\xee\xe0", b"\xfa\x54", b"\x87\x9a", b"\x81", b"\xff", b"\xf0\x40"),
    "euc_jp": (b"\xa1", b"\xff", b"\x8f\xa2"),
    "gb18030": (b"\x81", b"\xff", b"\x81\x30"),
    "gbk": (b"\x81", b"\xff"),
    "cp950": (b"\xa2\xcc", b"\xf9\xfe", b"\xa1\xc3", b"\xa4", b"\xff"),
    "big5hkscs": (b"\xa2\xcc", b"\xa4", b"\xff"),
    "cp949": (b"\xb0", b"\xff"),
}


@st.composite
def lists(draw: st.DrawFn):
    """A list's records in bytes, made cell by cell, with its encoding and delimiter."""
    encoding = draw(st.sampled_from(sorted(MULTIBYTE)))
    delimiter = draw(st.sampled_from(",;\t|"))
    newline = draw(st.sampled_from((b"\n", b"\r\n", b"\r")))
    words = st.text(st.sampled_from(LETTERS[encoding]), max_size=6)
    mark = delimiter.encode()

    def draw_cell() -> bytes:
        text = draw(words)
        is_quoted = delimiter in text or draw(st.booleans())
        raw = text.encode(encoding) + draw(
            st.sampled_from((b"", b"", b"", *ODD_BYTES[encoding]))
        ) * (not text.endswith("\\"))
        if is_quoted:
            return b'"' + raw + draw(st.sampled_from((b"", b'""', newline + b"x"))) + b'"'
        return raw

    records = [b"name%semail%snote" % (mark, mark) + newline]
    for _ in range(draw(st.integers(1, 8))):
        email = draw(st.sampled_from(("ana@frei.de", "bob@frei.de", "bob@wegwerf.net", "")))
        cells = [draw_cell(), email.encode(), draw_cell()][: draw(st.integers(2, 3))]
        records.append(mark.join(cells) + newline)
    if draw(st.booleans()):
        records[-1] = records[-1].removesuffix(newline)
    return encoding, delimiter, newline, records


@pytest.mark.slow
@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(lists(), st.booleans(), st.sampled_from((1, 16, 1 << 22)))
@example(("gb18030", "|", b"\n", [b"name|email|note\n", b"\x81|ana@frei.de|\x810"]), False, 1)
@example(("gb18030", ",", b"\n", [b"name,email\n", b'x,ana@frei.de,"\x810"']), False, 1)
@example(("cp932", "|", b"\n", [b"name|email|note\n", b"\x83|\xee\xe0|ana@frei.de|x"]), False, 1)
def test_the_cells_of_the_rows_come_back_in_their_encoding(made, deduplicate, block_bytes) -> None:
    encoding, delimiter, newline, records = made
    plan = InputPlan(
        FileFormat.CSV, 1, ("name", "email", "note"), encoding=encoding, delimiter=delimiter
    )
    with scratch_folder() as folder:
        run = run_list(
            b"".join(records), plan, make_judge(), Path(folder),
            deduplicate=deduplicate, block_bytes=block_bytes,
        )  # fmt: skip
        page = run.rows.page(RowFilter(), 0, 100)
        ended = [record.removesuffix(newline) + b"\n\n" for record in records[1:]]  # as it is read
        decoded = [record.decode(encoding, "replace") for record in ended]
        emails = [(*read_record(record, delimiter), "", "")[1] for record in decoded]
        keys = [email.strip().lower() for email in emails]
        kept = [
            place
            for place, key in enumerate(keys)
            if not (deduplicate and key and key in keys[place + 1 :])
        ]
        assert [row.email for row in page.rows] == [emails[place] for place in kept]
        rest = run.result
        wanted = [(records[0], ("category", "domain_type"))]
        wanted += [
            (records[1 + place], (row.verdict.category.value, row.verdict.domain_type.value))
            for place, row in zip(kept, page.rows, strict=True)
        ]
        mark = delimiter.encode()
        for record, added in wanted:
            end = newline if record.endswith(newline) else b""
            whole = record.removesuffix(newline) + b"\n\n"  # half a letter takes nothing along
            body = whole.decode(encoding, "replace").encode(encoding, "replace")[:-2]
            assert rest.startswith(body)
            rest = rest[len(body) :].lstrip(mark)
            tail = mark.join(cell.encode() for cell in added) + end
            assert rest.startswith(tail)
            rest = rest[len(tail) :]
        assert rest == b""
        assert b"".join(run.rows.stream()) == run.result
        choice = DownloadChoice(adds_reason=True)
        wide = b"".join(run.rows.stream(Export(Variant.AUGMENTED, choice)))
        for place in kept:
            assert decoded[place].encode(encoding, "replace")[:-2] in wide
        choice = DownloadChoice(safe_for_excel=True)
        safe = b"".join(run.rows.stream(Export(Variant.AUGMENTED, choice)))
        text = io.StringIO(safe.decode("utf-8-sig"), newline="")
        rows = list(csv.reader(text, delimiter=delimiter))
        assert [row[1] for row in rows[1:]] == [guard_cell(emails[place]) for place in kept]


def read_record(text: str, delimiter: str) -> list[str]:
    return next(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))


def test_bytes_that_are_no_text_are_told_with_their_line(tmp_path) -> None:
    data = write("ja", "cp932") + b"\x81\xff,late@frei.de\r\n"
    path = tmp_path / "list"
    path.write_bytes(data)
    head = read_head(path, "list.csv", Choices(encoding="shift_jis"))
    (notice,) = [one for one in head.notices if one.code == "encoding_invalid"]
    assert notice.lines == (23,)
    assert "Shift-JIS" in notice.text
    run = run_list(data, plan_input(head), make_judge(), tmp_path)
    assert run.result.endswith(b"?\xff,late@frei.de,white,free\r\n")
    assert run.rows.page(RowFilter(), 21, 1).rows[0].cells[0] == "\ufffd\uf8f3"


def test_a_result_with_places_of_the_original_bytes_still_opens(tmp_path) -> None:
    """Winnow 0.2 kept where each row stood in the list as it came."""
    data = write("ja", "cp932")
    (tmp_path / "list").write_bytes(data)
    plan = plan_input(read_head(tmp_path / "list", "list.csv"))
    run = run_list(data, plan, make_judge(), tmp_path)
    meta = json.loads((run.folder / META).read_bytes())
    meta["original"] = {**meta["text"], "file_name": RESULT_NAME, "encoding": "cp932"}
    (run.folder / META).write_text(json.dumps(meta))
    rows = ResultRows(run.folder, plan)
    assert b"".join(rows.stream()) == run.result


@pytest.mark.parametrize("order", ["le", "be"])
def test_utf16_and_utf32_without_a_mark_are_known(tmp_path, order) -> None:
    path = tmp_path / "list"
    text = "名前,電子郵件,email\n" + "".join(
        f"一二三四五丁丂七丄丅,{n}一一一一,a@b.de\n" for n in range(99)
    )
    path.write_bytes(text.encode(f"utf-16-{order}"))
    head = read_head(path, "list.csv")
    assert (head.encoding, head.row_count) == (f"utf-16-{order}", 99)
    path.write_bytes(text.encode(f"utf-32-{order}"))
    with pytest.raises(UnsupportedFormat, match="UTF-32"):
        read_head(path, "list.csv")


def test_mail_encodings_of_seven_bits_are_refused_by_name(tmp_path) -> None:
    path = tmp_path / "list"
    path.write_bytes("name,email\n田中,a@x.de\n".encode("iso2022_jp"))
    with pytest.raises(UnsupportedFormat, match="ISO-2022"):
        read_head(path, "list.csv")


def test_every_encoding_on_offer_can_be_chosen(tmp_path) -> None:
    path = tmp_path / "list"
    for encoding in ENCODINGS:
        path.write_bytes("name,email\nAna,ana@x.de\n".encode(encoding))
        head = read_head(path, "list.csv", Choices(encoding=encoding))
        assert head.sample_rows == (("Ana", "ana@x.de"),)

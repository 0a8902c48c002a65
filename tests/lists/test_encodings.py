"""Lists in the encodings of the world: told, judged, and given back in the same encoding."""

import json

import pytest

from tests.lists.delimited_support import JUDGE, clean, read, run_list
from tests.tables import read_csv
from winnow.core.errors import BrokenFile, UnsupportedFormat
from winnow.core.judging.judge import judge_text
from winnow.core.lists.file_format import FileFormat
from winnow.core.lists.input_head import ENCODINGS, MULTIBYTE, Choices, EncodingDoubt
from winnow.core.lists.rows import RowFilter
from winnow.core.tasks.input_plan import InputPlan
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
TOLD = {
    "ja": "cp932 euc_jp", "zh": "gb18030", "tw": "cp950", "ko": "cp949",
    "ru": "cp866 iso8859-5 mac-cyrillic cp1251 koi8-r", "uk": "koi8-u mac-cyrillic",
    "el": "iso8859-7 cp1253", "he": "cp1255", "ar": "cp1256", "th": "cp874", "tr": "cp857 cp1254",
    "hu": "cp1250", "lt": "cp1257",
}  # fmt: skip


def write(names: list[str], encoding: str) -> bytes:
    rows = "".join(f"{name},user{place}@frei.de\r\n" for place, name in enumerate(names))
    return f"name,email\r\n{rows}".encode(encoding)


@pytest.mark.parametrize(
    ("language", "encoding"),
    [(language, one) for language, encodings in TOLD.items() for one in encodings.split()],
)
def test_an_encoding_is_told_and_said_to_be_likely(language: str, encoding: str) -> None:
    names = 3 * NAMES[language].split(",")
    content = write(names, encoding)
    head = read(content)
    assert [row[0] for row in head.sample_rows] == names[:20]
    assert head.encoding == encoding
    assert head.encoding_doubt is EncodingDoubt.SLIGHT
    assert head.row_count == len(names)
    (notice,) = [one for one in head.notices if one.code == "encoding_assumed"]
    assert "probably" in notice.text
    chosen = read(content, choices=Choices(encoding=encoding))
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
        *((some, "cp1250 iso8859-2 cp852") for some in ("pl cs", "pl de", "cs de", "pl cs de")),
        ("de fr", "cp1252 cp850 mac-roman"),
        *((some, "cp1252") for some in ("de es", "fr es")),
    ],
)
def test_names_of_several_countries_are_read(countries: str, encodings: str) -> None:
    names = 3 * ",".join(PEOPLE[country] for country in countries.split()).split(",")
    for encoding in encodings.split():
        head = read(write(names, encoding))
        assert [row[0] for row in head.sample_rows] == names[:20], encoding


@pytest.mark.parametrize("encoding", sorted(MULTIBYTE))
def test_international_addresses_are_judged_as_what_they_are(tmp_path, encoding) -> None:
    domain = {"cp949": "한국.kr"}.get(encoding, "中文.com")
    emails = [f"ana@{domain}", f"{domain[:2]}@frei.de", "bob@wegwerf.net"]
    data = ("email,name\n" + "".join(f"{email},{domain}\n" for email in emails)).encode(encoding)
    run = clean(data, tmp_path, choices=Choices(encoding=encoding))
    rows = run.rows.page(RowFilter(), 0, 9).rows
    assert [row.verdict for row in rows] == [judge_text(JUDGE, email).verdict for email in emails]
    assert rows[0].verdict.category == "white"
    assert run.rows.page(RowFilter(text=domain[:2]), 0, 0).matching == 3


ODD_BYTES = {  # a second form of a letter, half a letter, no letter
    "cp932": (b"\xee\xe0", b"\xfa\x54", b"\x87\x9a", b"\x81", b"\xff", b"\xf0\x40"),
    "euc_jp": (b"\xa1", b"\xff", b"\x8f\xa2"),
    "gb18030": (b"\x81", b"\xff", b"\x81\x30"),
    "gbk": (b"\x81", b"\xff"),
    "cp950": (b"\xa2\xcc", b"\xf9\xfe", b"\xa1\xc3", b"\xa4", b"\xff"),
    "big5hkscs": (b"\xa2\xcc", b"\xa4", b"\xff"),
    "cp949": (b"\xb0", b"\xff"),
}


@pytest.mark.parametrize(
    ("encoding", "delimiter", "record"),
    [
        *((one, ",", odd + b",ana@frei.de," + odd) for one in ODD_BYTES for odd in ODD_BYTES[one]),
        ("gb18030", ",", b'x,ana@frei.de,"\x810"'),
        ("gb18030", "|", b"\x81|ana@frei.de|\x810"),
        ("cp932", "|", b"\x83|\xee\xe0|ana@frei.de|x"),
    ],
)
@pytest.mark.parametrize("end", [b"", b"\n"])
def test_half_a_letter_takes_nothing_along(tmp_path, encoding, delimiter, record, end) -> None:
    plan = InputPlan(
        FileFormat.CSV, 1, ("name", "email", "note"), encoding=encoding, delimiter=delimiter
    )
    header = b"name,email,note\n".replace(b",", delimiter.encode())
    run = run_list(header + record + end, plan, tmp_path, block_bytes=1)
    text = (record + b"\n\n").decode(encoding, "replace")[:-2]
    [cells] = read_csv(text, delimiter, strict=False)
    (row,) = run.rows.page(RowFilter(), 0, 9).rows
    assert row.cells[: len(cells)] == tuple(cells)
    assert run.result.splitlines()[1].startswith(text.encode(encoding, "replace"))


def test_bytes_that_are_no_text_are_told_with_their_line(tmp_path) -> None:
    data = write(3 * NAMES["ja"].split(","), "cp932") + b"\x81\xff,late@frei.de\r\n"
    choices = Choices(encoding="shift_jis")
    (notice,) = [
        one for one in read(data, choices=choices).notices if one.code == "encoding_invalid"
    ]
    assert notice.lines == (23,)
    assert "Shift-JIS" in notice.text
    run = clean(data, tmp_path, choices=choices)
    assert run.result.endswith(b"?\xff,late@frei.de,white,free\r\n")
    assert run.rows.page(RowFilter(), 21, 1).rows[0].cells[0] == "\ufffd\uf8f3"


def test_a_result_with_places_of_the_original_bytes_still_opens(tmp_path) -> None:
    """Winnow 0.2 kept where each row stood in the list as it came."""
    run = clean(write(3 * NAMES["ja"].split(","), "cp932"), tmp_path)
    meta = json.loads((run.folder / META).read_bytes())
    meta["original"] = {**meta["text"], "file_name": RESULT_NAME, "encoding": "cp932"}
    (run.folder / META).write_text(json.dumps(meta))
    assert b"".join(ResultRows(run.folder, run.plan).stream()) == run.result


@pytest.mark.parametrize("order", ["le", "be"])
def test_utf16_without_a_mark_is_known_and_what_is_not_read_refused(order: str) -> None:
    row = "一二三四五丁丂七丄丅,{}一一一一,a@b.de\n"
    text = "名前,電子郵件,email\n" + "".join(row.format(number) for number in range(99))
    head = read(text.encode(f"utf-16-{order}"))
    assert (head.encoding, head.row_count) == (f"utf-16-{order}", 99)
    with pytest.raises(BrokenFile, match="NUL"):
        read(text.encode(f"utf-32-{order}"))
    with pytest.raises(UnsupportedFormat, match="UTF-32"):
        read(text.encode("utf-32"))
    with pytest.raises(UnsupportedFormat, match="ISO-2022"):
        read("name,email\n田中,a@x.de\n".encode("iso2022_jp"))


def test_every_encoding_on_offer_can_be_chosen() -> None:
    for encoding in ENCODINGS:
        content = "name,email\nAna,ana@x.de\n".encode(encoding)
        head = read(content, choices=Choices(encoding=encoding))
        assert head.sample_rows == (("Ana", "ana@x.de"),)

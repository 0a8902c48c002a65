"""Texts in the language of the moment, which belongs to a context and not to the process."""

import contextvars
import copy
import json
import pickle
import re
from collections.abc import Callable
from datetime import date
from pathlib import Path
from threading import Thread

import pytest

from winnow.core.errors import InputError
from winnow.core.figures import show_count, show_date, show_share, show_size
from winnow.core.lists.input_head import Choices, describe_encoding
from winnow.lists.inspect import find_column, read_head
from winnow.network.network_use import NetworkUse
from winnow.words import (
    Sentence,
    current_language,
    format_number,
    pack_sentences,
    pick_language,
    say,
    say_many,
    speaking,
    translatable,
    translatable_many,
    unpack_sentences,
    use_language,
)


@pytest.mark.parametrize(
    ("text", "fields", "english", "german"),
    [
        ("a few seconds", {}, "a few seconds", "ein paar Sekunden"),
        ("no such text {here}", {"here": 3}, "no such text 3", "no such text 3"),
        ("{base}/check-email", {}, "{base}/check-email", "{base}/check-email"),  # no pattern
        *((text, {}, text, text) for text in ("Line 3 of it holds a NUL byte.", "")),  # former
    ],
)
def test_a_text_is_said_in_english_or_as_its_translation_says(
    text: str, fields: dict[str, int], english: str, german: str
) -> None:
    assert say(text, **fields) == english
    with speaking("de"):
        assert say(text, **fields) == german
    assert say(text, **fields) == english


def test_one_and_many_are_said() -> None:
    assert say_many(1, "{count} byte", "{count} bytes") == "1 byte"
    assert say_many(1_200, "{count} byte", "{count} bytes") == "1,200 bytes"
    with speaking("de"):
        assert say_many(1_200, "{count} byte", "{count} bytes") == "1.200 Byte"


def test_numbers_and_days_are_written_as_the_language_writes_them() -> None:
    assert (show_count(41_977), show_share(1, 3)) == ("41,977", "33.3 %")
    assert (show_size(2_400_000_000), show_date(date(2026, 11, 9))) == ("2.4 GB", "9 Nov 2026")
    with speaking("de"):
        assert (show_count(41_977), show_share(1, 3)) == ("41.977", "33,3 %")
        assert (show_size(2_400_000_000), show_date(date(2026, 11, 9))) == ("2,4 GB", "09.11.2026")


@pytest.mark.parametrize(
    ("wanted", "chosen", "language"),
    [
        ([], None, "en"),
        (["de"], None, "de"),
        (["de-AT", "en"], None, "de"),
        (["DE_ch"], None, "de"),
        (["fr-FR"], None, "en"),
        (["fr", "de"], None, "de"),
        (["de"], "en", "en"),
        (["en-GB"], "de", "de"),
        (["", "-"], None, "en"),
    ],
)
def test_the_setting_outranks_the_browser(
    wanted: list[str], chosen: str | None, language: str
) -> None:
    assert pick_language(wanted, chosen=chosen) == language


def test_one_session_never_changes_the_language_of_another() -> None:
    heard: list[str] = []

    def speak_german() -> None:
        use_language("de")
        heard.append(format_number(1000))

    thread = Thread(target=speak_german)
    thread.start()
    thread.join()
    contextvars.copy_context().run(speak_german)
    assert heard == ["1.000", "1.000"]
    assert (current_language(), format_number(1000)) == ("en", "1,000")


def refuse(content: bytes, folder: Path) -> InputError:
    """Return what a list is refused with."""
    source = folder / "list.csv"
    source.write_bytes(content)
    with pytest.raises(InputError) as refused:
        find_column(read_head(source, "list.csv", Choices()))
    return refused.value


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(b"", id="empty"),
        pytest.param(b"email\n", id="header-only"),
        pytest.param(b"name,town\nAna,Rome\n", id="no-email-column"),
        pytest.param(b"email,email\na@x.de,b@x.de\n", id="two-email-columns"),
        pytest.param(b"email\na@x.de\nb@\0x.de\n", id="nul"),
        pytest.param(b'email\n"a@x.de\n', id="open-quote"),
        pytest.param(b"%PDF-1.7\n", id="pdf"),
        pytest.param(b"PK\x03\x04", id="zip"),
        pytest.param(b"<html><table>", id="html"),
    ],
)
def test_what_was_refused_in_english_is_told_in_the_language_of_who_reads_it(
    content: bytes, tmp_path: Path
) -> None:
    error = refuse(content, tmp_path)
    with speaking("de"):
        told = [say(text) for text in (error.detail, error.hint or "") if text]
    assert not {"the", "is", "of", "and", "a"} & set(" ".join(told).replace(".", "").split()), told
    assert re.findall(r"\d+", told[0]) == re.findall(r"\d+", error.detail)
    assert say(error.detail) == error.detail


def test_what_is_filled_into_a_written_text_is_said_too() -> None:
    use = NetworkUse(asked_count=1_200, unknown_count=7, remembered_count=1)
    with speaking("de"):
        assert say(use.describe_dns().text) == (
            "Ins Netz gegangen: 1.200 Domains an Ihren Resolver, keine Adressen. Beantwortet: "
            "1.193; ohne Antwort: 7; nicht gefragt: 0; von früher bekannt: 1."
        )


def test_whose_letters_a_file_has_is_said_too() -> None:
    guessed = translatable("Not UTF-8; {guess}", guess=describe_encoding("cp1252"))
    assert guessed == "Not UTF-8; Windows-1252 (Western Europe)"
    with speaking("de"):
        assert "Windows-1252 (Westeuropa)" in say(guessed)


@pytest.mark.parametrize(
    "keep",
    [
        pytest.param(copy.deepcopy, id="copied"),
        pytest.param(
            lambda told: pickle.loads(pickle.dumps(told)),  # noqa: S301
            id="other-process",
        ),
        pytest.param(
            lambda told: unpack_sentences(json.loads(json.dumps(pack_sentences(told)))),
            id="stored",
        ),
    ],
)
def test_a_sentence_keeps_its_fields(keep: Callable[[str], str]) -> None:
    rows = translatable_many(1_200, "{count} row", "{count} rows")
    told = Sentence.join((translatable("The file says that it has {rows}.", rows=rows), "Ana {x}"))
    kept = keep(told)
    assert (told, kept) == ("The file says that it has 1,200 rows. Ana {x}",) * 2
    with speaking("de"):
        assert say(kept) == "Die Datei gibt an, 1.200 Zeilen zu haben. Ana {x}"


def test_a_number_is_written_with_separators_or_by_its_digits_alone() -> None:
    assert translatable("{line}, {line:d}", line=1_200) == "1,200, 1200"

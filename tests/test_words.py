"""Texts in the language of the moment, which belongs to a context and not to the process."""

import contextvars
from datetime import date
from threading import Thread

import pytest

from winnow.core.figures import show_count, show_date, show_share, show_size
from winnow.words import (
    current_language,
    format_number,
    pick_language,
    say,
    say_many,
    speaking,
    use_language,
)


def test_english_is_the_code_itself() -> None:
    assert say("a few seconds") == "a few seconds"
    assert say_many(1, "{count} byte", "{count} bytes") == "1 byte"
    assert say_many(1_200, "{count} byte", "{count} bytes") == "1,200 bytes"


def test_a_translation_says_what_its_file_says() -> None:
    with speaking("de"):
        assert say("a few seconds") == "ein paar Sekunden"
        assert say_many(1_200, "{count} byte", "{count} bytes") == "1.200 Byte"
    assert say("a few seconds") == "a few seconds"


def test_what_no_translation_has_is_said_in_english() -> None:
    with speaking("de"):
        assert say("no such text {here}", here=3) == "no such text 3"


def test_braces_of_a_text_that_is_no_pattern_stand() -> None:
    assert say("{base}/check-email") == "{base}/check-email"


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

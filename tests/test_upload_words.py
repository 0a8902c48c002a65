"""The drop zone's script says what its page tells it, all of it open to a translation."""

import re
from pathlib import Path

import pytest

from components.kit.upload import list_words
from winnow.words import speaking

FOLDER = Path(__file__).parents[1] / "components" / "kit"
SCRIPT = (FOLDER / "upload.js").read_text(encoding="utf-8")
MARKUP = (FOLDER / "upload.html").read_text(encoding="utf-8")


def test_every_word_is_given_and_every_given_word_is_used() -> None:
    used = {
        *re.findall(r'say\(zone, "(\w+)"', SCRIPT),
        *re.findall(r"\.words\.(\w+)", SCRIPT),
        *re.findall(r'data-(?:word|label)="(\w+)"', MARKUP),
    }
    assert used == set(list_words(1))


def test_the_markup_has_no_text_of_its_own() -> None:
    assert not re.sub(r"<[^>]*>|\s", "", MARKUP)
    assert "aria-label=" not in MARKUP


@pytest.mark.parametrize("language", ["en", "de"])
def test_the_script_fills_each_name_that_a_text_has(language: str) -> None:
    with speaking(language):
        words = list_words(2_400_000_000)
    assert words["limit"].count("{") == 0
    for name, text in words.items():
        for field in re.findall(r"\{(\w+)\}", text):
            call = re.search(rf'say\(zone, "{name}", (.*)\)', SCRIPT)
            assert call is not None, name
            assert field in call[1] or "sizes" in call[1], (name, field)

"""The theme: readable in light and dark, and the actions told apart by every kind of eye."""

import itertools
import re
import tomllib
from pathlib import Path

import pytest

from winnow.core.verdicts.verdict import ALWAYS_SHOWN

ROOT = Path(__file__).parents[2]
THEME = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))["theme"]
STYLE = (ROOT / "components" / "frame" / "desk.css").read_text(encoding="utf-8")
MODES = ("light", "dark")
ACTION_COLORS = ("greenColor", "yellowColor", "blueColor", "redColor")
LEAST_CONTRAST_TEXT = 4.5  # WCAG 2.2, 1.4.3
LEAST_CONTRAST_GRAPHIC = 3.0  # WCAG 2.2, 1.4.11
LEAST_LIGHTNESS_APART = 10.0  # of CIE L*, 0 to 100: a clear step between neighbouring bars

# Machado, Oliveira and Fernandes, A Physiologically-based Model for Simulation of Color Vision
# Deficiency, 2009: full severity, on linear RGB.
SIMULATIONS = {
    "usual": ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)),
    "protanopia": (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
    "deuteranopia": (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ),
    "tritanopia": (
        (1.255528, -0.076749, -0.178779),
        (-0.078411, 0.930809, 0.147602),
        (0.004733, 0.691367, 0.303900),
    ),
}
Linear = tuple[float, ...]


def linearize(color: str) -> Linear:
    """Return linear RGB, 0 to 1 (IEC 61966-2-1)."""
    parts = (int(color[start : start + 2], 16) / 255 for start in (1, 3, 5))
    return tuple(p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)


def simulate(color: str, matrix: tuple[Linear, ...]) -> Linear:
    linear = linearize(color)
    return tuple(
        min(1.0, max(0.0, sum(a * b for a, b in zip(row, linear, strict=True)))) for row in matrix
    )


def find_luminance(linear: Linear) -> float:
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def find_lightness(linear: Linear) -> float:
    luminance = find_luminance(linear)
    return 116 * luminance ** (1 / 3) - 16 if luminance > 0.008856 else 903.3 * luminance


def find_contrast(first: str, second: str) -> float:
    high, low = sorted((find_luminance(linearize(c)) for c in (first, second)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("eye", SIMULATIONS)
@pytest.mark.parametrize("mode", MODES)
def test_any_two_actions_differ_in_lightness(mode: str, eye: str) -> None:
    seen = [simulate(THEME[mode][name], SIMULATIONS[eye]) for name in ACTION_COLORS]
    for first, second in itertools.combinations(seen, 2):
        apart = abs(find_lightness(first) - find_lightness(second))
        assert apart >= LEAST_LIGHTNESS_APART


@pytest.mark.parametrize("mode", MODES)
def test_bars_stand_out_from_the_page(mode: str) -> None:
    theme = THEME[mode]
    for name in ACTION_COLORS:
        assert find_contrast(theme[name], theme["backgroundColor"]) >= LEAST_CONTRAST_GRAPHIC


GROUNDS = ("backgroundColor", "secondaryBackgroundColor")
TEXTS = [
    *(("textColor", ground) for ground in GROUNDS),
    *(("quiet", ground) for ground in GROUNDS),
    *(("grayTextColor", ground) for ground in (*GROUNDS, "grayBackgroundColor")),
    *((f"{c}TextColor", f"{c}BackgroundColor") for c in ("green", "yellow", "red", "blue")),
    ("linkColor", "backgroundColor"),
    ("codeTextColor", "codeBackgroundColor"),
    ("dataframeHeaderTextColor", "dataframeHeaderBackgroundColor"),
    ("white", "primaryColor"),  # on the main button
]


def read_pair(name: str) -> list[str]:
    """Return a colour of the style sheet in light and in dark."""
    pair = re.search(rf"--w-{name}: light-dark\((#\w+), (#\w+)\);", STYLE)
    assert pair is not None
    return [color.upper() for color in pair.groups()]


@pytest.mark.parametrize("place", [0, 1], ids=MODES)
def test_text_is_readable(place: int) -> None:
    colors = {**THEME[MODES[place]], "white": "#ffffff", "quiet": read_pair("quiet")[place]}
    found = {pair: find_contrast(*(colors[name] for name in pair)) for pair in TEXTS}
    assert not {pair: value for pair, value in found.items() if value < LEAST_CONTRAST_TEXT}


@pytest.mark.parametrize("mode", MODES)
def test_charts_use_the_colours_of_actions_first(mode: str) -> None:
    colors = THEME[mode]["chartCategoricalColors"]
    assert colors[:4] == [THEME[mode][name] for name in ACTION_COLORS]
    assert len(colors) == 10  # with fewer, Plotly charts get none


def test_the_style_sheet_has_the_same_colours() -> None:
    for name, option in zip(ALWAYS_SHOWN, ACTION_COLORS, strict=True):  # another has stripes
        assert read_pair(name) == [THEME[mode][option] for mode in MODES]


def test_nothing_of_the_look_comes_from_outside() -> None:
    sources = [*(ROOT / "components").glob("**/*"), ROOT / ".streamlit" / "config.toml"]
    for source in sources:
        if source.suffix in {".css", ".js", ".html", ".toml", ".svg"}:
            text = source.read_text(encoding="utf-8").replace("http://www.w3.org/2000/svg", "")
            assert not re.search(r"https?://", text), source.name
    for face in THEME["fontFaces"]:
        assert (ROOT / "components" / "static" / Path(face["url"]).name).is_file()

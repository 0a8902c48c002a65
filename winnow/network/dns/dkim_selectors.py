"""DKIM selectors of mail platforms: a reviewed file, since DNS tells nobody which there are."""

from collections.abc import Mapping
from importlib.resources import files


def read_selectors() -> Mapping[str, str]:
    """Return the selectors, each with whose it usually is; ``""`` for one that many use."""
    text = (files("winnow.network.dns") / "data" / "dkim_selectors.tsv").read_text("utf-8")
    lines = (line for line in text.splitlines() if line and not line.startswith("#"))
    pairs = (line.partition("\t") for line in lines)
    return {selector.strip(): whose.strip() for selector, _, whose in pairs}

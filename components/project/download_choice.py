"""Choice of what to remove and how files look, kept in the page's URL to be shared.

Codes only: nothing of a list is in a URL.
"""

from collections.abc import Mapping

from winnow.core.lists.cleaning import CleaningPolicy
from winnow.core.lists.download_choice import NOTHING_CHOSEN, DownloadChoice
from winnow.core.lists.exports import NO_LIMITS, FileLimits
from winnow.core.lists.file_format import NEW_FORMATS, FileFormat

NOTHING = "nothing"
_KEYS = ("goes", "with", "as")
_SPLIT = "split"
_EXTRAS = ("reason", "suggestion", "safe", "probability")


def read_choice(
    params: Mapping[str, str], default: DownloadChoice = NOTHING_CHOSEN
) -> DownloadChoice:
    """Return the choice in a URL, the default where it has none; invalid values are ignored."""
    if not any(key in params for key in _KEYS):
        return default
    extras = params.get("with", "").split(",")
    file_format = params.get("as")
    return DownloadChoice(
        policy=_read_policy(params.get("goes")),
        adds_reason="reason" in extras,
        adds_suggestion="suggestion" in extras,
        adds_probability="probability" in extras,
        safe_for_excel="safe" in extras,
        file_format=FileFormat(file_format) if file_format in NEW_FORMATS else None,
    )


def list_choice_params(
    choice: DownloadChoice, default: DownloadChoice = NOTHING_CHOSEN
) -> Mapping[str, str]:
    """Return the URL's parameters of a choice; empty texts for the default."""
    chosen = (
        choice.adds_reason,
        choice.adds_suggestion,
        choice.safe_for_excel,
        choice.adds_probability,
    )
    goes = ",".join(choice.policy.to_json()) or NOTHING
    is_plain = choice.policy == CleaningPolicy() and choice != NOTHING_CHOSEN
    values = {
        "goes": "" if is_plain else goes,
        "with": ",".join(name for name, is_on in zip(_EXTRAS, chosen, strict=True) if is_on),
        "as": choice.file_format.value if choice.file_format else "",
    }
    return dict.fromkeys(values, "") if choice == default else values


def read_split(params: Mapping[str, str]) -> FileLimits:
    """Return where files are split by a URL; invalid values are ignored."""
    text = params.get(_SPLIT, "")
    is_number = text.isascii() and text.isdigit() and len(text) < 10 and int(text) > 0
    return FileLimits(rows=int(text)) if is_number else NO_LIMITS


def list_split_params(split: FileLimits) -> Mapping[str, str]:
    """Return the URL's parameter of where files are split; an empty text without a limit."""
    return {_SPLIT: "" if split.rows is None else str(split.rows)}


def _read_policy(text: str | None) -> CleaningPolicy:
    if text is None:
        return CleaningPolicy()
    nothing = CleaningPolicy.from_json(())
    found = CleaningPolicy.from_json(text.split(","))
    return found if text == NOTHING or found != nothing else CleaningPolicy()

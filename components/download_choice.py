"""What goes and how the files look, kept in the page's address so that it can be shared.

Codes only: nothing of a list enters an address.
"""

from collections.abc import Mapping, MutableMapping

from components.address_params import put_params
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
    """Return the choice in an address, the default where it says nothing; nonsense is dropped."""
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


def write_choice(
    choice: DownloadChoice,
    params: MutableMapping[str, str],
    default: DownloadChoice = NOTHING_CHOSEN,
) -> None:
    """Put a choice into an address; the default leaves it."""
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
    put_params(dict.fromkeys(values, "") if choice == default else values, params)


def read_split(params: Mapping[str, str]) -> FileLimits:
    """Return where files are split by an address; nonsense is dropped."""
    text = params.get(_SPLIT, "")
    is_number = text.isascii() and text.isdigit() and len(text) < 10 and int(text) > 0
    return FileLimits(rows=int(text)) if is_number else NO_LIMITS


def write_split(split: FileLimits, params: MutableMapping[str, str]) -> None:
    """Put where files are split into an address; no limit leaves it."""
    put_params({_SPLIT: "" if split.rows is None else str(split.rows)}, params)


def _read_policy(text: str | None) -> CleaningPolicy:
    if text is None:
        return CleaningPolicy()
    nothing = CleaningPolicy.from_json(())
    found = CleaningPolicy.from_json(text.split(","))
    return found if text == NOTHING or found != nothing else CleaningPolicy()

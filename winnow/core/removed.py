"""Options that were removed, refused with what to use instead."""

from winnow.core.errors import BadField


def refuse_judge_both(is_asked: bool) -> None:
    """Raise BadField where both addresses of a row are asked to be judged."""
    if is_asked:
        raise BadField(
            "judge_both",
            "was removed in 0.3; second_email_column fills blank cells of the email column",
            hint="Clean the list again without it.",
        )

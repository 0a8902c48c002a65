"""Texts of verdicts, domain types, reasons and states on pages."""

from collections.abc import Mapping

from winnow.core.tasks.task import Phase, TaskState
from winnow.core.verdicts.verdict import Action
from winnow.words import mark, say

MAILBOXES = mark("What keep does not tell you")

ADVICE: Mapping[Action, str] = {
    Action.KEEP: mark("There is no known problem. That does not promise that mail arrives."),
    Action.REVIEW: mark("Ask for confirmation, or look at it by hand."),
    Action.REMOVE: mark("Remove it from the list and do not let it sign up."),
}

PHASE_WORDS: Mapping[Phase, str] = {
    Phase.QUEUED: mark("Waiting for its turn"),
    Phase.READING: mark("Reading"),
    # With the network off there are no look-ups.
    Phase.LOOKING_UP: mark("Checking domains"),
    Phase.WRITING: mark("Writing the result"),
    Phase.INDEXING: mark("Preparing the table"),
}

STATE_WORDS: Mapping[TaskState, str] = {
    TaskState.PROCESSING: mark("cleaning"),
    TaskState.COMPLETED: mark("ready"),
    TaskState.FAILED: mark("failed"),
}


def word_mailboxes() -> str:
    """Return the text that Winnow does not check mailboxes, and what to do instead."""
    return say(
        "Winnow does not ask mailboxes: only a sent mail shows whether one exists or is full. "
        "Send new addresses a confirmation mail, and import your bounces."
    )

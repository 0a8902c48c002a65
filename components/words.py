"""The words of verdicts and states for people: short, plain, exact."""

from collections.abc import Mapping

from winnow.core.tasks.task import Phase, TaskState
from winnow.core.verdicts.verdict import Action
from winnow.words import mark, say

MAILBOXES = mark("What keep does not tell you")

ADVICE: Mapping[Action, str] = {
    Action.KEEP: mark("There is no known problem. That does not promise that mail arrives."),
    Action.REVIEW: mark("Ask for confirmation, or look at it by hand."),
    Action.REMOVE: mark("Take it off the list, and do not let it sign up."),
}

PHASE_WORDS: Mapping[Phase, str] = {
    Phase.QUEUED: mark("Waiting for its turn"),
    Phase.READING: mark("Reading"),
    # With the network off nothing is looked up anywhere.
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
    """Return what Winnow does not do, and what to do about it."""
    return say(
        "Winnow does not ask mailboxes: whether the mailbox of an address exists or is full, only "
        "sending a mail can tell. So send new addresses a confirmation mail, and put the addresses "
        "that bounce on your own list of what to remove."
    )

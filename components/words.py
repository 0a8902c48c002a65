"""The words of verdicts and states for people: short, plain, exact."""

from collections.abc import Mapping

from winnow.core.tasks.task import Phase, TaskState
from winnow.core.verdicts.verdict import Action
from winnow.words import mark

ADVICE: Mapping[Action, str] = {
    Action.KEEP: "White means no known problem; it does not promise that mail arrives.",
    Action.REVIEW: "Ask for confirmation, or look at it by hand.",
    Action.REMOVE: "Take it off the list; do not let it register.",
}

PHASE_WORDS: Mapping[Phase, str] = {
    Phase.QUEUED: mark("Waiting for its turn"),
    Phase.READING: mark("Reading"),
    Phase.LOOKING_UP: mark(
        "Checking domains"
    ),  # with the network off nothing is looked up anywhere
    Phase.WRITING: mark("Writing the result"),
    Phase.INDEXING: mark("Preparing the table"),
}

STATE_WORDS: Mapping[TaskState, str] = {
    TaskState.PROCESSING: mark("cleaning"),
    TaskState.COMPLETED: mark("ready"),
    TaskState.FAILED: mark("failed"),
}

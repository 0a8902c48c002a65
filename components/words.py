"""The words of verdicts and states for people: short, plain, exact."""

from collections.abc import Mapping

from winnow.core.tasks.task import Phase, TaskState
from winnow.core.verdicts.verdict import Action

ADVICE: Mapping[Action, str] = {
    Action.KEEP: "White means no known problem; it does not promise that mail arrives.",
    Action.REVIEW: "Ask for confirmation, or look at it by hand.",
    Action.REMOVE: "Take it off the list; do not let it register.",
}

PHASE_WORDS: Mapping[Phase, str] = {
    Phase.QUEUED: "Waiting for its turn",
    Phase.READING: "Reading",
    Phase.LOOKING_UP: "Judging domains",  # with the network off nothing is looked up anywhere
    Phase.WRITING: "Writing the result",
    Phase.INDEXING: "Preparing the table",
}

STATE_WORDS: Mapping[TaskState, str] = {
    TaskState.PROCESSING: "processing",
    TaskState.COMPLETED: "ready",
    TaskState.FAILED: "failed",
}

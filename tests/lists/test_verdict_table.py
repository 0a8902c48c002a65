"""Which codes and flags the rows of a run have."""

import numpy as np

from winnow.lists.engine.verdict_table import begin_seen, mark_seen


def test_runs_share_nothing_that_they_have_seen():
    blank_rows = np.zeros(3, np.uint32)
    assert mark_seen(begin_seen(), blank_rows, np.zeros(3, np.uint8)).tolist() == [1]
    assert begin_seen().tolist() == [0]

"""Made-up worlds of hosters, small; ``benchmarks/mail_worlds.py`` has them at full size."""

import pytest

from benchmarks.mail_worlds import DISHONEST, HONEST, Kind, simulate
from winnow.core.verdicts.verdict import Category

DOMAINS = 1_000


@pytest.mark.parametrize("kind", HONEST, ids=lambda kind: kind.title)
def test_no_honest_hoster_is_black(kind: Kind) -> None:
    outcome = simulate(kind, DOMAINS, seed=1)
    assert outcome.hosters > 5
    assert outcome.black_hosters == 0
    assert outcome.verdicts[True][Category.BLACK] == 0


@pytest.mark.parametrize("kind", DISHONEST[:3], ids=lambda kind: kind.title)
def test_operators_are_seen_and_never_blacker_than_before(kind: Kind) -> None:
    outcome = simulate(kind, DOMAINS, seed=1)
    for is_honest, verdicts in outcome.verdicts.items():
        assert verdicts[Category.BLACK] <= outcome.black_before[is_honest]
    seen = outcome.verdicts[False]
    assert seen[Category.BLACK] + seen[Category.GREY] > 0.7 * seen.total()

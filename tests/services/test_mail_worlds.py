"""The mail-server rule in small made-up worlds of honest and dishonest hosters."""

import pytest

from tests.services.mail_worlds import DISHONEST, HONEST, Kind, simulate
from winnow.core.verdicts.verdict import Category

DOMAINS = 1_000


@pytest.mark.parametrize("kind", HONEST, ids=lambda kind: kind.title)
def test_no_honest_hoster_is_black(kind: Kind) -> None:
    outcome = simulate(kind, DOMAINS, seed=1)
    assert outcome.hosters > 5
    assert outcome.black_hosters == 0
    assert outcome.verdicts[True][Category.BLACK] == 0


@pytest.mark.parametrize("kind", DISHONEST[:3], ids=lambda kind: kind.title)
def test_operators_are_seen(kind: Kind) -> None:
    outcome = simulate(kind, DOMAINS, seed=1)
    seen = outcome.verdicts[False]
    assert seen[Category.BLACK] + seen[Category.GREY] > 0.7 * seen.total()

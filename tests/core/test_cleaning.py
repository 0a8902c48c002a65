"""Which rows go: every ground, their order, and what stays whatever is chosen."""

import json
from dataclasses import replace
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from winnow.core.lists.cleaning import CleaningPolicy, list_grounds, weigh
from winnow.core.lists.exports import NOTHING_CHOSEN, DownloadChoice
from winnow.core.lists.file_format import FileFormat
from winnow.core.lists.rows import Variant
from winnow.core.verdicts.domain_types import DomainType, Ground
from winnow.core.verdicts.reasons import Reason
from winnow.core.verdicts.verdict import ALWAYS_SHOWN, Action, Category, Verdict

FREE = Verdict(Category.WHITE, DomainType.FREE, (Reason.FREE_PROVIDER,))
FREE_ROLE = Verdict(Category.WHITE, DomainType.FREE, (Reason.FREE_PROVIDER, Reason.ROLE_ACCOUNT))
ROLE = Verdict(Category.WHITE, DomainType.UNLISTED, (Reason.UNLISTED, Reason.ROLE_ACCOUNT))
TAGGED = Verdict(Category.GREY, DomainType.SUSPICIOUS, (Reason.PLUS_TAG, Reason.FREE_PROVIDER))
RELAY = Verdict(Category.GREY, DomainType.MULTI_ALIAS, (Reason.RELAY, Reason.ROLE_ACCOUNT))
MASKED = Verdict(Category.GREY, DomainType.MASKED, (Reason.CLOSE_MISSPELLING,))
MASKED_BLACK = Verdict(
    Category.BLACK, DomainType.MASKED, (Reason.CLOSE_MISSPELLING, Reason.NULL_MX)
)
BLACK_ROLE = Verdict(
    Category.BLACK, DomainType.DISPOSABLE, (Reason.DISPOSABLE_LISTED, Reason.ROLE_ACCOUNT)
)
OWN_WHITE = Verdict(Category.WHITE, DomainType.WHITE, (Reason.OWN_DOMAIN,), FREE_ROLE)
MARKS = (Reason.DO_NOT_MAIL, Reason.BOUNCED_HARD)
OWN_MARKED = Verdict(Category.WHITE, DomainType.WHITE, (Reason.OWN_DOMAIN, *MARKS), FREE_ROLE)
BLACK_MARKED = replace(BLACK_ROLE, reasons=(*BLACK_ROLE.reasons, *MARKS))
BOUNCED_ROLE = replace(ROLE, reasons=(*ROLE.reasons, Reason.BOUNCED_HARD))
OWN_GREY = Verdict(Category.GREY, DomainType.GREY, (Reason.OWN_ADDRESS,), BLACK_ROLE)
OWN_BLACK = Verdict(Category.BLACK, DomainType.BLACK, (Reason.OWN_WILDCARD,), FREE)
SANDBOX_FREE = Verdict(Category.WHITE, DomainType.FREE, (Reason.SANDBOX,))
GROUNDS = [
    pytest.param(FREE, (Ground.FREE_PROVIDER,), id="free"),
    pytest.param(FREE_ROLE, (Ground.ROLE_ACCOUNT, Ground.FREE_PROVIDER), id="role-before-free"),
    pytest.param(ROLE, (Ground.ROLE_ACCOUNT,), id="role"),
    pytest.param(TAGGED, (Ground.SUSPICIOUS, Ground.FREE_PROVIDER), id="category-first"),
    pytest.param(RELAY, (Ground.MULTI_ALIAS, Ground.ROLE_ACCOUNT), id="relay"),
    pytest.param(MASKED, (Ground.MASKED,), id="misspelt"),
    pytest.param(MASKED_BLACK, (Ground.BLACK,), id="misspelt-without-mail-is-black"),
    pytest.param(BLACK_ROLE, (Ground.BLACK,), id="black-is-black-alone"),
    pytest.param(OWN_WHITE, (), id="the-own-white-list-keeps"),
    pytest.param(OWN_MARKED, (Ground.DO_NOT_MAIL,), id="but-for-who-wants-no-mail"),
    pytest.param(
        BLACK_MARKED,
        (Ground.BLACK, Ground.DO_NOT_MAIL, Ground.BOUNCED),
        id="black-before-a-no-and-a-bounce",
    ),
    pytest.param(BOUNCED_ROLE, (Ground.BOUNCED, Ground.ROLE_ACCOUNT), id="bounced-before-role"),
    pytest.param(OWN_GREY, (Ground.OWN_GREY,), id="own-grey"),
    pytest.param(OWN_BLACK, (Ground.BLACK,), id="own-black"),
    pytest.param(SANDBOX_FREE, (Ground.FREE_PROVIDER,), id="sandbox"),
]
VERDICTS = [case.values[0] for case in GROUNDS]
SILENT = [replace(verdict, silent_months=12) for verdict in VERDICTS]
POLICIES = [
    CleaningPolicy(frozenset(grounds))
    for size in range(len(Ground) + 1)
    for grounds in combinations(Ground, size)
]


@pytest.mark.parametrize(("verdict", "grounds"), GROUNDS)
def test_grounds(verdict: Verdict, grounds: tuple[Ground, ...]) -> None:
    assert list_grounds(verdict) == grounds


@pytest.mark.parametrize("verdict", VERDICTS, ids=str)
def test_a_row_goes_when_one_of_its_grounds_is_chosen_and_never_else(verdict: Verdict) -> None:
    for policy in POLICIES:
        goes = not policy.grounds.isdisjoint(list_grounds(verdict))
        choice = DownloadChoice(policy)
        assert policy.removes(verdict) is goes
        assert choice.wants(Variant.REMOVED, verdict) is goes
        assert choice.wants(Variant.CLEANED, verdict) is not goes
        action = policy.find_action(verdict)
        assert (action in (Action.REMOVE, Action.DO_NOT_MAIL)) is goes
        assert choice.wants(Variant.SELECTION, verdict) is not goes
        assert choice.wants(Variant.REVIEW, verdict) is (action is Action.REVIEW)
        assert choice.wants(Variant.AUGMENTED, verdict)


@given(
    st.lists(st.tuples(st.sampled_from([*VERDICTS, *SILENT]), st.integers(1, 50)), max_size=12),
    st.builds(replace, st.sampled_from(POLICIES), silent_months=st.sampled_from((0, 6, 12, 18))),
)
def test_the_counts_are_those_of_a_recount(
    counts: list[tuple[Verdict, int]], policy: CleaningPolicy
) -> None:
    rows = [verdict for verdict, count in counts for _ in range(count)]
    stays = (Action.KEEP, Action.REVIEW)
    lost = [verdict for verdict in rows if policy.find_action(verdict) not in stays]
    later = [verdict for verdict in lost if not policy.removes(verdict)]
    effect = weigh(policy, counts)
    assert (effect.rows, effect.kept, effect.lost) == (
        len(rows), len(rows) - len(lost), len(lost),
    )  # fmt: skip
    assert (effect.later, effect.removed) == (len(later), len(lost) - len(later))
    assert sum(effect.lost_by_reason.values()) == len(lost)
    assert effect.lost_by_reason.get(Reason.SILENT, 0) == len(later)
    assert effect.by_action == {
        action: sum(policy.find_action(verdict) is action for verdict in rows)
        for action in Action
        if action in ALWAYS_SHOWN or effect.later
    }
    for ground in Ground:
        alone = CleaningPolicy(frozenset({ground}))
        assert effect.by_ground.get(ground, 0) == sum(map(alone.removes, rows))
        kept = [verdict for verdict in rows if policy.find_action(verdict) in stays]
        assert effect.kept_by_ground.get(ground, 0) == sum(map(alone.removes, kept))


NOTHING_GOES = CleaningPolicy(frozenset())
NO_ROLES = CleaningPolicy(CleaningPolicy().grounds | {Ground.ROLE_ACCOUNT})


@pytest.mark.parametrize(
    ("policy", "verdict", "action"),
    [
        pytest.param(CleaningPolicy(), FREE, Action.KEEP, id="white"),
        pytest.param(CleaningPolicy(), TAGGED, Action.REVIEW, id="grey"),
        pytest.param(CleaningPolicy(), BLACK_ROLE, Action.REMOVE, id="black"),
        pytest.param(CleaningPolicy(), OWN_MARKED, Action.DO_NOT_MAIL, id="a-no-on-the-keep-list"),
        pytest.param(CleaningPolicy(), BOUNCED_ROLE, Action.DO_NOT_MAIL, id="bounced"),
        pytest.param(CleaningPolicy(), BLACK_MARKED, Action.REMOVE, id="removed-anyway"),
        pytest.param(NO_ROLES, ROLE, Action.REMOVE, id="left-out-never-reads-keep"),
        pytest.param(NO_ROLES, BOUNCED_ROLE, Action.DO_NOT_MAIL, id="a-no-before-the-policy"),
        pytest.param(NOTHING_GOES, BOUNCED_ROLE, Action.KEEP, id="kept-by-the-policy"),
        pytest.param(NOTHING_GOES, BLACK_ROLE, Action.REVIEW, id="black-that-stays"),
    ],
)
def test_what_to_do_with_a_row(policy: CleaningPolicy, verdict: Verdict, action: Action) -> None:
    assert policy.find_action(verdict) is action


@given(
    st.builds(
        DownloadChoice,
        st.sampled_from(POLICIES),
        st.booleans(),
        st.booleans(),
        st.sampled_from([None, *FileFormat]),
    )
)
def test_a_choice_is_read_as_it_was_written(choice: DownloadChoice) -> None:
    written = choice.to_json()
    assert (written is None) is (choice == NOTHING_CHOSEN)
    assert DownloadChoice.from_json(json.loads(json.dumps(written))) == choice

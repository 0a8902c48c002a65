"""Recheck of a finished project: what today's data would change."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from winnow.core.refresh import ListMove
from winnow.core.verdicts.facts import AddressFacts, DomainFacts, LocalFlag, MailFacts, MailRoute
from winnow.core.verdicts.policy import decide
from winnow.core.verdicts.reasons import Reason
from winnow.core.verdicts.verdict import Category, Verdict

_FLAGS: Mapping[Reason, LocalFlag] = {
    Reason.PLUS_TAG: LocalFlag.PLUS_TAG,
    Reason.MANY_DOTS: LocalFlag.MANY_DOTS,
    Reason.ROLE_ACCOUNT: LocalFlag.ROLE,
    Reason.FILLER_ADDRESS: LocalFlag.FILLER | LocalFlag.NO_MAILBOX,
}
_ROUTES: Mapping[Reason, MailRoute] = {
    Reason.DOMAIN_NOT_FOUND: MailRoute.NOT_FOUND,
    Reason.NULL_MX: MailRoute.NULL_MX,
    Reason.NO_MAIL_ROUTE: MailRoute.NO_MAIL,
    Reason.WORKING_MAIL: MailRoute.MX,
    Reason.DISPOSABLE_MX: MailRoute.MX,
    Reason.MAIL_UNKNOWN: MailRoute.UNKNOWN,
}
_SOME_HOST = "?"


@dataclass(frozen=True, slots=True)
class DataDrift:
    """Difference between the data that a project was judged with and today's.

    ``move`` is None where it is not known what the lists gained and lost between the two.
    ``rows_moved`` counts rows by their category and the one that they would have now; None where
    they were not counted, because the project is large.
    """

    judged_with: str
    now: str
    move: ListMove | None
    rows_moved: Mapping[tuple[Category, Category], int] | None

    @property
    def rows_changed(self) -> int | None:
        """How many rows would change their category."""
        return None if self.rows_moved is None else sum(self.rows_moved.values())


def judge_again(verdict: Verdict, facts: DomainFacts) -> Verdict:
    """Judge an address again by other facts about its domain.

    The verdict's reasons give the facts of the local part and the network, unless ``facts`` has an
    answer of DNS. A malformed value stays what it is.
    """
    if not verdict.is_charged:
        return verdict
    flags = LocalFlag.NONE
    for reason in verdict.reasons:
        flags |= _FLAGS.get(reason, LocalFlag.NONE)
    if facts.mail.route is MailRoute.NOT_LOOKED_UP:
        facts = replace(facts, mail=_recall_mail(verdict))
    if Reason.NEWLY_REGISTERED in verdict.reasons:
        facts = replace(facts, newly_registered=True)
    return decide(AddressFacts(flags=flags, domain=facts))


def _recall_mail(verdict: Verdict) -> MailFacts:
    routes = [_ROUTES[reason] for reason in verdict.reasons if reason in _ROUTES]

    def recall(reason: Reason) -> str | None:
        return _SOME_HOST if reason in verdict.reasons else None

    return MailFacts(
        routes[0] if routes else MailRoute.NOT_LOOKED_UP,
        disposable_mx=recall(Reason.DISPOSABLE_MX),
        neighbours=recall(Reason.DISPOSABLE_NEIGHBOURS),
        parking=recall(Reason.PARKED),
    )

"""Judging a sending domain: facts in, findings out."""

from winnow.core.sender.answers import SenderFacts
from winnow.core.sender.findings import SenderReport
from winnow.core.sender.judge_dkim import judge_dkim
from winnow.core.sender.judge_dmarc import judge_dmarc
from winnow.core.sender.judge_mail import judge_mail
from winnow.core.sender.judge_spf import judge_spf
from winnow.core.verdicts.facts import MailAnswer, MailRoute


def judge_sender(facts: SenderFacts) -> SenderReport:
    """Judge all four; of a domain that does not exist only that is told."""
    mail = judge_mail(facts)
    found = facts.mail.get(facts.domain, MailAnswer(MailRoute.UNKNOWN))
    if found.route is MailRoute.NOT_FOUND:
        return SenderReport(facts.domain, facts.asked_at, (mail,))
    areas = (judge_spf(facts), judge_dkim(facts), judge_dmarc(facts), mail)
    return SenderReport(facts.domain, facts.asked_at, areas)

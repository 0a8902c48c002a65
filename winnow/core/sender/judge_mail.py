"""Judging a sending domain's mail exchangers: can replies and bounces come back?"""

from collections.abc import Iterator

from winnow.core.sender.answers import SenderFacts
from winnow.core.sender.findings import Area, AreaReport, DnsRecord, Finding, Level
from winnow.core.verdicts.facts import MailAnswer, MailRoute
from winnow.words import say

_UNASKED = MailAnswer(MailRoute.UNKNOWN)


def judge_mail(facts: SenderFacts) -> AreaReport:
    """Judge where mail to the domain goes."""
    answer = facts.mail.get(facts.domain, _UNASKED)
    records = tuple(DnsRecord("MX", facts.domain, host) for host in answer.hosts)
    if answer.route is MailRoute.NULL_MX:
        records = (DnsRecord("MX", facts.domain, "0 ."),)
    return AreaReport(Area.MX, records, tuple(_find(facts, answer)))


def _find(facts: SenderFacts, answer: MailAnswer) -> Iterator[Finding]:
    domain = facts.domain
    mend = say("Ask your mail provider which MX records to set.")
    match answer.route:
        case MailRoute.NOT_FOUND:
            yield Finding(
                Level.PROBLEM,
                "domain_not_found",
                say(
                    "{domain} does not exist. Mail from it is refused almost everywhere.",
                    domain=domain,
                ),
                say("Check the spelling, and whether the domain is still registered."),
            )
        case MailRoute.NO_MAIL:
            yield Finding(
                Level.PROBLEM,
                "no_mail",
                say("{domain} takes no mail: replies and bounces are lost.", domain=domain),
                mend,
            )
        case MailRoute.NULL_MX:
            yield Finding(
                Level.PROBLEM,
                "null_mx",
                say(
                    "{domain} says that it takes no mail. Many mailboxes refuse senders that "
                    "cannot be answered.",
                    domain=domain,
                ),
                mend,
            )
        case MailRoute.IMPLICIT_MX:
            yield Finding(
                Level.ADVICE,
                "implicit_mx",
                say(
                    "{domain} names no mail server; mail goes to its web address instead.",
                    domain=domain,
                ),
                mend,
            )
        case MailRoute.MX:
            yield from _look_at_hosts(facts, answer.hosts)
        case _:
            yield Finding(
                Level.UNKNOWN,
                "mx_no_answer",
                say("DNS gave no answer for the mail servers of {domain}.", domain=domain),
                say("Check again in a minute."),
            )


def _look_at_hosts(facts: SenderFacts, hosts: tuple[str, ...]) -> Iterator[Finding]:
    bare = [
        host
        for host in hosts
        if (found := facts.hosts.get(host)) is not None and found.addresses == ()
    ]
    if bare:
        yield Finding(
            Level.PROBLEM if len(bare) == len(hosts) else Level.ADVICE,
            "mx_without_address",
            say("These mail servers have no IPv4 address: {hosts}.", hosts=", ".join(bare)),
            say("Take them out of the MX records, or mend their names."),
        )
    if len(bare) < len(hosts):
        yield Finding(
            Level.GOOD,
            "mx",
            say("Replies and bounces reach {host}.", host=next(h for h in hosts if h not in bare)),
        )

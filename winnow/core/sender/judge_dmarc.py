"""Judging a sending domain's DMARC record: what is done with mail that only pretends?"""

from collections.abc import Iterator, Mapping

from winnow.core.sender.answers import NO_TEXT_ANSWER, SenderFacts
from winnow.core.sender.dmarc import DmarcRecord, find_dmarc, is_dmarc, parse_dmarc
from winnow.core.sender.findings import Area, AreaReport, DnsRecord, Finding, Level
from winnow.words import mark, say

MEANINGS = {
    "none": mark("nothing is done with it"),
    "quarantine": mark("it goes to the spam folder"),
    "reject": mark("it is refused"),
}


def name_policy(domain: str) -> str:
    """Return the name under which a domain's record stands (RFC 7489, 6.1)."""
    return f"_dmarc.{domain}"


def name_permission(domain: str, organisation: str) -> str:
    """Return the name where another domain permits reports about this one (RFC 7489, 7.1)."""
    return f"{domain}._report._dmarc.{organisation}"


def find_in_force(facts: SenderFacts) -> tuple[str, tuple[str, ...] | None]:
    """Return whose records hold for the domain, and the records; None: DNS gave no answer.

    The domain's own, else its registrable domain's (RFC 7489, 6.6.3). The walk up the tree of
    RFC 9989, 4.10, ends at the same name but below a registry that speaks for its customers.
    """
    for owner in dict.fromkeys((facts.domain, facts.organisation)):
        answer = facts.texts.get(name_policy(owner), NO_TEXT_ANSWER)
        if answer.texts is None:
            return owner, None
        records = find_dmarc(answer)
        if records:
            return owner, records
    return facts.domain, ()


def judge_dmarc(facts: SenderFacts) -> AreaReport:
    """Judge the DMARC record that holds for the domain."""
    owner, records = find_in_force(facts)
    name = name_policy(owner)
    shown = tuple(DnsRecord("TXT", name, text) for text in records or ())
    return AreaReport(Area.DMARC, shown, tuple(_judge(facts, owner, name, records)))


def _judge(
    facts: SenderFacts, owner: str, name: str, records: tuple[str, ...] | None
) -> Iterator[Finding]:
    first = DnsRecord("TXT", name, f"v=DMARC1; p=none; rua=mailto:dmarc@{owner}")
    if records is None:
        yield Finding(
            Level.UNKNOWN,
            "dmarc_no_answer",
            say("DNS gave no answer for {name}.", name=name),
            say("Check again in a minute."),
        )
    elif not records:
        yield _find_missing(facts, first)
    elif len(records) > 1:
        yield Finding(
            Level.PROBLEM,
            "dmarc_several",
            say(
                "There are {count} DMARC records; with more than one, none counts.",
                count=len(records),
            ),
            say("Keep one and delete the others."),
            DnsRecord("TXT", name, records[0]),
        )
    else:
        yield from _judge_one(facts, owner, name, parse_dmarc(records[0]))


def _judge_one(facts: SenderFacts, owner: str, name: str, record: DmarcRecord) -> Iterator[Finding]:
    now = dict(record.tags)
    if not record.policy:
        now["p"] = "none"
    if not record.reports:
        now["rua"] = f"mailto:dmarc@{owner}"
    later = {**now, "pct": "", "t": ""}
    if _choose_policy(facts, owner, record) == "none":
        later["p" if owner == facts.domain else "sp"] = "quarantine"
    found = [
        *_judge_words(record, DnsRecord("TXT", name, _write(now))),
        *_judge_reports(facts, owner, record, DnsRecord("TXT", name, _write(now))),
        *_judge_policy(facts, owner, record, DnsRecord("TXT", name, _write(later))),
    ]
    yield from found
    is_open = any(finding.code in {"dmarc_none", "dmarc_testing"} for finding in found)
    if not is_open and not any(finding.level is Level.PROBLEM for finding in found):
        yield _praise(facts, owner, record)


def _find_missing(facts: SenderFacts, first: DnsRecord) -> Finding:
    stray = any(
        is_dmarc(text) for text in facts.texts.get(facts.domain, NO_TEXT_ANSWER).texts or ()
    )
    if stray:
        said = say(
            "A DMARC record stands at {domain} itself, where no mailbox looks for it.",
            domain=facts.domain,
        )
    else:
        said = say(
            "There is no DMARC record. Gmail and Yahoo ask for one of everybody who sends many "
            "mails."
        )
    return Finding(
        Level.PROBLEM,
        "dmarc_misplaced" if stray else "dmarc_missing",
        said,
        say("Set this record; it changes nothing yet and sends you reports."),
        first,
    )


def _judge_words(record: DmarcRecord, now: DnsRecord) -> Iterator[Finding]:
    if record.faults:
        yield Finding(
            Level.PROBLEM,
            "dmarc_unreadable",
            say("Mailboxes cannot read this part: {parts}", parts=", ".join(record.faults)),
            say("Correct it. This is the shortest record that works."),
            DnsRecord("TXT", now.name, f"v=DMARC1; p={record.policy or 'none'}"),
        )
    elif not record.policy:
        yield Finding(
            Level.PROBLEM,
            "dmarc_no_policy",
            say("The record does not say what to do (“p=…”); older mailboxes then ignore it."),
            say("Begin with “p=none”, which changes nothing yet."),
            now,
        )


def _judge_policy(
    facts: SenderFacts, owner: str, record: DmarcRecord, later: DnsRecord
) -> Iterator[Finding]:
    policy = _choose_policy(facts, owner, record)
    if policy == "none" and record.policy and not record.faults:
        yield Finding(
            Level.ADVICE,
            "dmarc_none",
            say(
                "Mail that only pretends to come from {domain} is delivered as before.",
                domain=facts.domain,
            ),
            say("Once the reports show that your own mail passes, send the other to spam."),
            later,
        )
    if record.percent < 100 and policy != "none":
        yield Finding(
            Level.ADVICE,
            "dmarc_percent",
            say(
                "The policy holds for {percent} % of the mail; newer mailboxes ignore that.",
                percent=record.percent,
            ),
            say("Once the reports show that your own mail passes, take “pct” out."),
            later,
        )
    if record.is_testing:
        yield Finding(
            Level.ADVICE,
            "dmarc_testing",
            say("The record says that it is being tested (“t=y”): mailboxes act less strictly."),
            say("Once the reports show that your own mail passes, take it out."),
            later,
        )
    strict = [
        word
        for word, mode in (("DKIM", record.dkim_alignment), ("SPF", record.spf_alignment))
        if mode == "s"
    ]
    if strict:
        yield Finding(
            Level.ADVICE,
            "dmarc_strict",
            say(
                "{what} must name exactly the domain in “From”; mail that a platform sends by a "
                "subdomain does not pass.",
                what=" and ".join(strict),
            ),
            say("If you send by platforms, take “adkim=s” and “aspf=s” out."),
        )


def _judge_reports(
    facts: SenderFacts, owner: str, record: DmarcRecord, now: DnsRecord
) -> Iterator[Finding]:
    if not record.reports and not record.faults:
        yield Finding(
            Level.ADVICE,
            "dmarc_no_reports",
            say("Nobody receives reports, so nobody sees whether your own mail passes."),
            say("Name a mailbox for them."),
            now,
        )
    for target in list_foreign(facts, owner, record):
        asked = name_permission(owner, target)
        answer = facts.texts.get(asked, NO_TEXT_ANSWER)
        if answer.texts is not None and not find_dmarc(answer):
            yield Finding(
                Level.ADVICE,
                "dmarc_reports_refused",
                say(
                    "Reports go to {target}, which does not say that it takes them.", target=target
                ),
                say("Whoever runs {target} sets this record.", target=target),
                DnsRecord("TXT", asked, "v=DMARC1"),
            )


def list_foreign(facts: SenderFacts, owner: str, record: DmarcRecord) -> tuple[str, ...]:
    """Return the domains that get reports and belong to somebody else."""
    domains = dict.fromkeys(
        address.rpartition("@")[2].lower().removesuffix(".") for address in record.reports
    )
    home = facts.organisation
    return tuple(
        domain
        for domain in domains
        if domain and domain != home and domain != owner and not domain.endswith(f".{home}")
    )


def _choose_policy(facts: SenderFacts, owner: str, record: DmarcRecord) -> str:
    """Return the policy that holds: a subdomain's own where the record is its parent's."""
    if owner != facts.domain and record.subdomain_policy:
        return record.subdomain_policy
    return record.policy or "none"


def _write(tags: Mapping[str, str]) -> str:
    """Return a record of these tags, version and policy first; an empty one is left out."""
    ordered = {"v": "DMARC1", "p": tags.get("p", "none"), **tags}
    return "; ".join(f"{name}={value}" for name, value in ordered.items() if value)


def _praise(facts: SenderFacts, owner: str, record: DmarcRecord) -> Finding:
    policy = _choose_policy(facts, owner, record)
    whose = facts.domain if owner == facts.domain else owner
    return Finding(
        Level.GOOD,
        "dmarc",
        say(
            "The record of {owner} holds. Mail that only pretends to be from {domain}: {meaning}.",
            owner=whose,
            domain=facts.domain,
            meaning=say(MEANINGS[policy]),
        ),
    )

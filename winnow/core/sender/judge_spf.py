"""Judging a sending domain's SPF record: who may send for it?"""

import re
from collections.abc import Iterator

from winnow.core.figures import show_count
from winnow.core.sender.answers import NO_TEXT_ANSWER, SenderFacts
from winnow.core.sender.findings import Area, AreaReport, DnsRecord, Finding, Level
from winnow.core.sender.spf import (
    LENGTH_MOST,
    LOOKUPS_MOST,
    VERSION,
    VOIDS_MOST,
    SpfRecord,
    SpfWalk,
    find_spf,
    parse_spf,
    walk_spf,
)
from winnow.core.verdicts.facts import MailRoute
from winnow.words import say

PLATFORMS = {  # whose mail host a domain has: what its SPF record must then include
    "google.com": "_spf.google.com",
    "googlemail.com": "_spf.google.com",
    "mail.protection.outlook.com": "spf.protection.outlook.com",
    "mx.microsoft": "spf.protection.outlook.com",
    "zoho.com": "zohomail.com",
    "zoho.eu": "zohomail.eu",
    "messagingengine.com": "spf.messagingengine.com",
    "protonmail.ch": "_spf.protonmail.ch",
}


def judge_spf(facts: SenderFacts) -> AreaReport:
    """Judge the SPF records of the domain."""
    answer = facts.texts.get(facts.domain, NO_TEXT_ANSWER)
    records = find_spf(answer)
    if answer.texts is None:
        findings: Iterator[Finding] = iter(
            [
                Finding(
                    Level.UNKNOWN,
                    "spf_no_answer",
                    say(
                        "DNS gave no answer for the text records of {domain}.", domain=facts.domain
                    ),
                    say("Check again in a minute."),
                )
            ]
        )
    elif not records:
        findings = _find_missing(facts, answer.texts)
    elif len(records) > 1:
        findings = iter([_find_several(facts, records)])
    else:
        findings = _judge_one(facts, parse_spf(records[0]))
    shown = tuple(DnsRecord("TXT", facts.domain, text) for text in records)
    return AreaReport(Area.SPF, shown, tuple(findings))


def propose(facts: SenderFacts) -> str:
    """Return a first record for a domain that has none."""
    answer = facts.mail.get(facts.domain)
    if answer is not None and answer.route in {MailRoute.NULL_MX, MailRoute.NO_MAIL}:
        return f"{VERSION} -all"
    hosts = answer.hosts if answer is not None else ()
    for host in hosts:
        for end, included in PLATFORMS.items():
            if host == end or host.endswith(f".{end}"):
                return f"{VERSION} include:{included} ~all"
    return f"{VERSION} mx ~all" if hosts else f"{VERSION} a mx ~all"


def _find_missing(facts: SenderFacts, texts: tuple[str, ...]) -> Iterator[Finding]:
    near = next((text for text in texts if VERSION in text.lower().replace(" ", "")), None)
    if near is not None:
        said = say("A text record looks like SPF but does not begin as one: {part}", part=near)
        code = "spf_misspelt"
    else:
        said = say(
            "There is no SPF record: nothing says who may send for {domain}.", domain=facts.domain
        )
        code = "spf_missing"
    yield Finding(
        Level.PROBLEM,
        code,
        said,
        say(
            "Set this record, and add the part that each platform by which you send tells you "
            "(“include:…”) before “~all”."
        ),
        DnsRecord("TXT", facts.domain, propose(facts)),
    )


def _find_several(facts: SenderFacts, records: tuple[str, ...]) -> Finding:
    words: dict[str, None] = {}
    ends = []
    for text in records:
        parsed = parse_spf(text)
        words.update(dict.fromkeys(term.text for term in parsed.reached if term.sign + term.name))
        ends += [parsed.all_term.sign for _ in [0] if parsed.all_term is not None]
    end = next((sign for sign in "-~" if sign in ends), "~")
    merged = " ".join([VERSION, *words, f"{end}all"])
    return Finding(
        Level.PROBLEM,
        "spf_several",
        say(
            "There are {count} SPF records. With more than one, mailboxes ignore all of them.",
            count=len(records),
        ),
        say("Delete them and set one that holds the parts of all."),
        DnsRecord("TXT", facts.domain, merged),
    )


def _judge_one(facts: SenderFacts, record: SpfRecord) -> Iterator[Finding]:
    mended = DnsRecord("TXT", facts.domain, _mend(record))
    found = [
        *_judge_words(record, mended),
        *_judge_end(facts, record, mended),
        *_judge_walk(walk_spf(record, facts)),
    ]
    yield from found
    if not any(finding.level in {Level.PROBLEM, Level.UNKNOWN} for finding in found):
        yield Finding(Level.GOOD, "spf", say("One SPF record is set, and mailboxes can read it."))


def _mend(record: SpfRecord) -> str:
    """Return the record without what nobody can read, without ``ptr``, and closed at its end."""
    end = record.all_term
    words = []
    for word in record.text.split(" "):
        name = re.split(r"[:/=]", word.lstrip("+-~?"))[0].lower()
        if word and word not in record.faults and name != "ptr":
            is_open = end is not None and word == end.text and end.sign in "+?"
            words.append("~all" if is_open else word)
    if end is None and not record.redirect:
        words.append("~all")
    return " ".join(words)


def _judge_words(record: SpfRecord, mended: DnsRecord) -> Iterator[Finding]:
    if record.faults:
        yield Finding(
            Level.PROBLEM,
            "spf_unreadable",
            say(
                "Mailboxes cannot read this part, so the whole record counts for nothing: {parts}",
                parts=", ".join(record.faults),
            ),
            say("Correct the part, or leave it out."),
            mended,
        )
    if any(term.name == "ptr" for term in record.terms):
        yield Finding(
            Level.ADVICE,
            "spf_ptr",
            say("“ptr” is slow and no longer to be used; some mailboxes ignore it."),
            say("Leave it out."),
            mended,
        )
    if len(record.text) > LENGTH_MOST:
        yield Finding(
            Level.ADVICE,
            "spf_long",
            say(
                "The record has {length} characters. Beyond {most} some servers cut the answer.",
                length=show_count(len(record.text)),
                most=LENGTH_MOST,
            ),
            say("Take out platforms by which you no longer send."),
        )


def _judge_end(facts: SenderFacts, record: SpfRecord, mended: DnsRecord) -> Iterator[Finding]:
    end = record.all_term
    if end is None:
        if not record.redirect:
            yield Finding(
                Level.ADVICE,
                "spf_open",
                say("The record does not say what to do with senders that it does not name."),
                say("End it with “~all”."),
                mended,
            )
    elif end.sign == "+":
        yield Finding(
            Level.PROBLEM,
            "spf_pass_all",
            say(
                "“{part}” lets anybody on the internet send for {domain}.",
                part=end.text,
                domain=facts.domain,
            ),
            say("End it with “~all” instead."),
            mended,
        )
    elif end.sign == "?":
        yield Finding(
            Level.ADVICE,
            "spf_neutral",
            say("“?all” says nothing of senders that the record does not name."),
            say("End it with “~all” instead."),
            mended,
        )


def _judge_walk(walk: SpfWalk) -> Iterator[Finding]:
    if walk.circular:
        yield Finding(
            Level.PROBLEM,
            "spf_circular",
            say("The record includes itself, by {names}.", names=_list(walk.circular)),
            say("Take that part out."),
        )
    if walk.broken:
        yield Finding(
            Level.PROBLEM,
            "spf_broken_include",
            say(
                "The record includes {names}, where there is no single SPF record that can be "
                "read. The whole record then counts for nothing.",
                names=_list(walk.broken),
            ),
            say("Ask that platform for the right part, or take it out."),
        )
    if walk.open_to_all:
        yield Finding(
            Level.PROBLEM,
            "spf_open_include",
            say(
                "The record includes {names}, which lets anybody on the internet send for you.",
                names=_list(walk.open_to_all),
            ),
            say("Take that part out."),
        )
    if walk.lookups > LOOKUPS_MOST:
        costs = sorted(walk.costs.items(), key=lambda item: -item[1])
        yield Finding(
            Level.PROBLEM,
            "spf_lookups",
            say(
                "The record takes {count} DNS look-ups; mailboxes stop at {most} and then count "
                "it for nothing.",
                count=walk.lookups,
                most=LOOKUPS_MOST,
            ),
            say(
                "Take out what you no longer need. Look-ups by part: {parts}.",
                parts=", ".join(f"{text} {count}" for text, count in costs),
            ),
        )
    if walk.voids:
        is_beyond = len(walk.voids) > VOIDS_MOST
        yield Finding(
            Level.PROBLEM if is_beyond else Level.ADVICE,
            "spf_voids",
            say("The record leads to names with nothing there: {names}.", names=_list(walk.voids)),
            say("Take these parts out; after {most} such names mailboxes stop.", most=VOIDS_MOST),
        )
    if walk.unanswered or walk.is_waiting:
        names = [*walk.unanswered, *walk.wanted_texts, *walk.wanted_hosts, *walk.wanted_mail]
        yield Finding(
            Level.UNKNOWN,
            "spf_include_no_answer",
            say("DNS gave no answer for {names}, which the record includes.", names=_list(names)),
            say("Check again in a minute."),
        )
    if walk.has_macros:
        yield Finding(
            Level.ADVICE,
            "spf_macros",
            say("Parts with “%” depend on each message; what they lead to was not looked at."),
        )


def _list(names: list[str]) -> str:
    return ", ".join(dict.fromkeys(names))

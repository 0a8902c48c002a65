"""Judging a sending domain's DKIM keys: can its signatures be checked?"""

from collections.abc import Iterator

from winnow.core.figures import show_count
from winnow.core.sender.answers import SenderFacts
from winnow.core.sender.dkim import (
    RSA_BITS_ADVISED,
    RSA_BITS_LEAST,
    DkimKey,
    KeyState,
    is_key,
    parse_key,
)
from winnow.core.sender.findings import Area, AreaReport, DnsRecord, Finding, Level
from winnow.words import mark, say

_NEW_KEY = mark(
    "Make a new key at the platform that you send with, and set the record it gives you."
)


def name_key(selector: str, domain: str) -> str:
    """Return the name under which a selector's key stands (RFC 6376, 3.6.2.1)."""
    return f"{selector}._domainkey.{domain}"


def judge_dkim(facts: SenderFacts) -> AreaReport:
    """Judge the keys of the selectors that were asked for."""
    records: list[DnsRecord] = []
    findings: list[Finding] = []
    unanswered: list[str] = []
    usable = 0
    for selector in dict.fromkeys((*facts.given, *facts.known)):
        name = name_key(selector, facts.domain)
        answer = facts.texts.get(name)
        if answer is None or answer.texts is None:
            unanswered.append(selector)
            continue
        keys = [text for text in answer.texts if is_key(text)]
        records += [DnsRecord("TXT", name, text) for text in keys]
        if keys:
            parsed = parse_key(keys[0])
            found = list(_judge_key(facts, selector, parsed, len(keys)))
            findings += found
            usable += not any(finding.level is Level.PROBLEM for finding in found) and (
                parsed.state is KeyState.USABLE
            )
        elif selector in facts.given:
            findings.append(_find_missing(selector, name))
    findings += _judge_together(facts, unanswered, len(records), usable)
    return AreaReport(Area.DKIM, tuple(records), tuple(findings))


def _find_missing(selector: str, name: str) -> Finding:
    return Finding(
        Level.PROBLEM,
        "dkim_missing",
        say("There is no key for the selector {selector}.", selector=selector),
        say(
            "Set the record that your mail platform gives you, a TXT or CNAME record named {name}.",
            name=name,
        ),
    )


def _judge_together(
    facts: SenderFacts, unanswered: list[str], found: int, usable: int
) -> Iterator[Finding]:
    given = [selector for selector in unanswered if selector in facts.given]
    asked = len(set(facts.given) | set(facts.known))
    if given or (unanswered and not found):
        yield Finding(
            Level.UNKNOWN,
            "dkim_no_answer",
            say(
                "DNS gave no answer for these keys: {names}.", names=", ".join(given or unanswered)
            ),
            say("Check again in a minute."),
        )
    elif not found and not facts.given:
        yield Finding(
            Level.UNKNOWN,
            "dkim_not_found",
            say(
                "No key was found under the {count} names that mail platforms use. Yours may have "
                "another name.",
                count=asked,
            ),
            say(
                "Open a mail that you sent, show its headers, and find “s=…” in the line "
                "“DKIM-Signature”. Enter that name as the selector and check again."
            ),
        )
    if usable:
        yield Finding(Level.GOOD, "dkim", say("A key is set with which signatures can be checked."))


def _judge_key(facts: SenderFacts, selector: str, key: DkimKey, count: int) -> Iterator[Finding]:
    whose = facts.known.get(selector, "")
    named = f"{selector} ({whose})" if whose else selector
    if count > 1:
        yield Finding(
            Level.PROBLEM,
            "dkim_several",
            say(
                "There are {count} keys at {selector}; there may be one only.",
                count=count,
                selector=named,
            ),
            say("Delete those that your mail platform does not use."),
        )
    match key.state:
        case KeyState.REVOKED:
            yield Finding(
                Level.PROBLEM if selector in facts.given else Level.ADVICE,
                "dkim_revoked",
                say("The key at {selector} is withdrawn: it is empty.", selector=named),
                say("If you still send by it, make a new key; if not, leave it as it is."),
            )
            return
        case KeyState.UNREADABLE:
            yield Finding(
                Level.PROBLEM,
                "dkim_unreadable",
                say("The key at {selector} cannot be read: it is cut or misspelt.", selector=named),
                say("Copy the record from your mail platform again, whole and on one line."),
            )
            return
        case KeyState.USABLE:
            pass
    if key.kind == "rsa" and key.bits < RSA_BITS_LEAST:
        yield Finding(
            Level.PROBLEM,
            "dkim_short",
            say(
                "The key at {selector} has {bits} bits. Mailboxes refuse keys below {least}.",
                selector=named,
                bits=show_count(key.bits),
                least=show_count(RSA_BITS_LEAST),
            ),
            say(_NEW_KEY),
        )
    elif key.kind == "rsa" and key.bits < RSA_BITS_ADVISED:
        yield Finding(
            Level.ADVICE,
            "dkim_below_advised",
            say(
                "The key at {selector} has {bits} bits; {advised} are advised today.",
                selector=named,
                bits=show_count(key.bits),
                advised=show_count(RSA_BITS_ADVISED),
            ),
            say(_NEW_KEY),
        )
    if key.hashes and "sha256" not in key.hashes:
        yield Finding(
            Level.PROBLEM,
            "dkim_sha1",
            say("The key at {selector} allows an outdated method only (sha1).", selector=named),
            say("Take “h=…” out of the record."),
        )
    if key.is_testing:
        yield Finding(
            Level.ADVICE,
            "dkim_testing",
            say(
                "The key at {selector} says that it is being tested: signatures may not count.",
                selector=named,
            ),
            say("Take “t=y” out of the record once signing works."),
        )

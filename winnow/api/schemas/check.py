"""The single check: its answer and its operation."""

from collections.abc import Mapping
from datetime import date, datetime
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

from winnow.api.operations import (
    Count,
    Items,
    Operation,
    Parameter,
    about,
    cut_to_seconds,
)
from winnow.core import errors
from winnow.core.judging.check_result import CheckResult
from winnow.core.verdicts.domain_types import DomainType
from winnow.core.verdicts.reasons import Reason
from winnow.core.verdicts.verdict import Category

ARRAY_MAX_ITEMS = 1_000


class Evidence(Struct, frozen=True, gc=False):
    """Evidence for one reason."""

    reason: Reason
    rule: Annotated[str, about("The rule in words.")]
    source: Annotated[str | None, about("The list or answer behind it.")]
    dated: Annotated[date | None, about("Its date.")]
    matched: Annotated[str | None, about("The name that matched there.")]
    asked_at: Annotated[datetime | None, about("When DNS or a registry said so (RFC 3339, UTC).")]


class Explanation(Struct, frozen=True, gc=False):
    """Why an address is classified as it is."""

    reasons: Annotated[tuple[Reason, ...], about("Stable codes; the first decided.")]
    evidence: tuple[Evidence, ...]
    suggestion: Annotated[str | None, about("A corrected address. Never applied by itself.")]
    data_version: Annotated[str, about("Version of the domain data that was judged with.")]
    disposable_probability: Annotated[
        Annotated[float, Meta(ge=0, le=1)] | None,
        about(
            "How likely the domain is disposable, by lists and the signs of its name; measured, "
            "and no rule. null: not known (malformed, decided by own lists, sandbox)."
        ),
    ]


class Check(Struct, frozen=True, gc=False):
    """One classified address."""

    email: Annotated[str, about("The address as checked: outer white space trimmed, NFC.")]
    domain: Annotated[
        str,
        about("Lower-case A-label form. Without a usable domain: the text after the last at-sign."),
    ]
    category: Annotated[Category, about("white: keep. grey: review. black: remove.")]
    mx_record: Annotated[
        str,
        about(
            'Host of the most preferred MX. "" the domain has none; "unknown": not '
            "looked up, or no answer."
        ),
    ]
    premium: Annotated[
        Literal["True", "False", "unknown"],
        about("Whether the domain belongs to a paid or premium mail service."),
    ]
    domain_age: Annotated[str, about('Whole days since registration, or "unknown".')]
    date_added: Annotated[
        str, about('Earliest list date that names the domain, DD.MM.YYYY, or "not added".')
    ]
    type: DomainType
    remaining_attempts_before_ban: Annotated[
        Count, about("Black answers left until this client address is banned.")
    ]
    explanation: Explanation


CHECK_EMAIL = Operation(
    "checkEmail",
    "POST",
    "/check-email",
    "Check one address",
    Check,
    "The classification.",
    description="No body. A literal + in the query is a plus.",
    example=Check(
        email="ana@mailinator.com",
        domain="mailinator.com",
        category=Category.BLACK,
        mx_record="unknown",
        premium="False",
        domain_age="unknown",
        date_added="19.03.2016",
        type=DomainType.DISPOSABLE,
        remaining_attempts_before_ban=4,
        explanation=Explanation(
            reasons=(Reason.DISPOSABLE_REVIEWED,),
            evidence=(
                Evidence(
                    reason=Reason.DISPOSABLE_REVIEWED,
                    rule="On a list of disposable mail services that is reviewed by hand.",
                    source="disposable-email-domains 0.0.293",
                    dated=date(2026, 10, 1),
                    matched="mailinator.com",
                    asked_at=None,
                ),
            ),
            suggestion=None,
            data_version="2026-11-09.3fa2c1",
            disposable_probability=0.995,
        ),
    ),
    parameters=(
        Parameter(
            "email",
            "query",
            "The address, percent-encoded UTF-8.",
            example="ana@mailinator.com",
            is_required=True,
        ),
    ),
    problems=(errors.BadField, errors.Banned),
)


class CheckEmailsBody(Struct, frozen=True):
    """Addresses to be checked."""

    emails: Annotated[
        Items,
        Meta(min_length=1),
        about(f"1 to {ARRAY_MAX_ITEMS:,} addresses. An item that is not text is invalid."),
    ]


class Checks(Struct, frozen=True):
    """Classified addresses."""

    results: Annotated[list[Check], about("One for each item, in their order.")]


CHECK_EMAILS = Operation(
    "checkEmails",
    "POST",
    "/check-emails",
    "Check up to 1,000 addresses",
    Checks,
    "The classifications.",
    description="Each valid address is charged as by checkEmail; the call counts once for the rate "
    "limit and takes no attempt. If the network is asked, domains without an answer after some "
    "ten seconds are unknown.",
    json_body=CheckEmailsBody(["ana@mailinator.com", "bo@gmail.com"]),
    problems=(
        errors.MalformedRequest,
        errors.BadField,
        errors.BodyTooLarge,
        errors.Banned,
    ),
)


def present_check(result: CheckResult) -> Check:
    """Return a check as its answer."""
    fields: Mapping[str, Any] = result.fields
    evidence = tuple(
        Evidence(
            reason=one.reason,
            rule=one.rule,
            source=one.source and str(one.source),
            dated=one.dated,
            matched=one.matched,
            asked_at=one.asked_at and cut_to_seconds(one.asked_at),
        )
        for one in (*result.evidence, *result.not_black)
    )
    explanation = Explanation(
        reasons=result.verdict.reasons,
        evidence=evidence,
        suggestion=result.suggestion,
        data_version=result.data_version,
        disposable_probability=result.disposable_probability,
    )
    return Check(**fields, explanation=explanation)

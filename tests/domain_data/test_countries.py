"""No address is grey for its country alone: every delegated code, with its usual second levels."""

import pytest
from publicsuffixlist import PublicSuffixList

from winnow.core.judging.judge import Judge, judge_text
from winnow.core.verdicts.domain_types import DomainType
from winnow.core.verdicts.reasons import Reason
from winnow.core.verdicts.verdict import Category
from winnow.domain_data.build.catalogue import read_suffix_rules
from winnow.domain_data.look_up.look_up import Knowledge
from winnow.domain_data.suffixes import SuffixRules

CODES = sorted({tld for tld in SuffixRules(read_suffix_rules()).tlds if len(tld) == 2})
SECOND_LEVELS = ("", "co.", "com.", "org.", "net.", "gov.", "edu.", "ac.", "or.", "go.")
WILDCARD_CODES = ("bd", "ck", "er", "fk", "jm", "kh", "mm", "np", "pg")  # *.np: all are suffixes


@pytest.mark.parametrize("code", CODES)
def test_a_countrys_names_are_known(knowledge: Knowledge, code: str) -> None:
    judge = Judge(knowledge)
    suffixes = PublicSuffixList(only_icann=True)
    for second in SECOND_LEVELS:
        if second and suffixes.publicsuffix(f"{second}{code}") == code:
            continue  # a name like any other: co.cc is on lists, and rightly
        verdict = judge_text(judge, f"thandi@lamidorasaku.{second}{code}").verdict
        assert Reason.UNKNOWN_TLD not in verdict.reasons, second
        is_risky = code in knowledge._header["risky_suffixes"]
        assert verdict.category is Category.WHITE or is_risky, second


@pytest.mark.parametrize("code", ["za", "uk", "au", "br", "in", *WILDCARD_CODES])
def test_public_bodies_and_schools_of_a_country(knowledge: Knowledge, code: str) -> None:
    judge = Judge(knowledge)
    government = judge_text(judge, f"a@health.gov.{code}").verdict
    assert government.domain_type is DomainType.GOVERNMENT
    school_suffix = "ac" if code in {"za", "uk", "in"} else "edu"
    school = judge_text(judge, f"a@lamidorasaku.{school_suffix}.{code}").verdict
    assert school.domain_type is DomainType.EDUCATION

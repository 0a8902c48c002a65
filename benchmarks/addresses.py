"""Speed of checks of addresses in memory: Winnow next to peers from PyPI."""

import random
import time
from collections.abc import Callable
from typing import Any

from benchmarks.list_data import SEED, make_domains, make_one_address
from benchmarks.lists import cache_folder


def check_with_winnow(count: str) -> dict[str, Any]:
    """Judge with the whole policy and every list, one address at a time."""
    from winnow.core.verdicts.judge import LiveJudge, judge_text
    from winnow.domain_data.loader import open_knowledge

    judge = LiveJudge(open_knowledge(cache_folder()))
    return _time(lambda text: judge_text(judge, text), count)


def check_as_service(count: str) -> dict[str, Any]:
    """Answer as the pages and the API do: nine fields, reasons, evidence, suggestion."""
    import os
    import tempfile

    from winnow.wiring import services

    with tempfile.TemporaryDirectory() as folder:
        checks = services({**os.environ, "WINNOW_DATA_DIR": folder}).checks
        checks.check("local", "a@example.org")
        return _time(lambda text: checks.check("local", text), count)


def check_with_email_validator(count: str) -> dict[str, Any]:
    """Check the syntax alone."""
    from email_validator import EmailNotValidError, validate_email

    def check(text: str) -> None:
        try:
            validate_email(text, check_deliverability=False)
        except EmailNotValidError:
            return

    return _time(check, count)


def check_with_mailchecker(count: str) -> dict[str, Any]:
    """Check a plain expression and one list."""
    from MailChecker import MailChecker

    return _time(MailChecker.is_valid, count)


def _make_texts(count: str) -> list[str]:
    pick = random.Random(SEED)  # noqa: S311 - made-up data
    domains = make_domains()
    return [make_one_address(pick, number, domains) for number in range(int(count))]


def _time(check: Callable[[str], object], count: str) -> dict[str, Any]:
    texts = _make_texts(count)
    begun = time.process_time()
    for text in texts:
        check(text)
    return {"per_second": len(texts) / (time.process_time() - begun)}

"""``winnow sender``: a sending domain's own records, by DNS."""

import json
import os
import sys
from argparse import Namespace
from collections.abc import Iterator
from dataclasses import asdict

from winnow import wiring
from winnow.core.errors import BadField
from winnow.core.sender.findings import Level, SenderReport

_MARKS = {Level.PROBLEM: "wrong", Level.UNKNOWN: "open", Level.ADVICE: "better", Level.GOOD: "good"}


def check_sender(options: Namespace) -> int:
    """Print what is set, what is wrong, how to mend it.

    Returns:
        0 where nothing is wrong, 1 where something is, 2 where DNS left something open.
    """
    checks = wiring.services(os.environ).sender_checks
    try:
        report = checks.check(options.domain, options.selector or (), asks_once=options.dns)
    except BadField as error:
        if error.field != "dns" or options.dns:
            raise
        hint = "Add --dns to ask this once, or turn DNS on in the app under Network."
        raise BadField(error.field, error.problem, hint=hint) from None
    if options.json:
        text = json.dumps(_to_json(report), indent=2, ensure_ascii=False, default=str)
        sys.stdout.write(f"{text}\n")
    else:
        sys.stdout.writelines(f"{line}\n" for line in _write(report))
    if report.count(Level.PROBLEM):
        return 1
    return 2 if report.level is Level.UNKNOWN else 0


def _to_json(report: SenderReport) -> dict[str, object]:
    areas = [{**asdict(area), "level": area.level} for area in report.areas]
    return {
        "domain": report.domain,
        "asked_at": report.asked_at.isoformat(),
        "level": report.level,
        "areas": areas,
    }


def _write(report: SenderReport) -> Iterator[str]:
    yield f"{report.domain}, asked {report.asked_at:%Y-%m-%d %H:%M} UTC"
    for area in report.areas:
        yield ""
        yield area.area.value.upper()
        for record in area.records:
            yield f"  set: {record.name}  {record.kind}  {record.value}"
        for finding in area.findings:
            yield f"  {_MARKS[finding.level]}: {finding.said}"
            if finding.mend:
                yield f"    {finding.mend}"
        for mended in dict.fromkeys(finding.record for finding in area.findings):
            if mended is not None:
                yield f"  to set: {mended.name}  {mended.kind}  {mended.value}"

"""Codes of rows, by the content of their email cells.

0                 no row: a blank line
1                 no row: the header
2 …               malformed, one code per Reason (FAULTS)
FIRST_DOMAIN …    the domain's text, by its place in the table
"""

from winnow.core.verdicts.reasons import Origin, Reason

BLANK_LINE, HEADER, FIRST_FAULT = 0, 1, 2
FAULTS = tuple(reason for reason in Reason if reason.origin is Origin.FORMAT)
FAULT_CODES = {reason: FIRST_FAULT + place for place, reason in enumerate(FAULTS)}
FIRST_DOMAIN = FIRST_FAULT + len(FAULTS)

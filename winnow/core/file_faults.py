"""What is wrong with a list's file: a stable code for programs, and its meaning."""

from winnow.core.record_enum import RecordEnum


class FileFault(RecordEnum):
    """What is wrong with a file, for programs; its code never changes."""

    meaning: str

    PASSWORD = "password", "protected by a password, or encrypted"
    TRUNCATED = "truncated", "ends early, as after a download that broke off"
    DAMAGED = "damaged", "cannot be read, or its parts contradict one another"
    WRONG_EXTENSION = "wrong_extension", "the extension is missing, not taken, or of another kind"
    NOT_A_LIST = "not_a_list", "a kind of file in which no list is read"
    ENCODING = "encoding", "text in another encoding than it says, or in one that is not read"
    OPEN_QUOTE = "open_quote", "a quote that never closes"
    MIXED_ESCAPES = "mixed_escapes", "some rows escape by a backslash, others do not"
    COLUMNS = "columns", "the columns cannot be told apart, or have too few names"
    TOO_LARGE = "too_large", "a cell, or a number of columns, sheets or domains is over its limit"
    UNPACKS_TOO_LARGE = "unpacks_too_large", "unpacks to more than an ordinary list does"
    TOO_COSTLY = "too_costly", "takes more memory or time than any ordinary list"
    EMPTY_FILE = "empty_file", "has no rows"
    NO_EMAIL_COLUMN = "no_email_column", "has no column named email"
    AMBIGUOUS_EMAIL_COLUMN = "ambiguous_email_column", "has several columns that could be meant"


FAULT_MEANINGS = "; ".join(f"`{fault}`: {fault.meaning}" for fault in FileFault)
"""All of them in one text, for documents."""

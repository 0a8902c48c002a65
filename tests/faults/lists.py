"""Lists whose results are known by how they are made, not by running an engine."""

HEADER = b"id,email"


def make_list(row_count: int, *, seed: int = 0) -> bytes:
    """Return a list: each third row takes the mailbox of the row two before it once more."""
    rows = (_make_row(number, seed) for number in range(row_count))
    return b"%s\n%s\n" % (HEADER, b"\n".join(rows))


def expect_list(row_count: int, *, seed: int = 0) -> bytes:
    """Return what must come of that list: the earlier of two rows is gone."""
    rows = []
    for number in range(row_count):
        if number % 3 == 1:
            rows.append(_make_row(number, seed) + b",black,disposable")
        elif number % 3 == 2 or number + 2 >= row_count:
            rows.append(_make_row(number, seed) + b",white,free")
    return b"%s,category,domain_type\n%s\n" % (HEADER, b"\n".join(rows))


def count_charged(row_count: int) -> int:
    """Return how many rows must be charged."""
    return expect_list(row_count).count(b"\n") - 1


def _make_row(number: int, seed: int) -> bytes:
    match number % 3:
        case 0:
            return b"%07d,n%d-%d@gmail.com" % (number, seed, number)
        case 1:
            return b"%07d,n%d-%d@mailinator.com" % (number, seed, number)
        case _:
            return b"%07d,N%d-%d@Gmail.com" % (number, seed, number - 2)

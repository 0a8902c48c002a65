"""The kinds of repairs: one record each, safe ones first, the most doubtful last."""

from winnow.core.record_enum import RecordEnum
from winnow.words import translatable


class RepairKind(RecordEnum):
    """Kind of repair: what was wrong with a value that holds an address.

    ``words`` is a phrase for a table. ``is_safe`` says that no other address can be meant: such a
    repair needs no review. A value that needs several repairs is of the kind that is last here.
    """

    words: str
    is_safe: bool

    AT_SIGN = "at_sign", translatable("an at-sign doubled or spelt out"), True
    WRAPPED = "wrapped", translatable("a name, quotes or a link around the address"), True
    UNSEEN = "unseen", translatable("hidden characters"), True
    BLANKS = "blanks", translatable("blanks inside the address"), True
    FULL_WIDTH = "full_width", translatable("full-width letters"), True
    DOTS = "dots", translatable("a comma for a dot, or a dot too many"), True
    APOSTROPHE = "apostrophe", translatable("an apostrophe in front, as Excel writes it"), True
    LOCAL_BLANKS = "local_blanks", translatable("blanks or dots that may belong to a name"), False
    COMMAS = "commas", translatable("a comma that may part two things"), False
    LETTERS = "letters", translatable("unusual letters for plain ones"), False
    SEVERAL = "several", translatable("several addresses in one cell: the first"), False
    LOST_DOT = "lost_dot", translatable("the name of a provider without its dot"), False
    MISSPELT = "misspelt", translatable("a misspelt domain"), False

    @property
    def is_of_domain(self) -> bool:
        """Whether the domain changes: such repairs are accepted domain by domain."""
        return self in {RepairKind.LOST_DOT, RepairKind.MISSPELT}


SAFE_KINDS = frozenset(kind for kind in RepairKind if kind.is_safe)

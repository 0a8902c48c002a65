"""Submission of a list over HTTP: its form fields, read as what is asked of the run."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from winnow.api.multipart import Field, FileBegin
from winnow.api.schemas.batch import SubmitBatchBody
from winnow.core.accounts import Upload
from winnow.core.errors import BadField
from winnow.core.lists.input_head import Choices
from winnow.core.tasks.keep_rule import Keep, KeepChoice
from winnow.core.tasks.repair_choice import parse_repair
from winnow.core.tasks.run_request import RunRequest, refuse_judge_both
from winnow.services.tasks.recipe import parse_recipe

FIELD_NAMES = frozenset(SubmitBatchBody.__struct_fields__) - {"file"}
_TRUE = frozenset({"true", "1", "yes"})
_FALSE = frozenset({"false", "0", "no"})


@dataclass(slots=True)
class Submission:
    """Content of a body: known fields, and the one file once it is whole."""

    fields: dict[str, str] = field(default_factory=dict)
    upload: Upload | None = None
    choices: Choices = Choices()

    def take_field(self, event: Field) -> None:
        """Store a known field, checked as far as possible before the list is there.

        Raises:
            BadField: Given twice, or not valid. Unknown fields are ignored.
        """
        if event.name == "file":
            raise BadField("file", "must be sent as a file, with a file name")
        refuse_removed(event.name, event.value)
        if event.name in FIELD_NAMES:
            if event.name in self.fields:
                raise BadField(event.name, "is given more than once")
            self.fields[event.name] = event.value
            parse_switch(self.fields, "deduplicate", default=True)
            parse_switch(self.fields, "join_aliases", default=False)
            parse_switch(self.fields, "mailbox", default=False)
            parse_keep_word(self.fields.get("keep"))
            parse_repair(self.fields.get("repair"))
            parse_recipe(self.fields.get("recipe", ""))

    def check_file(self, event: FileBegin) -> None:
        """Raise BadField unless this is the one file, with a name."""
        if event.name != "file":
            raise BadField("file", "a file came in a part of another name")
        if self.upload is not None:
            raise BadField("file", "is given more than once")
        if not event.file_name.strip():
            raise BadField("file", "has no file name", hint="Send the list with its file name.")

    def make_request(self) -> RunRequest:
        """Return what the fields ask for; they outrank those of a recipe.

        Raises:
            BadField: A field, or one of the recipe, is not valid.
        """
        recipe = parse_recipe(self.fields.get("recipe", ""))
        fields, choices = {**recipe.form_fields, **self.fields}, self.choices
        if recipe.header is not None and choices.has_header is None:
            choices = replace(choices, has_header=recipe.header)
        return RunRequest(
            choices=choices,
            email_column=fields.get("email_column") or None,
            second_email_column=fields.get("second_email_column") or None,
            deduplicate=parse_switch(fields, "deduplicate", default=True),
            keep=parse_keep(fields),
            repair=parse_repair(fields.get("repair")) or recipe.repairs,
        )


def parse_switch(fields: Mapping[str, str], name: str, *, default: bool) -> bool:
    """Read a form field that is true or false.

    Raises:
        BadField: Other than true, false, 1, 0, yes or no, in any case.
    """
    word = fields[name].strip().lower() if name in fields else str(default).lower()
    if word not in _TRUE | _FALSE:
        raise BadField(name, "must be true or false")
    return word in _TRUE


def refuse_removed(field: str, text: str) -> None:
    """Raise BadField for a form field of a capability that was removed in 0.3."""
    if field == "judge_both":
        refuse_judge_both(text.strip().lower() in _TRUE)


def parse_keep_word(text: str | None) -> Keep:
    """Read the form field ``keep``; without one, or empty, the last row stays.

    Raises:
        BadField: Another word.
    """
    word = (text or "").strip().lower() or Keep.LAST
    if word not in set(Keep):
        raise BadField("keep", "must be last, first, newest or complete")
    return Keep(word)


def parse_keep(fields: Mapping[str, str]) -> KeepChoice:
    """Read the form fields ``keep``, ``keep_by``, ``join_aliases`` and ``mailbox``.

    Raises:
        BadField: As for ``parse_keep_word``, or one field without the other that goes with it.
    """
    return KeepChoice(
        parse_keep_word(fields.get("keep")),
        fields.get("keep_by", "").strip() or None,
        parse_switch(fields, "join_aliases", default=False),
        parse_switch(fields, "mailbox", default=False),
    )

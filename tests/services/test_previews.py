"""What a staged list is likely to come out as, as the pages ask for it."""

from tests.applications import stage
from winnow.core.identities import LOCAL_ACCOUNT
from winnow.core.lists.input_head import Choices
from winnow.core.lists.previews import Preview
from winnow.core.verdicts.verdict import Category
from winnow.wiring import Application


def look(opened: Application, upload_id: str, column: int = 1) -> Preview:
    head = opened.services.uploads.read_head(LOCAL_ACCOUNT, upload_id, Choices())
    return opened.services.previews.look(LOCAL_ACCOUNT, upload_id, head, column)


def count(preview: Preview, category: Category) -> int:
    rows = preview.rows - preview.duplicates
    assert preview.kept is not None
    return round(preview.kept.actions[category.action] * rows)


def test_a_look_charges_nothing_and_is_remembered_until_the_own_lists_change(
    opened: Application,
) -> None:
    opened.services.network.turn("dns", True)  # its resolver fails whoever asks
    upload_id = stage(opened).upload_id
    head = opened.services.uploads.read_head(LOCAL_ACCOUNT, upload_id, Choices())
    recall = opened.services.previews.recall
    assert recall(LOCAL_ACCOUNT, upload_id, head, 1) is None
    preview = look(opened, upload_id)
    assert (preview.rows, preview.judged, preview.duplicates) == (4, 4, 1)
    assert (count(preview, Category.WHITE), count(preview, Category.BLACK)) == (1, 2)
    assert preview == recall(LOCAL_ACCOUNT, upload_id, head, 1)
    assert recall(LOCAL_ACCOUNT, upload_id, head, 0) is None
    opened.services.own_lists.add(LOCAL_ACCOUNT, "throwaway.example", Category.WHITE)
    assert recall(LOCAL_ACCOUNT, upload_id, head, 1) is None
    assert count(look(opened, upload_id), Category.WHITE) == 2
    assert opened.services.usage.days(LOCAL_ACCOUNT, 1)[0].batch == 0

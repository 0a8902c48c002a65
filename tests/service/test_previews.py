"""What a staged list is likely to come out as, as the pages ask for it."""

from pathlib import Path

import pytest

from tests.houses import LIST, Clock, open_test_house, stage
from tests.workbooks import write_workbook
from winnow.bootstrap import House
from winnow.core.accounts import LOCAL_ACCOUNT
from winnow.core.errors import Gone
from winnow.core.lists.input_head import Choices
from winnow.core.lists.previews import Preview
from winnow.core.verdicts.verdict import Category


def look(house: House, upload_id: str, column: int = 1) -> Preview:
    head = house.services.uploads.read_head(LOCAL_ACCOUNT, upload_id, Choices())
    return house.services.previews.look(LOCAL_ACCOUNT, upload_id, head, column)


def count(preview: Preview, category: Category) -> int:
    rows = preview.rows - preview.duplicates.likely
    return round(preview.kept.categories[category].likely * rows)


def test_a_list_is_looked_into_and_nothing_is_charged(house: House) -> None:
    upload_id = stage(house).upload_id
    preview = look(house, upload_id)
    assert (preview.rows, preview.judged, preview.duplicates.likely) == (4, 4, 1)
    assert (count(preview, Category.WHITE), count(preview, Category.BLACK)) == (1, 2)
    assert house.services.usage.days(LOCAL_ACCOUNT, 1)[0].batch == 0
    assert house.services.uploads.get(LOCAL_ACCOUNT, upload_id)


def test_a_look_is_remembered_until_the_own_lists_change(house: House) -> None:
    upload_id = stage(house).upload_id
    head = house.services.uploads.read_head(LOCAL_ACCOUNT, upload_id, Choices())
    recall = house.services.previews.recall
    assert recall(LOCAL_ACCOUNT, upload_id, head, 1) is None
    assert look(house, upload_id) == recall(LOCAL_ACCOUNT, upload_id, head, 1)
    assert recall(LOCAL_ACCOUNT, upload_id, head, 0) is None
    house.services.own_lists.add(LOCAL_ACCOUNT, "throwaway.example", Category.WHITE)
    assert recall(LOCAL_ACCOUNT, upload_id, head, 1) is None
    assert count(look(house, upload_id), Category.WHITE) == 2


def test_nobody_is_asked_also_where_dns_is_on(tmp_path: Path) -> None:
    house = open_test_house(tmp_path, Clock())  # its resolver fails whoever asks
    house.services.network.turn("dns", True)
    assert look(house, stage(house).upload_id).judged == 4
    house.database.close()


def test_workbooks_leave_nothing_behind(house: House, tmp_path: Path) -> None:
    rows = [tuple(line.split(",")) for line in LIST.decode().splitlines()]
    content = write_workbook(tmp_path / "list.xlsx", rows).read_bytes()
    preview = look(house, stage(house, content, name="list.xlsx").upload_id)
    assert (preview.rows, preview.duplicates.likely) == (4, 1)
    assert not list(house.folder.variants.iterdir())


def test_another_accounts_upload_is_gone(house: House) -> None:
    upload_id = stage(house).upload_id
    head = house.services.uploads.read_head(LOCAL_ACCOUNT, upload_id, Choices())
    with pytest.raises(Gone):
        house.services.previews.look("other", upload_id, head, 1)
    house.services.uploads.discard(LOCAL_ACCOUNT, upload_id)
    with pytest.raises(Gone):
        house.services.previews.look(LOCAL_ACCOUNT, upload_id, head, 1)

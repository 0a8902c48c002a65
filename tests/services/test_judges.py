"""Knowledge is opened once for each mark of its sources, and never lost."""

from winnow.core.ports import StaticKnowledge
from winnow.core.tasks.task import KeyType
from winnow.services.checks.judges import Judges


class Sources:
    """Sources of knowledge that change, and that may fail to open."""

    def __init__(self) -> None:
        self.mark = 1
        self.is_broken = False
        self.opened: list[int] = []

    def read_mark(self) -> int:
        return self.mark

    def open_knowledge(self) -> StaticKnowledge:
        self.opened.append(self.mark)
        if self.is_broken:
            raise OSError("no space")
        return StaticKnowledge({}, data_version=f"version {self.mark}")


def test_changed_sources_are_opened_by_the_next_use() -> None:
    sources = Sources()
    judges = Judges(sources.open_knowledge, read_mark=sources.read_mark)
    at_work = judges.judge_task(KeyType.LIVE, lambda share: None)[0]
    sources.mark = 2
    assert judges.judge_for(KeyType.LIVE).knowledge.data_version == "version 2"
    assert judges.knowledge().data_version == "version 2"
    assert judges.judge_offline(KeyType.LIVE).knowledge.data_version == "version 2"
    assert at_work.knowledge.data_version == "version 1"  # a list ends with the data it began with
    assert sources.opened == [1, 2]


def test_sources_that_fail_leave_the_former_knowledge_until_the_next_change() -> None:
    sources = Sources()
    judges = Judges(sources.open_knowledge, read_mark=sources.read_mark)
    judges.knowledge()
    sources.mark, sources.is_broken = 2, True
    assert judges.knowledge().data_version == "version 1"
    assert judges.judge_for(KeyType.LIVE).knowledge.data_version == "version 1"
    assert sources.opened == [1, 2]
    sources.mark, sources.is_broken = 3, False
    assert judges.knowledge().data_version == "version 3"

"""``/ready``, ``/metrics`` and JSON log lines: for operators, without anything personal."""

import io
import json
import logging

import pytest
from prometheus_client.parser import text_string_to_metric_families

from tests.api.conftest import OpenDesk
from tests.api.desk import BASE_PATH, Desk
from winnow.core.faults import JsonLines, log_subject

LIST = b"email\nana@gmail.com\nbo@mailinator.com\n"


def read_metrics(desk: Desk) -> dict[tuple[str, tuple[tuple[str, str], ...]], float]:
    answer = desk.client().get("/metrics")
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("text/plain")
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(answer.text)
        for sample in family.samples
    }


def test_a_server_is_ready_until_it_stops(desk: Desk) -> None:
    ready = desk.client().get("/ready").json()
    assert ready.pop("data_age_days") > 0
    assert ready == {"status": "ready"}
    assert "winnow_requests" not in desk.client().get("/metrics").text, "off until turned on"
    desk.api.shutdown.is_begun = True
    answer = desk.client().get("/ready")
    assert (answer.status_code, answer.json()["down"]) == (503, ["server"])
    assert answer.headers["retry-after"] == "5"


def test_a_server_whose_database_fails_is_not_ready_and_logs_why(
    desk: Desk, caplog: pytest.LogCaptureFixture
) -> None:
    desk.application.folder.database.write_bytes(b"no database" * 1000)
    desk.application.database.close()
    desk.services.monitoring.parts |= {"workers": lambda: True, "inspection": lambda: False}
    answer = desk.client().get("/ready")
    assert (answer.status_code, answer.json()["down"]) == (503, ["workers", "database"])
    assert answer.headers["retry-after"] == "5"
    assert "not ready: " in caplog.text


def test_figures_and_requests_name_no_person_key_or_token(desk_with: OpenDesk) -> None:
    desk = desk_with(WINNOW_METRICS="on", WINNOW_RATE_LIMIT="off")
    caller = desk.caller()
    caller.check("ana@gmail.com")
    desk.complete(caller, LIST)
    caller.upload(LIST)
    found = read_metrics(desk)
    checks = (("route", f"{BASE_PATH}/check-email"), ("status", "200"))
    assert found["winnow_requests_total", checks] == 1
    assert found["winnow_lists", (("state", "completed"),)] == 1
    assert found["winnow_list_rows", (("state", "completed"),)] == 2
    assert found["winnow_queue_length", ()] == 1
    assert found["winnow_used_bytes", ()] > len(LIST)
    assert found["winnow_data_age_days", ()] > 0
    for path in ("/downloads/secret-token", "/nope/ana@gmail.com", "/batch-check-status/an-id"):
        caller.get(path)
    desk.client().get("/anything/ana@gmail.com")
    labels = {value for _, pairs in read_metrics(desk) for _, value in pairs}
    assert not {one for one in labels if "@" in one or "secret" in one or "an-id" in one}
    assert caller.headers["X-API-Key"] not in str(labels)


@pytest.mark.parametrize("subject", [{}, {"request_id": "abc"}, {"task_id": "def"}], ids=str)
def test_a_json_line_has_its_subject(subject: dict[str, str]) -> None:
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(JsonLines("worker"))
    token = log_subject.set(subject)
    try:
        handler.handle(logging.makeLogRecord({"msg": "ünfinished %s", "args": ("x",)}))
    finally:
        log_subject.reset(token)
    line = json.loads(stream.getvalue())
    assert line.pop("time").endswith("+00:00")
    assert line.pop("level")
    assert line == {"process": "worker", "message": "ünfinished x", **subject}

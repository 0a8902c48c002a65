"""Sample calls to copy, with the real base URL; the key comes from the environment."""

CURL = """\
# One address
curl -X POST -H "X-API-Key: $WINNOW_KEY" \\
  "{base}/check-email?email=name%40company.com"

# A list: submit, ask, fetch
curl -H "X-API-Key: $WINNOW_KEY" \\
  -F file=@customers.csv -F project_name=customers \\
  {base}/batch-check-emails
curl -H "X-API-Key: $WINNOW_KEY" {base}/batch-check-status/TASK_ID
curl -H "X-API-Key: $WINNOW_KEY" {base}/batch-task-download/TASK_ID
"""

PYTHON = """\
import os
import time
from pathlib import Path

import httpx

api = httpx.Client(
    base_url="{base}", headers={{"X-API-Key": os.environ["WINNOW_KEY"]}}, timeout=600
)

# One address
print(api.post("/check-email", params={{"email": "name@company.com"}}).json())

# A list: submit, ask every 5 seconds, fetch
with Path("customers.csv").open("rb") as file:
    task = api.post("/batch-check-emails", files={{"file": file}}).raise_for_status().json()
while True:
    status = api.get(f"/batch-check-status/{{task['task_id']}}").json()
    if status["status"] != "processing":
        break
    time.sleep(5)
link = api.get(f"/batch-task-download/{{task['task_id']}}").raise_for_status().json()
with httpx.stream("GET", link["download_url"]) as answer, Path("checked.csv").open("wb") as out:
    for chunk in answer.iter_bytes():
        out.write(chunk)
"""


def write_curl(base: str) -> str:
    """Return the calls for a shell."""
    return CURL.format(base=base)


def write_python(base: str) -> str:
    """Return the calls for Python with httpx."""
    return PYTHON.format(base=base)

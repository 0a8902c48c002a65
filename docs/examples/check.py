"""100 addresses checked in one call, and a list of them cleaned. ``pip install httpx``."""

import os
import tempfile
from pathlib import Path

from winnow.client import Client

BASE = os.environ.get("WINNOW_URL", "http://localhost:8501/v1/external-api-requests")
ADDRESSES = [f"person{number}@example.com" for number in range(1, 100)] + ["x@mailinator.com"]

with Client(BASE, os.environ["WINNOW_KEY"]) as client, tempfile.TemporaryDirectory() as folder:
    for result in client.check_many(ADDRESSES):
        print(result["email"], result["category"], result["type"])

    source = Path(folder) / "list.csv"
    source.write_text("email\n" + "\n".join(ADDRESSES) + "\n")
    status = client.clean(source, Path(folder) / "list-checked.csv", project_name="From Python")
    print(status["summary"]["by_category"])

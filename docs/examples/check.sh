#!/bin/sh
# 100 addresses checked in one call. WINNOW_KEY: a key from Settings, or of `winnow keys create`.
set -eu
base=${WINNOW_URL:-http://localhost:8501/v1/external-api-requests}

addresses=$(seq 1 100 | sed 's/.*/"person&@example.com"/' | paste -sd, -)
curl --fail-with-body --silent --show-error \
    -H "X-API-Key: $WINNOW_KEY" -H "Content-Type: application/json" \
    -d "{\"emails\": [$addresses]}" "$base/check-emails"

# A whole list: submit it, ask for its status, fetch the result.
#   curl -H "X-API-Key: $WINNOW_KEY" -F file=@list.csv "$base/batch-check-emails"
#   curl -H "X-API-Key: $WINNOW_KEY" "$base/batch-check-status/TASK_ID"
#   curl -H "X-API-Key: $WINNOW_KEY" "$base/batch-task-download/TASK_ID"

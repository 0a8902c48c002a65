# Sourced by .ci/run, with a folder $scratch: lanes whose failed tests run once more.
flaky_most=2 # of all lanes together

list_failed() { # CACHE: the tests that failed, one a line; none if others did not run
    [ "$(cat "$1/v/winnow/ended" 2>/dev/null)" = 1 ] || return 0
    grep -q '^  "[^:]*": true' "$1/v/cache/lastfailed" || # a file that was not read
        python3 -c 'import json, sys; print(*json.load(open(sys.argv[1])), sep="\n")' "$1/v/cache/lastfailed"
}

run_lane() { # NAME COMMAND, in no condition: `set -e` must hold in it. What passes the second time is FLAKY
    local command=$2 cache=$scratch/cache/$1 code failed
    local options="${PYTEST_ADDOPTS-} -o cache_dir=$cache"
    mkdir -p .pytest_cache/d "$cache"
    ln -sfn "$PWD/.pytest_cache/d" "$cache/d" # compiled domain data
    set +e; (set -e; export PYTEST_ADDOPTS=$options; eval "$command"); code=$?; set -e
    [ "$code" -ne 0 ] || return 0
    mapfile -t failed < <(list_failed "$cache")
    if [ ${#failed[@]} -eq 0 ] || [ ${#failed[@]} -gt "$flaky_most" ]; then return "$code"; fi
    printf -- '-- once more: %s\n' "${failed[@]}"
    options+=" --last-failed --last-failed-no-failures=none"
    set +e; (set -e; export PYTEST_ADDOPTS=$options; eval "$command"); code=$?; set -e
    [ "$code" -eq 0 ] || return "$code"
    printf 'FLAKY %s\n' "${failed[@]}" | tee -a "$scratch/flaky"
}

judge_flaky() { # names what was flaky; fails if it was too much
    [ -s "$scratch/flaky" ] || return 0
    cat "$scratch/flaky"
    [ "$(wc -l <"$scratch/flaky")" -le "$flaky_most" ] || { echo "!! FAILED: more than $flaky_most flaky tests"; return 1; }
}

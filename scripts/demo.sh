#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The main job on one example: Peterson's algorithm as the textbooks print it holds as it is written, is broken by the
# optimiser, and holds at every level once its variables are atomic. Each command is shown before it runs.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

expect() { # exit status, arguments of pancam
    local expected=$1 status=0
    shift
    echo "\$ pancam $*"
    .venv/bin/pancam "$@" || status=$?
    echo
    [ "$status" -eq "$expected" ] || { echo "demo: expected exit status $expected, got $status" >&2; exit 1; }
}

expect 0 check examples/wrong/peterson_wikipedia.c
expect 1 check examples/wrong/peterson_wikipedia.c -O2 --bfs
expect 0 check examples/correct/peterson.c
expect 0 check examples/correct/peterson.c -O2

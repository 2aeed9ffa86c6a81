#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes a Debian machine ready for pancam: `setup.sh tools demo|test|bench` looks for the programs that this goal needs
# and installs what is missing with apt-get when it may; `setup.sh python` makes .venv and installs pancam into it.
# Where apt-get may not be used it stops with one line that names the packages. The Makefile is the only caller.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

fail() {
    echo "setup: $*" >&2
    exit 1
}

have() { command -v "$1" >/dev/null 2>&1; }

have_clang() {
    if [ -n "${PANCAM_CLANG:-}" ] || have clang; then return 0; fi
    compgen -c clang- | grep -Eq '^clang-[0-9]+$'
}

# Debian's name for a file that -m32 needs; machines of another kind than x86-64 have no 32-bit side to test.
have_32_bit_headers() {
    [ "$(uname -m)" != x86_64 ] || compgen -G '/usr/include/*/gnu/stubs-32.h' >/dev/null ||
        [ -e /usr/include/gnu/stubs-32.h ]
}
have_32_bit_linker_files() {
    [ "$(uname -m)" != x86_64 ] || compgen -G '/usr/lib/gcc/x86_64-linux-gnu/*/32/libgcc.a' >/dev/null
}

missing_tools() { # goal
    have_clang || echo clang
    have spin || echo spin
    if [ "$1" = test ]; then
        have csmith || echo csmith
        compgen -G '/usr/include/csmith*/csmith.h' >/dev/null || echo libcsmith-dev
        have_32_bit_headers || echo libc6-dev-i386
        have_32_bit_linker_files || echo gcc-multilib
    fi
    if [ "$1" = bench ]; then have lli || echo llvm; fi
}

is_new_enough() { "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; }
can_make_environments() { "$1" -c 'import ensurepip, venv' >/dev/null 2>&1; }
has_headers() {
    "$1" -c 'import os, sys, sysconfig; sys.exit(not os.path.exists(sysconfig.get_path("include") + "/Python.h"))' \
        >/dev/null 2>&1
}

new_enough_pythons() {
    local candidate
    for candidate in "${PYTHON:-python3}" python3.14 python3.13 python3.12 python3.11 /usr/bin/python3; do
        if is_new_enough "$candidate"; then echo "$candidate"; fi
    done
}

# The first Python that is complete; where there is none, the first that is new enough.
choose_python() {
    local candidate
    for candidate in $(new_enough_pythons); do
        if can_make_environments "$candidate" && has_headers "$candidate"; then
            echo "$candidate"
            return
        fi
    done
    new_enough_pythons | head -n 1
}

missing_python_packages() { # python
    can_make_environments "$1" || echo python3-venv
    has_headers "$1" || echo python3-dev
}

install_packages() { # package...
    local run=()
    if [ "$(id -u)" -ne 0 ]; then
        if have sudo && sudo -n true >/dev/null 2>&1; then run=(sudo -n); else run=(false); fi
    fi
    if [ "${run[*]-}" = false ] || ! have apt-get; then
        echo "Install these packages first: sudo apt-get install $*" >&2
        exit 1
    fi
    echo "setup: installing $*"
    "${run[@]}" env DEBIAN_FRONTEND=noninteractive apt-get update -qq </dev/null ||
        fail "apt-get update failed; install these packages by hand: $*"
    "${run[@]}" env DEBIAN_FRONTEND=noninteractive \
        apt-get install -y -qq --no-install-recommends "$@" </dev/null >/dev/null ||
        fail "apt-get install failed; install these packages by hand: $*"
}

set_up_tools() { # goal
    local python packages=()
    mapfile -t packages < <(missing_tools "$1")
    if [ ! -x .venv/bin/python ]; then
        python=$(choose_python)
        [ -n "$python" ] || fail "pancam needs Python 3.11 or newer; found $(python3 --version 2>&1 || true)"
        mapfile -t -O "${#packages[@]}" packages < <(missing_python_packages "$python")
    fi
    have cc || have gcc || packages+=(gcc)
    [ -e /usr/include/stdio.h ] || packages+=(libc6-dev)
    if [ "${#packages[@]}" -gt 0 ]; then install_packages "${packages[@]}"; fi
}

set_up_python() {
    export PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_INPUT=1 PIP_ROOT_USER_ACTION=ignore
    if ! .venv/bin/python -m pip --version >/dev/null 2>&1; then
        "$(choose_python)" -m venv --clear .venv
    fi
    # Built without isolation: what builds is then installed once, and a rebuild after a change in C needs no network.
    .venv/bin/python -m pip install -q 'setuptools>=77' 'cffi>=1.17' </dev/null
    .venv/bin/python -m pip install -q --no-build-isolation -e '.[dev]' </dev/null
    # Python would prefer a module that pancam/vm/build.py left here, of this version only and perhaps old.
    rm -f pancam/vm/_machine.cpython-*.so
}

case "${1:-} ${2:-}" in
"tools demo" | "tools test" | "tools bench") set_up_tools "$2" ;;
"python ") set_up_python ;;
*) fail "usage: setup.sh tools demo|test|bench, or setup.sh python" ;;
esac

#!/bin/sh
# Names whatever is missing to build, with the command that installs it. Checks only; changes nothing.
set -u
missing=0
python=${PYTHON:-python3}

need() { # what, why, how
    printf 'missing: %s (%s)\n  install it: %s\n' "$1" "$2" "$3" >&2
    missing=1
}

if ! command -v "$python" >/dev/null 2>&1; then
    need "$python" "Python 3.11 or newer runs ciphermark" "sudo apt-get install python3 python3-venv"
elif ! "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
    need "Python 3.11 or newer" "$("$python" --version 2>&1) is too old" \
        "sudo apt-get install python3.11 python3.11-venv, then make PYTHON=python3.11"
elif ! "$python" -c 'import venv, ensurepip' >/dev/null 2>&1; then
    need "the venv module" "the environment in .venv is made with it" "sudo apt-get install python3-venv"
fi

if ! command -v cc >/dev/null 2>&1; then
    need "a C compiler (cc)" "Rust links with it" "sudo apt-get install gcc"
fi

if ! command -v cargo >/dev/null 2>&1; then
    need "Rust 1.95 or newer" "the engine is built with it" \
        "follow https://rustup.rs, or sudo apt-get install rustup && rustup default stable"
elif ! version=$(cargo --version 2>/dev/null); then
    # rustup's cargo without a toolchain behind it explains itself at length, and dies.
    need "a Rust toolchain" "cargo is there, but has none to run" "rustup default stable"
else
    minor=$(printf '%s\n' "$version" | sed -n 's/^cargo 1\.\([0-9]*\)\..*/\1/p')
    if [ "${minor:-0}" -lt 95 ]; then
        need "Rust 1.95 or newer" "$version is too old" "rustup update stable"
    fi
fi

exit $missing

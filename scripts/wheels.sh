#!/bin/sh
# Builds manylinux_2_28 wheels for x86-64 and AArch64 and the source distribution into the folder given. zig links, so
# that neither this machine's glibc nor its architecture matters. What cannot be built is named; the rest is built.
# CIPHERMARK_WHEEL_PROFILE is a profile of Cargo (release).
set -eu
folder=$1
profile=${CIPHERMARK_WHEEL_PROFILE:-release}
status=0
rm -f "$folder"/*.whl "$folder"/*.tar.gz
maturin sdist --out "$folder"
for architecture in x86_64 aarch64; do
    target=$architecture-unknown-linux-gnu
    if [ ! -d "$(rustc --print target-libdir --target "$target")" ]; then
        printf 'left out: the wheel for %s, because Rust has no standard library for it here\n  install it: rustup target add %s\n' \
            "$architecture" "$target" >&2
        status=1
        continue
    fi
    maturin build --profile "$profile" --locked --zig --strip --target "$target" --compatibility manylinux_2_28 \
        --out "$folder"
done
exit $status

"""What tests on real binaries need: the embedded engine and a compiler; without them they are skipped."""

from __future__ import annotations

import pytest

from ciphermark import native, toolchain

needs_everything = pytest.mark.skipif(
    not native.available() or not toolchain.installed(), reason="needs the embedded engine and a compiler"
)

"""What tests on real binaries need: the embedded engine and a compiler; without them they are skipped."""

from __future__ import annotations

import pytest

from ciphermark import embedded, toolchain

needs_everything = pytest.mark.skipif(
    not embedded.available() or not toolchain.installed(), reason="needs the embedded engine and a compiler"
)

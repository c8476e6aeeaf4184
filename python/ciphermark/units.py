"""Units of bytes in files and sentences: sizes are in KiB and MiB, rates in MB/s and GB/s.

Whoever writes a figure names the unit beside it, so that none has to be guessed.
"""

from __future__ import annotations

from typing import Final

KIB: Final = 1 << 10
MIB: Final = 1 << 20
MB: Final = 10**6
GB: Final = 10**9

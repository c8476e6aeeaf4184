"""How much is tried: ``CIPHERMARK_TIER_EFFORT`` is 1 in the ordinary run; above 1 nothing is left out or sampled."""

from __future__ import annotations

import os

VARIABLE = "CIPHERMARK_TIER_EFFORT"
EFFORT = int(os.environ.get(VARIABLE, "1"))

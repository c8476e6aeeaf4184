"""The page that says where things are names places that are there."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "where-it-lives.md"


def test_every_place_is_there() -> None:
    places = re.findall(r"`([\w./-]+/[\w./-]*)`", PAGE.read_text())
    assert len(places) > 20
    assert [place for place in places if not (ROOT / place).exists()] == []

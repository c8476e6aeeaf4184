"""Sets of fonts that a page is laid out with: what Debian's Chromium recommends, one at a time."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

_PLACES = (Path("/usr/share/fonts"), Path("/usr/local/share/fonts"))

_CONFIGURATION = """\
<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd">
<fontconfig>
  <dir>{fonts}</dir>
  <cachedir>{cache}</cachedir>
  <include ignore_missing="yes">/etc/fonts/conf.d</include>
</fontconfig>
"""
"""The system's rules say which family is the serif or the monospaced one; the folder is all they choose from."""


@dataclass(frozen=True)
class FontSet:
    family: str
    """What its families' names begin with."""
    file: str
    """One of its files."""
    package: str

    def folder(self) -> Path | None:
        """Where it is installed."""
        found = sorted(path for place in _PLACES for path in place.rglob(self.file))
        return found[0].parent if found else None

    def environment(self, place: Path) -> dict[str, str]:
        """Variables for a program that is to see this set alone, with files below ``place``; skips without it."""
        folder = self.folder()
        if folder is None:
            pytest.skip(f"needs {self.package} (apt-get install {self.package})")
        configuration = place / "fonts.conf"
        configuration.write_text(_CONFIGURATION.format(fonts=folder, cache=place / "cache"))
        return {"FONTCONFIG_FILE": str(configuration)}


SETS = {
    "dejavu": FontSet("DejaVu", "DejaVuSerif.ttf", "fonts-dejavu"),
    "liberation": FontSet("Liberation", "LiberationSerif-Regular.ttf", "fonts-liberation"),
    "noto": FontSet("Noto", "NotoSerif-Regular.ttf", "fonts-noto-core"),
}
"""Beside what the machine chooses itself."""

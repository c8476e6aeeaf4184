"""The browser scripts are the ones that are named, whole, and licensed."""

from __future__ import annotations

import hashlib
import tomllib
from importlib import resources

from ciphermark.report.figures.theme import SHAPES

VENDOR = resources.files("ciphermark.report") / "vendor"
SCRIPTS = tomllib.loads((VENDOR / "scripts.toml").read_text(encoding="utf-8"))["script"]


def test_scripts_are_verbatim() -> None:
    assert [script["package"] for script in SCRIPTS] == ["vega", "vega-lite", "vega-embed"]
    for script in SCRIPTS:
        content = (VENDOR / script["file"]).read_bytes()
        assert hashlib.sha256(content).hexdigest() == script["sha256"]


def test_scripts_can_stand_in_a_page() -> None:
    for script in SCRIPTS:
        text = (VENDOR / script["file"]).read_text(encoding="utf-8").lower()
        assert "</script" not in text and "<!--" not in text and "\r" not in text


def test_every_script_has_its_licence() -> None:
    licences = (VENDOR / "LICENSES.txt").read_text(encoding="utf-8")
    for script in SCRIPTS:
        assert f"{script['package']} {script['version']} ({script['licence']})" in licences


def test_symbols_differ() -> None:
    assert len(SHAPES) == len(set(SHAPES))

"""An instruction of the user's own in hardware, as the pages say: the tutorial's files in a folder, two commands."""

from __future__ import annotations

from pathlib import Path

import pytest

from ciphermark import toolchain
from ciphermark.rtl.tools import Tool
from docs.shell_session import agrees, blocks, commands, readers_environment, replay, write

from .conftest import needs

DOCS = Path(__file__).parents[2] / "docs"
MAKES_FILES = ("cp", "sed", "echo")


@needs("rocket-rtl")
@pytest.mark.skipif("zig" not in {compiler.name for compiler in toolchain.installed()}, reason="zig is not installed")
@pytest.mark.usefixtures("generator")
def test_its_cycles_and_its_area_are_a_command_each(tmp_path: Path, yosys: Tool) -> None:
    mine, programs = tmp_path / "mine", tmp_path / "bin"
    mine.mkdir()
    programs.mkdir()
    environment = readers_environment(programs)
    for block in blocks(DOCS / "tutorial-extension.md"):
        write(block, mine)
        if block.is_run:
            replay([each for each in commands(block) if each.line.startswith(MAKES_FILES)], mine, environment)
    (shown,) = (block for block in blocks(DOCS / "howto" / "measure-cycles-in-rtl.md") if "rtl" in block.words)
    asked = commands(shown)
    assert [each.line.split()[1] for each in asked] == ["measure", "area"]
    replay(asked[:1], mine, environment)  # says what it builds the first time, if that takes more than a minute
    for command, printed in zip(asked, replay(asked, mine, environment), strict=True):
        assert agrees(command.expected, printed), printed

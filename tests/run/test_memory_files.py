"""Memory systems in machines' files: what can be wrong with them is said with file, key and rule."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
from typer.testing import CliRunner

from ciphermark.cli.app import app
from ciphermark.errors import CiphermarkError
from ciphermark.exit_codes import ExitCode
from ciphermark.rtl import machines, memory
from ciphermark.store import paths

from .test_sim_command import sim

TWO_LEVEL = (paths.machines() / "gem5-two-level.toml").read_text()


def problem(tmp_path: Path, text: str) -> str:
    """What is wrong with a machine's file, as its users are told."""
    path = tmp_path / "mine.toml"
    path.write_text(text)
    try:
        found = machines.machine(str(path))
        return f"{found.name}: {found.unmodelled()}"
    except CiphermarkError as error:
        return f"{error.message}\n{error.hint}"


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("line = 64", "line = 48", "l1i.line must be a power of two"),
        ('size = "16K"', 'size = "20K"', "l1i.size must be ways × line × a power of two"),
        ('size = "16K"', 'size = "1G"', "l1i.size must be of at most 4194304 lines"),
        ('size = "16K"', 'size = "sixteen"', "memory.parts.l1i.size: `sixteen` is not a size"),
        ("ways = 2", "ways = 0", "l1i.ways must be a number from 1 to 64"),
        ("ways = 2", "ways = 300", "l1i.ways must be a number from 1 to 64"),
        ("tag = 2", "tag = -1", "l1i.tag must be a number from 0 to 65536"),
        ("tag = 2", "tag = 9223372036854775808", "less than 9223372036854775808"),
        ("tag = 2\n", "", "l1i.tag must be a number from 0 to 65536"),
        ('replacement = "lru"', 'replacement = "fifo"', "l1i.replacement must be lru, tree-plru or random"),
        ('kind = "cache"', 'kind = "cash"', "l1i.kind must be cache, msi, crossbar, dram or flat"),
        ('below = "l2bus"', 'below = "l3bus"', "l1i.below: there is no part 'l3bus'; parts are l1i, l1d, l2bus"),
        ('below = "membus"', 'below = "l2bus"', "what is below 'l2bus' leads back to itself"),
        ('below = "l2"\n', 'below = "membus"\n', "nothing is above 'l2'"),
        ('fetch = "l1i"', 'fetch = "icache"', "fetch: there is no part 'icache'"),
        ('fetch = "l1i"', 'fetch = "l1d"', "nothing is above 'l1i'"),
        ('clock = "1 GHz"', 'clock = "0 GHz"', "'0 GHz' is not a clock"),
        ('clock = "1 GHz"', 'clock = "fast"', "'fast' is not a clock"),
        ('clock = "1 GHz"', 'clock = "999999 GHz"', "a cycle must take 10 to"),
        ("width = 32", "width = 24", "l2bus.width must be a power of two"),
        ('device = "ddr3-1600-8x8"', 'device = "ddr9"', "memory.parts.dram.device: there is no DRAM 'ddr9'"),
        ('device = "ddr3-1600-8x8"', 'device = "ddr3-1600-8x8"\nt_refi = 1', "dram.t_refi must be greater than"),
        ('device = "ddr3-1600-8x8"', 'device = "ddr3-1600-8x8"\nbanks = 6', "dram.banks must be a power of two"),
        ('device = "ddr3-1600-8x8"', 'device = "ddr3-1600-8x8"\ncolour = 1', "dram.colour: there is no such key"),
        ("[memory.parts.l1d]", "[memory.parts.l1i]", "not valid TOML: Cannot declare ('memory', 'parts', 'l1i') twice"),
        ('core = "gem5-timing"', 'core = "cva6"', "the model of the core 'cva6' does not support a memory built from"),
    ],
)
def test_what_is_wrong_is_said(tmp_path: Path, old: str, new: str, said: str) -> None:
    assert old in TWO_LEVEL
    found = problem(tmp_path, TWO_LEVEL.replace(old, new, 1))
    assert found.startswith(f"{tmp_path}/mine.toml: ")
    assert said in found


def test_check_refuses_a_memory_that_is_wrong(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(TWO_LEVEL.replace('below = "membus"', 'below = "l2bus"'))
    done = CliRunner().invoke(app, ["machine", "check", str(path)])
    assert done.exit_code == ExitCode.USAGE
    assert f"{path}: memory.parts: what is below 'l2bus' leads back to itself" in done.stderr


def test_the_page_s_machines_are_such(tmp_path: Path) -> None:
    page = (Path(__file__).parents[2] / "docs/howto/compose-a-memory-system.md").read_text()
    examples = re.findall(r"^```toml\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    assert len(examples) == 2
    for example in examples:
        assert problem(tmp_path, example).endswith(": None")


def test_a_cache_of_other_lines_cannot_be_below(tmp_path: Path) -> None:
    second = TWO_LEVEL.index("[memory.parts.l2]")
    found = problem(tmp_path, TWO_LEVEL[:second] + TWO_LEVEL[second:].replace("line = 64", "line = 32", 1))
    assert "the line of 'l1i' must be that of 'l2', below it" in found


def test_a_core_of_gem5_needs_a_memory(tmp_path: Path) -> None:
    assert "memory.parts: there are none" in problem(tmp_path, 'core = "gem5-timing"\nsummary = "bare"\n')


def test_sim_names_the_file(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(TWO_LEVEL.replace("line = 64", "line = 48", 1))
    (tmp_path / "program.elf").write_bytes(b"\x7fELF")
    done = sim("--machine", path, tmp_path / "program.elf")
    assert done.returncode == ExitCode.USAGE
    assert done.stderr.startswith(f"error: {path}: memory.parts: l1i.line must be a power of two")


@pytest.mark.parametrize("name", memory.devices())
def test_every_device_makes_a_memory(tmp_path: Path, name: str) -> None:
    assert problem(tmp_path, TWO_LEVEL.replace("ddr3-1600-8x8", name)).endswith(": None")
    assert memory.device("", name).source


@pytest.mark.parametrize(
    ("clock", "period"), [("1 GHz", 1000), ("1.5GHz", 667), ("50 MHz", 20_000), ("0.1 MHz", 10**7)]
)
def test_a_clock_is_a_period(clock: str, period: int) -> None:
    parts: dict[str, memory.Parameters] = {"flat": {"kind": "flat", "latency": 1}}
    system = memory.MemorySystem(clock=clock, fetch="flat", data="flat", parts=parts)
    assert system.period_ps == period


@pytest.mark.parametrize("name", ["gem5-simple", "gem5-two-level", "gem5-ruby-msi"])
def test_a_memory_is_drawn_with_every_part_once(name: str, tmp_path: Path) -> None:
    file = tmp_path / "memory.svg"
    done = CliRunner().invoke(app, ["machine", "show", name, "--svg", str(file)])
    assert done.exit_code == 0, done.output
    found = machines.machine(name).memory
    assert found is not None
    drawing = ElementTree.parse(file).getroot()
    boxes = [each for each in drawing if each.tag.endswith("rect")]
    names = [each.text for each in drawing if each.get("class") == "name"]
    assert sorted(filter(None, names[1:])) == sorted(found.parts)
    assert len(boxes) == len(names)
    corners = {(float(box.get("x", 0)), float(box.get("y", 0))) for box in boxes}
    assert len(corners) == len(boxes)
    for x, y in corners:
        assert not any(0 < abs(x - other) < 250 and y == same for other, same in corners), "boxes overlap"
    wires = [each for each in drawing if each.tag.endswith("path")]
    asked = [part["below"] for part in found.parts.values() if "below" in part]
    assert len(wires) == len({found.fetch, found.data}) + len(asked)
    for part in found.parts:
        assert f"  {part} " in done.output


def test_what_has_no_parts_is_not_drawn(tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["machine", "show", "rocket", "--svg", str(tmp_path / "x.svg")])
    assert done.exit_code == ExitCode.USAGE
    assert "not built from parts" in done.stderr

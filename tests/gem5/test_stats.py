"""``sim --stats-out``: gem5's files, a block for each dump, which add up to the run."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from ciphermark.exit_codes import ExitCode
from run.test_sim_command import Elf, elf, sim

__all__ = ["elf"]

RESET, DUMP, DUMP_RESET = (f".word {word:#x}" for word in (0x8000007B, 0x8200007B, 0x8400007B))
LOOP = """
    li   t2, {times}
1:  addi t2, t2, -1
    bnez t2, 1b"""


def blocks(text: str) -> list[dict[str, float]]:
    found = re.findall(r"-+ Begin Simulation Statistics -+\n(.*?)\n-+ End Simulation Statistics +-+", text, re.DOTALL)
    lines = [
        [re.fullmatch(r"(\S+) +(\S+) +# .+ \(.+\)", line) for line in block.split("\n") if line] for block in found
    ]
    return [{line[1]: float(line[2]) for line in block if line} for block in lines]


@pytest.mark.parametrize("machine", ["gem5-simple", "gem5-two-level", "gem5-ruby-msi"])
def test_blocks_are_what_was_executed_between_markers(elf: Elf, tmp_path: Path, machine: str) -> None:
    body = "\n".join(
        [LOOP.format(times=5), RESET, LOOP.format(times=50), DUMP_RESET, LOOP.format(times=500), DUMP, "li a0, 0"]
    )
    out = tmp_path / "m5out"
    done = sim("--isa", "rv32i_xm5ops", "--machine", machine, "--stats-out", out, elf(body))
    assert done.returncode == 0, done.stderr
    text = (out / "stats.txt").read_text()
    first, second, last = blocks(text)
    # Each block ends with its marker.
    assert first["simInsts"] == 1 + 2 * 50 + 1
    assert second["simInsts"] == 1 + 2 * 500 + 1
    assert last["simInsts"] > second["simInsts"]
    assert first["simTicks"] + second["simTicks"] == second["finalTick"] - (first["finalTick"] - first["simTicks"])
    said = re.search(r"^cycles ([\d,]+)", done.stderr, re.MULTILINE)
    assert said and last["finalTick"] == 1000 * int(said[1].replace(",", ""))
    cpu = "system.cpu0" if machine == "gem5-ruby-msi" else "system.cpu"
    for block in (first, second, last):
        assert block["simTicks"] == 1000 * block[f"{cpu}.numCycles"]
        assert block["simInsts"] == block[f"{cpu}.commitStats0.numInsts"]
        assert block[f"{cpu}.cpi"] == pytest.approx(block[f"{cpu}.numCycles"] / block["simInsts"], abs=1e-6)
        assert block[f"{cpu}.notIdleFraction"] == 1
    assert ("system.cpu3.numCycles" in text) == (machine == "gem5-ruby-msi")
    config = json.loads((out / "config.json").read_text())
    assert config["name"] == machine
    assert config["memory"]["clock"] == "1 GHz"


def test_caches_are_counted_by_block(elf: Elf, tmp_path: Path) -> None:
    body = "\n".join([LOOP.format(times=5), RESET, LOOP.format(times=50), DUMP, "li a0, 0"])
    sim("--isa", "rv32i_xm5ops", "--machine", "gem5-two-level", "--stats-out", tmp_path / "m5", elf(body))
    block = blocks((tmp_path / "m5" / "stats.txt").read_text())[0]
    fetches = block["system.cpu.icache.overallAccesses::total"]
    assert fetches == block["simInsts"]
    assert block["simTicks"] >= 2000 * fetches
    assert block["system.cpu.dcache.overallAccesses::total"] == 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--stats-out", "m5out"), "--stats-out needs a machine"),
        (("--stats-out", "m5out", "--machine", "rocket"), "--stats-out: the memory of rocket is not built from parts"),
    ],
)
def test_what_cannot_be_is_said(elf: Elf, arguments: tuple[str, ...], said: str) -> None:
    done = sim(*arguments, elf("li a0, 0"))
    assert done.returncode == ExitCode.USAGE
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_accesses_before_a_marker_are_in_its_block(elf: Elf, tmp_path: Path) -> None:
    body = "\n".join([
        "auipc t0, 16", RESET, "sw t2, 0(t0)", "lw t2, 0(t0)", "mul t1, t1, t2", DUMP_RESET, "lw t2, 0(t0)", DUMP,
        LOOP.format(times=5), "li a0, 0",
    ])  # fmt: skip
    done = sim(
        "--isa", "rv32im_xm5ops", "--machine", "gem5-two-level", "--stats-out", tmp_path / "m5", elf(body, "rv32im")
    )
    assert done.returncode == 0, done.stderr
    first, second, _ = blocks((tmp_path / "m5" / "stats.txt").read_text())
    assert [block["simInsts"] for block in (first, second)] == [4, 2]
    assert [block["system.cpu.dcache.overallAccesses::total"] for block in (first, second)] == [2, 1]
    assert [block["system.cpu.dcache.overallMisses::total"] for block in (first, second)] == [1, 0]

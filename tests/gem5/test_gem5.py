"""gem5's machines against gem5: the same programs take the same ticks, and its memory sees the same."""

from __future__ import annotations

import shutil
import tomllib
from pathlib import Path
from typing import Any

import pytest

from ciphermark import _engine
from ciphermark.rtl import machines

FOLDER = Path(__file__).parent
RUNS: list[dict[str, Any]] = tomllib.loads((FOLDER / "results.toml").read_text())["run"]
ARGUMENTS = {"files": [b"in.bin", b"out.bin"]}
MISSES = ("l1i", "l1d", "l2")
DRAM = ("readReqs", "servicedByWrQ", "readRowHits")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    shutil.copy(FOLDER / "programs" / "in.bin", tmp_path)
    return tmp_path


def run(program: str, machine: str, root: Path, **options: Any) -> _engine.SimResult:
    elf = (FOLDER / "programs" / f"{program}.elf").read_bytes()
    arguments = [f"{program}.elf".encode(), *ARGUMENTS.get(program, [])]
    described = machines.machine(machine).modelled()
    return _engine.simulate(elf, machine=described, arguments=arguments, root=str(root), writable=True, **options)


@pytest.mark.parametrize("wanted", RUNS, ids=lambda each: f"{each['machine']} {each['program']}")
def test_ticks_are_gem5_s(wanted: dict[str, Any], root: Path) -> None:
    memory = machines.machine(wanted["machine"]).memory
    assert memory is not None
    found = run(wanted["program"], wanted["machine"], root)
    assert found.instructions == wanted["instructions"]
    assert found.cycles is not None
    assert found.cycles * memory.period_ps == wanted["ticks"]
    dram = found.memory["dram"]
    assert {name: dram[name] for name in DRAM} == {name: wanted.get(name, 0) for name in DRAM}
    for cache in MISSES:
        assert found.memory.get(cache, {}).get("overallMisses", 0) == wanted.get(cache, 0)


@pytest.mark.parametrize("machine", sorted({each["machine"] for each in RUNS}))
def test_ticks_do_not_depend_on_how_code_is_executed(machine: str, root: Path) -> None:
    usual = run("chacha", machine, root)
    for ways in ({"jit": False}, {"profile": True}, {"steps": 200_000}):
        found = run("chacha", machine, root, **ways)
        assert (found.cycles, found.spent, found.memory) == (usual.cycles, usual.spent, usual.memory)
        if found.steps is not None:
            spent = found.steps.spent
            assert sum(sum(spent[number].values()) for _, number in found.steps.steps) == usual.cycles


def test_files_are_those_of_the_guest(root: Path) -> None:
    run("files", "gem5-two-level", root)
    assert len((root / "out.bin").read_bytes()) == 4096


@pytest.mark.parametrize("line", [16, 32, 64])
def test_a_line_is_read_once_where_all_fits(line: int, root: Path) -> None:
    """Each line that instructions are in is one miss, whatever its length."""
    found = run("chacha", f"gem5-two-level+line={line}", root, steps=200_000)
    assert found.steps is not None
    # Each access makes the list again.
    places = found.steps.places
    executed = [places[number] for number, _ in found.steps.steps]
    lines = {
        address // line for each in executed for address in range(each.address & ~3, each.address + each.length, 4)
    }
    assert found.memory["l1i"]["overallMisses"] == len(lines)

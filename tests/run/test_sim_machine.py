"""``sim`` on a machine: what it prints, exports, and refuses."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ciphermark.exit_codes import ExitCode
from engine.random_control import generate

from .test_sim_command import Elf, elf, sim

__all__ = ["elf"]


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("programs") / "random.elf"
    path.write_bytes(generate(64, 1))
    return path


def cycles(said: str) -> int:
    found = re.search(r"^cycles ([\d,]+) \(modelled\)", said, re.MULTILINE)
    assert found, said
    return int(found[1].replace(",", ""))


def folded(path: Path) -> int:
    return sum(int(line.rpartition(" ")[2]) for line in path.read_text().splitlines())


@pytest.mark.parametrize("machine", ["rocket", "cva6", "in-order"])
def test_exports_have_the_cycles_that_are_printed(program: Path, tmp_path: Path, machine: str) -> None:
    files = {name: tmp_path / name for name in ("callgrind", "folded")}
    wanted = ",".join(f"{name}={file}" for name, file in files.items())
    done = sim("--isa", "rv64imc_zicsr", "--machine", machine, "--exports", wanted, program)
    assert done.returncode == 0, done.stderr
    assert folded(files["folded"]) == cycles(done.stderr)
    totals = re.search(r"^totals: \d+ (\d+)", files["callgrind"].read_text(), re.MULTILINE)
    assert totals and int(totals[1]) == cycles(done.stderr)


def test_folded_profiles_have_the_cycles_or_instructions_that_are_printed(program: Path, tmp_path: Path) -> None:
    file = tmp_path / "f"
    done = sim("--isa", "rv64imc_zicsr", "--machine", "rocket", "--profile", "--folded", file, program)
    assert done.returncode == 0, done.stderr
    # The table of functions is the last one. What no instruction spent, the run's end, is in neither.
    table = done.stderr.partition("engine ")[2]
    functions = re.findall(r"^ *([\d,]+) +[\d.]+ %", table, re.MULTILINE)
    assert folded(file) == sum(int(count.replace(",", "")) for count in functions)
    assert 0 <= cycles(done.stderr) - folded(file) <= 1
    done = sim("--isa", "rv64imc_zicsr", "--stats", "--folded", file, program)
    counted = re.search(r"^instructions ([\d,]+)", done.stderr, re.MULTILINE)
    assert counted and folded(file) == int(counted[1].replace(",", ""))


def test_a_folded_profile_that_cannot_be_written_fails(program: Path) -> None:
    done = sim("--isa", "rv64imc_zicsr", "--folded", "/nowhere/x", program)
    assert done.returncode == ExitCode.FAILED
    assert "/nowhere/x: No such file" in done.stderr


def test_without_a_machine_exports_have_instructions(program: Path, tmp_path: Path) -> None:
    done = sim("--isa", "rv64imc_zicsr", "--stats", "--exports", f"folded={tmp_path}/f", program)
    counted = re.search(r"^instructions ([\d,]+)", done.stderr, re.MULTILINE)
    assert counted and folded(tmp_path / "f") == int(counted[1].replace(",", ""))


def test_exports_of_a_region_are_of_its_last_passage(elf: Elf, tmp_path: Path) -> None:
    body = """
    li   a1, 3
    .globl hot, hot_end
hot:
    addi a2, a2, 1
    addi a1, a1, -1
hot_end:
    bnez a1, hot
    li   a0, 0"""
    done = sim("--begin", "hot", "--end", "hot_end", "--exports", f"folded={tmp_path}/f", elf(body))
    assert "region 3: instructions 2" in done.stderr
    assert folded(tmp_path / "f") == 2


@pytest.mark.parametrize("options", [("--no-memo",), ("--no-jit",), ("--no-memo", "--no-jit")])
def test_cycles_do_not_depend_on_how_they_are_computed(program: Path, options: tuple[str, ...]) -> None:
    said = [sim("--isa", "rv64imc_zicsr", "--machine", "cva6", *more, program).stderr for more in ((), options)]
    assert cycles(said[0]) == cycles(said[1])


@pytest.mark.parametrize(
    "arguments, message",
    [
        (("--machine", "rockt"), r"unknown machine 'rockt'\nhint: Did you mean 'rocket'\?"),
        (("--exports", "dot=x"), r"--exports: 'dot=x' is not FORMAT=FILE"),
        (("--machine", "wally64"), r"^error: wally64: there is no model of the core 'wally'\n$"),
        *(
            (("--harts", "2", "--machine", name), rf"^error: {name} has one hart\nhint: Only machines with gem5's core")
            for name in ("rocket", "rocket-ddr3", "wally64")
        ),
    ],
)
def test_what_cannot_be_is_said_in_a_line(program: Path, arguments: tuple[str, ...], message: str) -> None:
    done = sim(*arguments, "--isa", "rv64imc_zicsr", program)
    assert done.returncode == ExitCode.USAGE
    assert re.search(message, done.stderr), done.stderr
    assert "Traceback" not in done.stderr

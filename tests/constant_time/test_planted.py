"""Leaks that were planted are found, each at its line, and their clean twins raise nothing."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ciphermark import embedded, toolchain
from ciphermark.analysis import data_independent
from ciphermark.kernels import descriptions
from ciphermark.notation.isa import parse
from ciphermark.rtl import machines
from ciphermark.store import paths
from ciphermark.toolchain.compiler import run
from run.real import needs_everything
from run.test_sim_command import LINK

pytestmark = needs_everything

HERE = Path(__file__).parent
SOURCE = HERE / "planted.S"
ISA = "rv64imv_zba_zbb_zbs_zbkb"


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    folder = tmp_path_factory.mktemp("planted")
    script, made, elf = folder / "link.ld", folder / "planted.o", folder / "planted.elf"
    script.write_text(LINK.replace("*(.text*)", "*(.text.init) *(.text*) *(.rodata*) *(.data*)"))
    compiler, isa = toolchain.resolve("zig"), parse(ISA)
    flags = [each for each in compiler.compile_flags(isa, "lp64", "O2") if each != "-g0"]
    for command in (
        [*compiler.command, *flags, "-g", "-c", str(SOURCE), "-o", str(made)],
        [*compiler.link_command(isa, "lp64", script, elf), str(made)],
    ):
        run(compiler, command, folder, " ".join(command))
    return elf.read_bytes()


def planted() -> list[tuple[int, str]]:
    """Lines and what secrets reach there."""
    found = [
        (number, match[1])
        for number, line in enumerate(SOURCE.read_text().splitlines(), 1)
        if (match := re.search(r"# leak: ([a-z-]+)", line))
    ]
    assert len(found) >= 24
    return found


def test_leaks_are_found_at_their_lines_and_nothing_else_is(program: bytes) -> None:
    engine = embedded.engine()
    result = engine.check_secrets(
        program, isa=ISA, vlen=128, extensions=[str(HERE / "pick.core_desc")],
        unlisted=data_independent.unlisted(descriptions.built_in_sets()), max_seconds=60,
    )  # fmt: skip
    assert (result.stop, result.exit_code) == ("exit", 0)
    found = [(each.place.line[1] if each.place.line else 0, each.kind) for each in result.findings]
    assert sorted(found) == sorted(planted())
    for each in result.findings:
        assert each.source == 1, "its beginning is known"
        assert each.byte < 64
        assert each.way, each.place.disassembly


def test_a_line_of_a_cache_hides_what_is_within_it(program: bytes) -> None:
    engine = embedded.engine()
    result = engine.check_secrets(program, isa=ISA, extensions=[str(HERE / "pick.core_desc")], line=64)
    loads = {each.place.function for each in result.findings if each.kind == "load-address"}
    # The tables are aligned to a line, and these indices stay within one.
    assert loads.isdisjoint({"small_table", "compared", "sliced_table", "indexed"})
    assert "masked_load" in loads


def test_a_machine_says_whose_time_depends_on_operands(program: bytes) -> None:
    engine = embedded.engine()
    for name, slow in (("rocket", {"divided", "multiplied"}), ("cva6", {"divided"}), ("gem5-simple", set())):
        result = engine.check_secrets(
            program, isa=ISA, extensions=[str(HERE / "pick.core_desc")], machine=machines.machine(name).modelled()
        )
        assert {each.place.function for each in result.findings if each.kind == "latency"} == slow, name


def test_a_serial_shifter_tells_how_far_it_shifts(program: bytes, tmp_path: Path) -> None:
    engine = embedded.engine()
    given = (paths.data() / "machines" / "in-order.toml").read_text()
    for bits, found in ((0, set()), (1, {"shifted_by"})):
        file = tmp_path / f"serial{bits}.toml"
        file.write_text(given.replace("shift_bits = 0", f"shift_bits = {bits}"))
        result = engine.check_secrets(
            program, isa=ISA, extensions=[str(HERE / "pick.core_desc")], machine=machines.machine(str(file)).modelled()
        )
        slow = {each.place.function for each in result.findings if each.kind == "latency"}
        assert slow & {"shifted_by", "shifted"} == found

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
    return assembled(SOURCE, ISA, tmp_path_factory.mktemp("planted"))


def assembled(source: Path, isa: str, folder: Path) -> bytes:
    script, made, elf = folder / "link.ld", folder / "planted.o", folder / "planted.elf"
    script.write_text(LINK.replace("*(.text*)", "*(.text.init) *(.text*) *(.rodata*) *(.data*)"))
    compiler, target = toolchain.resolve("zig"), parse(isa)
    abi = {32: "ilp32", 64: "lp64"}[target.xlen]
    flags = [each for each in compiler.compile_flags(target, abi, "O2") if each != "-g0"]
    for command in (
        [*compiler.command, *flags, "-g", "-c", str(source), "-o", str(made)],
        [*compiler.link_command(target, abi, script, elf), str(made)],
    ):
        run(compiler, command, folder, " ".join(command))
    return elf.read_bytes()


def planted(source: Path) -> list[tuple[int, str]]:
    """Lines and what secrets reach there."""
    return [
        (number, match[1])
        for number, line in enumerate(source.read_text().splitlines(), 1)
        if (match := re.search(r"# leak: ([a-z-]+)", line))
    ]


def check(program: bytes, isa: str, source: Path, **options: object) -> None:
    """What is found is what was planted."""
    engine = embedded.engine()
    result = engine.check_secrets(
        program, isa=isa, unlisted=data_independent.unlisted(descriptions.built_in_sets()), max_seconds=60, **options
    )  # fmt: skip
    assert (result.stop, result.exit_code) == ("exit", 0)
    found = [(each.place.line[1] if each.place.line else 0, each.kind) for each in result.findings]
    assert sorted(found) == sorted(planted(source))
    for each in result.findings:
        assert each.source == 1, "its beginning is known"
        assert each.byte < 64
        assert each.way, each.place.disassembly


def test_leaks_are_found_at_their_lines_and_nothing_else_is(program: bytes) -> None:
    assert len(planted(SOURCE)) >= 24
    check(program, ISA, SOURCE, vlen=128, extensions=[str(HERE / "pick.core_desc")])


@pytest.mark.parametrize(
    ("name", "isa", "leaks"),
    [
        ("pushes.S", "rv32im_zca_zcmp", 7),
        ("pushes.S", "rv64im_zca_zcmp", 7),
        ("pairs.S", "rv32im_zfinx_zdinx", 18),
        ("float_vectors.S", "rv64imfdv", 13),
    ],
)
def test_leaks_of_other_extensions_are_found(name: str, isa: str, leaks: int, tmp_path: Path) -> None:
    source = HERE / name
    assert len(planted(source)) == leaks
    check(assembled(source, isa, tmp_path), isa, source)


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

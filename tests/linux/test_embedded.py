"""Programs compiled for cores without floating-point registers, and with pushes and pops: what they print is QEMU's."""

from __future__ import annotations

from pathlib import Path

import pytest

from .guests import Workshop, emulate, needs_engine, simulate

pytestmark = needs_engine

WITHOUT_F = "zfa=false,f=false,d=false"


def _same(program: Path, xlen: int, isa: str, processor: str, lines: int) -> None:
    expected = emulate(program, f"riscv{xlen}", processor=f"rv{xlen},{processor}")
    assert expected.status == 0 and len(expected.output.splitlines()) == lines, expected
    for options in ([], ["--no-jit"]):
        assert simulate(program, options=("--isa", isa, *options)).seen == expected.seen


def _uses(program: Path, isa: str, extension: str) -> None:
    told = simulate(program, options=("--isa", isa, "--stats")).errors.decode()
    (line,) = (line for line in told.splitlines() if line.startswith("extensions used: "))
    used = dict(part.split(" ") for part in line.removeprefix("extensions used: ").split(", "))
    assert int(used[extension].replace(",", "")) >= 100, line


@pytest.mark.parametrize("xlen", [32, 64])
def test_pushes_and_pops(workshop: Workshop, xlen: int) -> None:
    program = workshop.without_library("embedded.c", xlen, "m+a+zca+zcb+zcmp")
    isa = f"rv{xlen}ima_zca_zcb_zcmp"
    _same(program, xlen, isa, f"{WITHOUT_F},c=false,zca=true,zcb=true,zcmp=true", lines=9)
    _uses(program, isa, "zcmp")


@pytest.mark.parametrize("xlen", [32, 64])
def test_pushes_and_pops_beside_all_of_c(workshop: Workshop, xlen: int) -> None:
    program = workshop.without_library("embedded.c", xlen, "m+a+c+zcmp")
    _same(program, xlen, f"rv{xlen}imac_zcmp", f"{WITHOUT_F},zcmp=true", lines=9)


@pytest.mark.parametrize("xlen", [32, 64])
def test_table_jumps(workshop: Workshop, xlen: int) -> None:
    program = workshop.without_library("table_jumps.c", xlen, "m+a+c+zicsr")
    isa = f"rv{xlen}imac_zcmt"
    _same(program, xlen, isa, f"{WITHOUT_F},zcmt=true", lines=41)
    _uses(program, isa, "zcmt")


@pytest.mark.parametrize("xlen", [32, 64])
@pytest.mark.parametrize("flags", [(), ("-DDOUBLE",)], ids=["single", "double"])
def test_floating_point_in_integer_registers(workshop: Workshop, xlen: int, flags: tuple[str, ...]) -> None:
    extension = "zdinx" if flags else "zfinx"
    program = workshop.without_library("float_in_integers.c", xlen, f"m+a+zicsr+{extension}", *flags)
    isa = f"rv{xlen}ima_{extension}"
    _same(program, xlen, isa, f"{WITHOUT_F},zfinx=true,{extension}=true", lines=15)
    _uses(program, isa, extension)

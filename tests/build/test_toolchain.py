"""What each compiler is told, and what it may not be asked."""

from __future__ import annotations

from pathlib import Path

import pytest

from ciphermark import toolchain
from ciphermark.errors import BuildError, UsageError
from ciphermark.notation import isa
from ciphermark.toolchain import Clang, Gcc, Zig
from ciphermark.toolchain.compiler import run, shown

ZIG = Zig("zig", ("zig", "cc"), "zig 0")
GCC = Gcc("gcc", ("riscv64-unknown-elf-gcc",), "gcc 0")
CLANG = Clang("clang", ("clang",), "clang 0")


@pytest.mark.parametrize(
    ("text", "cpu"),
    [
        ("rv32i", "generic_rv32"),
        ("rv32i_zbb_zbkb", "generic_rv32+zbb+zbkb"),
        ("rv64imc_zkn", "generic_rv64+m+c+zkn"),
        ("rv64gcv_zvl256b_zvkned", "generic_rv64+m+a+f+d+c+v+zvl256b+zvkned"),
    ],
)
def test_zig_gets_a_bare_cpu_and_each_extension(text: str, cpu: str) -> None:
    wanted = isa.parse(text)
    flags = ZIG.target_flags(wanted, isa.soft_float_abi(wanted.xlen))
    assert flags == ("-target", f"riscv{wanted.xlen}-freestanding-none", f"-mcpu={cpu}",
                     f"-mabi={isa.soft_float_abi(wanted.xlen)}")  # fmt: skip


def test_gcc_and_clang_get_the_string_itself() -> None:
    wanted = isa.parse("rv32i_zbb")
    assert GCC.target_flags(wanted, "ilp32") == ("-march=rv32i_zbb", "-mabi=ilp32")
    assert CLANG.target_flags(wanted, "ilp32") == ("--target=riscv32-unknown-elf", "-march=rv32i_zbb", "-mabi=ilp32")


def test_gcc_links_with_the_base_isa_and_no_library() -> None:
    command = GCC.link_command(isa.parse("rv32i_zbb"), "ilp32", Path("link.ld"), Path("out"))
    assert "-march=rv32i" in command
    assert "-nostdlib" in command
    assert not any(flag.startswith("-l") for flag in command)


@pytest.mark.parametrize("opt", ["O0", "O1", "O3", "Og", "Oz"])
def test_zig_refuses_levels_that_would_be_another(opt: str) -> None:
    with pytest.raises(UsageError, match="passes -O"):
        ZIG.compile_flags(isa.parse("rv32i"), "ilp32", opt)


def test_levels_that_exist() -> None:
    for compiler in (ZIG, GCC, CLANG):
        for opt in ("O2", "Os"):
            assert f"-{opt}" in compiler.compile_flags(isa.parse("rv32i"), "ilp32", opt)
    assert "-O3" in GCC.compile_flags(isa.parse("rv32i"), "ilp32", "O3")
    with pytest.raises(UsageError, match="no optimisation level 'fast'"):
        GCC.check_optimisation("fast")


def test_no_compiler_moves_work_into_library_calls() -> None:
    wanted = isa.parse("rv32i")
    for compiler in (ZIG, GCC, CLANG):
        assert "-ffreestanding" in compiler.compile_flags(wanted, "ilp32", "O2")
    assert "-fno-tree-loop-distribute-patterns" in GCC.compile_flags(wanted, "ilp32", "O2")
    assert "-fno-sanitize=all" in ZIG.compile_flags(wanted, "ilp32", "O2")


@pytest.mark.parametrize(
    ("name", "install"),
    [("gcc", "apt install gcc-riscv64-unknown-elf"), ("clang", "apt install clang"), ("zg", "'zig'")],
)
def test_a_missing_compiler_says_what_installs_it(name: str, install: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    with pytest.raises(UsageError, match="is not installed") as caught:
        toolchain.resolve(name)
    assert install in caught.value.hint


def test_a_path_to_no_compiler_is_told_so_and_not_to_install_one(tmp_path: Path) -> None:
    for path, says in (
        (tmp_path / "riscv64-gcc", "no such file"),
        (tmp_path, "that is a folder"),
        (Path(__file__), "may not be executed"),
    ):
        with pytest.raises(UsageError, match=says) as caught:
            toolchain.resolve(str(path))
        assert "install" not in str(caught.value).lower()


def test_a_program_that_is_no_compiler_is_refused(tmp_path: Path) -> None:
    impostor = tmp_path / "mycc"
    impostor.write_text("#!/bin/sh\necho something else 1.0\n")
    impostor.chmod(0o755)
    with pytest.raises(UsageError, match="not a compiler"):
        toolchain.resolve(str(impostor))


def test_zig_is_found_and_names_its_clang() -> None:
    compiler = toolchain.resolve("zig")
    assert compiler.kind == "zig"
    assert "clang version" in compiler.version
    assert compiler in toolchain.installed()


def test_a_crash_is_reported_with_the_command(tmp_path: Path) -> None:
    compiler = Gcc("gcc", ("sh",), "none")
    with pytest.raises(BuildError, match=r"(?s)oh no.*exit status 3:\n\$ sh -c"):
        run(compiler, ["sh", "-c", "echo oh no >&2; exit 3"], tmp_path, "sh -c ...")
    with pytest.raises(BuildError, match="signal 9"):
        run(compiler, ["sh", "-c", "kill -9 $$"], tmp_path, "sh -c ...")


def test_recorded_commands_hold_no_folders_of_this_machine(tmp_path: Path) -> None:
    command = ["/opt/x/zig", "cc", "-I", f"{tmp_path}/a", "-c", f"{tmp_path}/a/b.c"]
    assert shown(command, {tmp_path: "", Path("/opt/x/zig"): "zig"}) == "zig cc -I a -c a/b.c"

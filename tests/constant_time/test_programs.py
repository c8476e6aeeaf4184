"""Programs with marks: ``sim --secrets``, and the same marks as valgrind's requests."""

from __future__ import annotations

from pathlib import Path

import pytest

from ciphermark import toolchain
from ciphermark.exit_codes import ExitCode
from ciphermark.notation.isa import parse
from ciphermark.store import paths
from ciphermark.toolchain.compiler import run
from run.real import needs_everything
from run.test_sim_command import LINK, sim

pytestmark = needs_everything

PROGRAM = """
#include "secrets.h"

static unsigned char key[16] = {{1, 2, 3, 4, 5, 6, 7, 8}};
static const unsigned char table[256] = {{1, 2, 3}};
volatile unsigned char sink;
extern volatile unsigned long long tohost;

{request}

void program(void)
{{
    {mark}
    {use}
    tohost = 1;
    for (;;) {{
    }}
}}

__asm__(".section .text.init\\n.globl _start\\n_start: la sp, stack_end\\nj program\\n"
        ".section .tohost, \\"aw\\", @progbits\\n.p2align 6\\n.globl tohost\\ntohost: .dword 0\\n"
        ".globl fromhost\\nfromhost: .dword 0\\n.bss\\n.p2align 4\\n.skip 1024\\nstack_end:\\n.text\\n");
"""
REQUEST = """
static void request(unsigned long number, void *address, unsigned long bytes)
{
    unsigned long arguments[6] = {number, (unsigned long)address, bytes, 0, 0, 0};
    register unsigned long result __asm__("a3") = 0;
    register unsigned long *given __asm__("a4") = arguments;
    __asm__ volatile(".option push\\n.option norvc\\nsrli zero, zero, 3\\nsrli zero, zero, 13\\n"
                     "srli zero, zero, 51\\nsrli zero, zero, 61\\nor a0, a0, a0\\n.option pop\\n"
                     : "+r"(result) : "r"(given) : "memory");
}
"""


def built(folder: Path, mark: str, use: str, request: str = "") -> Path:
    source, script, made, elf = (folder / name for name in ("marked.c", "link.ld", "marked.o", "marked.elf"))
    source.write_text(PROGRAM.format(mark=mark, use=use, request=request))
    script.write_text(LINK.replace("*(.text*)", "*(.text.init) *(.text*) *(.rodata*) *(.data*) *(.sdata*)"))
    compiler, isa = toolchain.resolve("zig"), parse("rv64im")
    flags = [each for each in compiler.compile_flags(isa, "lp64", "O2") if each != "-g0"]
    for command in (
        [*compiler.command, *flags, "-g", f"-I{paths.data() / 'programs'}", "-c", str(source), "-o", str(made)],
        [*compiler.link_command(isa, "lp64", script, elf), str(made)],
    ):
        run(compiler, command, folder, " ".join(command))
    return elf


LOOK_UP = "sink = table[key[3]];"


def test_what_is_marked_is_found_with_its_line(tmp_path: Path) -> None:
    done = sim("--secrets", built(tmp_path, "CIPHERMARK_SECRET(key, 16);", LOOK_UP))
    assert done.returncode == ExitCode.FAILED, done.stderr
    line = next(
        number for number, text in enumerate((tmp_path / "marked.c").read_text().splitlines(), 1) if "sink =" in text
    )
    assert "load-address" in done.stderr
    assert f"marked.c:{line}" in done.stderr
    assert "byte 3 of what was marked" in done.stderr


@pytest.mark.parametrize(
    "mark",
    ["", "crypto_classify(key, 3);", "crypto_classify(key, 16); crypto_declassify(key + 3, 1);"],
    ids=["unmarked", "other bytes", "declassified"],
)
def test_what_is_public_is_not_found(tmp_path: Path, mark: str) -> None:
    done = sim("--secrets", built(tmp_path, mark, LOOK_UP))
    assert done.returncode == ExitCode.OK, done.stderr
    assert "0 found" in done.stderr


@pytest.mark.parametrize(("requests", "status"), [(1, ExitCode.FAILED), (2, ExitCode.OK)])
def test_valgrind_s_requests_are_marks(tmp_path: Path, requests: int, status: ExitCode) -> None:
    marks = "request(0x4d430001, key, 16);" + ("request(0x4d430002, key, 16);" if requests == 2 else "")
    done = sim("--secrets", built(tmp_path, marks, LOOK_UP, REQUEST))
    assert done.returncode == status, done.stderr


def test_marks_change_nothing_in_other_runs(tmp_path: Path) -> None:
    done = sim(built(tmp_path, "CIPHERMARK_SECRET(key, 16);", LOOK_UP))
    assert done.returncode == ExitCode.OK, done.stderr


@pytest.mark.parametrize("other", [["--stats"], ["--gdb", "0"], ["--env", "A=1"], ["--host-time"], ["--host-random"]])
def test_other_views_do_not_go_with_it(tmp_path: Path, other: list[str]) -> None:
    done = sim("--secrets", *other, built(tmp_path, "", LOOK_UP))
    assert done.returncode == ExitCode.USAGE
    assert f"{other[0]} does not go with --secrets" in done.stderr

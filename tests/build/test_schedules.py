"""What kernels write into their key schedules, against the definition that the claims of them are judged by."""

from __future__ import annotations

from pathlib import Path

import pytest

from ciphermark import _engine, embedded, toolchain
from ciphermark.claims.kinds.schedule import expand_key
from ciphermark.kernels import catalogue
from ciphermark.notation import isa
from ciphermark.toolchain.compiler import run

pytestmark = pytest.mark.skipif(
    not embedded.available() or "zig" not in {compiler.name for compiler in toolchain.installed()},
    reason="needs the embedded engine and zig",
)

KEY = bytes.fromhex("603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4")
ISA = "rv64gcv_zvkned"
START = Path(__file__).resolve().parents[2] / "benches" / "programs"

MAIN = """
#include <stdint.h>

void aes_256_expand_key(void *schedule, const uint8_t *key);
void rijndael_256_256_expand_key(void *schedule, const uint8_t *key);
extern volatile uint64_t tohost;

static const uint8_t key[32] = {KEY};
_Alignas(64) uint8_t begin_signature[2048];
__asm__(".globl end_signature\\nend_signature = begin_signature + 2048");

_Noreturn void bare_main(void)
{
    aes_256_expand_key(begin_signature, key);
    rijndael_256_256_expand_key(begin_signature + 1024, key);
    for (;;)
        tohost = 1;
}
"""


@pytest.mark.parametrize("vlen", [128, 256, 1024])
def test_the_kernels_of_the_published_structure_write_what_the_definition_says(tmp_path: Path, vlen: int) -> None:
    (tmp_path / "main.c").write_text(MAIN.replace("KEY", ", ".join(map(str, KEY)), 1))
    compiler, wanted = toolchain.resolve("zig"), isa.parse(ISA)
    flags = compiler.compile_flags(wanted, "lp64", "O2")
    objects = []
    sources = [tmp_path / "main.c", START / "bare_start.S"]
    for name in ("aes/zvkned-m1", "rijndael256/zvkned-m1"):
        folder = catalogue.load_implementation(name).folder
        sources += sorted(folder.glob("*.S"))
        flags += (f"-I{folder}", f"-I{folder.parent}")
    for source in sources:
        objects.append(tmp_path / f"{source.stem}.o")
        command = (*compiler.command, *flags, "-c", str(source), "-o", str(objects[-1]))
        run(compiler, command, tmp_path / "zig", source.name)
    elf = tmp_path / "schedules.elf"
    link = compiler.link_command(wanted, "lp64", START / "bare.ld", elf)
    run(compiler, (*link, *map(str, objects)), tmp_path / "zig", "link")
    found = _engine.simulate(elf.read_bytes(), isa=ISA, vlen=vlen, signature_granularity=4)
    assert found.stop == "exit", found.fault and found.fault.message
    words = (found.signature or "").split()
    written = b"".join(bytes.fromhex(word)[::-1] for word in words)
    assert written[:240] == expand_key(KEY, 4)
    assert written[1024 : 1024 + 480] == expand_key(KEY, 8)
    assert written[1024 : 1024 + 240] == written[:240]

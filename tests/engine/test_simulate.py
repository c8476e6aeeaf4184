"""What a caller of ``_engine.simulate`` sees: results, limits, faults that name what mends them."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from ciphermark import _engine
from random_isa.elf import BASE, executable

ADDI = 0x13
JAL_SELF = 0x6F
CLZ_A0 = 0x60051513
FLQ = 0x00054507
UNKNOWN = 0xFFFFFFFF
TOHOST = BASE + 0x100


def program(*words: int, xlen: int = 64, tohost: bool = True) -> bytes:
    image = b"".join(struct.pack("<I", word) for word in words).ljust(0x200, b"\0")
    symbols = {"tohost": (TOHOST, 8), "fromhost": (TOHOST + 8, 8)} if tohost else {}
    return executable(xlen, image, {"begin": (BASE + 4, 0), "end": (BASE + 12, 0), **symbols}, compressed=False)


def i_type(imm: int, rs1: int, funct3: int, rd: int, opcode: int) -> int:
    return (imm & 0xFFF) << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | opcode


def s_type(imm: int, rs2: int, rs1: int, funct3: int) -> int:
    return (imm >> 5) << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 | (imm & 31) << 7 | 0x23


def exiting(*before: int, status: int = 0, xlen: int = 64) -> bytes:
    """``before``, then ``tohost = status << 1 | 1``; RV32 writes the upper half last, as the protocol wants."""
    auipc_t0 = 5 << 7 | 0x17
    set_t1 = i_type(status << 1 | 1, 0, 0, 6, ADDI)
    offset = 0x100 - 4 * len(before)
    stores = [s_type(offset, 6, 5, 3)] if xlen == 64 else [s_type(offset, 6, 5, 2), s_type(offset + 4, 0, 5, 2)]
    return program(*before, auipc_t0, set_t1, *stores, JAL_SELF, xlen=xlen)


@pytest.mark.parametrize("xlen", [32, 64])
def test_the_guests_exit_status_and_its_instructions(xlen: int) -> None:
    nops = [i_type(0, 0, 0, 0, ADDI)] * 5
    result = _engine.simulate(exiting(*nops, status=7, xlen=xlen), isa=f"rv{xlen}i")
    assert (result.stop, result.exit_code, result.fault) == ("exit", 7, None)
    assert result.instructions == 5 + (3 if xlen == 64 else 4)


def test_the_instruction_limit_is_exact() -> None:
    for limit in (0, 1, 2, 3, 1000, 1001):
        result = _engine.simulate(program(i_type(1, 5, 0, 5, ADDI), 0xFFDFF06F), isa="rv64i", max_instructions=limit)
        assert (result.stop, result.instructions) == ("instruction-limit", limit)


def test_an_endless_guest_ends_at_its_time_limit() -> None:
    result = _engine.simulate(program(JAL_SELF), isa="rv64i", max_seconds=0.05)
    assert result.stop == "time-limit"


def test_the_region_between_two_symbols_is_counted_by_opcode() -> None:
    body = [i_type(1, 0, 0, 10, ADDI), i_type(2, 10, 0, 10, ADDI), CLZ_A0, i_type(0, 0, 0, 0, ADDI)]
    result = _engine.simulate(exiting(*body), isa="rv64i_zbb", roi=("begin", "end"), histogram=True)
    (region,) = result.rois
    assert region.instructions == 2
    assert region.opcodes == {"addi": 1, "clz": 1}
    assert result.extensions_used is not None
    assert result.extensions_used["zbb"] == 1
    assert result.opcodes is not None
    assert sum(result.opcodes.values()) == result.instructions


def test_an_illegal_instruction_names_the_extension_that_provides_it() -> None:
    result = _engine.simulate(program(CLZ_A0), isa="rv64i")
    fault = result.fault
    assert result.stop == "fault"
    assert fault is not None
    assert (fault.pc, fault.word, fault.cause) == (BASE, CLZ_A0, "illegal instruction")
    assert fault.disassembly == "clz a0, a0"
    assert "zbb" in fault.provided_by
    assert "zbb" in fault.message
    assert "--isa" in fault.message
    assert f"{BASE:#x}" in fault.message


def test_an_instruction_that_is_not_built_faults_as_not_implemented() -> None:
    fault = _engine.simulate(program(FLQ), isa="rv64gcv").fault
    assert fault is not None
    assert fault.cause == "not implemented: Q"


@pytest.mark.parametrize(
    ("word", "text", "reason"),
    [
        (0x10200073, "sret", "no supervisor mode"),
        (0x12000073, "sfence.vma", "no supervisor mode"),
        (0x18001073, "csrrw zero, satp, zero", "no supervisor mode"),
        (0x30201073, "csrrw zero, medeleg, zero", "no supervisor mode"),
        (0x3B029073, "csrrw zero, pmpaddr0, t0", "no physical memory protection"),
        (0x60001073, "csrrw zero, hstatus, zero", "no hypervisor"),
    ],
)
def test_what_belongs_to_other_modes_is_told_so(word: int, text: str, reason: str) -> None:
    fault = _engine.simulate(program(word), isa="rv64gc").fault
    assert fault is not None
    assert (fault.cause, fault.disassembly) == ("illegal instruction", text)
    assert reason in fault.message
    assert "no known extension" not in fault.message


def test_a_word_nobody_knows_says_so() -> None:
    fault = _engine.simulate(program(UNKNOWN), isa="rv64gc").fault
    assert fault is not None
    assert fault.provided_by == []
    assert "no known extension" in fault.message


def test_a_load_outside_memory_tells_the_address() -> None:
    fault = _engine.simulate(program(i_type(8, 0, 3, 10, 0x03)), isa="rv64i").fault
    assert fault is not None
    assert (fault.cause, fault.address) == ("load access fault", 8)


@pytest.mark.parametrize(
    ("elf", "options", "message"),
    [
        (b"", {}, "ELF"),
        (b"\x7fELF" + bytes(60), {}, "ELF"),
        (program(JAL_SELF)[:0x1004], {}, "truncated"),
        (program(JAL_SELF, xlen=32), {"isa": "rv64i"}, "RV32"),
        (program(JAL_SELF), {"isa": "rv64i_zbbb"}, "zbb"),
        (program(JAL_SELF), {"isa": "rva24u64"}, "rva24u64"),
        (program(JAL_SELF), {"memory_bytes": 16}, "--memory"),
        (program(JAL_SELF), {"roi": ("begin", "nowhere")}, "nowhere"),
        (program(JAL_SELF), {"extensions": ["missing.core_desc"]}, "missing.core_desc"),
    ],
)
def test_what_cannot_run_is_refused_with_the_reason(elf: bytes, options: dict[str, object], message: str) -> None:
    with pytest.raises(_engine.EngineError, match=message):
        _engine.simulate(elf, **options)  # type: ignore[arg-type]


def test_a_callback_that_raises_ends_the_run() -> None:
    # A write of one byte by the proxied system call: number, file, buffer, length at BASE + 0x180.
    image = bytearray(0x200)
    auipc_a0 = 10 << 7 | 0x17
    words = [auipc_a0, i_type(0x180, 10, 0, 11, ADDI), s_type(0x100, 11, 10, 3), JAL_SELF]
    image[: 4 * len(words)] = b"".join(struct.pack("<I", word) for word in words)
    image[0x180:0x1A0] = struct.pack("<QQQQ", 64, 1, BASE + 0x1A0, 2)
    image[0x1A0:0x1A2] = b"hi"
    elf = executable(64, bytes(image), {"tohost": (TOHOST, 8), "fromhost": (TOHOST + 8, 8)}, compressed=False)
    assert _engine.simulate(elf, isa="rv64i", max_instructions=100).console == b"hi"

    def refuse(text: bytes) -> None:
        raise ValueError(text)

    with pytest.raises(ValueError, match="hi"):
        _engine.simulate(elf, isa="rv64i", console=refuse)


def test_a_users_instruction_runs_has_a_name_and_is_counted(tmp_path: Path) -> None:
    description = tmp_path / "triple.core_desc"
    description.write_text(
        'import "RVI.core_desc"\n'
        "InstructionSet XTriple extends RISCVBase {\n"
        "  instructions {\n"
        "    TRIPLE {\n"
        "      encoding: 12'd0 :: rs1[4:0] :: 3'd0 :: rd[4:0] :: 7'b0001011;\n"
        '      assembly: {"x.triple", "{name(rd)}, {name(rs1)}"};\n'
        "      behavior: X[rd] = (unsigned<XLEN>)(3 * X[rs1]);\n"
        "    }\n"
        "  }\n"
        "}\n"
    )
    triple = i_type(0, 10, 0, 6, 0x0B)
    elf = exiting(i_type(7, 0, 0, 10, ADDI), triple)
    result = _engine.simulate(elf, isa="rv64i", extensions=[str(description)], histogram=True)
    assert result.stop == "exit"
    assert result.opcodes is not None
    assert result.opcodes["x.triple"] == 1
    assert result.extensions_used is not None
    assert result.extensions_used["XTriple"] == 1
    lines = _engine.disassemble(elf, isa="rv64i", extensions=[str(description)])
    assert lines[1][3] == "x.triple t1, a0"


def test_a_trace_names_every_retired_instruction(tmp_path: Path) -> None:
    log = tmp_path / "trace.log"
    result = _engine.simulate(exiting(i_type(5, 0, 0, 10, ADDI)), isa="rv64i", trace=str(log))
    lines = log.read_text().splitlines()
    assert len(lines) == result.instructions
    assert lines[0] == "core   0: 3 0x0000000080000000 (0x00500513) x10 0x0000000000000005"
    assert lines[-1].endswith("mem 0x0000000080000100 0x0000000000000001")


CBO_ZERO_A0 = i_type(4, 10, 2, 0, 0x0F)
CBO_FLUSH_A0 = i_type(2, 10, 2, 0, 0x0F)
AUIPC_A0 = 10 << 7 | 0x17
"""The address of this word, in a0."""


def test_a_cache_block_is_zeroed_from_its_first_byte_to_its_last() -> None:
    """Every byte of the block that holds the address, and no other, becomes zero."""
    target = 0x181
    body = (AUIPC_A0, i_type(target, 10, 0, 10, ADDI), CBO_ZERO_A0)
    words = [*body, 5 << 7 | 0x17, i_type(1, 0, 0, 6, ADDI), s_type(0x100 - 12, 6, 5, 3), JAL_SELF]
    image = b"".join(struct.pack("<I", word) for word in words).ljust(0x140, b"\0") + b"\xa5" * 0xC0
    symbols = {"tohost": (TOHOST, 8), "begin_signature": (BASE + 0x140, 0), "end_signature": (BASE + 0x200, 0)}
    elf = executable(64, image, symbols, compressed=False)
    result = _engine.simulate(elf, isa="rv64i_zicboz", signature_granularity=16)
    assert (result.stop, result.exit_code) == ("exit", 0)
    assert result.signature == "\n".join(["a5" * 16] * 4 + ["00" * 16] * 4 + ["a5" * 16] * 4) + "\n"


@pytest.mark.parametrize("word", [CBO_ZERO_A0, CBO_FLUSH_A0])
@pytest.mark.parametrize("jit", [False, True])
def test_a_cache_block_that_is_not_there_is_the_fault_of_a_store(word: int, jit: bool) -> None:
    found = _engine.simulate(program(i_type(0x7F, 0, 0, 10, ADDI), word), isa="rva22u64", jit=jit)
    assert found.fault is not None
    assert (found.fault.pc, found.fault.cause, found.fault.address) == (BASE + 4, "store/AMO access fault", 0x40)


def test_a_cache_block_may_be_managed() -> None:
    words = [i_type(kind, 10, 2, 0, 0x0F) for kind in (0, 1, 2)]
    prefetches = [i_type(kind, 0, 6, 0, ADDI) for kind in (0, 1, 3)]
    result = _engine.simulate(exiting(AUIPC_A0, *words, *prefetches), isa="rv64i_zicbom_zicbop", histogram=True)
    assert (result.stop, result.exit_code) == ("exit", 0)
    assert result.opcodes is not None
    assert {"cbo.inval", "cbo.clean", "cbo.flush", "prefetch.i", "prefetch.r", "prefetch.w"} <= result.opcodes.keys()


def test_traps_that_a_guest_handles_are_counted_and_the_last_is_told() -> None:
    set_handler = [5 << 7 | 0x17, i_type(20, 5, 0, 5, ADDI), i_type(0x305, 5, 1, 0, 0x73)]
    found = _engine.simulate(exiting(*set_handler, CLZ_A0, JAL_SELF, status=3), isa="rv64i_zicsr")
    assert (found.stop, found.exit_code, found.traps) == ("exit", 3, {"illegal instruction": 1})
    assert found.last_trap is not None
    assert (found.last_trap.pc, found.last_trap.disassembly) == (BASE + 12, "clz a0, a0")
    assert "lacks zbb" in found.last_trap.message
    (place,) = found.last_trap.backtrace
    assert place.startswith(f"{BASE + 12:#x}")
    untroubled = _engine.simulate(exiting(), isa="rv64i")
    assert (untroubled.traps, untroubled.last_trap) == ({}, None)


def test_what_a_user_names_without_effect_is_told_and_what_is_refused_gives_its_reason() -> None:
    said: list[str] = []
    result = _engine.simulate(exiting(), isa="rv64gc_sv39_ziccif", message=said.append)
    assert result.exit_code == 0
    assert said == ["note: without effect in sim: ziccif, sv39"]
    with pytest.raises(_engine.EngineError, match="there is no mode but machine and user mode"):
        _engine.simulate(exiting(), isa="rv64gch")
    said.clear()
    assert _engine.simulate(exiting(), isa="rva23u64", message=said.append).exit_code == 0
    assert said == []

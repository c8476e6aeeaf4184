"""What a caller sees of the vector unit: its length, and faults that name the rule that was broken."""

from __future__ import annotations

import struct

import pytest

from ciphermark import _engine
from random_isa.elf import BASE, executable

TOHOST = BASE + 0x100

VECTOR_ON = (0x60000293, 0x3002A073)
"""``li t0, 0x600; csrs mstatus, t0``."""
EXIT_WITH_VLENB = (0xC2202373, 0x00131313, 0x00136313, 0x00000397, 0x0E63B623)
"""``csrr t1, vlenb; slli t1, t1, 1; ori t1, t1, 1; auipc t2, 0; sd t1, 0xec(t2)``, eight bytes into the program."""
VSETVLI_E32_M2 = 0x0D107357
VLE32_V3 = 0x02056187
VFADD = 0x02001057
JAL_SELF = 0x6F


def program(*words: int) -> bytes:
    image = b"".join(struct.pack("<I", word) for word in (*words, JAL_SELF)).ljust(0x200, b"\0")
    return executable(64, image, {"tohost": (TOHOST, 8)}, compressed=False)


def fault(*words: int, isa: str) -> _engine.Fault:
    found = _engine.simulate(program(*words), isa=isa).fault
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("isa", "vlen", "bits"),
    [
        ("rv64gcv", None, 128),
        ("rv64gcv_zvl512b", None, 512),
        ("rv64gcv_zvl512b", 2048, 2048),
        ("rv64gcv", 65536, 65536),
        ("rv64i_zve32x", None, 128),
        ("rv64i_zve32x", 32, 32),
    ],
)
def test_the_length_of_a_register(isa: str, vlen: int | None, bits: int) -> None:
    result = _engine.simulate(program(*VECTOR_ON, *EXIT_WITH_VLENB), isa=isa, vlen=vlen)
    assert (result.stop, result.exit_code) == ("exit", bits // 8)


@pytest.mark.parametrize(
    ("isa", "vlen", "message"),
    [
        ("rv64gcv", 192, "192 is not a power of two"),
        ("rv64gcv", 131072, "from 32 to 65536"),
        ("rv64i_zve64x", 32, "ELEN above VLEN"),
        ("rv64gcv", 64, "below 128"),
        ("rv64gcv_zvl512b", 256, "below zvl512b"),
        ("rv64gc", 128, "no vector extension"),
    ],
)
def test_a_length_that_cannot_be(isa: str, vlen: int, message: str) -> None:
    with pytest.raises(_engine.EngineError, match=message):
        _engine.simulate(program(), isa=isa, vlen=vlen)


def test_a_vector_instruction_without_its_extension_names_it() -> None:
    found = fault(VSETVLI_E32_M2, isa="rv64gc")
    assert found.provided_by == ["v", "zve32x"]
    assert found.disassembly == "vsetvli t1, zero, e32, m2, ta, ma"
    assert "lacks v or zve32x: add it with --isa" in found.message


def test_a_broken_rule_is_told() -> None:
    found = fault(*VECTOR_ON, VSETVLI_E32_M2, VLE32_V3, isa="rv64gcv")
    assert found.rule == "a register group must begin at a register number that is a multiple of its EMUL"
    assert found.message.endswith(f"(vle32.v v3, (a0)): {found.rule}")
    assert found.cause == "illegal instruction"
    off = fault(VSETVLI_E32_M2, isa="rv64gcv")
    assert off.rule is not None
    assert "mstatus.VS" in off.rule


def test_what_vector_floating_point_needs_is_told() -> None:
    found = fault(*VECTOR_ON, VFADD, isa="rv64gc_zve64x")
    assert found.provided_by == ["v", "zve32f"]
    # mstatus.FS is off.
    found = fault(*VECTOR_ON, VSETVLI_E32_M2, VFADD, isa="rv64gcv")
    assert found.rule is not None
    assert "mstatus.FS" in found.rule


def test_agnostic_elements_become_ones_if_asked() -> None:
    """``vsetivli zero, 1, e8, m1, ta, ma; vmv.v.i v1, 0; vmv.x.s t1, v1`` with SEW 64 then; its sign decides."""
    words = (
        *VECTOR_ON,
        0xCC00F057,  # vsetivli zero, 1, e8, m1, ta, ma
        0x5E0030D7,  # vmv.v.i v1, 0
        0xCD80F057,  # vsetivli zero, 1, e64, m1, ta, ma
        0x42102357,  # vmv.x.s t1, v1
        0x03F35313,  # srli t1, t1, 63
        0x00131313,  # slli t1, t1, 1
        0x00136313,  # ori t1, t1, 1
        0x00000397,  # auipc t2, 0
        0x0C63BE23,  # sd t1, 0xdc(t2)
    )
    for ones in (False, True):
        result = _engine.simulate(program(*words), isa="rv64gcv", agnostic_ones=ones)
        assert (result.stop, result.exit_code) == ("exit", int(ones)), result.fault and result.fault.message

"""Splitting ISA strings."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ciphermark.engines import qemu
from ciphermark.errors import UsageError
from ciphermark.notation import isa


def test_letters_and_names() -> None:
    parsed = isa.parse("rv32imc_zbb_zkn")
    assert (parsed.xlen, parsed.letters, parsed.names) == (32, "imc", ("zbb", "zkn"))
    assert str(isa.parse("RV64GC")) == "rv64imafdc"
    assert str(parsed.adding("zbb", "zicsr")) == "rv32imc_zbb_zkn_zicsr"


def test_a_profile_is_what_it_stands_for() -> None:
    parsed = isa.parse("RVA22U64_zbc")
    assert (parsed.xlen, parsed.letters) == (64, "imadcb")
    assert {"zbc", "zicntr", "zicboz", "zfhmin"} <= set(parsed.names)
    assert "zic64b" not in parsed.names, "compilers and other engines need not know what is without effect"
    assert isa.parse("rvi20u32").xlen == 32
    with pytest.raises(UsageError, match="unknown profile"):
        isa.parse("rva24u64")


@given(st.sampled_from([32, 64]), st.sets(st.sampled_from("mafdc")), st.lists(st.sampled_from(["zbb", "zkn", "xown"])))
def test_reading_what_was_written(xlen: int, letters: set[str], names: list[str]) -> None:
    text = str(isa.IsaString(xlen, "i" + "".join(sorted(letters)), tuple(dict.fromkeys(names))))
    assert str(isa.parse(text)) == text


@pytest.mark.parametrize("wrong", ["", "rv32", "rv128i", "x86-64", "rv32i-zbb", "rv32m", "rv32i_", "rv32izbb"])
def test_what_is_none_is_refused(wrong: str) -> None:
    with pytest.raises(UsageError):
        isa.parse(wrong)


def test_qemu_starts_bare_and_gets_what_the_harness_needs() -> None:
    assert qemu.cpu(isa.parse("rv32i")) == "rv32i,zicsr=true"
    assert qemu.cpu(isa.parse("rv64imc_zbb")) == "rv64i,m=true,c=true,zbb=true,zicsr=true"
    assert qemu.cpu(isa.parse("rv64iv_zvl128b_zvl256b")) == "rv64i,v=true,zicsr=true,vlen=256"

//! Corner cases that the manual spells out, and identities.

use super::oracle::{amo, branch_taken, csr_written, expand_compressed, loaded};
use super::{compute, rv32, rv64};

const MIN32: u32 = 1 << 31;
const MIN64: u64 = 1 << 63;

#[test]
fn division_by_zero_and_overflow_follow_the_table_of_the_m_extension() {
    assert_eq!(rv32("div", 7, 0, 0), u32::MAX);
    assert_eq!(rv32("divu", 7, 0, 0), u32::MAX);
    assert_eq!(rv32("rem", 0xffff_fff9, 0, 0), 0xffff_fff9);
    assert_eq!(rv32("remu", 7, 0, 0), 7);
    assert_eq!(rv32("div", MIN32, u32::MAX, 0), MIN32);
    assert_eq!(rv32("rem", MIN32, u32::MAX, 0), 0);
    assert_eq!(rv64("div", MIN64, u64::MAX, 0), MIN64);
    assert_eq!(rv64("rem", MIN64, u64::MAX, 0), 0);
    assert_eq!(rv64("divw", u64::from(MIN32), u64::MAX, 0), 0xffff_ffff_8000_0000);
    assert_eq!(rv64("divuw", 7 << 32 | 7, 7 << 32, 0), u64::MAX);
    assert_eq!(rv64("remuw", 0x8000_0000, 0, 0), 0xffff_ffff_8000_0000);
    assert_eq!(rv32("div", -7i32 as u32, 2, 0), -3i32 as u32);
    assert_eq!(rv32("rem", -7i32 as u32, 2, 0), -1i32 as u32);
}

#[test]
fn upper_halves_of_products() {
    assert_eq!(rv32("mulh", u32::MAX, u32::MAX, 0), 0);
    assert_eq!(rv32("mulhu", u32::MAX, u32::MAX, 0), 0xffff_fffe);
    assert_eq!(rv32("mulhsu", u32::MAX, u32::MAX, 0), u32::MAX);
    assert_eq!(rv64("mulh", MIN64, MIN64, 0), 1 << 62);
    assert_eq!(rv64("mulhsu", MIN64, u64::MAX, 0), MIN64);
    assert_eq!(rv64("mulhu", u64::MAX, u64::MAX, 0), u64::MAX - 1);
}

#[test]
fn words_on_rv64_are_sign_extended() {
    assert_eq!(rv64("addw", 0x7fff_ffff, 1, 0), 0xffff_ffff_8000_0000);
    assert_eq!(rv64("addiw", 0xffff_ffff_0000_0000, 0, u64::MAX), u64::MAX);
    assert_eq!(rv64("sraw", 0x8000_0000, 4 | 1 << 40, 0), 0xffff_ffff_f800_0000);
    assert_eq!(rv64("lui", 0, 0, 0xffff_ffff_8000_0000), 0xffff_ffff_8000_0000);
    assert_eq!(rv32("lui", 0, 0, 0xffff_ffff_8000_0000), MIN32);
    assert_eq!(rv64("sltiu", 5, 0, u64::MAX), 1);
    assert_eq!(rv32("sltiu", u32::MAX, 0, u64::MAX), 0);
}

#[test]
fn counts_of_zero_are_the_width() {
    for (mnemonic, width) in [("clz", 32), ("ctz", 32), ("cpop", 0)] {
        assert_eq!(rv32(mnemonic, 0, 0, 0), width);
    }
    for (mnemonic, width) in [("clz", 64), ("ctz", 64), ("clzw", 32), ("ctzw", 32)] {
        assert_eq!(rv64(mnemonic, if width == 32 { 1 << 32 } else { 0 }, 0, 0), width);
    }
}

#[test]
fn a_polynomial_of_ones_squared_has_every_other_coefficient() {
    // (1 + x + ... + x^(n-1))^2 = 1 + x^2 + ... + x^(2n-2)
    assert_eq!(rv64("clmul", u64::MAX, u64::MAX, 0), 0x5555_5555_5555_5555);
    assert_eq!(rv64("clmulh", u64::MAX, u64::MAX, 0), 0x5555_5555_5555_5555);
    assert_eq!(rv64("clmulr", u64::MAX, u64::MAX, 0), 0xaaaa_aaaa_aaaa_aaaa);
    assert_eq!(rv32("clmulr", u32::MAX, u32::MAX, 0), 0xaaaa_aaaa);
    assert_eq!(rv32("clmul", 3, 7, 0), 9);
}

#[test]
fn permutations_move_what_they_say() {
    assert_eq!(rv32("rev8", 0x0102_0304, 0, 0), 0x0403_0201);
    assert_eq!(rv64("brev8", 0x0180_0000_0000_0006, 0, 0), 0x8001_0000_0000_0060);
    assert_eq!(rv32("orc.b", 0x0010_0001, 0, 0), 0x00ff_00ff);
    assert_eq!(rv32("zip", 0x0000_ffff, 0, 0), 0x5555_5555);
    assert_eq!(rv32("unzip", 0xaaaa_aaaa, 0, 0), 0xffff_0000);
    assert_eq!(rv32("xperm8", 0x4433_2211, 0x0400_0102, 0), 0x0011_2233);
    assert_eq!(rv32("xperm4", 0x7654_3210, 0x8012_3456, 0), 0x0012_3456);
    assert_eq!(rv64("packw", 0x1111, 0x8222, 0), 0xffff_ffff_8222_1111);
    assert_eq!(rv64("pack", 0x1_1111_1111, 0x2_2222_2222, 0), 0x2222_2222_1111_1111);
    assert_eq!(rv32("bext", 4, 34, 0), 1);
    assert_eq!(rv64("bexti", 1 << 40, 0, 40), 1);
}

#[test]
fn instructions_of_the_other_xlen_are_absent() {
    for mnemonic in ["addw", "mulw", "add.uw", "clzw", "rolw", "packw", "aes64es", "sha512sum0"] {
        assert_eq!(compute(32, mnemonic, 1, 1, 1, 0), None, "{mnemonic}");
    }
    for mnemonic in ["zip", "unzip", "aes32esi", "aes32dsmi", "sha512sum0r", "sha512sig0l"] {
        assert_eq!(compute(64, mnemonic, 1, 1, 1, 0), None, "{mnemonic}");
    }
}

#[test]
fn compressed_instructions_expand_as_assemblers_do() {
    let both = |half| {
        let expansion = expand_compressed(32, half);
        assert_eq!(expansion, expand_compressed(64, half));
        expansion
    };
    assert_eq!(both(0x0000), None);
    assert_eq!(both(0x0001), Some(0x0000_0013)); // c.nop
    assert_eq!(both(0x1141), Some(0xff01_0113)); // c.addi sp, -16
    assert_eq!(both(0x7179), Some(0xfd01_0113)); // c.addi16sp sp, -48
    assert_eq!(both(0x0808), Some(0x0101_0513)); // c.addi4spn a0, sp, 16
    assert_eq!(both(0x4501), Some(0x0000_0513)); // c.li a0, 0
    assert_eq!(both(0x8082), Some(0x0000_8067)); // c.jr ra
    assert_eq!(both(0x8002), None); // c.jr x0
    assert_eq!(both(0x9002), Some(0x0010_0073)); // c.ebreak
    assert_eq!(both(0x852e), Some(0x00b0_0533)); // c.mv a0, a1
    assert_eq!(both(0xc606), Some(0x0011_2623)); // c.swsp ra, 12(sp)
    assert_eq!(both(0xa001), Some(0x0000_006f)); // c.j .
    assert_eq!(both(0x4002), None); // c.lwsp x0
    assert_eq!(expand_compressed(32, 0x2001), Some(0x0000_00ef)); // c.jal .
    assert_eq!(expand_compressed(64, 0x2001), None); // c.addiw x0, 0
    assert_eq!(expand_compressed(64, 0x60a2), Some(0x0081_3083)); // c.ldsp ra, 8(sp)
    assert_eq!(expand_compressed(32, 0x60a2), None);
    assert_eq!(expand_compressed(32, 0x1502), None); // c.slli a0, 32
    assert_eq!(expand_compressed(64, 0x1502), Some(0x0205_1513));
}

#[test]
fn memory_and_control() {
    assert_eq!(loaded(64, "lh", 0x8000), Some(0xffff_ffff_ffff_8000));
    assert_eq!(loaded(32, "lh", 0x8000), Some(0xffff_8000));
    assert_eq!(loaded(32, "lwu", 0), None);
    assert_eq!(branch_taken(32, "blt", 0xffff_ffff, 0), Some(true));
    assert_eq!(branch_taken(64, "blt", 0xffff_ffff, 0), Some(false));
    assert_eq!(amo(64, "amomin.w", 0xffff_ffff, 1), Some((u64::MAX, 0xffff_ffff)));
    assert_eq!(amo(64, "amominu.w", 0xffff_ffff, 1), Some((u64::MAX, 1)));
    assert_eq!(amo(32, "amoadd.d", 0, 0), None);
    assert_eq!(csr_written("csrrs", 1, 0, 6), Some(None));
    assert_eq!(csr_written("csrrs", 1, 5, 6), Some(Some(7)));
    assert_eq!(csr_written("csrrwi", 1, 0, 0), Some(Some(0)));
}

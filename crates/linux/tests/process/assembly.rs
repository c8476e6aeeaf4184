//! Instructions by hand, as many as the guests of these tests need.

use isa::Xlen;

pub const ZERO: u8 = 0;
pub const SP: u8 = 2;
pub const T0: u8 = 5;
pub const T1: u8 = 6;
pub const S0: u8 = 8;
pub const A0: u8 = 10;
pub const A7: u8 = 17;

pub const ECALL: u32 = 0x73;
pub const EBREAK: u32 = 0x0010_0073;

fn r(register: u8, shift: u32) -> u32 {
    u32::from(register) << shift
}

pub fn addi(rd: u8, rs1: u8, immediate: i32) -> u32 {
    (immediate as u32) << 20 | r(rs1, 15) | r(rd, 7) | 0x13
}

pub fn slli(rd: u8, rs1: u8, by: u32) -> u32 {
    by << 20 | r(rs1, 15) | 1 << 12 | r(rd, 7) | 0x13
}

pub fn add(rd: u8, rs1: u8, rs2: u8) -> u32 {
    r(rs2, 20) | r(rs1, 15) | r(rd, 7) | 0x33
}

pub fn lui(rd: u8, immediate: i32) -> u32 {
    immediate as u32 & 0xffff_f000 | r(rd, 7) | 0x37
}

/// `li` of 32 bits, sign-extended.
pub fn load_immediate(rd: u8, value: i32) -> Vec<u32> {
    let low = value << 20 >> 20;
    let high = value.wrapping_sub(low);
    if high == 0 { vec![addi(rd, ZERO, low)] } else { vec![lui(rd, high), addi(rd, rd, low)] }
}

/// `lw` or `ld`.
pub fn load(xlen: Xlen, rd: u8, base: u8, offset: i32) -> u32 {
    let width = if xlen == Xlen::Rv32 { 2 } else { 3 };
    (offset as u32) << 20 | r(base, 15) | width << 12 | r(rd, 7) | 0x03
}

/// `sw` or `sd`.
pub fn store(xlen: Xlen, source: u8, base: u8, offset: i32) -> u32 {
    store_form(if xlen == Xlen::Rv32 { 2 } else { 3 }, source, base, offset) | 0x23
}

/// `fsd`.
pub fn store_double(source: u8, base: u8, offset: i32) -> u32 {
    store_form(3, source, base, offset) | 0x27
}

fn store_form(width: u32, source: u8, base: u8, offset: i32) -> u32 {
    let offset = offset as u32;
    (offset >> 5 & 0x7f) << 25 | r(source, 20) | r(base, 15) | width << 12 | (offset & 31) << 7
}

pub fn jal(rd: u8, offset: i32) -> u32 {
    let offset = offset as u32;
    (offset >> 20 & 1) << 31
        | (offset >> 1 & 0x3ff) << 21
        | (offset >> 11 & 1) << 20
        | (offset >> 12 & 0xff) << 12
        | r(rd, 7)
        | 0x6f
}

pub fn jalr(rd: u8, base: u8) -> u32 {
    r(base, 15) | r(rd, 7) | 0x67
}

/// What a branch asks of its registers.
#[derive(Clone, Copy)]
pub enum If {
    Unequal = 1,
    Less = 4,
}

/// `bne`, `blt`.
pub fn branch(condition: If, one: u8, other: u8, offset: i32) -> u32 {
    let offset = offset as u32;
    (offset >> 12 & 1) << 31
        | (offset >> 5 & 0x3f) << 25
        | r(other, 20)
        | r(one, 15)
        | (condition as u32) << 12
        | (offset >> 1 & 15) << 8
        | (offset >> 11 & 1) << 7
        | 0x63
}

/// `csrw csr, source`.
pub fn write_csr(csr: u32, source: u8) -> u32 {
    csr << 20 | r(source, 15) | 1 << 12 | 0x73
}

/// `csrr rd, csr`.
pub fn read_csr(rd: u8, csr: u32) -> u32 {
    csr << 20 | 2 << 12 | r(rd, 7) | 0x73
}

/// A system call whose arguments are small numbers.
pub fn call(number: u64, arguments: &[i32]) -> Vec<u32> {
    let mut code = Vec::new();
    for (register, &value) in (A0..).zip(arguments) {
        code.extend(load_immediate(register, value));
    }
    code.extend(load_immediate(A7, number as i32));
    code.push(ECALL);
    code
}

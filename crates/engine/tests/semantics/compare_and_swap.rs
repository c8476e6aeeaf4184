//! Compare and swap against the pseudo-code of the manual's chapter "Zacas", on chosen and on random values.

use engine::{Blind, Limits};
use isa::Xlen;

use crate::guest::{BASE, Screen};
use crate::operands::memory;
use crate::reference::Reference;
use crate::{WIDTHS, everything};

const PC: u64 = BASE + 0x1000;
const OPERAND: u64 = BASE + 0x800;
/// The register with the address.
const ADDRESS: u32 = 5;

/// AMOCAS of `funct3` with these registers.
const fn word(funct3: u32, rd: u32, rs2: u32) -> u32 {
    0b00101 << 27 | rs2 << 20 | ADDRESS << 15 | funct3 << 12 | rd << 7 | 0x2f
}

/// Registers and memory after a comparison of `bits` bits: `pair` if operands are pairs of registers.
fn expected(
    xlen: u16,
    bits: u32,
    pair: bool,
    x: [u64; 32],
    old: u128,
    rd: u32,
    rs2: u32,
) -> ([u64; 32], u128) {
    let ones = u128::MAX >> (128 - bits);
    let operand = |register: u32| match register {
        0 => 0,
        _ if pair => u128::from(x[register as usize + 1]) << xlen | u128::from(x[register as usize]),
        _ => u128::from(x[register as usize]),
    };
    let (temp, comp, swap) = (old & ones, operand(rd) & ones, operand(rs2) & ones);
    let new = if temp == comp { old & !ones | swap } else { old };
    let mut after = x;
    let mask = u64::MAX >> (64 - xlen);
    if rd != 0 && pair {
        after[rd as usize] = temp as u64 & mask;
        after[rd as usize + 1] = (temp >> xlen) as u64 & mask;
    } else if rd != 0 {
        after[rd as usize] = ((temp << (128 - bits)) as i128 >> (128 - bits)) as u64 & mask;
    }
    (after, new)
}

#[test]
fn memory_changes_only_if_it_is_what_was_expected() {
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    for xlen in WIDTHS {
        let program = everything(xlen);
        let forms: &[(u32, u32, bool)] = match xlen {
            Xlen::Rv32 => &[(0, 8, false), (1, 16, false), (2, 32, false), (3, 64, true)],
            Xlen::Rv64 => &[(0, 8, false), (1, 16, false), (2, 32, false), (3, 64, false), (4, 128, true)],
        };
        let mut swapped = [0; 5];
        for trial in 0..2000 {
            let (funct3, bits, pair) = forms[trial % forms.len()];
            let even = |number: u64| if pair { number as u32 & 30 } else { number as u32 & 31 };
            let (rd, rs2) = (even(next()), even(next()));
            let mut x: [u64; 32] = std::array::from_fn(|_| next() & xlen.mask());
            let old = u128::from(next()) << 64 | u128::from(next());
            if trial % 3 > 0 {
                // Equal in the bits that are compared; above them only in a third.
                let noise = if trial % 3 == 1 { next() } else { 0 };
                let above = if bits < 64 { noise << bits } else { 0 };
                x[rd as usize] = (old as u64 & (u64::MAX >> (64 - bits.min(64))) | above) & xlen.mask();
                if pair {
                    x[rd as usize + 1] = (old >> xlen.bits()) as u64 & xlen.mask();
                }
            }
            x[0] = 0;
            x[ADDRESS as usize] = OPERAND;
            let mut start = Reference::new(&program, x, memory(trial as u64));
            let at = (OPERAND - BASE) as usize;
            start.bytes[at..at + 16].copy_from_slice(&old.to_le_bytes());
            start.pc = PC;
            start.place(PC, word(funct3, rd, rs2));
            let (after, new) = expected(xlen.bits(), bits, pair, x, old, rd, rs2);
            swapped[funct3 as usize] += u32::from(new != old);
            let mut machine = start.machine();
            machine.run(Limits { instructions: Some(1) }, &mut Blind, &mut Screen::default());
            let context = format!("{xlen:?} {bits} bits, rd {rd}, rs2 {rs2}, trial {trial}");
            let registers: [u64; 32] = std::array::from_fn(|register| machine.hart.x(register as u16));
            assert_eq!(registers, after, "{context}");
            let memory = machine.memory.slice(hart::Address(OPERAND), 16).expect("in memory");
            assert_eq!(memory, new.to_le_bytes(), "{context}");
            assert_eq!(machine.hart.retired(), 1, "{context}");
        }
        assert!(swapped.iter().zip(forms).all(|(&count, _)| count > 100), "{swapped:?}");
    }
}

#[test]
fn what_the_manual_reserves_is_an_exception() {
    for (xlen, funct3, bytes) in [(Xlen::Rv32, 3, 8), (Xlen::Rv64, 4, 16)] {
        let program = everything(xlen);
        for (rd, rs2, address, cause) in [
            (7, 8, OPERAND, hart::Exception::ILLEGAL),
            (6, 9, OPERAND, hart::Exception::ILLEGAL),
            (6, 8, OPERAND + bytes / 2, hart::Exception::STORE_MISALIGNED),
        ] {
            let mut x = [0; 32];
            x[ADDRESS as usize] = address;
            let mut start = Reference::new(&program, x, memory(1));
            start.pc = PC;
            start.place(PC, word(funct3, rd, rs2));
            let raised = start.step().expect_err("an exception");
            assert_eq!(raised.cause, cause, "{xlen:?} rd {rd} rs2 {rs2} {address:#x}");
        }
    }
}

//! Compression of every length, where blocks that are stored whole would reach a neighbour: all registers are compared.

use crate::guest;
use crate::model::{self, Case, Registers};
use crate::random::registers;
use crate::rules::case;
use crate::run;

/// `vd`, `vs2` and the mask, of groups of so many registers: next to each other in every order, and at both ends of the file.
fn places(size: u32) -> [(u32, u32, u32); 7] {
    let last = 32 - size;
    [
        (last, last - size, 1),
        (last, 8, last - 1),
        (8, last, 8 + size),
        (8, 8 + size, 7),
        (8 + size, 8, 8 + 2 * size),
        (last - size, last, last - size - 1),
        (0, size, 2 * size),
    ]
}

/// Bits of the mask register: few, many, all, none, the first or the last of the body.
fn set_mask(registers: &mut Registers, register: u32, vl: usize, kind: usize) {
    let first = register as usize * registers.vlenb;
    for (at, byte) in registers.bytes[first..first + registers.vlenb].iter_mut().enumerate() {
        *byte = match kind {
            0 => *byte,
            1 => *byte | byte.rotate_left(3),
            2 => *byte & byte.rotate_left(3),
            3 => 0xff,
            4 => 0,
            5 => u8::from(at == 0),
            6 if at == vl.saturating_sub(1) / 8 => 1 << (vl.saturating_sub(1) % 8),
            // Beyond the body alone.
            7 if at >= vl.div_ceil(8) => 0xff,
            _ => 0,
        };
    }
}

fn agree(vlenb: usize, sew: u32, lmul: i32) {
    let program = guest::program("rv64gcv");
    let places = places(1 << lmul.max(0));
    let longest = case("VCOMPRESS__VM", lmul, (0, 0, 0), false);
    let longest = Case { sew, registers: registers(vlenb, sew, 5), ..longest }.vlmax();
    let few = (longest / 13).max(1);
    let lengths = (0..longest).filter(|vl| vl.is_multiple_of(8) || vl % few == 1 || longest - vl < 3);
    for (turn, vl) in lengths.chain([longest; 8]).enumerate() {
        for (place, &operands) in places.iter().enumerate().skip(turn % 2).step_by(2) {
            let kind = (turn + 3 * place + turn / 8) % 8;
            let mut before = registers(vlenb, sew, 5 * (turn * 31 + place) as u64 + 5);
            set_mask(&mut before, operands.2, vl, kind);
            let case = Case {
                sew,
                vl,
                tail_agnostic: (turn + place) % 3 != 0,
                ones: (turn + place) % 2 == 0,
                registers: before,
                ..case("VCOMPRESS__VM", lmul, operands, false)
            };
            let wanted = model::execute(&case).expect("legal").registers;
            let got = run::run(&program, &case).expect("legal").registers;
            assert_eq!(
                got, wanted,
                "VLENB {vlenb}, SEW {sew}, LMUL {lmul}, vl {vl}, mask {kind}, {operands:?}"
            );
        }
    }
}

#[test]
fn bytes_are_packed_and_no_neighbour_changes() {
    for (vlenb, lmul) in [(16, -1), (16, 0), (16, 1), (16, 2), (32, -1), (32, 0), (32, 2), (64, 1)] {
        agree(vlenb, 8, lmul);
    }
}

#[test]
fn halfwords_are_packed_and_no_neighbour_changes() {
    for (vlenb, lmul) in [(16, -1), (16, 0), (16, 1), (16, 2), (32, -1), (32, 0), (32, 2), (64, 1)] {
        agree(vlenb, 16, lmul);
    }
}

#[test]
fn wider_elements_are_packed() {
    for (vlenb, lmul) in [(16, 0), (16, 1), (16, 2), (32, -1), (32, 0), (32, 1), (128, 0)] {
        agree(vlenb, 32, lmul);
    }
    for (vlenb, lmul) in [(16, 0), (16, 1), (32, 0), (32, 2), (128, 0)] {
        agree(vlenb, 64, lmul);
    }
}

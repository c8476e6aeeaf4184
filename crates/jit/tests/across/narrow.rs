//! 32 bits of address, which wrap around: what is between two addresses of a register need not be in memory.

use hart::csr::{Clock, number};
use hart::pages::{PAGE, Pages, Rights};
use hart::{Address, Htif, Memory};

use engine::Machine;

use crate::AFTER;
use crate::assembler::assemble;
use crate::guest::program;
use crate::pair::Pair;

const SIZE: u64 = 1 << 32;
const CODE: u64 = 2 * PAGE;
const QUIET: u64 = 6 * PAGE + 0x800;

/// Pages at both ends of the address space, or a flat memory up to its end.
fn memory(is_paged: bool, code: &[u8]) -> (Memory, u64) {
    if !is_paged {
        let base = SIZE - 0x4000;
        let mut memory = Memory::new(Address(base), 0x4000).expect("a small memory");
        memory.slice_mut(Address(base), code.len()).expect("room").copy_from_slice(code);
        return (memory, base);
    }
    let mut pages = Pages::new(SIZE).expect("address space");
    pages.raw_mut(CODE, code.len()).expect("room").copy_from_slice(code);
    let both = Rights::READ | Rights::WRITE;
    pages.set_rights(CODE..CODE + PAGE, Rights::READ | Rights::EXECUTE);
    for (range, rights) in [(0..PAGE, both), (5 * PAGE..8 * PAGE, both), (SIZE - PAGE..SIZE, both)] {
        pages.set_rights(range, rights);
    }
    (Memory::paged(pages).expect("no host memory is needed"), CODE)
}

#[test]
fn addresses_that_wrap() {
    let program = program("rv32i_zicsr");
    for (is_paged, load, store) in
        [false, true].into_iter().flat_map(|is_paged| [(is_paged, "lw", "sw"), (is_paged, "lbu", "sb")])
    {
        let text = format!(
            "
            begin:
                addi x5, x6, 0
                jal x0, go
            go:
                {load} x8, 0(x5)
                {store} x8, 0(x5)
                beq x20, x0, pass
                {store} x8, 24(x5)
                {load} x9, 24(x5)
                beq x21, x0, pass
                {load} x10, 12(x5)
                {store} x10, 16(x5)
                bne x22, x0, more
                addi x12, x12, 1
            more:
                {load} x10, 12(x5)
                {store} x10, 4(x5)
                beq x22, x0, most
                addi x12, x12, 1
            most:
                {load} x10, 12(x5)
                {store} x10, 16(x5)
            pass:
                addi x22, x22, -1
                bne x22, x0, begin
                jal x0, stop
            stop:
                jal x0, stop"
        );
        let code: Vec<u8> = assemble(&program, &text).into_iter().flat_map(u32::to_le_bytes).collect();
        let start = memory(is_paged, &code).1;
        let machine = || {
            let (memory, start) = memory(is_paged, &code);
            let mut machine = Machine::new(&program, memory, Address(start), Htif::default());
            machine.hart.write_csr(number::MSTATUS.into(), 3 << 13, Clock::default()).expect("it is there");
            machine
        };
        let mut pair = Pair::new(machine, SIZE - PAGE..SIZE, AFTER);
        let mut once = |word: u64, x5: u64, ways: u64, trips: u64| {
            pair.each(|machine| {
                machine.hart.set_pc(start + 4 * word);
                for (register, value) in [(5, x5), (6, x5), (20, ways & 1), (21, ways >> 1), (22, trips)] {
                    machine.hart.set_x(register, value);
                }
            });
            let context = || format!("{is_paged}, {load}, {x5:#x}, ways {ways}");
            pair.run(60, context);
            pair.assert_same_memory(context);
        };
        let quiet = if is_paged { QUIET } else { SIZE - 0x1000 };
        // Later blocks before all of them.
        (0..4 * AFTER).for_each(|_| once(5, quiet, 3, 1));
        for _ in 0..4 * AFTER {
            [0, 1, 3].into_iter().for_each(|ways| once(0, quiet, ways, 4));
        }
        for (near, ways) in (-40..=12i64).flat_map(|near| [0, 1, 3].map(|ways| (near, ways))) {
            for edge in [0, start, SIZE - PAGE, PAGE, 8 * PAGE, 1 << 31] {
                once(0, edge.wrapping_add_signed(near) & (SIZE - 1), ways, 1 + ways);
            }
        }
        assert!(pair.seen.entered.get() > 0);
    }
}

/// A word of 64 bits may hold an address beyond 32, where they do not wrap.
#[test]
fn addresses_around_the_ends_of_64_bits() {
    let program = program("rv64i_zicsr");
    let base = 0xffff_ffff_ffff_c000u64;
    let text = "
        begin:
            lw x8, 0(x5)
            beq x20, x0, pass
            sw x8, 24(x5)
            beq x21, x0, pass
            lw x10, 12(x5)
            sw x10, 16(x5)
            lbu x10, 23(x5)
        pass:
            addi x22, x22, -1
            bne x22, x0, begin
        stop:
            jal x0, stop";
    let code: Vec<u8> = assemble(&program, text).into_iter().flat_map(u32::to_le_bytes).collect();
    let machine = || {
        let mut memory = Memory::new(Address(base), 0x4000).expect("a small memory");
        memory.slice_mut(Address(base), code.len()).expect("room").copy_from_slice(&code);
        Machine::new(&program, memory, Address(base), Htif::default())
    };
    let mut pair = Pair::new(machine, base..base + 0x3fff, AFTER);
    let mut once = |x5: u64, ways: u64, trips: u64| {
        pair.each(|machine| {
            machine.hart.set_pc(base);
            for (register, value) in [(5, x5), (20, ways & 1), (21, ways >> 1), (22, trips)] {
                machine.hart.set_x(register, value);
            }
        });
        pair.run(60, || format!("{x5:#x}, ways {ways}"));
    };
    for _ in 0..4 * AFTER {
        [0, 1, 3].into_iter().for_each(|ways| once(base + 0x2000, ways, 4));
    }
    for (near, ways) in (-40..=12i64).flat_map(|near| [0, 1, 3].map(|ways| (near, ways))) {
        [0, base, 1 << 63].into_iter().for_each(|edge| once(edge.wrapping_add_signed(near), ways, 2));
    }
    pair.assert_same_memory(String::new);
}

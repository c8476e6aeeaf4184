//! `brk`, `mmap` and what belongs to them, as a program sees them.

use engine::Observer;
use hart::pages::Change;
use hart::{Exception, Fault};
use linux::Ending;

use crate::assembly::{self, A0, EBREAK, T0, ZERO};
use crate::script::{CODE, SCRATCH, Script, number};

const FIXED: u64 = 0x10;
const ANONYMOUS: u64 = 0x22;
const READ_WRITE: u64 = 3;
const PLACE: u64 = 0x1000_0000;
const NO_FILE: u64 = -1i64 as u64;
const ENOMEM: i64 = -12;

fn fault(outcome: &crate::script::Outcome) -> Fault {
    match outcome.ending {
        Ending::Fault(fault) => fault,
        ref other => panic!("{other:?}"),
    }
}

#[test]
fn maps_what_fits_and_refuses_the_rest() {
    let mut script = Script::new();
    let sizes = [1 << 63, u64::MAX, 1 << 40, 65 << 20, 1 << 20];
    for size in sizes {
        script.call(number::MMAP, &[0, size, READ_WRITE, ANONYMOUS, NO_FILE, 0]);
    }
    // Address space is not memory.
    script.call(number::MMAP, &[0, 32 << 30, 0, ANONYMOUS, NO_FILE, 0]);
    script.call(number::MMAP, &[0, 0, READ_WRITE, ANONYMOUS, NO_FILE, 0]);
    let results = script.run().results;
    assert_eq!(results[..4], [ENOMEM; 4]);
    assert!(results[4] > 0 && results[5] > 0);
    assert_eq!(results[6], -22);
}

#[test]
fn counts_memory_that_was_written_though_it_may_not_be_now() {
    let mut script = Script::new();
    for index in 0..4 {
        let address = PLACE + index * (32 << 20);
        script.call(number::MMAP, &[address, 20 << 20, READ_WRITE, ANONYMOUS | FIXED, NO_FILE, 0]);
        script.call(number::MPROTECT, &[address, 20 << 20, 0]);
    }
    let results = script.run().results;
    assert_eq!(results[..4], [PLACE as i64, 0, PLACE as i64 + (32 << 20), 0]);
    assert_eq!(results[6], ENOMEM);
}

#[test]
fn gives_memory_back() {
    let mut script = Script::new();
    for _ in 0..20 {
        script.call(number::MMAP, &[PLACE, 40 << 20, READ_WRITE, ANONYMOUS | FIXED, NO_FILE, 0]);
        script.call(number::MUNMAP, &[PLACE, 40 << 20]);
    }
    let results = script.run().results;
    assert!(results.chunks(2).all(|pair| pair == [PLACE as i64, 0]));
}

#[test]
fn moves_a_mapping_that_has_no_room_and_its_bytes() {
    let mut script = Script::new();
    script.call(number::MMAP, &[PLACE, 0x2000, READ_WRITE, ANONYMOUS | FIXED, NO_FILE, 0]);
    script.call(number::MMAP, &[PLACE + 0x2000, 0x1000, 1, ANONYMOUS | FIXED, NO_FILE, 0]);
    script.call(number::GETRANDOM, &[PLACE, 0x2000, 0]);
    script.call(number::MREMAP, &[PLACE, 0x2000, 0x3000, 0]);
    script.call(number::MREMAP, &[PLACE, 0x2000, 0x3000, 1]);
    // It is gone from where it was.
    script.call(number::GETRANDOM, &[PLACE, 1, 0]);
    let results = script.run().results;
    assert_eq!(results[3], ENOMEM);
    assert!(results[4] > 0 && results[4] != PLACE as i64);
    assert_eq!(results[5], -14);
}

#[test]
fn many_small_maps_meet_a_bound() {
    let mut script = Script::new();
    let start = script.call(number::MMAP, &[PLACE, 1 << 30, 0, ANONYMOUS | FIXED, NO_FILE, 0]);
    let protects = (0..300).map(|index| script.call(number::MPROTECT, &[PLACE + index * 0x2000, 0x1000, 1]));
    let protects: Vec<usize> = protects.collect();
    let results = script.run().results;
    assert_eq!(results[start], PLACE as i64);
    assert!(protects.iter().all(|&index| results[index] == 0));
}

#[test]
fn the_heap_grows_and_shrinks() {
    let mut script = Script::new();
    script.call(number::BRK, &[0]);
    let start = script.run().results[0] as u64;
    let mut script = Script::new();
    script.call(number::BRK, &[start + 0x5001]);
    script.call(number::GETRANDOM, &[start, 0x5000, 0]);
    script.call(number::BRK, &[start + 0x1000]);
    script.call(number::GETRANDOM, &[start + 0x2000, 1, 0]);
    script.call(number::BRK, &[1 << 40]);
    script.call(number::BRK, &[start + (65 << 20)]);
    script.call(number::BRK, &[0]);
    let start = start as i64;
    let unmoved = start + 0x1000;
    assert_eq!(script.run().results, [start + 0x5001, 0x5000, unmoved, -14, unmoved, unmoved, unmoved]);
}

#[test]
fn code_may_not_be_written() {
    let mut code = assembly::load_immediate(T0, CODE as i32);
    code.push(assembly::store(isa::Xlen::Rv64, ZERO, T0, 0));
    let outcome = Script { code: Some(code), ..Script::new() }.run();
    assert_eq!(fault(&outcome).exception.cause, Exception::STORE_ACCESS);
    assert_eq!(fault(&outcome).exception.value, CODE);
}

#[test]
fn data_may_not_be_executed() {
    let mut code = assembly::load_immediate(T0, SCRATCH as i32);
    code.push(assembly::jalr(ZERO, T0));
    let outcome = Script { code: Some(code), ..Script::new() }.run();
    assert_eq!(fault(&outcome).exception.cause, Exception::FETCH_ACCESS);
    assert_eq!(fault(&outcome).pc.0, SCRATCH);
}

#[test]
fn the_stack_ends_in_a_fault() {
    let code = vec![
        assembly::addi(2, 2, -16),
        assembly::store(isa::Xlen::Rv64, ZERO, 2, 0),
        assembly::jal(ZERO, -8),
    ];
    let outcome = Script { code: Some(code), ..Script::new() }.run();
    assert_eq!(fault(&outcome).exception.cause, Exception::STORE_ACCESS);
}

#[test]
fn code_that_is_replaced_is_not_run_any_more() {
    let xlen = isa::Xlen::Rv64;
    let store_word = |source, offset| assembly::store(isa::Xlen::Rv32, source, T0, offset);
    let mut code = Vec::new();
    let prepare = |code: &mut Vec<u32>, immediate: i32| {
        // A function that returns `immediate`, at PLACE.
        code.extend(assembly::load_immediate(T0, PLACE as i32));
        code.extend(assembly::load_immediate(A0, assembly::addi(A0, ZERO, immediate) as i32));
        code.push(store_word(A0, 0));
        code.extend(assembly::load_immediate(A0, assembly::jalr(ZERO, 1) as i32));
        code.push(store_word(A0, 4));
        code.extend(assembly::call(number::MPROTECT, &[PLACE as i32, 0x1000, 5]));
        code.push(assembly::jalr(1, T0));
        code.extend(assembly::load_immediate(T0, SCRATCH as i32));
        code.push(assembly::store(xlen, A0, T0, immediate * 8));
    };
    code.extend(assembly::call(number::MMAP, &[PLACE as i32, 0x1000, 3, 0x32, -1, 0]));
    prepare(&mut code, 1);
    code.extend(assembly::call(number::MPROTECT, &[PLACE as i32, 0x1000, 3]));
    prepare(&mut code, 2);
    code.extend(assembly::call(number::MUNMAP, &[PLACE as i32, 0x1000]));
    code.extend(assembly::call(number::MMAP, &[PLACE as i32, 0x1000, 3, 0x32, -1, 0]));
    prepare(&mut code, 3);
    code.extend(assembly::call(number::EXIT_GROUP, &[7]));
    code.push(EBREAK);
    let outcome = Script { code: Some(code), ..Script::new() }.run();
    assert_eq!(outcome.ending, Ending::Exit(7));
    assert_eq!([1, 2, 3].map(|index| outcome.word(SCRATCH + 8 * index)), [1, 2, 3]);
}

#[test]
fn code_on_a_heap_that_shrank_is_not_run_any_more() {
    let xlen = isa::Xlen::Rv64;
    let mut script = Script::new();
    script.call(number::BRK, &[0]);
    let start = script.run().results[0] as i32;
    let mut code = Vec::new();
    for immediate in [1, 2] {
        code.extend(assembly::call(number::BRK, &[start + 0x1000]));
        code.extend(assembly::load_immediate(T0, start));
        for (offset, word) in [(0, assembly::addi(A0, ZERO, immediate)), (4, assembly::jalr(ZERO, 1))] {
            code.extend(assembly::load_immediate(A0, word as i32));
            code.push(assembly::store(isa::Xlen::Rv32, A0, T0, offset));
        }
        code.extend(assembly::call(number::MPROTECT, &[start, 0x1000, 5]));
        code.push(assembly::jalr(1, T0));
        code.extend(assembly::load_immediate(T0, SCRATCH as i32));
        code.push(assembly::store(xlen, A0, T0, immediate * 8));
        code.extend(assembly::call(number::BRK, &[start]));
    }
    // There is nothing to run now.
    code.extend(assembly::load_immediate(T0, start));
    code.push(assembly::jalr(1, T0));
    let outcome = Script { code: Some(code), ..Script::new() }.run();
    assert_eq!([1, 2].map(|index| outcome.word(SCRATCH + 8 * index)), [1, 2]);
    assert_eq!(fault(&outcome).exception.cause, Exception::FETCH_ACCESS);
}

#[derive(Default)]
struct Changes(Vec<Change>);

impl Observer for Changes {
    fn pages_changed(&mut self, change: &Change) {
        self.0.push(change.clone());
    }
}

#[test]
fn tells_of_pages_that_system_calls_write_or_take() {
    let mut script = Script::new();
    script.call(number::MMAP, &[PLACE, 0x3000, READ_WRITE, ANONYMOUS | FIXED, NO_FILE, 0]);
    script.call(number::GETRANDOM, &[PLACE + 0xfff, 2, 0]);
    // Nothing is there: nothing is written.
    script.call(number::GETRANDOM, &[PLACE + 0x2fff, 2, 0]);
    script.call(number::MPROTECT, &[PLACE, 0x1000, 1]);
    script.call(number::MUNMAP, &[PLACE + 0x1000, 0x1000]);
    script.call(number::MMAP, &[PLACE + 0x3000, 0x1000, 1, ANONYMOUS | FIXED, NO_FILE, 0]);
    let moved = script.call(number::MREMAP, &[PLACE + 0x2000, 0x1000, 0x2000, 1]);
    let (program, mut changes) = (script.program(), Changes::default());
    let outcome = script.watched(&program, &mut changes);
    let expected = [
        Change::Written(PLACE + 0xfff..PLACE + 0x1001),
        Change::Unmapped(PLACE + 0x1000..PLACE + 0x2000),
        Change::Moved(PLACE + 0x2000..PLACE + 0x3000, outcome.results[moved] as u64),
    ];
    assert_eq!(changes.0, expected);
}

//! The commit log, line for line as Spike writes it with `--log-commits`.

use std::io::{self, Write};

use engine::{Limits, Machine, Program, Stop};
use hart::{Address, Host, Htif, Memory};
use isa::Descriptions;
use observe::CommitLog;

const BASE: u64 = 0x8000_0000;
const RV32: &str = "rv32imac_zicsr";
const RV64: &str = "rv64imac_zicsr";

struct Silent;

impl Host for Silent {
    fn console(&mut self, _: &[u8]) {}
}

fn program(isa: &str) -> Program {
    Program::new(isa, &Descriptions::read(&[]).expect("sound descriptions")).expect("a known ISA string")
}

fn machine<'p>(program: &'p Program, code: &[u8], x: &[(u16, u64)]) -> Machine<'p> {
    let mut memory = Memory::new(Address(BASE), 0x2000).expect("a small memory");
    memory.slice_mut(Address(BASE), code.len()).expect("it fits").copy_from_slice(code);
    let mut machine = Machine::new(program, memory, Address(BASE), Htif::default());
    for (register, value) in x {
        machine.hart.set_x(*register, *value);
    }
    machine
}

fn code(words: &[u32]) -> Vec<u8> {
    words
        .iter()
        .flat_map(|&word| word.to_le_bytes()[..if isa::is_wide(word) { 4 } else { 2 }].to_vec())
        .collect()
}

/// The log of `instructions` instructions.
fn log(isa: &str, words: &[u32], x: &[(u16, u64)], instructions: u64) -> String {
    let program = program(isa);
    let mut machine = machine(&program, &code(words), x);
    let mut text = Vec::new();
    let mut log = CommitLog::new(&mut text, program.isa().xlen());
    machine.run(Limits { instructions: Some(instructions) }, &mut log, &mut Silent);
    log.finish().expect("a vector takes all");
    String::from_utf8(text).expect("text")
}

/// `auipc t0, 0; addi x0, x0, 0; sw a0, 4(a1); lbu a2, 5(a1); c.addi a0, 1; beq x0, x0, 8; …; jal ra, 4`
const WORDS: [u32; 8] =
    [0x0000_0297, 0x13, 0x00a5_a223, 0x0055_c603, 0x0505, 0x0000_0463, 0xffff_ffff, 0x0040_00ef];

#[test]
fn rv64_lines() {
    let lines = log(RV64, &WORDS, &[(10, 0xffff_ffff_1234_5678), (11, BASE + 0x100)], 7);
    assert_eq!(
        lines,
        "core   0: 3 0x0000000080000000 (0x00000297) x5  0x0000000080000000\n\
         core   0: 3 0x0000000080000004 (0x00000013)\n\
         core   0: 3 0x0000000080000008 (0x00a5a223) mem 0x0000000080000104 0x12345678\n\
         core   0: 3 0x000000008000000c (0x0055c603) x12 0x0000000000000056 mem 0x0000000080000105\n\
         core   0: 3 0x0000000080000010 (0x0505) x10 0xffffffff12345679\n\
         core   0: 3 0x0000000080000012 (0x00000463)\n\
         core   0: 3 0x000000008000001a (0x004000ef) x1  0x000000008000001e\n"
    );
}

#[test]
fn rv32_lines() {
    let lines = log(RV32, &WORDS, &[(10, 0x1234_5678), (11, BASE + 0x100)], 7);
    assert_eq!(
        lines,
        "core   0: 3 0x80000000 (0x00000297) x5  0x80000000\n\
         core   0: 3 0x80000004 (0x00000013)\n\
         core   0: 3 0x80000008 (0x00a5a223) mem 0x80000104 0x12345678\n\
         core   0: 3 0x8000000c (0x0055c603) x12 0x00000056 mem 0x80000105\n\
         core   0: 3 0x80000010 (0x0505) x10 0x12345679\n\
         core   0: 3 0x80000012 (0x00000463)\n\
         core   0: 3 0x8000001a (0x004000ef) x1  0x8000001e\n"
    );
}

#[test]
fn stores_show_as_many_digits_as_bytes() {
    // sb, sh, sw, sd of a0 to 0(a1)
    let words = [0x00a5_8023, 0x00a5_9023, 0x00a5_a023, 0x00a5_b023];
    let lines = log(RV64, &words, &[(10, 0x0102_0304_0506_0708), (11, BASE + 0x100)], 4);
    let values: Vec<&str> = lines.lines().filter_map(|line| line.rsplit(' ').next()).collect();
    assert_eq!(values, ["0x08", "0x0708", "0x05060708", "0x0102030405060708"]);
}

#[test]
fn an_atomic_shows_its_register_its_load_and_its_store() {
    // amoadd.w a2, a0, (a1), twice
    let lines = log(RV32, &[0x00a5_a62f, 0x00a5_a62f], &[(10, 5), (11, BASE + 0x100)], 2);
    assert_eq!(
        lines.lines().last(),
        Some("core   0: 3 0x80000004 (0x00a5a62f) x12 0x00000005 mem 0x80000100 mem 0x80000100 0x0000000a")
    );
}

#[test]
fn a_store_conditional_that_fails_stores_nothing() {
    // sc.w a2, a0, (a1)
    let lines = log(RV32, &[0x18a5_a62f], &[(10, 5), (11, BASE + 0x100)], 1);
    assert_eq!(lines, "core   0: 3 0x80000000 (0x18a5a62f) x12 0x00000001\n");
}

#[test]
fn a_csr_write_shows_number_name_and_the_value_it_holds_afterwards() {
    // csrrw t0, mscratch, a0; csrrs t1, mscratch, zero; csrrw zero, mepc, a0 (whose lowest bit is no bit)
    let lines = log(RV64, &[0x3405_12f3, 0x3400_2373, 0x3415_1073], &[(10, BASE + 1)], 3);
    assert_eq!(
        lines,
        "core   0: 3 0x0000000080000000 (0x340512f3) x5  0x0000000000000000 c832_mscratch 0x0000000080000001\n\
         core   0: 3 0x0000000080000004 (0x34002373) x6  0x0000000080000001\n\
         core   0: 3 0x0000000080000008 (0x34151073) c833_mepc 0x0000000080000000\n"
    );
}

#[test]
fn instructions_that_trap_are_not_committed() {
    // csrrw zero, mtvec, a0; ecall; …; the handler: addi a1, a1, 1
    let lines = log(RV32, &[0x3055_1073, 0x73, 0x13, 0x0015_8593], &[(10, BASE + 12)], 2);
    assert_eq!(
        lines,
        "core   0: 3 0x80000000 (0x30551073) c773_mtvec 0x8000000c\n\
         core   0: 3 0x8000000c (0x00158593) x11 0x00000001\n"
    );
}

#[test]
fn user_mode_is_mode_zero() {
    // csrrw zero, mepc, a0; csrrw zero, mstatus, zero; mret; …; addi a1, a1, 1
    let lines = log(RV32, &[0x3415_1073, 0x3000_1073, 0x3020_0073, 0x13, 0x0015_8593], &[(10, BASE + 16)], 4);
    let modes: Vec<&str> = lines.lines().filter_map(|line| line.split(' ').nth(4)).collect();
    assert_eq!(modes, ["3", "3", "3", "0"]);
    assert_eq!(lines.lines().last(), Some("core   0: 0 0x80000010 (0x00158593) x11 0x00000001"));
}

#[test]
fn a_fault_ends_the_log_before_it() {
    // addi a1, a1, 1; lw a0, 0(zero)
    let lines = log(RV32, &[0x0015_8593, 0x0000_2503], &[], 5);
    assert_eq!(lines.lines().count(), 1);
}

/// A disk that is full after some bytes.
struct Full(usize);

impl Write for Full {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0 < bytes.len() {
            return Err(io::ErrorKind::StorageFull.into());
        }
        self.0 -= bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_full_disk_is_reported_and_changes_nothing_in_the_guest() {
    let program = program(RV32);
    let mut machine = machine(&program, &code(&WORDS), &[(11, BASE + 0x100)]);
    let mut log = CommitLog::new(Full(60), program.isa().xlen());
    let stop = machine.run(Limits { instructions: Some(7) }, &mut log, &mut Silent);
    assert_eq!((stop, machine.hart.retired()), (Stop::InstructionLimit, 7));
    assert_eq!(log.finish().map_err(|error| error.kind()), Err(io::ErrorKind::StorageFull));
}

/// `csrs mstatus, t0; vsetvli t1, a0, e32, m2, ta, ma; vle32.v v2, (a1); vadd.vv v4, v2, v2;
/// vse32.v v4, (a1); vmv.x.s t3, v4`
const VECTOR: [u32; 6] = [0x3002_a073, 0x0d15_7357, 0x0205_e107, 0x0221_0257, 0x0205_e227, 0x4240_2e57];

/// Spike's lines, without the vector CSRs it shows for each of these instructions.
#[test]
fn vector_lines() {
    let program = program("rv64gcv");
    let x = [(5, 0x600), (10, 5), (11, BASE + 0x100)];
    let mut machine = machine(&program, &code(&VECTOR), &x);
    let data: Vec<u8> = (1..=5u32).flat_map(u32::to_le_bytes).collect();
    machine.memory.slice_mut(Address(BASE + 0x100), 20).expect("in memory").copy_from_slice(&data);
    let mut text = Vec::new();
    let mut log = CommitLog::new(&mut text, program.isa().xlen());
    machine.run(Limits { instructions: Some(6) }, &mut log, &mut Silent);
    log.finish().expect("a vector takes all");
    let text = String::from_utf8(text).expect("text");
    let lines: Vec<&str> = text.lines().skip(1).collect();
    assert_eq!(
        lines,
        [
            "core   0: 3 0x0000000080000004 (0x0d157357) x6  0x0000000000000005",
            "core   0: 3 0x0000000080000008 (0x0205e107) e32 m2 l5 v2  0x00000004000000030000000200000001 \
             v3  0x00000000000000000000000000000005 mem 0x0000000080000100 mem 0x0000000080000104 \
             mem 0x0000000080000108 mem 0x000000008000010c mem 0x0000000080000110",
            "core   0: 3 0x000000008000000c (0x02210257) e32 m2 l5 v4  0x00000008000000060000000400000002 \
             v5  0x0000000000000000000000000000000a",
            "core   0: 3 0x0000000080000010 (0x0205e227) e32 m2 l5 mem 0x0000000080000100 0x00000002 \
             mem 0x0000000080000104 0x00000004 mem 0x0000000080000108 0x00000006 \
             mem 0x000000008000010c 0x00000008 mem 0x0000000080000110 0x0000000a",
            "core   0: 3 0x0000000080000014 (0x42402e57) e32 m2 l5 x28 0x0000000000000002",
        ]
    );
}

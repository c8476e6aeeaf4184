//! Disassembly: one example of every instruction in golden files, and the same text from an assembler's
//! point of view. `UPDATE_GOLDEN=1 cargo test -p isa --test disassembly` writes the files anew.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use coredsl::ir::{Field, Instruction};
use isa::{Instructions, Xlen};

/// Address of every example.
const PC: u64 = 0x8000_1000;

/// What a field is in the example: `a0`, `a1`, `a2` for registers.
fn example(instruction: &Instruction, field: &Field) -> u64 {
    let register = |number: u64| if field.width == 3 { number - 8 } else { number };
    match field.name.as_str() {
        "rd" => register(10),
        "rs1" => register(11),
        "rs2" => register(12),
        "imm" if field.width > 20 && instruction.name.ends_with("UI") => 0x1234_5000,
        "imm" if instruction.name == "AUIPC" => 0x1234_5000,
        "imm" => (-32i64) as u64,
        "uimm" => 24,
        "csr" => 0x300,
        // Groups of up to eight registers, and all that may be masked is.
        "vd" | "vs3" => 8,
        "vs2" => 16,
        "vs1" => 24,
        "vm" => 0,
        // e32, m2, ta, ma
        "zimm" => 0xd1,
        "pred" | "succ" => 15,
        "aq" | "rl" | "fm" => 0,
        // ra, s0 to s3; an entry of a table that links.
        "rlist" => 8,
        "index" if field.width == 8 => 40,
        _ => 2,
    }
}

fn word(instruction: &Instruction) -> u32 {
    let fields = &instruction.encoding.fields;
    // What is ignored is zero in an assembler's output.
    let unused = |field: &Field| {
        ["FENCE", "FENCE__TSO", "FENCE__I"].contains(&instruction.name.as_str())
            && ["rd", "rs1", "imm"].contains(&field.name.as_str())
    };
    fields
        .iter()
        .filter(|field| !unused(field))
        .fold(instruction.encoding.value, |word, field| word | field.insert(example(instruction, field)))
}

fn listing(instructions: Option<&Instructions>) -> String {
    let instructions = instructions.expect("the built-in descriptions are sound");
    let mut text = String::new();
    for instruction in &instructions.module().instructions {
        let word = word(instruction);
        let line = instructions.disassemble(word, PC).expect("an instruction");
        let constant = instruction.mnemonic.split('<').next().unwrap_or_default();
        assert!(line.starts_with(constant), "{line} for {}", instruction.name);
        let digits = usize::from(instruction.encoding.length / 4);
        writeln!(text, "{word:0digits$x} {line}").expect("a string takes all");
    }
    text
}

#[test]
fn one_example_of_every_instruction() {
    for (instructions, name) in [
        (Instructions::all(Xlen::Rv32), "rv32.txt"),
        (Instructions::all(Xlen::Rv64), "rv64.txt"),
        (Instructions::embedded(Xlen::Rv32), "rv32-embedded.txt"),
        (Instructions::embedded(Xlen::Rv64), "rv64-embedded.txt"),
    ] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/disassembly").join(name);
        let actual = listing(instructions);
        if std::env::var_os("UPDATE_GOLDEN").is_some() {
            fs::write(&path, &actual).expect("a writable golden file");
        }
        let expected = fs::read_to_string(&path).unwrap_or_default();
        let different: Vec<_> =
            actual.lines().filter(|line| !expected.lines().any(|other| other == *line)).collect();
        assert!(actual == expected, "{name} differs in {different:#?}");
    }
}

/// As LLVM 20 writes them.
#[test]
fn pushes_name_the_registers_that_they_save() {
    for (xlen, word, text) in [
        (Xlen::Rv32, 0xb842, "cm.push {ra}, -16"),
        (Xlen::Rv32, 0xb856, "cm.push {ra, s0}, -32"),
        (Xlen::Rv32, 0xb862, "cm.push {ra, s0-s1}, -16"),
        (Xlen::Rv32, 0xb8fe, "cm.push {ra, s0-s11}, -112"),
        (Xlen::Rv64, 0xb8fe, "cm.push {ra, s0-s11}, -160"),
        (Xlen::Rv32, 0xbaea, "cm.pop {ra, s0-s9}, 80"),
        (Xlen::Rv64, 0xbe52, "cm.popret {ra, s0}, 16"),
        (Xlen::Rv64, 0xbc72, "cm.popretz {ra, s0-s2}, 32"),
        (Xlen::Rv32, 0xacaa, "cm.mvsa01 s1, s2"),
        (Xlen::Rv32, 0xaf6e, "cm.mva01s s6, s3"),
        (Xlen::Rv32, 0xa0fe, "cm.jalt 63"),
        (Xlen::Rv32, 0xa07e, "cm.jt 31"),
    ] {
        let instructions = Instructions::embedded(xlen).expect("sound");
        assert_eq!(instructions.disassemble(word, 0).as_deref(), Some(text), "{word:#06x}");
    }
}

#[test]
fn vector_operands_as_assemblers_write_them() {
    let instructions = Instructions::all(Xlen::Rv64).expect("sound");
    for (word, text) in [
        (0x0d05_7557, "vsetvli a0, a0, e32, m1, ta, ma"),
        (0x0000_7057, "vsetvli zero, zero, e8, m1, tu, mu"),
        (0x09b0_7557, "vsetvli a0, zero, e64, m8, tu, ma"),
        (0xc4d2_f057, "vsetivli zero, 5, e16, mf8, ta, mu"),
        (0xcd70_7057, "vsetivli zero, 0, e32, mf2, ta, ma"),
        // Reserved: LMUL code 4, SEW code 4, bits above 7.
        (0x0040_7057, "vsetvli zero, zero, 4"),
        (0x0200_7057, "vsetvli zero, zero, 32"),
        (0x7ff0_7057, "vsetvli zero, zero, 2047"),
        (0x80c5_f557, "vsetvl a0, a1, a2"),
    ] {
        assert_eq!(instructions.disassemble(word, 0).as_deref(), Some(text), "{word:#010x}");
    }
}

#[test]
fn operands_at_their_extremes() {
    let instructions = Instructions::all(Xlen::Rv64).expect("sound");
    for (word, pc, text) in [
        (0x8000_0013, 0, "addi zero, zero, -2048"),
        (0x7ff0_0f93, 0, "addi t6, zero, 2047"),
        (0xffff_f537, 0, "lui a0, 0xfffff"),
        (0xfff5_3503, 0, "ld a0, -1(a0)"),
        (0xfe00_0ee3, 0x10, "beq zero, zero, 0xc"),
        (0xfe00_0ee3, 0, "beq zero, zero, 0xfffffffffffffffc"),
        (0x8000_006f, 0x10_0000, "jal zero, 0x0"),
        (0x03f5_9593, 0, "slli a1, a1, 63"),
    ] {
        assert_eq!(instructions.disassemble(word, pc).as_deref(), Some(text), "{word:#010x}");
    }
    assert_eq!(instructions.disassemble(0xffff_ffff, 0), None);
    let rv32 = Instructions::all(Xlen::Rv32).expect("sound");
    assert_eq!(rv32.disassemble(0xfe00_0ee3, 0).as_deref(), Some("beq zero, zero, 0xfffffffc"));
}

#[test]
fn registers_by_the_names_that_assemblers_take() {
    let instructions = Instructions::all(Xlen::Rv64).expect("sound");
    for (csr, name) in [
        (0x001, "fflags"),
        (0x180, "satp"),
        (0x305, "mtvec"),
        (0x3b0, "pmpaddr0"),
        (0x3ef, "pmpaddr63"),
        // The event selectors begin at 3, after those that are the fixed counters' inhibit bits.
        (0x323, "mhpmevent3"),
        (0xb1f, "mhpmcounter31"),
        (0xc83, "hpmcounter3h"),
        (0xf14, "mhartid"),
        // Numbers of no register: next to sequences, and for custom use.
        (0xb01, "0xb01"),
        (0x3f0, "0x3f0"),
        (0x7c0, "0x7c0"),
        (0xfff, "0xfff"),
    ] {
        let word = csr << 20 | 0x0000_2573;
        assert_eq!(instructions.disassemble(word, 0), Some(format!("csrrs a0, {name}, zero")), "{csr:#x}");
    }
}

#[test]
fn no_two_registers_have_one_name() {
    let names: Vec<_> = (0..0x1000).filter_map(isa::csr::name).collect();
    let distinct: std::collections::BTreeSet<_> = names.iter().collect();
    assert_eq!(distinct.len(), names.len());
}

#[test]
fn an_atomic_s_ordering_is_part_of_its_mnemonic() {
    let instructions = Instructions::all(Xlen::Rv64).expect("sound");
    for (word, text) in [
        (0x1005_a52f, "lr.w a0, (a1)"),
        (0x1405_a52f, "lr.w.aq a0, (a1)"),
        (0x1ac5_b52f, "sc.d.rl a0, a2, (a1)"),
        (0x06c5_a52f, "amoadd.w.aqrl a0, a2, (a1)"),
        (0xe4c5_b52f, "amomaxu.d.aq a0, a2, (a1)"),
    ] {
        assert_eq!(instructions.disassemble(word, 0).as_deref(), Some(text), "{word:#010x}");
        let id = instructions.decode(word).expect("an instruction");
        assert!(!instructions.get(id).mnemonic.contains("aq"), "histograms count all orderings as one");
    }
}

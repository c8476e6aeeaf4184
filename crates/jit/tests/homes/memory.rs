//! Reservations and changes of the program's own code while registers are in their homes.

use std::rc::Rc;

use engine::{Machine, Stop};
use hart::{Address, Htif};

use crate::guest::{BASE, DATA, encode, program};
use crate::layouts::Layout;
use crate::pair::Watch;
use crate::times::{Seen, Times, Told};
use crate::{Check, paged, registers, text};

#[test]
fn reservations() {
    let text = "head:
        ADDI rd=31 rs1=31 imm=-1
        BEQ rs1=31 rs2=0 >end
        LR__D rd=5 rs1=29
        ADD rd=5 rs1=5 rs2=6
        SC__D rd=7 rs1=29 rs2=5
        BNE rs1=7 rs2=0 >head
        ADD rd=6 rs1=6 rs2=7
        SC__D rd=6 rs1=29 rs2=6
        LR__D rd=8 rs1=29
        BEQ rs1=8 rs2=0 >head
        ADDI rd=8 rs1=8 imm=1
        SC__D rd=8 rs1=29 rs2=8
        AMOADD__D rd=9 rs1=29 rs2=8
        LR__D rd=29 rs1=29
        ADD rd=29 rs1=28 rs2=8
        ADDI rd=10 rs1=9 imm=-1
        JALR rd=0 rs1=30 imm=0
        end:
        EBREAK";
    let program = program("rv64ima_zicsr");
    for watch in [Watch::Nothing, Watch::Time] {
        // What the last one adds to the address makes it misaligned, which ends the run.
        Check::new(&program, text, &[(30, BASE), (31, 5), (29, DATA), (28, DATA + 8)]).watched(watch).all();
    }
}

/// Ways into a region check what is accessed through a register in its home, which each has to load: in memory from
/// address 0 on, nothing instead of it would do.
#[test]
fn each_way_in_checks_the_register() {
    let text = "first:
        LD rd=6 rs1=5 imm=0
        BEQ rs1=9 rs2=0 >second
        ADD rd=5 rs1=5 rs2=8
        JALR rd=0 rs1=30 imm=20
        ADDI
        second:
        LD rd=7 rs1=5 imm=0
        ADDI rd=31 rs1=31 imm=-1
        BEQ rs1=31 rs2=0 >end
        XORI rd=9 rs1=9 imm=1
        JALR rd=0 rs1=30 imm=0
        end:
        EBREAK";
    let program = program("rv64ima_zicsr");
    let words = text::words(&program, text);
    let code: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let layout = Layout::Flat { base: 0, size: 0x3000, tohost: None, other: None };
    for (after, times) in Times::ALL.into_iter().enumerate() {
        let machine = || Machine::new(&program, layout.memory(&code), Address(0), Htif::default());
        let mut pair = paged::Pair::new(machine, 0..0x3000, 0);
        let seen = Rc::new(Seen::default());
        pair.compiled.set_compiler(Box::new(Told::new(after as u32 + 2, times, &seen)));
        // All in memory at first; then one way in finds an address outside.
        for (start, by) in [(0x1000, 0), (0x1000, 8), (0x1000, 0x2000), (0x2ff8, 8), (0x1000, 1 << 40)] {
            pair.each(|machine| {
                let set = [(5, start), (8, by), (9, 0), (30, 0), (31, 12)];
                for (register, value) in registers(&set).into_iter().enumerate() {
                    machine.hart.set_x(register as u16, value);
                }
                machine.hart.set_pc(0);
            });
            let stop = pair.run(1000, || format!("from {start:#x} by {by:#x}, {times:?}"));
            assert!(matches!(stop, Stop::Fault(_)), "{stop:?}");
        }
        assert!(seen.entered.get() > 0 && seen.has_region_of(2), "{times:?}");
    }
}

/// The instruction that reads a register is exchanged for one that writes it, and back, in every eighth round.
#[test]
fn own_code_changes() {
    let text = "head:
        ADDI rd=31 rs1=31 imm=-1
        BEQ rs1=31 rs2=0 >end
        ADD rd=5 rs1=5 rs2=6
        ANDI rd=26 rs1=31 imm=7
        ADD rd=7 rs1=7 rs2=5
        BNE rs1=26 rs2=0 >changed
        SW rs1=30 rs2=27 imm=48
        ADDI rd=26 rs1=27 imm=0
        ADDI rd=27 rs1=28 imm=0
        ADDI rd=28 rs1=26 imm=0
        FENCE__I rd=0 rs1=0 imm=0
        changed:
        ADD rd=9 rs1=5 rs2=7
        ADD rd=8 rs1=6 rs2=7
        XOR rd=5 rs1=5 rs2=8
        BEQ rs1=5 rs2=6 >head
        SUB rd=9 rs1=9 rs2=6
        ADD rd=10 rs1=7 rs2=9
        JALR rd=0 rs1=30 imm=0
        end:
        EBREAK";
    let program = program("rv64ima_zicsr_zifencei");
    let one = |rd, rs1| encode(program.module(), "ADD", &[("rd", rd), ("rs1", rs1), ("rs2", 7)]).into();
    for fence in [true, false] {
        let text = if fence { text.to_owned() } else { text.replace("FENCE__I rd=0 rs1=0 imm=0", "ADDI") };
        let set = [(30, BASE), (31, 26), (27, one(6, 5)), (28, one(8, 6))];
        let mut check = Check::new(&program, &text, &set);
        check.step = 11;
        check.all();
    }
}

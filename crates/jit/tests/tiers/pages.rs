//! A process's memory: rights page by page, accesses across two of them.

use engine::{Blind, Limits, Machine, Program};
use hart::pages::{PAGE, Pages, Rights};
use hart::{Address, Htif, Memory};
use jit::Jit;

use crate::guest::{Code, Screen, program};

const SIZE: u64 = 16 * PAGE;
const CODE: u64 = PAGE;
/// Pages with every combination of load and store rights, each beside each other.
const DATA: u64 = 4 * PAGE;
const ALL: [Rights; 10] = {
    let (none, read, write) = (Rights::NONE, Rights::READ, Rights::WRITE);
    [none, read, read, write, write, none, write, read, none, read]
};

fn machine<'p>(program: &'p Program, name: &str, address: u64) -> Machine<'p> {
    let mut pages = Pages::new(SIZE).expect("address space");
    pages.set_rights(CODE..CODE + PAGE, Rights::READ | Rights::EXECUTE);
    for (index, rights) in ALL.into_iter().enumerate() {
        let start = DATA + index as u64 * PAGE;
        pages.set_rights(start..start + PAGE, rights);
    }
    let register = if name.starts_with('S') { "rs2" } else { "rd" };
    let access =
        |code: Code<'p>, value: i64, imm: i64| code.op(name, &[(register, value), ("rs1", 5), ("imm", imm)]);
    let code = access(access(Code::new(program), 6, 0), 7, 24);
    let bytes = code.op("JAL", &[("imm", -8)]).machine();
    let code = bytes.memory.slice(Address(crate::BASE), 12).expect("the code").to_vec();
    pages.raw_mut(CODE, code.len()).expect("room").copy_from_slice(&code);
    for (index, byte) in pages.raw_mut(DATA, 10 * PAGE as usize).expect("room").iter_mut().enumerate() {
        *byte = (index % 251) as u8;
    }
    let memory = Memory::paged(pages).expect("no host memory is needed");
    let mut machine = Machine::new(program, memory, Address(CODE), Htif::default());
    machine.hart.set_x(5, address);
    machine.hart.set_x(6, 0x1122_3344_5566_7788);
    machine
}

#[test]
fn rights_hold_in_both_tiers() {
    for isa in ["rv32i", "rv64i"] {
        let program = program(isa);
        let names: &[&str] = if isa == "rv32i" {
            &["LB", "LW", "SH", "SW"]
        } else {
            &["LBU", "LHU", "LW", "LD", "SB", "SH", "SW", "SD"]
        };
        for name in names {
            for page in 0..=ALL.len() as u64 {
                for offset in [0, 1, PAGE / 2, PAGE - 30, PAGE - 8, PAGE - 7, PAGE - 4, PAGE - 2, PAGE - 1] {
                    let address = (DATA + page * PAGE + offset).wrapping_sub(PAGE);
                    let (mut interpreted, mut compiled) =
                        (machine(&program, name, address), machine(&program, name, address));
                    compiled.set_compiler(Box::new(Jit::new().after(0)));
                    let limits = Limits { instructions: Some(9) };
                    let expected = interpreted.run(limits, &mut Blind, &mut Screen::default());
                    let stop = compiled.run(limits, &mut Blind, &mut Screen::default());
                    assert_eq!(stop, expected, "{name} {address:#x}");
                    assert_eq!(interpreted.hart.retired(), compiled.hart.retired());
                    assert_eq!(
                        (interpreted.hart.x(6), interpreted.hart.x(7)),
                        (compiled.hart.x(6), compiled.hart.x(7))
                    );
                    for memory in [&mut interpreted.memory, &mut compiled.memory] {
                        memory.pages_mut().expect("pages").set_rights(0..SIZE, Rights::READ);
                    }
                    let bytes = |machine: &Machine<'_>| {
                        machine.memory.slice(Address(0), SIZE as usize).map(<[u8]>::to_vec)
                    };
                    assert!(bytes(&interpreted) == bytes(&compiled), "{name} {address:#x}: memory differs");
                }
            }
        }
    }
}

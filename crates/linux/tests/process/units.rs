//! Floating-point and vector registers belong to a thread, and a handler does not disturb them.

use isa::Xlen;
use linux::Ending;

use crate::assembly::{self, A0, If, S0, T0, T1, ZERO};
use crate::script::{CODE, SCRATCH, Script, number};

const XLEN: Xlen = Xlen::Rv64;
const FCSR: u32 = 3;
const VL: u32 = 0xc20;
const VTYPE: u32 = 0xc21;
const VXRM: u32 = 0x00a;
const VSTART: u32 = 0x008;

/// `vsetvli t0, zero, e8, m8, ta, ma` (the longest) or another setting.
fn set_vector(vtype: u32) -> u32 {
    vtype << 20 | 7 << 12 | (T0 as u32) << 7 | 0x57
}

/// `vmv.v.x vd, rs1`.
fn splat(vd: u32, rs1: u8) -> u32 {
    0b01_0111 << 26 | 1 << 25 | u32::from(rs1) << 15 | 4 << 12 | vd << 7 | 0x57
}

/// `vs8r.v vs3, (rs1)`.
fn store_eight_registers(vs3: u32, rs1: u8) -> u32 {
    7 << 29 | 1 << 25 | 8 << 20 | u32::from(rs1) << 15 | vs3 << 7 | 0x27
}

const E8_M8: u32 = 0b000_011;
const E64_M1: u32 = 0b011_000;

/// Fills the units with values made from `seed`.
fn fill(seed: i32, vector: bool) -> Vec<u32> {
    let mut code = assembly::load_immediate(T1, seed);
    code.push(assembly::write_csr(FCSR, T1));
    for register in 0..32 {
        // fmv.d.x
        code.push(0x79 << 25 | u32::from(T1) << 15 | register << 7 | 0x53);
        code.push(assembly::addi(T1, T1, 3));
    }
    if vector {
        code.push(set_vector(E8_M8));
        for register in [0, 8, 16, 24] {
            code.push(splat(register, T1));
            code.push(assembly::addi(T1, T1, 1));
        }
        code.extend(assembly::load_immediate(T1, seed));
        code.push(assembly::write_csr(VXRM, T1));
        code.push(set_vector(if seed & 1 == 1 { E64_M1 } else { E8_M8 }));
        code.push(assembly::write_csr(VSTART, T1));
    }
    code
}

/// Stores all of them at an address.
fn dump(address: u64, vector: bool) -> Vec<u32> {
    let mut code = assembly::load_immediate(S0, address as i32);
    for register in 0..32 {
        code.push(assembly::store_double(register, S0, 8 * i32::from(register)));
    }
    let mut csrs = vec![FCSR];
    if vector {
        csrs.extend([VL, VTYPE, VXRM, VSTART]);
    }
    code.push(assembly::addi(S0, S0, 256));
    for (index, csr) in (0..).zip(csrs) {
        code.push(assembly::read_csr(A0, csr));
        code.push(assembly::store(XLEN, A0, S0, 8 * index));
    }
    if vector {
        // Whole registers, whatever is set, from element `vstart` on: from the first.
        code.push(assembly::write_csr(VSTART, ZERO));
        code.push(assembly::addi(S0, S0, 64));
        for register in [0, 8, 16, 24] {
            code.push(store_eight_registers(register, S0));
            code.extend(assembly::load_immediate(T0, 8 * 32));
            code.push(assembly::add(S0, S0, T0));
        }
    }
    code
}

/// Runs a program that fills the units, is interrupted by a handler that fills them otherwise, and dumps
/// them; returns the two dumps, with and without interruption.
fn interrupted(extensions: &'static str, vector: bool, handler_uses: bool) -> [Vec<u8>; 2] {
    [false, true].map(|interrupt| {
        let mut script = Script { extensions, ..Script::new() };
        let action = script.words(&[CODE + 4, 0, 0]) as i32;
        let mut handler = if handler_uses { fill(0x71, vector) } else { Vec::new() };
        handler.push(assembly::jalr(ZERO, 1));
        let mut code = vec![assembly::jal(ZERO, 4 * (handler.len() as i32 + 1))];
        code.extend(handler);
        code.extend(assembly::call(number::RT_SIGACTION, &[10, action, 0, 8]));
        code.extend(fill(0x22, vector));
        if interrupt {
            code.extend(assembly::call(number::TGKILL, &[100, 100, 10]));
        }
        code.extend(dump(SCRATCH, vector));
        code.extend(assembly::call(number::EXIT_GROUP, &[0]));
        let outcome = Script { code: Some(code), ..script }.run();
        assert_eq!(outcome.ending, Ending::Exit(0));
        outcome.scratch.expect("scratch")[..0x1000].to_vec()
    })
}

#[test]
fn a_handler_does_not_disturb_floating_point() {
    let [plain, disturbed] = interrupted("imafd_zicsr", false, true);
    assert!(plain == disturbed);
    assert!(plain[..8] != [0; 8]);
}

#[test]
fn a_handler_does_not_disturb_vectors() {
    for uses in [true, false] {
        let [plain, disturbed] = interrupted("imafdv_zicsr_zvl256b", true, uses);
        assert!(plain == disturbed);
        assert!(plain[320..320 + 1024].iter().all(|&byte| byte != 0));
    }
}

#[test]
fn vectors_used_only_by_a_handler_leave_no_trace() {
    let run = |handled: bool| {
        let mut script = Script { extensions: "imafdv_zicsr_zvl256b", ..Script::new() };
        let action = script.words(&[CODE + 4, 0, 0]) as i32;
        let mut handler = fill(0x33, true);
        handler.push(assembly::jalr(ZERO, 1));
        let mut code = vec![assembly::jal(ZERO, 4 * (handler.len() as i32 + 1))];
        code.extend(handler);
        code.extend(assembly::call(number::RT_SIGACTION, &[10, action, 0, 8]));
        if handled {
            code.extend(assembly::call(number::TGKILL, &[100, 100, 10]));
        }
        code.extend(dump(SCRATCH, true));
        code.extend(assembly::call(number::EXIT_GROUP, &[0]));
        Script { code: Some(code), ..script }.run().scratch.expect("scratch")[..0x1000].to_vec()
    };
    assert!(run(true) == run(false));
}

#[test]
fn threads_have_registers_of_their_own() {
    let mut thread = fill(0x55, true);
    thread.extend(assembly::call(number::EXIT, &[0]));
    let mut code = fill(0x22, true);
    code.extend(assembly::call(number::CLONE, &[0x5_0f00, 0, 0, 0, 0]));
    code.push(assembly::branch(If::Unequal, A0, ZERO, 4 * (thread.len() as i32 + 1)));
    code.extend(thread);
    code.extend(assembly::call(number::SCHED_YIELD, &[]));
    code.extend(dump(SCRATCH, true));
    code.extend(assembly::call(number::EXIT_GROUP, &[0]));
    let outcome = Script { code: Some(code), extensions: "imafdv_zicsr_zvl256b", ..Script::new() }.run();
    let [plain, _] = interrupted("imafdv_zicsr_zvl256b", true, true);
    assert!(outcome.scratch.expect("scratch")[..0x1000] == plain);
}

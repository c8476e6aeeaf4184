//! Floating-point and vector state as a signal frame holds it (`asm/ptrace.h`: `struct __riscv_d_ext_state` in room
//! for the Q extension's; from its last eight bytes on `asm/sigcontext.h`: `struct __riscv_ctx_hdr`, `struct
//! __sc_riscv_v_state`, then the registers).

use hart::Hart;
use hart::csr::number::{FCSR, VCSR, VL, VSTART, VTYPE};
use isa::Xlen;

/// Where the header of vector state is: the last eight bytes of `union __riscv_fp_state`.
const VECTOR: usize = 520;
/// Bytes of [`save`] at least.
pub const LEAST: usize = VECTOR + HEADER;
/// `RISCV_V_MAGIC`.
const MAGIC: u32 = 0x5346_5457;
/// A header: magic number, and bytes of what it heads, itself included.
const HEADER: usize = 8;
/// `vstart`, `vl`, `vtype`, `vcsr`, `vlenb` and a pointer to the registers.
const WORDS: usize = 6;
/// A `vtype` that no hart supports.
const ILLEGAL: u64 = 1 << 63;

/// Bytes of [`save`] at most, if vector registers have `vlenb` bytes, 0 without them.
pub const fn most(xlen: Xlen, vlenb: usize) -> usize {
    if vlenb == 0 { LEAST } else { VECTOR + body(xlen) + 32 * vlenb + HEADER }
}

/// Bytes of vector state before its registers.
const fn body(xlen: Xlen) -> usize {
    HEADER + (WORDS * xlen.bits() as usize / 8).next_multiple_of(16)
}

fn read(hart: &mut Hart, csr: u16) -> u64 {
    let clock = hart.clock(0);
    // What the hart lacks is 0.
    hart.read_csr(csr.into(), clock).unwrap_or(0)
}

fn write(hart: &mut Hart, csr: u16, value: u64) {
    let clock = hart.clock(0);
    let _ = hart.write_csr(csr.into(), value, clock);
}

/// What a frame holds that has these units' state at `address`. Of a vector unit that has not been used, it is an
/// end marker.
pub fn save(hart: &mut Hart, address: u64) -> Vec<u8> {
    let mut bytes: Vec<u8> = (0..32).flat_map(|register| hart.float.raw(register).to_le_bytes()).collect();
    bytes.extend(read(hart, FCSR).to_le_bytes());
    bytes.resize(VECTOR, 0);
    if is_unused(hart) {
        bytes.resize(LEAST, 0);
        return bytes;
    }
    let (xlen, vlenb) = (hart.csrs.xlen(), hart.vector.vlenb());
    let size = body(xlen) + 32 * vlenb;
    bytes.extend_from_slice(&MAGIC.to_le_bytes());
    bytes.extend_from_slice(&(size as u32).to_le_bytes());
    let csrs = [VSTART, VL, VTYPE, VCSR].map(|csr| read(hart, csr));
    let registers = address.wrapping_add((VECTOR + body(xlen)) as u64);
    for word in csrs.into_iter().chain([vlenb as u64, registers]) {
        bytes.extend_from_slice(&word.to_le_bytes()[..xlen.bits() as usize / 8]);
    }
    bytes.resize(VECTOR + body(xlen), 0);
    (0..32).for_each(|register| bytes.extend_from_slice(hart.vector.register(register)));
    bytes.resize(VECTOR + size + HEADER, 0);
    bytes
}

/// True if the vector unit is as at reset: there is nothing to save.
fn is_unused(hart: &mut Hart) -> bool {
    hart.vector.vtype().illegal
        && read(hart, VSTART) == 0
        && read(hart, VCSR) == 0
        && (0..32).all(|register| hart.vector.register(register).iter().all(|&byte| byte == 0))
}

/// Restores what [`save`] gave, whatever a program has made of it since; what follows it does not matter. Bytes that
/// are not vector state of this unit, an end marker for instance, leave it as if never used.
pub fn restore(hart: &mut Hart, bytes: &[u8]) {
    let xlen = hart.csrs.xlen();
    let word = xlen.bits() as usize / 8;
    let (float, vector) = bytes.split_at(VECTOR.min(bytes.len()));
    let doubles: &[[u8; 8]] = float.as_chunks().0;
    for (register, bits) in (0..32).zip(doubles) {
        hart.float.set_raw(register, u64::from_le_bytes(*bits));
    }
    if let Some(fcsr) = doubles.get(32) {
        write(hart, FCSR, u64::from_le_bytes(*fcsr) & 0xff);
    }
    let vlenb = hart.vector.vlenb();
    let is_vector = vlenb > 0 && vector.starts_with(&MAGIC.to_le_bytes());
    let state = vector.get(..body(xlen) + 32 * vlenb).filter(|_| is_vector);
    let field = |at: usize| {
        let mut wide = [0; 8];
        if let Some(state) = state {
            wide[..word].copy_from_slice(&state[HEADER + at * word..][..word]);
        }
        u64::from_le_bytes(wide)
    };
    let [vstart, vl, vtype, vcsr] = std::array::from_fn(field);
    hart.vector.configure(if state.is_some() { vtype } else { ILLEGAL }, vl);
    write(hart, VSTART, vstart);
    write(hart, VCSR, vcsr);
    for register in 0..if vlenb > 0 { 32 } else { 0 } {
        let target = hart.vector.register_mut(register);
        match state {
            Some(state) => target.copy_from_slice(&state[body(xlen) + register * vlenb..][..vlenb]),
            None => target.fill(0),
        }
    }
}

#[cfg(test)]
mod tests {
    use engine::{Machine, Program};
    use hart::{Address, Htif, Memory};
    use isa::Descriptions;

    use super::*;

    /// A hart with its units on, and what a look at it gives.
    fn with_hart<T>(look: impl FnOnce(&mut Hart) -> T) -> T {
        let descriptions = Descriptions::read(&[]).expect("the built-in ones");
        let program = Program::new("rv64gcv", &descriptions).expect("the ISA string is right");
        let memory = Memory::new(Address(0), 0x1000).expect("a page");
        let mut machine = Machine::new(&program, memory, Address(0), Htif::default());
        write(&mut machine.hart, hart::csr::number::MSTATUS, 3 << 13 | 3 << 9);
        look(&mut machine.hart)
    }

    #[test]
    fn units_are_saved_and_restored_as_linux_lays_them_out() {
        let saved = with_hart(|hart| {
            (0..32).for_each(|register| hart.float.set_raw(register, 0x0101 * u64::from(register)));
            hart.vector.configure(0xd8, 2);
            hart.vector.register_mut(31).fill(7);
            write(hart, FCSR, 0x73);
            write(hart, VCSR, 5);
            save(hart, 0x1000)
        });
        let word = |at: usize| u64::from_le_bytes(saved[at..at + 8].try_into().expect("eight bytes"));
        assert_eq!((word(0), word(31 * 8), word(256)), (0, 0x0101 * 31, 0x73));
        assert_eq!(word(520), u64::from(MAGIC) | (8 + 48 + 32 * 16) << 32);
        assert_eq!([0, 1, 2, 3, 4, 5].map(|at| word(528 + 8 * at)), [0, 2, 0xd8, 5, 16, 0x1000 + 576]);
        assert_eq!((saved[576 + 31 * 16 - 1], saved[576 + 31 * 16]), (0, 7));
        assert_eq!(saved.len(), most(Xlen::Rv64, 16));
        assert!(
            with_hart(|hart| {
                restore(hart, &saved);
                save(hart, 0x1000)
            }) == saved
        );
        let unused = with_hart(|hart| {
            restore(hart, &saved);
            restore(hart, &saved[..LEAST - 1]);
            save(hart, 0x1000)
        });
        assert!(unused[..VECTOR] == saved[..VECTOR] && unused[VECTOR..] == [0; HEADER]);
    }
}

//! Marks in a program: instructions without an effect that say what is secret from here on, and what no longer is.

use hart::fault::Access;
use hart::{Address, System};

use crate::shadow::Shadow;

/// `slt zero, a0, a1`: the a1 bytes at a0 are secret. A hint "designated for custom use" (Unprivileged ISA, "HINT
/// Instructions"), which every core executes as nothing.
const SECRET: u32 = 0x00b5_2033;
/// `sltu zero, a0, a1`: they are public.
const PUBLIC: u32 = 0x00b5_3033;
/// What valgrind's client requests are on RISC-V (`valgrind.h`): four shifts of zero, and `or a0, a0, a0`.
const REQUEST: [u32; 5] = [0x0030_5013, 0x00d0_5013, 0x0330_5013, 0x03d0_5013, 0x00a5_6533];
/// Memcheck's requests (`memcheck.h`) to take memory for undefined, and for defined.
const UNDEFINED: u64 = 0x4d43_0001;
const DEFINED: u64 = 0x4d43_0002;

const A0: u16 = 10;
const A1: u16 = 11;
/// Has the address of the request's number and arguments.
const A4: u16 = 14;
/// Where what is marked comes from, in [`crate::Origin`].
const MARKED: u32 = 1;

/// What stands at an address.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Marker {
    /// Bytes become secret.
    Secret,
    /// Bytes become public.
    Public,
    /// Valgrind's.
    Request,
}

/// The marks in bytes that begin at an address.
pub fn markers(bytes: &[u8], address: u64) -> Vec<(Address, Marker)> {
    let word =
        |at: usize| bytes.get(at..at + 4).and_then(|word| word.try_into().ok()).map(u32::from_le_bytes);
    let mut found = Vec::new();
    for at in (0..bytes.len()).step_by(2) {
        let here = |offset: usize| Address(address.wrapping_add((at + offset) as u64));
        match word(at) {
            Some(SECRET) => found.push((here(0), Marker::Secret)),
            Some(PUBLIC) => found.push((here(0), Marker::Public)),
            Some(first) if first == REQUEST[0] => {
                let is_request =
                    REQUEST.iter().enumerate().all(|(index, &each)| word(at + 4 * index) == Some(each));
                if is_request {
                    found.push((here(4 * (REQUEST.len() - 1)), Marker::Request));
                }
            }
            _ => {}
        }
    }
    found
}

impl Marker {
    /// Does to the shadow what the mark says.
    pub fn apply(self, shadow: &mut Shadow, system: &System) {
        let hart = &system.hart;
        let (address, bytes) = (hart.x(A0), hart.x(A1));
        match self {
            Self::Secret => shadow.mark(address, bytes, MARKED),
            Self::Public => shadow.clear(address, bytes),
            Self::Request => {
                let argument = |number: u64| {
                    let size = u64::from(shadow.xlen.bits() / 8);
                    let at = Address(hart.x(A4).wrapping_add(number * size));
                    let word: Option<u64> = match size {
                        4 => system
                            .memory
                            .read::<4>(at, Access::Load)
                            .ok()
                            .map(|word| u32::from_le_bytes(word).into()),
                        _ => system.memory.read::<8>(at, Access::Load).ok().map(u64::from_le_bytes),
                    };
                    word
                };
                match (argument(0), argument(1), argument(2)) {
                    (Some(UNDEFINED), Some(address), Some(bytes)) => shadow.mark(address, bytes, MARKED),
                    (Some(DEFINED), Some(address), Some(bytes)) => shadow.clear(address, bytes),
                    // Another tool's, or one that says nothing of secrets.
                    _ => {}
                }
            }
        }
    }
}

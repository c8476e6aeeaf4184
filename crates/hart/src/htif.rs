//! The host-target interface of Berkeley's tools: `tohost`/`fromhost`, for a bare-metal guest's exit
//! status and console.

use crate::fault::Access;
use crate::memory::{Address, Memory};

/// What a write to `tohost` asks for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum HtifEvent {
    /// Nothing yet.
    None,
    /// The guest ends with this status.
    Exit(u64),
    /// The guest wrote these bytes.
    Console(Vec<u8>),
}

/// Addresses of the interface's words; without `tohost` the guest cannot exit.
#[derive(Clone, Copy, Debug, Default)]
pub struct Htif {
    /// Word the guest writes.
    pub tohost: Option<Address>,
    /// Word the guest reads.
    pub fromhost: Option<Address>,
    low_written: bool,
}

/// The mailbox's registers, by their offset (`bench.h`).
const MAIL_CONSOLE: u64 = 0;
const MAIL_STATUS: u64 = 8;
/// `write` in the proxied system-call table.
const SYS_WRITE: u64 = 64;
/// `exit`.
const SYS_EXIT: u64 = 93;
/// `ENOSYS`, negated.
const NOT_BUILT: u64 = (-38i64) as u64;
/// Largest single write taken from a guest, in bytes.
const MOST_BYTES: u64 = 1 << 20;

impl Htif {
    /// The interface at these addresses.
    pub const fn new(tohost: Option<Address>, fromhost: Option<Address>) -> Self {
        Self { tohost, fromhost, low_written: false }
    }

    /// Acts on a write to the mailbox or to `tohost`. RV32 guests write it in halves, the upper one last, so a lower half
    /// alone waits for the upper; written twice it stands for itself.
    pub fn written(&mut self, memory: &mut Memory) -> HtifEvent {
        if let Some((register, word)) = memory.take_mail() {
            return match register {
                MAIL_CONSOLE => HtifEvent::Console(vec![word as u8]),
                MAIL_STATUS => HtifEvent::Exit(word.into()),
                _ => HtifEvent::None,
            };
        }
        let bytes = memory.take_tohost_bytes();
        let Some(tohost) = self.tohost else { return HtifEvent::None };
        let only_low = bytes & 0xf0 == 0;
        if only_low && !self.low_written {
            self.low_written = true;
            return HtifEvent::None;
        }
        self.low_written = false;
        let Ok(word) = memory.read(tohost, Access::Load).map(u64::from_le_bytes) else {
            return HtifEvent::None;
        };
        if word == 0 {
            return HtifEvent::None;
        }
        let (device, command, payload) = (word >> 56, (word >> 48) & 0xff, word & 0xffff_ffff_ffff);
        let event = match (device, command) {
            (0, 0) if payload & 1 == 1 => return HtifEvent::Exit(payload >> 1),
            (0, 0) => self.system_call(memory, payload),
            (1, 1) => {
                self.answer(memory, device << 56 | command << 48);
                HtifEvent::Console(vec![payload as u8])
            }
            _ => HtifEvent::None,
        };
        if let Some(tohost) = memory.slice_mut(tohost, 8) {
            tohost.fill(0);
        }
        event
    }

    fn answer(&self, memory: &mut Memory, value: u64) {
        if let Some(word) = self.fromhost.and_then(|fromhost| memory.slice_mut(fromhost, 8)) {
            word.copy_from_slice(&value.to_le_bytes());
        }
    }

    /// A proxied system call: eight 64-bit words, number first; the result replaces the number.
    fn system_call(&self, memory: &mut Memory, block: u64) -> HtifEvent {
        let word = |index: u64| {
            memory
                .read(Address(block.wrapping_add(8 * index)), Access::Load)
                .map(u64::from_le_bytes)
                .unwrap_or(0)
        };
        let (number, file, buffer, size) = (word(0), word(1), word(2), word(3));
        let (result, event) = match (number, file) {
            (SYS_EXIT, status) => return HtifEvent::Exit(status),
            (SYS_WRITE, 1 | 2) => {
                let bytes = memory.slice(Address(buffer), size.min(MOST_BYTES) as usize);
                match bytes {
                    Some(bytes) => (bytes.len() as u64, HtifEvent::Console(bytes.to_vec())),
                    // EFAULT
                    None => ((-14i64) as u64, HtifEvent::None),
                }
            }
            _ => (NOT_BUILT, HtifEvent::None),
        };
        if let Some(target) = memory.slice_mut(Address(block), 8) {
            target.copy_from_slice(&result.to_le_bytes());
        }
        self.answer(memory, 1);
        event
    }
}

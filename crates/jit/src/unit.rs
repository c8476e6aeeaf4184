//! The host function that compiled code calls for an instruction of a unit.

use hart::port::Port;

use crate::frame::Frame;

/// The instruction is done.
pub const DONE: u64 = 0;
/// It traps.
pub const TRAPPED: u64 = 1;
/// It is done and has written `tohost`.
pub const TOHOST: u64 = 2;

/// Executes an instruction of a unit.
pub extern "C" fn execute(frame: *mut Frame, instruction: u32, word: u32) -> u64 {
    // SAFETY: compiled code passes the frame it was entered with, whose hart and memory nobody else uses
    // meanwhile and whose program outlives it.
    #[allow(unsafe_code, reason = "called from compiled code")]
    let (hart, memory, program) = unsafe { (&mut *(*frame).hart, &mut *(*frame).memory, &*(*frame).program) };
    let mut port = Port { memory, effects: None };
    match program.unit(instruction as u16).execute(hart, &mut port, word) {
        Ok(()) if port.memory.host_touched() => TOHOST,
        Ok(()) => DONE,
        Err(_) => TRAPPED,
    }
}

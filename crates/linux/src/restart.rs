//! Restartable sequences (Linux, `rseq`): a thread that another one runs before starts its sequence anew.

use hart::{Hart, Memory, System};

use crate::errno::Errno;
use crate::guest::Guest;
use crate::process::Process;

/// Offset of the pointer to the sequence's description in a thread's area.
const SEQUENCE: u64 = 8;

impl Process {
    /// Sends the running thread to the abort handler of the sequence it is in, if any.
    pub(crate) fn abort_sequence(&mut self, system: &mut System) {
        let area = self.thread().restartable;
        if area != 0 {
            // An area that is gone is the program's own doing.
            let _ = abort(&mut system.hart, &mut system.memory, area);
        }
    }
}

fn abort(hart: &mut Hart, memory: &mut Memory, area: u64) -> Result<(), Errno> {
    let pointer = area.wrapping_add(SEQUENCE);
    let sequence = memory.get_u64(pointer)?;
    if sequence == 0 {
        return Ok(());
    }
    // version, flags, start, length, abort handler.
    let start = memory.get_u64(sequence.wrapping_add(8))?;
    let length = memory.get_u64(sequence.wrapping_add(16))?;
    let handler = memory.get_u64(sequence.wrapping_add(24))?;
    if hart.pc().0.wrapping_sub(start) < length {
        hart.set_pc(handler);
    }
    memory.put(pointer, &[0; 8])
}

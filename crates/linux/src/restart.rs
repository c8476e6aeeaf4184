//! Restartable sequences (Linux, `rseq`): a thread that another one runs before starts its sequence anew.

use hart::Core;

use crate::errno::Errno;
use crate::guest::Guest;
use crate::process::Process;

/// Offset of the pointer to the sequence's description in a thread's area.
const SEQUENCE: u64 = 8;

impl Process {
    /// Sends the running thread to the abort handler of the sequence it is in, if any.
    pub(crate) fn abort_sequence(&mut self, core: &mut Core) {
        let area = self.thread().restartable;
        if area != 0 {
            // An area that is gone is the program's own doing.
            let _ = abort(core, area);
        }
    }
}

fn abort(core: &mut Core, area: u64) -> Result<(), Errno> {
    let pointer = area.wrapping_add(SEQUENCE);
    let sequence = core.memory.get_u64(pointer)?;
    if sequence == 0 {
        return Ok(());
    }
    // version, flags, start, length, abort handler.
    let start = core.memory.get_u64(sequence.wrapping_add(8))?;
    let length = core.memory.get_u64(sequence.wrapping_add(16))?;
    let handler = core.memory.get_u64(sequence.wrapping_add(24))?;
    if core.pc().0.wrapping_sub(start) < length {
        core.set_pc(handler);
    }
    core.memory.put(pointer, &[0; 8])
}

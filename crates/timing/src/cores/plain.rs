//! A core on which every instruction takes one cycle, used to record what was executed rather than its time.

use isa::operands::Class;

use crate::core::{Cause, Core, Event, Outcome, Spent, USUAL};
use crate::instruction::Instruction;

/// The core.
pub struct Plain;

impl Core for Plain {
    type State = ();
    type Op = ();

    fn has(&self, _: Class) -> bool {
        true
    }

    fn prepare(&self, _: &Instruction, _: bool) {}

    fn watches(&self, (): &()) -> bool {
        false
    }

    fn look(&mut self, (): &(), _: &Event<'_>) -> Outcome {
        USUAL
    }

    fn trap(&self, (): &mut (), _: Option<&()>, _: Outcome, _: &mut Spent) {}

    fn issue(&self, (): &mut (), (): &(), _: Outcome, spent: &mut Spent) {
        spent.spend(Cause::Issue, 1);
    }
}

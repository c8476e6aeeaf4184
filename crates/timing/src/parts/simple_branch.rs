//! Textbook branch prediction: static by direction or by two-bit counters, and a return address stack. Targets of
//! correctly predicted transfers are always known.

use std::collections::VecDeque;

/// Which branches are expected to be taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Direction {
    /// None.
    Never,
    /// Those that lead backward.
    Backward,
    /// Those whose counter predicts it (J. E. Smith, "A Study of Branch Prediction Strategies", 1981).
    TwoBit,
}

/// A counter that predicts taken.
const TAKEN: u8 = 2;

/// The predictor.
pub struct Predictor {
    direction: Direction,
    counters: Vec<u8>,
    returns: VecDeque<u64>,
    most_returns: usize,
}

impl Predictor {
    /// `counters` is a power of two if there are counters; `returns` is the capacity of the stack.
    pub fn new(direction: Direction, counters: usize, returns: usize) -> Self {
        let counters = vec![TAKEN - 1; if direction == Direction::TwoBit { counters } else { 0 }];
        Self { direction, counters, returns: VecDeque::with_capacity(returns + 1), most_returns: returns }
    }

    /// A branch was executed; true if it was predicted.
    pub fn branch(&mut self, pc: u64, backward: bool, taken: bool) -> bool {
        let expected = match self.direction {
            Direction::Never => false,
            Direction::Backward => backward,
            Direction::TwoBit => {
                let place = (pc >> 1) as usize & (self.counters.len() - 1);
                let counter = &mut self.counters[place];
                let expected = *counter >= TAKEN;
                *counter = if taken { (*counter + 1).min(3) } else { counter.saturating_sub(1) };
                expected
            }
        };
        expected == taken
    }

    /// A call leaves its return address; the oldest is lost if there is no room.
    pub fn call(&mut self, fall_through: u64) {
        self.returns.push_front(fall_through);
        self.returns.truncate(self.most_returns);
    }

    /// A return to `next` was executed; true if it was predicted.
    pub fn returns_to(&mut self, next: u64) -> bool {
        self.returns.pop_front() == Some(next)
    }
}

#[cfg(test)]
mod tests {
    use super::{Direction, Predictor};

    #[test]
    fn a_counter_changes_its_mind_after_two() {
        let mut predictor = Predictor::new(Direction::TwoBit, 4, 0);
        let taken = [true, true, false, true, false, false, false, true];
        let foreseen = taken.map(|taken| predictor.branch(0x100, false, taken));
        assert_eq!(foreseen, [false, true, false, true, false, false, true, false]);
    }

    #[test]
    fn directions() {
        assert!(Predictor::new(Direction::Never, 0, 0).branch(0, true, false));
        assert!(!Predictor::new(Direction::Never, 0, 0).branch(0, true, true));
        assert!(Predictor::new(Direction::Backward, 0, 0).branch(0, true, true));
        assert!(!Predictor::new(Direction::Backward, 0, 0).branch(0, false, true));
    }

    #[test]
    fn a_stack_forgets_the_oldest() {
        let mut predictor = Predictor::new(Direction::Never, 0, 2);
        [4, 8, 12].into_iter().for_each(|fall_through| predictor.call(fall_through));
        assert_eq!([12, 8, 4].map(|next| predictor.returns_to(next)), [true, true, false]);
    }
}

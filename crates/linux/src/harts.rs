//! Harts that share the memory of a process: which thread is on which, and whose turn it is. Harts take turns in the
//! order of their time, as the observer tells it; the threads of one hart take turns among themselves.

use engine::Observer;

use crate::thread::ThreadId;
use crate::threads::Threads;

/// Instructions between two switches among the runnable threads of a hart.
pub const QUANTUM: u64 = 100_000;

/// The harts.
pub struct Harts {
    each: Vec<OnHart>,
    /// Whose turn it is.
    turn: usize,
    /// Those that had something to do at the last turn, a bit for each.
    ready: u64,
}

/// What is on a hart.
#[derive(Clone, Default)]
struct OnHart {
    /// The thread that ran last.
    thread: Option<ThreadId>,
    /// Instructions that all harts had retired when it came there.
    since: u64,
    /// It lets another one go first.
    gives_way: bool,
}

impl Default for Harts {
    fn default() -> Self {
        Self::new(1)
    }
}

impl Harts {
    /// This many harts, at most 64.
    pub fn new(count: usize) -> Self {
        Self { each: vec![OnHart::default(); count.clamp(1, 64)], turn: 0, ready: 1 }
    }

    /// How many.
    pub const fn count(&self) -> usize {
        self.each.len()
    }

    /// True if there are more than one.
    pub const fn are_several(&self) -> bool {
        self.each.len() > 1
    }

    /// The thread that runs lets others of its hart go first.
    pub fn give_way(&mut self) {
        self.each[self.turn].gives_way = true;
    }

    /// Place of the thread that has the next turn; `None` if all wait.
    pub fn next_turn<O: Observer>(
        &mut self,
        threads: &Threads,
        observer: &mut O,
        retired: u64,
    ) -> Option<usize> {
        let on_hart = |place: usize| 1_u64 << threads[place].hart;
        let ready = threads.runnable().fold(0, |ready, place| ready | on_hart(place));
        if ready == 0 {
            return None;
        }
        let woken = ready & !self.ready;
        (0..self.count()).filter(|hart| woken >> hart & 1 != 0).for_each(|hart| {
            observer.wake(hart, self.turn);
        });
        self.ready = ready;
        let turn = observer.next_turn(ready);
        self.turn = turn;
        let on = &self.each[turn];
        let last = on.thread.unwrap_or(ThreadId(0));
        let stays = !on.gives_way && retired - on.since < QUANTUM;
        let (mut first, mut following, mut same) = (None, None, None);
        for place in threads.runnable().filter(|&place| threads[place].hart == turn) {
            let id = threads[place].id;
            first = first.or(Some(place));
            if id > last {
                following = following.or(Some(place));
            } else if id == last && stays {
                same = Some(place);
            }
        }
        let next = same.or(following).or(first)?;
        let id = threads[next].id;
        if !stays || id != last {
            self.each[turn] = OnHart { thread: Some(id), since: retired, gives_way: false };
        }
        Some(next)
    }

    /// The hart that a new thread comes to: the first of those with the fewest.
    pub fn free_for(&self, threads: &Threads) -> usize {
        let mut loads = vec![0; self.count()];
        threads.iter().for_each(|thread| loads[thread.hart] += 1);
        (0..loads.len()).min_by_key(|&hart| loads[hart]).unwrap_or(0)
    }
}

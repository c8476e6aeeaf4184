//! CVA6's path of stores to memory (c5947082, `store_buffer.sv`, `wt_dcache_wbuffer.sv`, `wt_axi_adapter.sv`): from commit
//! into a queue, then into an entry of the write buffer (one per word of register width), then to memory in up to four
//! concurrent transactions.

/// Stores that are remembered; more cannot be on their way, but for those to words of others.
pub const REMEMBERED: usize = 16;
/// Entries of the queue after commit.
const QUEUE: usize = 4;
/// Entries of the write buffer.
const ENTRIES: usize = 8;
/// Transactions at a time.
const TRANSACTIONS: usize = 4;
/// From entering the write buffer to the earliest request to memory.
const TO_REQUEST: i16 = 2;
/// From one request to the next.
const BETWEEN_REQUESTS: i16 = 2;
/// From a request to when its entry is free, beyond the memory's latency.
const RESPONSE: i16 = 4;

/// The earliest, from now: that a load or store leaves the unit's queue, that a fence is committed, and that a store is
/// ready for its request, which is 3 cycles after its commit.
const FIRST_LEAVES: i16 = 2;
const FIRST_FENCE: i16 = 3;
const FIRST_READY: i16 = FIRST_LEAVES + 2 + 3;

/// A store, in cycles from now; what is over is 0.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
struct Store {
    /// When it enters the write buffer.
    enters: i16,
    /// When its entry is free again, unless a later store has it.
    free: i16,
}

/// Stores on their way.
#[derive(Clone, PartialEq, Eq, Hash, Default)]
pub struct Stores {
    /// The last first.
    stores: [Store; REMEMBERED],
    /// Requests to memory, those of the last stores first.
    requests: [i16; ENTRIES],
}

impl Stores {
    /// When the queue has an entry for one that is committed.
    pub fn queue_free(&self) -> i16 {
        self.stores[QUEUE - 1].enters + 1
    }

    /// When a load may go on that is to the 8 bytes of the store that many before it.
    pub fn passed(&self, distance: usize) -> i16 {
        self.stores[distance - 1].enters + 1
    }

    /// When the transaction of the store that many before is over, if it is on its way then.
    pub fn collides(&self, distance: usize, then: i16, latency: i16) -> Option<i16> {
        let free = self.stores[distance - 1].free;
        (free - latency - RESPONSE <= then && then < free).then_some(free)
    }

    /// Of the last stores, as bits, the last one's the lowest: those that are on their way to the write buffer, and
    /// those that have an entry of it. They come into it in order.
    pub fn on_their_way(&self) -> (u16, u16) {
        let bits = |is_so: fn(&Store) -> bool| {
            self.stores.iter().rev().fold(0, |bits, store| bits << 1 | u16::from(is_so(store)))
        };
        (bits(|store| store.enters > 0), bits(|store| store.free > 0))
    }

    /// When no store is on its way.
    pub fn empty(&self) -> i16 {
        self.stores.iter().map(|store| store.free).max().unwrap_or(0)
    }

    /// One is committed; `same` tells which before it, if any, was the last to its word.
    pub fn commit(&mut self, at: i16, same: Option<usize>, latency: i16) {
        let mut enters = (at + 1).max(self.stores[0].enters + 1);
        let held = same.map(|distance| distance - 1).filter(|&held| self.stores[held].free > enters);
        let mut ready = i16::MIN;
        if let Some(held) = held {
            // Its bytes are sent when those before them are written.
            ready = self.stores[held].free + 1;
            self.stores[held].free = 0;
        } else {
            let mut busy: Vec<i16> =
                self.stores.iter().map(|store| store.free).filter(|&free| free > enters).collect();
            if busy.len() >= ENTRIES {
                busy.sort_unstable();
                enters = busy[busy.len() - ENTRIES];
            }
        }
        let request = self.request((enters + TO_REQUEST).max(ready), latency + RESPONSE + 1);
        self.stores.rotate_right(1);
        self.stores[0] = Store { enters, free: request + latency + RESPONSE };
        self.requests.rotate_right(1);
        self.requests[0] = request;
    }

    /// When a store that is ready at some time is sent, if a transaction takes so long: not too soon after another, nor
    /// before one that is to be sent, and when fewer than all are on their way.
    fn request(&self, ready: i16, takes: i16) -> i16 {
        let mut at = ready;
        while let Some(later) = self.requests.iter().find_map(|&other| {
            let under_way = |&&each: &&i16| each <= at && at < each + takes;
            if (other - at).abs() < BETWEEN_REQUESTS {
                Some(other + BETWEEN_REQUESTS)
            } else if self.requests.iter().filter(under_way).count() >= TRANSACTIONS {
                self.requests.iter().filter(under_way).map(|each| each + takes).min()
            } else {
                None
            }
        }) {
            at = later;
        }
        at
    }

    /// Cycles that another request, which could be sent at a time, waits for those of stores: they take two, and come first
    /// in the same cycle.
    pub fn occupy(&self, at: i16, latency: i16) -> i16 {
        let recent = self.requests.iter().filter(|&&request| request > long_ago(latency));
        let left = recent.map(|request| request + BETWEEN_REQUESTS - at);
        left.filter(|left| (1..=BETWEEN_REQUESTS).contains(left)).max().unwrap_or(0)
    }

    /// Now is so many cycles later.
    pub fn pass(&mut self, cycles: i16, latency: i16) {
        // What is over before the next load, store or fence can ask for it matters no more.
        let over = |time: &mut i16, asked: i16| {
            *time -= cycles;
            if *time <= asked {
                *time = 0;
            }
        };
        for store in &mut self.stores {
            over(&mut store.enters, FIRST_LEAVES - 1);
            over(&mut store.free, FIRST_FENCE);
        }
        for request in &mut self.requests {
            *request = (*request - cycles).max(long_ago(latency));
        }
    }
}

/// A request was sent so long ago, or longer, that a store to come does not wait for it.
const fn long_ago(latency: i16) -> i16 {
    FIRST_READY - latency - RESPONSE - 1
}

#[cfg(test)]
mod tests {
    use super::Stores;

    #[test]
    fn entries_and_transactions_limit_a_burst() {
        let mut stores = Stores::default();
        stores.pass(100, 10);
        let mut entered = Vec::new();
        // No store is committed earlier.
        for at in 4..16 {
            stores.commit(at, None, 10);
            entered.push(stores.passed(1) - 1);
        }
        assert_eq!(entered, [5, 6, 7, 8, 9, 10, 11, 12, 21, 23, 25, 27]);
    }

    #[test]
    fn a_word_is_sent_again_after_its_response() {
        let mut stores = Stores::default();
        stores.pass(100, 10);
        stores.commit(4, None, 10);
        stores.commit(5, Some(1), 10);
        assert_eq!((stores.collides(2, 9, 10), stores.collides(1, 24, 10)), (None, Some(36)));
    }

    #[test]
    fn another_request_waits_while_a_store_is_sent() {
        let mut stores = Stores::default();
        stores.pass(100, 10);
        assert!((-20..20).all(|at| stores.occupy(at, 10) == 0));
        stores.commit(4, None, 10);
        // It enters the write buffer in the cycle after.
        assert_eq!([6, 7, 8, 9].map(|at| stores.occupy(at, 10)), [0, 2, 1, 0]);
    }
}

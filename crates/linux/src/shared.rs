//! What the processes of a run share: clocks, randomness, what the user was told.

use std::collections::BTreeSet;

use hart::Host;

use crate::clock::Clock;
use crate::kin::Kin;
use crate::options::Options;
use crate::random::Random;
use crate::streams::Streams;

/// Most paths that are remembered for not having been there.
const MOST_UNOPENED: usize = 64;
/// Most things that the user is told once each.
const MOST_TOLD: usize = 64;
/// System calls and faults between two calls of [`hart::Host::keep_going`].
const TICK: u32 = 64;

/// What the processes of a run share.
pub struct Shared {
    /// Their clocks.
    pub clock: Clock,
    /// Where they have random numbers from.
    pub random: Random,
    /// How they run.
    pub options: Options,
    /// The next process's number, or the next thread's.
    pub next_id: u32,
    /// The processes themselves.
    pub kin: Kin,
    /// System calls reported as unknown.
    pub unknown: BTreeSet<u64>,
    /// Paths that could not be opened for want of a root directory.
    pub unopened: BTreeSet<Vec<u8>>,
    /// What the user was told and need not be told again.
    told: BTreeSet<String>,
    /// System calls and faults until the host is asked again.
    ticks: u32,
    /// Those in a row that retired nothing, and how many instructions had retired by then.
    barren: (u64, u64),
}

impl Shared {
    /// At the start of a run; the first process and its first thread have the number before `next_id`.
    pub fn new(options: Options, random: Random, next_id: u32) -> Self {
        Self {
            clock: Clock::new(options.time),
            random,
            kin: Kin::new(options.most_processes),
            options,
            next_id,
            unknown: BTreeSet::new(),
            unopened: BTreeSet::new(),
            told: BTreeSet::new(),
            ticks: TICK,
            barren: (0, 0),
        }
    }

    /// Tells the user something, but not twice.
    pub fn tell_once(&mut self, host: &mut dyn Streams, text: &str) {
        if self.told.len() < MOST_TOLD && !self.told.contains(text) {
            self.told.insert(text.to_owned());
            host.message(text);
        }
    }

    /// Remembers a path that could not be opened for want of a root directory.
    pub fn remember_unopened(&mut self, path: Vec<u8>) {
        if self.unopened.len() < MOST_UNOPENED {
            self.unopened.insert(path);
        }
    }

    /// The host is asked again after this system call, which may have taken it long.
    pub const fn ask_soon(&mut self) {
        self.ticks = 1;
    }

    /// System calls and faults in a row that retired nothing.
    pub const fn barren(&self) -> u64 {
        self.barren.0
    }

    /// Counts a system call or a fault: a program of nothing else has to be stopped too. False if the host
    /// says so.
    pub fn goes_on(&mut self, retired: u64, host: &mut dyn Host) -> bool {
        self.barren = if self.barren.1 == retired { (self.barren.0 + 1, retired) } else { (0, retired) };
        self.ticks -= 1;
        if self.ticks > 0 {
            return true;
        }
        self.ticks = TICK;
        host.keep_going()
    }
}

//! The way that a secret took: for each place, the instruction that brought it there, and where it had it from.

/// Steps that are remembered: as many as hosts keep close. Older ones are forgotten, but not where a secret came from in
/// the first place.
const KEPT: usize = 1 << 15;
/// Most steps that a way is told of.
const TOLD: usize = 16;

/// How a secret came to a place.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Trail(u32);

/// Which source, and which of its bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Origin {
    /// Number of the source.
    pub source: u32,
    /// Byte of it.
    pub byte: u32,
}

#[derive(Clone, Copy, Default)]
struct Step {
    /// The instruction that moved it; none where it began.
    pc: Option<u64>,
    before: Trail,
    origin: Origin,
}

/// All steps.
pub struct Trails {
    steps: Vec<Step>,
    newest: u32,
}

/// Where a secret came from, and how.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Way {
    /// Its source.
    pub origin: Origin,
    /// The instructions that moved it last, the last one first.
    pub steps: Vec<u64>,
}

impl Default for Trails {
    fn default() -> Self {
        Self { steps: vec![Step::default(); KEPT], newest: 0 }
    }
}

impl Trails {
    fn add(&mut self, step: Step) -> Trail {
        self.newest = self.newest.wrapping_add(1).max(1);
        self.steps[self.newest as usize % KEPT] = step;
        Trail(self.newest)
    }

    fn get(&self, trail: Trail) -> Option<Step> {
        let is_kept = trail.0 != 0 && ((self.newest.wrapping_sub(trail.0)) as usize) < KEPT;
        is_kept.then(|| self.steps[trail.0 as usize % KEPT])
    }

    /// A secret begins here.
    pub fn begin(&mut self, origin: Origin) -> Trail {
        self.add(Step { pc: None, before: Trail::default(), origin })
    }

    /// An instruction moves it on.
    #[inline]
    pub fn moved(&mut self, pc: u64, before: Trail) -> Trail {
        let origin = self.get(before).map_or_else(Origin::default, |step| step.origin);
        self.add(Step { pc: Some(pc), before, origin })
    }

    /// The way to here.
    pub fn way(&self, trail: Trail) -> Way {
        let mut way = Way { origin: Origin::default(), steps: Vec::new() };
        let mut next = self.get(trail);
        way.origin = next.map_or(way.origin, |step| step.origin);
        while let Some(step) = next
            && let Some(pc) = step.pc
            && way.steps.len() < TOLD
        {
            // A loop that turns a value over and over is told once.
            if !way.steps.contains(&pc) {
                way.steps.push(pc);
            }
            next = self.get(step.before);
        }
        way
    }
}

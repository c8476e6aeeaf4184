//! Rocket's branch target buffer (`BTB.scala`): fully associative, with a tree of bits that tells which entry was used
//! least lately.

/// Entries (`BTBParams`).
const ENTRIES: usize = 28;
/// Levels of the tree.
const LEVELS: usize = 5;
/// No instruction is there: it is odd.
pub const NOWHERE: u64 = u64::MAX;

/// Kinds of control flow that the buffer tells apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Conditional.
    Branch,
    /// To a fixed address.
    Jump,
    /// To an address in a register.
    Indirect,
    /// Back from a function.
    Return,
}

/// Where a word leads.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Address of the fetched word.
    pub word: u64,
    /// Of the transfer's last halfword: another may be in the same word.
    pub end: u64,
    pub target: u64,
    pub kind: Kind,
}

/// The buffer.
pub struct Buffer {
    pub entries: [Option<Entry>; ENTRIES],
    /// Their words, to be compared at once; [`NOWHERE`] of none.
    words: [u64; ENTRIES],
    /// Two may be of one word.
    has_twins: bool,
    /// Which half of the entries below each node of a tree was used last (`PseudoLRU`).
    used: u64,
}

impl Default for Buffer {
    fn default() -> Self {
        Self { entries: [None; ENTRIES], words: [NOWHERE; ENTRIES], has_twins: false, used: 0 }
    }
}

impl Buffer {
    /// What it has of a word, and where.
    pub fn find(&mut self, address: u64) -> (Option<Entry>, Option<usize>) {
        let mut place = self.words.iter().position(|&word| word == address);
        let mut found = place.and_then(|place| self.entries[place]);
        if let Some(first) = place.filter(|_| self.has_twins)
            && let Some(second) = self.words[first + 1..].iter().position(|&word| word == address)
        {
            // Two for one word are ored, and dropped.
            let second = first + 1 + second;
            let target = self.entries[second].map_or(0, |entry| entry.target);
            for both in [first, second] {
                (self.entries[both], self.words[both]) = (None, NOWHERE);
            }
            place = Some(first | second).filter(|&ored| ored < ENTRIES);
            found = found.map(|entry| Entry { target: entry.target | target, ..entry });
        }
        (found, place)
    }

    /// Forgets everything.
    pub fn empty(&mut self) {
        self.entries.fill(None);
        self.words.fill(NOWHERE);
        self.has_twins = false;
    }

    /// In a place, or in the one that was used least lately.
    pub fn enter(&mut self, place: Option<usize>, entry: Entry) {
        let place = place.unwrap_or_else(|| self.oldest());
        self.has_twins |= self.words.contains(&entry.word);
        self.entries[place] = Some(entry);
        self.words[place] = entry.word;
        self.use_of(place);
    }

    pub fn use_of(&mut self, entry: usize) {
        let mut node = 1;
        for level in (0..LEVELS).rev() {
            let bit = entry >> level & 1;
            self.used = self.used & !(1 << node) | (1 - bit as u64) << node;
            node = node << 1 | bit;
        }
        // So many bits are kept.
        self.used &= (1 << ENTRIES) - 1;
    }

    fn oldest(&self) -> usize {
        let mut node: usize = 1;
        for level in (0..LEVELS).rev() {
            let bounds = ((node << (level + 1)) | 1 << level) & ((1 << LEVELS) - 1);
            let bit = bounds < ENTRIES && self.used >> node & 1 == 1;
            node = node << 1 | usize::from(bit);
        }
        node & ((1 << LEVELS) - 1)
    }
}

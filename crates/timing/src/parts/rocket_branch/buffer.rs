//! Rocket's branch target buffer (`BTB.scala`): fully associative, with a tree of bits that tells which entry was used
//! least lately.

/// Entries (`BTBParams`).
const ENTRIES: usize = 28;
/// Levels of the tree.
const LEVELS: usize = 5;
/// Entries are looked for among those whose words have the same last bits.
const GROUPS: usize = 64;
/// No instruction is there: it is odd.
pub const NOWHERE: u64 = u64::MAX;

/// Kinds of control flow that the buffer tells apart.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Conditional.
    #[default]
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

/// What is known of a word that is looked up.
#[derive(Clone, Copy, Default)]
pub struct Found {
    /// `None` is nothing.
    pub kind: Option<Kind>,
    pub end: u64,
    pub target: u64,
    /// The entry that claims it.
    pub place: Option<u8>,
}

/// For each entry, the nodes above it that are kept, as bits, and those below which the other half is left alone longer.
const PATHS: [(u64, u64); ENTRIES] = {
    let (mut paths, mut entry) = ([(0, 0); ENTRIES], 0);
    while entry < ENTRIES {
        let (mut node, mut level) = (1, LEVELS);
        while level > 0 {
            level -= 1;
            let bit = entry >> level & 1;
            if node < ENTRIES {
                paths[entry].0 |= 1 << node;
                paths[entry].1 |= (1 - bit as u64) << node;
            }
            node = node << 1 | bit;
        }
        entry += 1;
    }
    paths
};

const fn group(word: u64) -> usize {
    (word >> 2) as usize % GROUPS
}

/// The buffer.
pub struct Buffer {
    pub entries: [Option<Entry>; ENTRIES],
    /// Their words; [`NOWHERE`] of none.
    words: [u64; ENTRIES],
    /// For each group, which entries are of it, as bits.
    groups: [u32; GROUPS],
    /// How many are of a word that another one is of.
    surplus: u32,
    /// Which half of the entries below each node of a tree was used last (`PseudoLRU`).
    used: u64,
}

impl Default for Buffer {
    fn default() -> Self {
        Self { entries: [None; ENTRIES], words: [NOWHERE; ENTRIES], groups: [0; GROUPS], surplus: 0, used: 0 }
    }
}

impl Buffer {
    /// What it has of a word.
    #[inline(always)]
    pub fn find(&mut self, address: u64) -> Found {
        if self.surplus > 0 {
            return self.find_twins(address);
        }
        let place = self.first(address, 0);
        Found { place, ..self.at(place) }
    }

    /// Two for one word are ored (`Mux1H` of `BTB.scala`), and dropped.
    #[cold]
    fn find_twins(&mut self, address: u64) -> Found {
        let place = self.first(address, 0);
        let found = Found { place, ..self.at(place) };
        let Some(first) = place else { return found };
        let Some(second) = self.first(address, first + 1) else { return found };
        let other = self.at(Some(second));
        for both in [first, second] {
            self.put(both, None);
        }
        Found {
            target: found.target | other.target,
            end: found.end | other.end,
            place: Some(first | second).filter(|&ored| usize::from(ored) < ENTRIES),
            ..found
        }
    }

    #[inline(always)]
    fn at(&self, place: Option<u8>) -> Found {
        match place.and_then(|place| self.entries[usize::from(place)].as_ref()) {
            Some(entry) => {
                Found { kind: Some(entry.kind), end: entry.end, target: entry.target, place: None }
            }
            None => Found::default(),
        }
    }

    /// The first place, from one on, that has an entry of a word.
    #[inline]
    fn first(&self, word: u64, from: u8) -> Option<u8> {
        let mut left = self.groups[group(word)] >> from << from;
        while left != 0 {
            let place = left.trailing_zeros() as u8;
            if self.words[usize::from(place)] == word {
                return Some(place);
            }
            left &= left - 1;
        }
        None
    }

    fn put(&mut self, place: u8, entry: Option<Entry>) {
        let was = self.words[usize::from(place)];
        if was != NOWHERE {
            self.groups[group(was)] &= !(1 << place);
            self.surplus -= u32::from(self.first(was, 0).is_some());
        }
        (self.entries[usize::from(place)], self.words[usize::from(place)]) = (entry, NOWHERE);
        if let Some(Entry { word, .. }) = entry {
            self.surplus += u32::from(self.first(word, 0).is_some());
            self.groups[group(word)] |= 1 << place;
            self.words[usize::from(place)] = word;
        }
    }

    /// Forgets everything.
    pub fn empty(&mut self) {
        self.entries.fill(None);
        self.words.fill(NOWHERE);
        self.groups.fill(0);
        self.surplus = 0;
    }

    /// In a place, or in the one that was used least lately.
    pub fn enter(&mut self, place: Option<u8>, entry: Entry) {
        let place = place.unwrap_or_else(|| self.oldest());
        self.put(place, Some(entry));
        self.use_of(place);
    }

    /// The first entry becomes invalid, which is a use of it.
    pub fn drop_first(&mut self) {
        self.put(0, None);
        self.use_of(0);
    }

    #[inline]
    pub fn use_of(&mut self, place: u8) {
        let (path, other) = PATHS[usize::from(place)];
        self.used = self.used & !path | other;
    }

    fn oldest(&self) -> u8 {
        let mut node: usize = 1;
        for level in (0..LEVELS).rev() {
            let bounds = ((node << (level + 1)) | 1 << level) & ((1 << LEVELS) - 1);
            let bit = bounds < ENTRIES && self.used >> node & 1 == 1;
            node = node << 1 | usize::from(bit);
        }
        (node & ((1 << LEVELS) - 1)) as u8
    }
}

#[cfg(test)]
mod tests {
    use super::{Buffer, Entry, Kind};

    #[test]
    fn two_entries_of_a_word_are_ored_and_dropped() {
        let mut buffer = Buffer::default();
        for (end, target) in [(0x100, 0x104), (0x102, 0x10a)] {
            buffer.enter(None, Entry { word: 0x100, end, target, kind: Kind::Branch });
        }
        let found = buffer.find(0x100);
        assert_eq!((found.kind, found.end, found.target), (Some(Kind::Branch), 0x102, 0x10e));
        assert_eq!(buffer.find(0x100).kind, None);
    }

    #[test]
    fn entries_are_found_among_others_of_their_group() {
        let (mut buffer, mut held) = (Buffer::default(), Vec::new());
        for number in (0..300_u64).map(|step| step * step % 97) {
            // All in two groups.
            let word = number / 2 * 4 * super::GROUPS as u64 + number % 2 * 4;
            if buffer.find(word).kind.is_none() {
                buffer.enter(None, Entry { word, end: word, target: word + 8, kind: Kind::Jump });
                held.push(word);
            }
            held.retain(|&word| buffer.entries.iter().flatten().any(|entry| entry.word == word));
            assert!(held.iter().all(|&word| buffer.find(word).target == word + 8));
            assert_eq!(buffer.find(word + 2).kind, None);
        }
        assert_eq!(held.len(), buffer.entries.iter().flatten().count());
    }
}

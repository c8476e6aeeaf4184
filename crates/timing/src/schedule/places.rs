//! Where schedules are.

use super::{Key, Schedule};

/// Where schedules are, by their keys: linear probing in a table that is at most half full.
#[derive(Default)]
pub struct Places {
    /// One more than a place; 0 is none.
    table: Vec<u32>,
}

impl Places {
    const LEAST: usize = 1 << 10;

    #[inline]
    fn slot(&self, key: Key) -> usize {
        const ODD: u64 = 0x9e37_79b9_7f4a_7c15;
        let both = u64::from(key.stretch) << 32 | u64::from(key.before);
        let mixed = (both.wrapping_mul(ODD) ^ key.code.rotate_left(20)).wrapping_mul(ODD);
        (mixed >> 32) as usize & self.table.len().wrapping_sub(1)
    }

    /// The place of a key's schedule.
    #[inline]
    pub fn find(&self, schedules: &[Schedule], key: Key) -> Option<usize> {
        if self.table.is_empty() {
            return None;
        }
        let mut slot = self.slot(key);
        loop {
            let place = (self.table[slot] as usize).checked_sub(1)?;
            if schedules[place].key == key {
                return Some(place);
            }
            slot = (slot + 1) & (self.table.len() - 1);
        }
    }

    /// The last schedule is new.
    pub fn keep(&mut self, schedules: &[Schedule]) {
        if schedules.len() * 2 > self.table.len() {
            self.table = vec![0; Self::LEAST.max(schedules.len() * 4).next_power_of_two()];
            (0..schedules.len()).for_each(|place| self.insert(schedules, place));
        } else {
            self.insert(schedules, schedules.len() - 1);
        }
    }

    fn insert(&mut self, schedules: &[Schedule], place: usize) {
        let mut slot = self.slot(schedules[place].key);
        while self.table[slot] != 0 {
            slot = (slot + 1) & (self.table.len() - 1);
        }
        self.table[slot] = place as u32 + 1;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Key, Places, Schedule};

    proptest! {
        #[test]
        fn each_schedule_has_one_place(keys in prop::collection::hash_set((0..99_u32, 0..9_u32, 0..5_u64), 1..2000)) {
            let (mut places, mut schedules) = (Places::default(), Vec::new());
            for &(stretch, before, code) in &keys {
                let key = Key { stretch, before, code };
                prop_assert_eq!(places.find(&schedules, key), None);
                schedules.push(Schedule::new(key, 0, 0, 0));
                places.keep(&schedules);
            }
            for (place, schedule) in schedules.iter().enumerate() {
                prop_assert_eq!(places.find(&schedules, schedule.key), Some(place));
            }
        }
    }
}

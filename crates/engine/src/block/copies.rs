//! Caches of several memories: one begins with the blocks of another, and its counts go where that one's go.

use std::collections::HashMap;

use super::Cache;
use crate::heat::Heat;

impl Cache {
    /// The same blocks, of which none was executed yet.
    pub fn uncounted(&self) -> Self {
        let mut copy = Self {
            by_pc: self.by_pc.clone(),
            blocks: self.blocks.clone(),
            shapes: self.shapes.clone(),
            links: self.links.clone(),
            heat: vec![Heat::Executed(0); self.blocks.len()],
            pages: self.pages.clone(),
            size: self.size,
            loose_addresses: self.loose_addresses.as_ref().map(|_| HashMap::new()),
            ..Self::default()
        };
        self.blocks.iter().for_each(|_| copy.executions.push());
        copy
    }

    /// Adds what another has counted.
    pub fn add_counts(&mut self, mut other: Self) {
        other.flush();
        for (id, count) in other.loose {
            *self.loose.entry(id).or_default() += count;
        }
    }
}

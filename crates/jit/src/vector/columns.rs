//! Columns of vector registers that are in values.

use std::collections::BTreeMap;

use cranelift_codegen::ir::Value;

/// A column in a value.
#[derive(Clone, Copy)]
pub struct Column {
    /// Of any type of sixteen bytes.
    pub value: Value,
    /// It is in the register file, too.
    pub is_stored: bool,
}

/// Columns that are at hand, by their offsets in the register file.
#[derive(Clone, Default)]
pub struct Columns(BTreeMap<usize, Column>);

impl Columns {
    /// The one at an offset.
    pub fn get(&self, offset: usize) -> Option<Column> {
        self.0.get(&offset).copied()
    }

    /// Another one, or another value of it.
    pub fn insert(&mut self, offset: usize, column: Column) {
        self.0.insert(offset, column);
    }

    /// Not that one any more.
    pub fn remove(&mut self, offset: usize) -> Option<Column> {
        self.0.remove(&offset)
    }

    /// None of them any more.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// Where they are.
    pub fn offsets(&self) -> Vec<usize> {
        self.0.keys().copied().collect()
    }

    /// All of them.
    pub fn all(&self) -> Vec<(usize, Column)> {
        self.0.iter().map(|(&offset, &column)| (offset, column)).collect()
    }

    /// Those that the register file does not have.
    pub fn unstored(&self) -> Vec<(usize, Value)> {
        let unstored = self.0.iter().filter(|(_, column)| !column.is_stored);
        unstored.map(|(&offset, column)| (offset, column.value)).collect()
    }

    /// Those are not at hand any more that the register file has.
    pub fn forget_stored(&mut self) {
        self.0.retain(|_, column| !column.is_stored);
    }

    /// The register file has all of them.
    pub fn are_stored(&mut self) {
        self.0.values_mut().for_each(|column| column.is_stored = true);
    }
}

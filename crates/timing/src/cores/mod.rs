//! The cores that are modelled, one per file.

pub mod cva6;
pub mod gem5;
pub mod ibex;
pub mod in_order;
pub mod plain;
pub mod rocket;

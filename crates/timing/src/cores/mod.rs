//! The cores.

pub mod cva6;
pub mod ibex;
pub mod rocket;

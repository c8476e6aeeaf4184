//! Stateful parts of cores, each an exact machine of its own.

pub mod cva6_branch;
pub mod cva6_cache;
pub mod cva6_divider;
pub mod cva6_stores;
pub mod ibex_tags;
pub mod known;
pub mod rocket_branch;
pub mod rocket_cache;
pub mod rocket_front;
pub mod rocket_muldiv;
pub mod simple_branch;

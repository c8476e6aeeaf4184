//! Datapaths: what an instruction computes, as a module in SystemVerilog, from the IR of its behaviour.
//!
//! [`Description::read`] makes a [`Datapath`] of every instruction that has one destination register and no other
//! effect, and tells of the others why they have none. The emitted text keeps to what Verilator and Yosys both read.
//! Nothing here knows how a core decodes an instruction or reads its registers: a datapath's ports say what it needs.

mod called;
mod description;
mod expression;
mod flow;
mod module;
mod names;
mod narrow;
mod operand;
mod straight;
mod tidy;
mod unit;
mod used;
mod value;
mod vectors;

pub use description::{Datapath, Description, Refused};
pub use module::{Direction, Port, Role};
pub use operand::Register;
pub use vectors::Vector;

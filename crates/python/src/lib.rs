//! The Python module `ciphermark._engine`: a thin, typed face of the engine. It releases the interpreter
//! lock while a guest runs, and decides nothing itself. Its types are declared in
//! `python/ciphermark/_engine.pyi`.

mod caller;
mod datapaths;
mod descriptions;
mod failure;
mod fault;
mod hot;
mod inspect;
mod machine;
mod oracle;
mod processes;
mod secrets;
mod seen;
mod simulate;
mod steps;

use pyo3::prelude::*;

use crate::failure::EngineError;

#[pymodule]
fn _engine(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add("EngineError", module.py().get_type::<EngineError>())?;
    secrets::register(module)?;
    simulate::register(module)?;
    inspect::register(module)?;
    machine::register(module)?;
    descriptions::register(module)?;
    datapaths::register_functions(module)?;
    oracle::register(module)
}

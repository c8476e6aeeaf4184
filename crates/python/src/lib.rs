//! The Python module `ciphermark._engine`: a thin, typed face of the engine. It releases the interpreter
//! lock while a guest runs, and decides nothing itself. Its types are declared in
//! `python/ciphermark/_engine.pyi`.

mod descriptions;
mod inspect;
mod oracle;
mod simulate;

use pyo3::prelude::*;

pyo3::create_exception!(_engine, EngineError, pyo3::exceptions::PyException, "A failure on the host's side.");

/// Any displayable failure as `EngineError`.
fn failure(error: impl std::fmt::Display) -> PyErr {
    EngineError::new_err(error.to_string())
}

#[pymodule]
fn _engine(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add("EngineError", module.py().get_type::<EngineError>())?;
    simulate::register(module)?;
    inspect::register(module)?;
    descriptions::register(module)?;
    oracle::register(module)
}

//! Failures on the host's side.

use pyo3::prelude::*;

pyo3::create_exception!(_engine, EngineError, pyo3::exceptions::PyException, "A failure on the host's side.");

/// Any displayable failure as `EngineError`.
pub fn failure(error: impl std::fmt::Display) -> PyErr {
    EngineError::new_err(error.to_string())
}

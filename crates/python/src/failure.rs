//! Failures on the host's side.

use pyo3::prelude::*;

pyo3::create_exception!(_engine, EngineError, pyo3::exceptions::PyException, "A failure on the host's side.");

/// A failure, worded for the user.
#[derive(Debug)]
pub struct Failure(pub String);

impl<E: std::error::Error> From<E> for Failure {
    fn from(error: E) -> Self {
        Self(error.to_string())
    }
}

impl From<Failure> for PyErr {
    fn from(failure: Failure) -> Self {
        EngineError::new_err(failure.0)
    }
}

/// Any displayable failure as `EngineError`.
pub fn failure(error: impl std::fmt::Display) -> PyErr {
    EngineError::new_err(error.to_string())
}

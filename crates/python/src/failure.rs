//! Failures on the host's side.

use isa::InstructionsError;
use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;
use render::render;
use session::Failure;

pyo3::create_exception!(_engine, EngineError, pyo3::exceptions::PyException, "A failure on the host's side.");

/// Any displayable failure as `EngineError`.
pub fn failure(error: impl std::fmt::Display) -> PyErr {
    EngineError::new_err(error.to_string())
}

/// Why a set of instructions cannot be had, for people: faults of a description with the lines they are in.
pub fn worded(error: &InstructionsError) -> String {
    match error {
        InstructionsError::Description(faults) => render(faults),
        other => other.to_string(),
    }
}

/// The same as `EngineError`.
pub fn refused(error: impl Into<InstructionsError>) -> PyErr {
    failure(worded(&error.into()))
}

/// Why there is no run as `EngineError`; as `OSError` with its file's name if that cannot be written.
pub fn unrun(error: Failure) -> PyErr {
    match error {
        Failure::Instructions(error) => refused(error),
        Failure::Unwritable { path, error } => {
            PyOSError::new_err((error.raw_os_error(), error.to_string(), path))
        }
        other => failure(other),
    }
}

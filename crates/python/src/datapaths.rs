//! Datapaths of a description's instructions.

use pyo3::prelude::*;
use render::render;
use rtl::{Description, Direction, Register, Role};

use crate::failure::{failure, refused};

/// An instruction's datapath in SystemVerilog.
#[pyclass(frozen, get_all, module = "ciphermark._engine")]
pub struct Datapath {
    name: String,
    mnemonic: String,
    set: String,
    module: String,
    verilog: String,
    xlen: u16,
    stages: u32,
    length: u8,
    mask: u32,
    r#match: u32,
    destination: Option<Py<OperandField>>,
    destination_register: u16,
    ports: Vec<Py<Port>>,
}

/// A port of a datapath.
#[pyclass(frozen, get_all, module = "ciphermark._engine")]
pub struct Port {
    name: String,
    direction: &'static str,
    width: u16,
    role: &'static str,
    field: Option<Py<OperandField>>,
    register: Option<u16>,
}

/// A field of the instruction word.
#[pyclass(frozen, get_all, module = "ciphermark._engine")]
pub struct OperandField {
    name: String,
    width: u16,
    parts: Vec<(u8, u8, u8)>,
}

/// Name, reason, and the same as a diagnostic.
type Refusal = (String, String, String);

/// Inputs, result and whether the instruction is illegal.
type Vector = (Vec<u64>, Option<u64>, bool);

fn field(py: Python<'_>, field: &coredsl::ir::Field) -> PyResult<Py<OperandField>> {
    let parts = field.parts.iter().map(|part| (part.word_lsb, part.field_lsb, part.len)).collect();
    Py::new(py, OperandField { name: field.name.clone(), width: field.width, parts })
}

fn read(path: &str, xlen: u16, stages: u32) -> PyResult<Description> {
    if ![32, 64].contains(&xlen) {
        return Err(failure(format!("there is no RV{xlen}")));
    }
    Description::read(path, xlen, stages).map_err(refused)
}

/// Field and number of what a register is: the field's value and the number, or the number alone.
fn register(
    py: Python<'_>,
    register: Register,
    fields: &[coredsl::ir::Field],
) -> PyResult<(Option<Py<OperandField>>, u16)> {
    Ok(match register {
        Register::Fixed(number) => (None, number),
        Register::Field { field: id, plus } => (Some(field(py, &fields[id.index()])?), plus),
    })
}

fn port(py: Python<'_>, port: &rtl::Port, fields: &[coredsl::ir::Field]) -> PyResult<Py<Port>> {
    let (named, number) = match port.role {
        Role::Register(source) => {
            let (field, number) = register(py, source, fields)?;
            (field, Some(number))
        }
        Role::Field(id) => (Some(field(py, &fields[id.index()])?), None),
        _ => (None, None),
    };
    let role = match port.role {
        Role::Register(_) => "register",
        Role::Pc => "pc",
        Role::Field(_) => "immediate",
        Role::Clock => "clock",
        Role::Reset => "reset",
        Role::Valid => "valid",
        Role::Result => "result",
        Role::Illegal => "illegal",
        Role::Word => "word",
        Role::Known => "known",
    };
    let direction = if port.direction == Direction::Input { "input" } else { "output" };
    let name = port.name.clone();
    Py::new(py, Port { name, direction, width: port.width, role, field: named, register: number })
}

#[pyfunction]
#[pyo3(signature = (path, xlen, stages=0))]
fn description_rtl(
    py: Python<'_>,
    path: &str,
    xlen: u16,
    stages: u32,
) -> PyResult<(Vec<Datapath>, Vec<Refusal>)> {
    let description = read(path, xlen, stages)?;
    let mut datapaths = Vec::new();
    for datapath in &description.datapaths {
        let encoding = &description.instruction(datapath).encoding;
        let (destination, destination_register) = register(py, datapath.destination, &encoding.fields)?;
        let ports = datapath.ports.iter().map(|one| port(py, one, &encoding.fields));
        datapaths.push(Datapath {
            name: datapath.name.clone(),
            mnemonic: datapath.mnemonic.clone(),
            set: datapath.set.clone(),
            module: datapath.module.clone(),
            verilog: datapath.text.clone(),
            xlen,
            stages,
            length: encoding.length,
            mask: encoding.mask,
            r#match: encoding.value,
            destination,
            destination_register,
            ports: ports.collect::<PyResult<_>>()?,
        });
    }
    let refused = description.refused.into_iter();
    Ok((datapaths, refused.map(|one| (one.name, one.reason, render(&one.diagnostics))).collect()))
}

/// Name and text.
#[pyfunction]
#[pyo3(signature = (path, xlen, stages=0, modules=None))]
fn description_rtl_unit(
    path: &str,
    xlen: u16,
    stages: u32,
    modules: Option<Vec<String>>,
) -> PyResult<(String, String)> {
    let description = read(path, xlen, stages)?;
    let has = |one: &rtl::Datapath| modules.as_ref().is_none_or(|modules| modules.contains(&one.module));
    Ok((description.unit_name().to_owned(), description.unit(has)))
}

/// Of each instruction with a datapath, by the name of its module.
#[pyfunction]
#[pyo3(signature = (path, xlen, *, trials=1000, seed=1))]
fn description_vectors(
    path: &str,
    xlen: u16,
    trials: u32,
    seed: u64,
) -> PyResult<Vec<(String, Vec<Vector>)>> {
    let description = read(path, xlen, 0)?;
    let of = |datapath: &rtl::Datapath| {
        let vectors = description.vectors(datapath, trials, seed).into_iter();
        let vectors = vectors.map(|vector| (vector.inputs, vector.result, vector.illegal)).collect();
        (datapath.module.clone(), vectors)
    };
    Ok(description.datapaths.iter().map(of).collect())
}

pub fn register_functions(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Datapath>()?;
    module.add_class::<Port>()?;
    module.add_class::<OperandField>()?;
    module.add_function(wrap_pyfunction!(description_rtl, module)?)?;
    module.add_function(wrap_pyfunction!(description_rtl_unit, module)?)?;
    module.add_function(wrap_pyfunction!(description_vectors, module)?)
}

//! The target description: which registers the hart has, in gdb's words ("Target Descriptions", "RISC-V
//! Features").

use std::fmt::Write as _;

use hart::csr::{self, number};
use isa::disassembly::{FLOAT_REGISTERS, INT_REGISTERS};
use isa::{Isa, Xlen};

use crate::registers::{Register, flen, is_float};

/// Views of a vector register: field, element type, bytes of an element.
const VIEWS: [(&str, &str, usize); 5] =
    [("q", "uint128", 16), ("l", "uint64", 8), ("w", "uint32", 4), ("s", "uint16", 2), ("b", "uint8", 1)];
const FLOAT_CSRS: [u16; 3] = [number::FFLAGS, number::FRM, number::FCSR];
const VECTOR_CSRS: [u16; 7] =
    [number::VSTART, number::VXSAT, number::VXRM, number::VCSR, number::VL, number::VTYPE, number::VLENB];
const COUNTERS: [u16; 3] = [number::CYCLE, number::TIME, number::INSTRET];
const MACHINE_CSRS: [u16; 13] = [
    number::MSTATUS,
    number::MISA,
    number::MIE,
    number::MTVEC,
    number::MCOUNTEREN,
    number::MSCRATCH,
    number::MEPC,
    number::MCAUSE,
    number::MTVAL,
    number::MIP,
    number::MCYCLE,
    number::MINSTRET,
    number::MHARTID,
];

/// The description of a hart with vector registers of `vlenb` bytes, or none if that is 0.
pub fn target_xml(isa: &Isa, vlenb: usize, is_process: bool) -> String {
    let xlen = isa.xlen();
    let mut xml = Xml { text: String::new(), bits: xlen.bits().into() };
    xml.line("<?xml version=\"1.0\"?>");
    xml.line("<!DOCTYPE target SYSTEM \"gdb-target.dtd\">");
    xml.line("<target version=\"1.0\">");
    xml.line(match xlen {
        Xlen::Rv32 => "<architecture>riscv:rv32</architecture>",
        Xlen::Rv64 => "<architecture>riscv:rv64</architecture>",
    });
    if is_process {
        xml.line("<osabi>GNU/Linux</osabi>");
    }
    xml.cpu();
    if let Some(flen) = flen(isa) {
        xml.float(flen);
    }
    if vlenb > 0 {
        xml.vector(vlenb);
    }
    xml.csrs(vlenb > 0, is_process);
    xml.line("</target>");
    xml.text
}

struct Xml {
    text: String,
    /// XLEN.
    bits: usize,
}

impl Xml {
    fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    fn feature(&mut self, name: &str, content: impl FnOnce(&mut Self)) {
        self.line(&format!("<feature name=\"org.gnu.gdb.riscv.{name}\">"));
        content(self);
        self.line("</feature>");
    }

    fn register(&mut self, name: &str, bits: usize, kind: &str, register: Register) {
        let number = register.number();
        // Writing to a string cannot fail.
        let _ = writeln!(
            self.text,
            "<reg name=\"{name}\" bitsize=\"{bits}\" type=\"{kind}\" regnum=\"{number}\"/>"
        );
    }

    fn csr(&mut self, csr: u16) {
        let bits = if is_float(csr) { 32 } else { self.bits };
        if let Some(name) = csr::name(csr) {
            self.register(name, bits, "int", Register::Csr(csr));
        }
    }

    fn some_csrs(&mut self, csrs: &[u16]) {
        for &csr in csrs {
            self.csr(csr);
        }
    }

    fn cpu(&mut self) {
        self.feature("cpu", |xml| {
            for (register, abi) in (0..).zip(INT_REGISTERS) {
                let name = if abi == "s0" { "fp" } else { abi };
                let kind = match name {
                    "ra" => "code_ptr",
                    "sp" | "gp" | "tp" | "fp" => "data_ptr",
                    _ => "int",
                };
                xml.register(name, xml.bits, kind, Register::X(register));
            }
            xml.register("pc", xml.bits, "code_ptr", Register::Pc);
        });
    }

    fn float(&mut self, flen: usize) {
        self.feature("fpu", |xml| {
            let kind = if flen == 8 { "ieee_double" } else { "ieee_single" };
            for (register, name) in (0..).zip(FLOAT_REGISTERS) {
                xml.register(name, 8 * flen, kind, Register::F(register));
            }
            xml.some_csrs(&FLOAT_CSRS);
        });
    }

    fn vector(&mut self, vlenb: usize) {
        self.feature("vector", |xml| {
            let views: Vec<_> = VIEWS.into_iter().filter(|&(_, _, bytes)| bytes <= vlenb).collect();
            for (field, element, bytes) in &views {
                let count = vlenb / bytes;
                xml.line(&format!("<vector id=\"vector_{field}\" type=\"{element}\" count=\"{count}\"/>"));
            }
            xml.line("<union id=\"vector\">");
            for (field, ..) in &views {
                xml.line(&format!("<field name=\"{field}\" type=\"vector_{field}\"/>"));
            }
            xml.line("</union>");
            for register in 0..32 {
                xml.register(&format!("v{register}"), 8 * vlenb, "vector", Register::V(register));
            }
        });
    }

    fn csrs(&mut self, vector: bool, is_process: bool) {
        self.feature("csr", |xml| {
            if vector {
                xml.some_csrs(&VECTOR_CSRS);
            }
            xml.some_csrs(&COUNTERS);
            if !is_process {
                xml.some_csrs(&MACHINE_CSRS);
            }
        });
    }
}

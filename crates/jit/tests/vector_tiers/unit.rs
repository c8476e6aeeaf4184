//! A small model of the vector unit, apart from both tiers: one element after the other, as the specification says.

use std::ops::Range;

use engine::Program;

use crate::arithmetic;
use crate::guest::{BASE, DATA, SIZE, encode};

/// Bytes of memory that the model knows, from [`DATA`] on.
pub const BYTES: usize = (BASE + SIZE as u64 - DATA) as usize;

/// An instruction by its name, with its operands as they stand in the word: those of vectors in the order `vd`, `vs2`, `vs1`.
#[derive(Clone, Debug)]
pub struct Step {
    pub name: String,
    pub d: u32,
    pub a: u32,
    pub b: u32,
    /// `vm`; of others than vector instructions, false.
    pub vm: bool,
    pub fields: u32,
}

/// An unmasked instruction.
pub fn step(name: &str, d: u32, a: u32, b: u32) -> Step {
    Step { name: name.to_owned(), d, a, b, vm: true, fields: 1 }
}

/// `addi x, x, by`.
pub fn addi(x: u32, by: u32) -> Step {
    Step { vm: false, ..step("ADDI", x, by, x) }
}

/// `vsetvli d, b, vtype`.
pub fn set(d: u32, b: u32, vtype: i64) -> Step {
    Step { vm: false, ..step("VSETVLI", d, vtype as u32, b) }
}

impl Step {
    pub fn masked(self) -> Self {
        Self { vm: false, ..self }
    }

    pub fn word(&self, program: &Program) -> u32 {
        let word = encode(program.module(), &self.name, &[]);
        word | self.d << 7 | self.b << 15 | self.a << 20 | u32::from(self.vm) << 25 | (self.fields - 1) << 29
    }

    /// The number in the name, of bits, as log2 of bytes.
    fn width(&self) -> u32 {
        let digits: String = self.name.chars().filter(char::is_ascii_digit).collect();
        digits.parse::<u32>().map_or(0, |bits| bits.trailing_zeros() - 3)
    }
}

/// An access that fails: the element, and its address.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Failed {
    pub element: usize,
    pub address: u64,
}

/// The unit, memory and the integer registers.
#[derive(Clone)]
pub struct Unit {
    pub vlen: u32,
    pub rv32: bool,
    /// Agnostic elements become ones.
    pub ones: bool,
    /// log2 of the bytes of an element, and of LMUL.
    pub sew: u32,
    pub lmul: i32,
    pub vl: usize,
    pub file: Vec<u8>,
    pub memory: Vec<u8>,
    pub x: Vec<u64>,
    /// What may not be accessed of memory.
    pub hole: Range<u64>,
    pub vxsat: bool,
}

impl Unit {
    fn vlenb(&self) -> usize {
        self.vlen as usize / 8
    }

    pub fn vlmax(&self) -> usize {
        let bytes = if self.lmul < 0 { self.vlenb() >> -self.lmul } else { self.vlenb() << self.lmul };
        bytes >> self.sew
    }

    /// Offset of an element of a width.
    pub fn at(&self, register: u32, element: usize, width: u32) -> usize {
        register as usize * self.vlenb() + (element << width)
    }

    pub fn bit(&self, register: u32, element: usize) -> bool {
        self.file[self.at(register, element / 8, 0)] >> (element % 8) & 1 != 0
    }

    pub fn element(&self, register: u32, element: usize, width: u32) -> u64 {
        number(&self.file[self.at(register, element, width)..][..1 << width])
    }

    pub fn set_element(&mut self, register: u32, element: usize, width: u32, value: u64) {
        let at = self.at(register, element, width);
        self.file[at..at + (1 << width)].copy_from_slice(&value.to_le_bytes()[..1 << width]);
    }

    fn set_bit(&mut self, register: u32, element: usize, value: bool) {
        let at = self.at(register, element / 8, 0);
        self.file[at] = self.file[at] & !(1 << (element % 8)) | u8::from(value) << (element % 8);
    }

    pub fn set_x(&mut self, x: u32, value: u64) {
        if x != 0 {
            self.x[x as usize] = if self.rv32 { value as u32 as i32 as u64 } else { value };
        }
    }

    /// Fills the tail of a group of elements of a width.
    pub fn end(&mut self, register: u32, width: u32) {
        let group = self.vlenb() << (self.lmul + width as i32 - self.sew as i32).max(0);
        if self.ones && self.vl > 0 {
            let first = self.at(register, 0, 0);
            self.file[first + (self.vl << width)..first + group].fill(0xff);
        }
    }

    /// The second operand of an element, of SEW.
    fn second(&self, step: &Step, element: usize, before: &Self) -> u64 {
        let value = match step.name.split("__").nth(1).and_then(|form| form.chars().nth(1)) {
            Some('V') => before.element(step.b, element, self.sew),
            Some('X') => before.x[step.b as usize],
            _ if step.name == "VSLL__VI" => step.b.into(),
            _ => ((i64::from(step.b)) << 59 >> 59) as u64,
        };
        value & self.most()
    }

    /// The greatest element without a sign.
    fn most(&self) -> u64 {
        u64::MAX >> (64 - (8 << self.sew))
    }

    fn signed(&self, value: u64) -> i64 {
        let by = 64 - (8 << self.sew);
        (value << by) as i64 >> by
    }

    /// Executes an instruction. What precedes a failed access is done.
    pub fn execute(&mut self, step: &Step) -> Result<(), Failed> {
        if arithmetic::execute(self, step) {
            return Ok(());
        }
        let (stem, form) = step.name.split_once("__").unwrap_or((&step.name, ""));
        match (stem, form) {
            ("ADDI", _) => self.set_x(step.d, self.x[step.b as usize].wrapping_add(step.a.into())),
            ("VSETVLI", _) => {
                (self.sew, self.lmul) = (step.a >> 3 & 7, ((step.a & 7) as i32) << 29 >> 29);
                // With neither register, `vl` stays.
                if step.d == 0 && step.b == 0 {
                    return Ok(());
                }
                let wanted = if step.b == 0 { u64::MAX } else { self.x[step.b as usize] };
                let wanted = if self.rv32 { wanted as u32 as u64 } else { wanted };
                self.vl = wanted.min(self.vlmax() as u64) as usize;
                self.set_x(step.d, self.vl as u64);
            }
            (_, "MM") => self.logical(step, stem),
            (_, "M") => self.first(step, stem),
            (
                "VMADC" | "VMSBC" | "VMSEQ" | "VMSNE" | "VMSLTU" | "VMSLT" | "VMSLEU" | "VMSLE" | "VMSGTU"
                | "VMSGT",
                _,
            ) => {
                self.compare(step, stem, form.len() == 3);
            }
            _ if stem.contains("XEI")
                || stem.contains("XSEGEI")
                || stem.contains('E')
                    && (stem.starts_with("VL") || stem.starts_with("VS"))
                    && form == "V" =>
            {
                return self.access(step, stem);
            }
            _ => self.lanes(step, stem),
        }
        Ok(())
    }

    fn logical(&mut self, step: &Step, stem: &str) {
        let before = self.clone();
        for element in 0..self.vl {
            let (a, b) = (before.bit(step.a, element), before.bit(step.b, element));
            let value = match stem {
                "VMAND" => a && b,
                "VMNAND" => !(a && b),
                "VMANDN" => a && !b,
                "VMXOR" => a != b,
                "VMOR" => a || b,
                "VMNOR" => !(a || b),
                "VMORN" => a || !b,
                "VMXNOR" => a == b,
                other => panic!("no model of {other}"),
            };
            self.set_bit(step.d, element, value);
        }
        self.end_mask(step.d);
    }

    fn end_mask(&mut self, register: u32) {
        if self.ones && self.vl > 0 {
            (self.vl..self.vlen as usize).for_each(|element| self.set_bit(register, element, true));
        }
    }

    fn first(&mut self, step: &Step, stem: &str) {
        let before = self.clone();
        let active = |element: &usize| step.vm || before.bit(0, *element);
        let mut set = (0..self.vl).filter(active).filter(|&element| before.bit(step.a, element));
        let count = set.clone().count() as u64;
        let first = set.next();
        match stem {
            "VCPOP" => self.set_x(step.d, count),
            "VFIRST" => self.set_x(step.d, first.map_or(u64::MAX, |first| first as u64)),
            _ => {
                for element in 0..self.vl {
                    let value = match stem {
                        "VMSBF" => first.is_none_or(|first| element < first),
                        "VMSIF" => first.is_none_or(|first| element <= first),
                        "VMSOF" => first == Some(element),
                        other => panic!("no model of {other}"),
                    };
                    if active(&element) {
                        self.set_bit(step.d, element, value);
                    } else if self.ones {
                        self.set_bit(step.d, element, true);
                    }
                }
                self.end_mask(step.d);
            }
        }
    }

    fn compare(&mut self, step: &Step, stem: &str, carries: bool) {
        let before = self.clone();
        for element in 0..self.vl {
            let a = before.element(step.a, element, self.sew);
            let b = self.second(step, element, &before);
            let (of_a, of_b) = (self.signed(a), self.signed(b));
            let carry = u128::from(carries && before.bit(0, element));
            let value = match stem {
                "VMADC" => u128::from(a) + u128::from(b) + carry > u128::from(self.most()),
                "VMSBC" => u128::from(a) < u128::from(b) + carry,
                "VMSEQ" => a == b,
                "VMSNE" => a != b,
                "VMSLTU" => a < b,
                "VMSLT" => of_a < of_b,
                "VMSLEU" => a <= b,
                "VMSLE" => of_a <= of_b,
                "VMSGTU" => a > b,
                _ => of_a > of_b,
            };
            if step.vm || carries || before.bit(0, element) {
                self.set_bit(step.d, element, value);
            } else if self.ones {
                self.set_bit(step.d, element, true);
            }
        }
        self.end_mask(step.d);
    }

    fn lanes(&mut self, step: &Step, stem: &str) {
        let (before, bits) = (self.clone(), 8_u32 << self.sew);
        for element in 0..self.vl {
            let d = before.element(step.d, element, self.sew);
            let a = before.element(step.a, element, self.sew);
            let b = if step.name.ends_with("__V") { 0 } else { self.second(step, element, &before) };
            let ones_below = |limit: u32| (0..limit).take_while(|&bit| a >> bit & 1 == 0).count() as u64;
            let reversed =
                (0..bits).filter(|bit| a >> bit & 1 != 0).fold(0, |sum, bit| sum | 1 << (bits - 1 - bit));
            let value = match stem {
                "VADD" => a.wrapping_add(b),
                "VSUB" => a.wrapping_sub(b),
                "VXOR" => a ^ b,
                "VMIN" => self.signed(a).min(self.signed(b)) as u64,
                "VMUL" => a.wrapping_mul(b),
                "VMACC" => d.wrapping_add(a.wrapping_mul(b)),
                "VSLL" => a << (b % u64::from(bits)),
                "VMV" => b,
                "VMERGE" => {
                    if before.bit(0, element) {
                        b
                    } else {
                        a
                    }
                }
                "VBREV" => reversed,
                "VBREV8" => {
                    number(&a.to_le_bytes().map(|byte| (0..8).fold(0, |sum, bit| sum << 1 | byte >> bit & 1)))
                }
                "VREV8" => {
                    number(&a.to_le_bytes()[..1 << self.sew].iter().rev().copied().collect::<Vec<u8>>())
                }
                "VCPOP" => (0..bits).filter(|bit| a >> bit & 1 != 0).count() as u64,
                "VCTZ" => ones_below(bits),
                "VCLZ" => (0..bits).rev().take_while(|&bit| a >> bit & 1 == 0).count() as u64,
                "VRGATHEREI16" => match before.element(step.b, element, 1) as usize {
                    index if index < self.vlmax() => before.element(step.a, index, self.sew),
                    _ => 0,
                },
                other => panic!("no model of {other}"),
            };
            if step.vm || stem == "VMERGE" || before.bit(0, element) {
                self.set_element(step.d, element, self.sew, value);
            } else if self.ones {
                self.set_element(step.d, element, self.sew, u64::MAX);
            }
        }
        self.end(step.d, self.sew);
    }

    fn access(&mut self, step: &Step, stem: &str) -> Result<(), Failed> {
        let (before, width) = (self.clone(), step.width());
        let stores = stem.starts_with("VS");
        let is_indexed = stem.contains("XEI") || stem.contains("XSEGEI");
        let strided = ["VLSE", "VSSE", "VLSSEG", "VSSSEG"].into_iter().any(|name| stem.starts_with(name));
        let is_strided = strided && !stem.starts_with("VLSEG") && !stem.starts_with("VSSEG");
        let of_data = if is_indexed { self.sew } else { width };
        let group = 1 << (self.lmul + of_data as i32 - self.sew as i32).max(0);
        let size = 1_u64 << of_data;
        for element in 0..self.vl {
            if !step.vm && !before.bit(0, element) {
                for field in 0..if self.ones && !stores { step.fields } else { 0 } {
                    self.set_element(step.d + field * group, element, of_data, u64::MAX);
                }
                continue;
            }
            for field in 0..step.fields {
                let distance = match is_indexed {
                    true => before.element(step.a, element, width),
                    false if is_strided => before.x[step.a as usize].wrapping_mul(element as u64),
                    false => element as u64 * u64::from(step.fields) * size,
                };
                let address =
                    self.x[step.b as usize].wrapping_add(distance).wrapping_add(u64::from(field) * size);
                let address = if self.rv32 { address as u32 as u64 } else { address };
                let Some(at) = self.place(address, size) else {
                    if stem.ends_with("FF") && element > 0 {
                        self.vl = element;
                        break;
                    }
                    return Err(Failed { element, address });
                };
                let register = step.d + field * group;
                if stores {
                    let value = before.element(register, element, of_data).to_le_bytes();
                    self.memory[at..at + size as usize].copy_from_slice(&value[..size as usize]);
                } else {
                    self.set_element(
                        register,
                        element,
                        of_data,
                        number(&self.memory[at..at + size as usize]),
                    );
                }
            }
            if self.vl <= element {
                return Ok(());
            }
        }
        (0..if stores { 0 } else { step.fields }).for_each(|field| self.end(step.d + field * group, of_data));
        Ok(())
    }

    /// Where this many bytes are in memory, if all may be accessed.
    fn place(&self, address: u64, size: u64) -> Option<usize> {
        let at = usize::try_from(address.wrapping_sub(DATA)).ok()?;
        let is_inside = at < BYTES && at + size as usize <= BYTES;
        let is_free = address + size <= self.hole.start || address >= self.hole.end;
        (is_inside && is_free).then_some(at)
    }
}

fn number(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte))
}

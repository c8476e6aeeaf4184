//! Which floating-point formats vectors have, and which an instruction takes.

use isa::Isa;

/// Formats of vector elements (sections "Zve*: Vector Extensions for Embedded Processors", "Zvfh", "Zvfhmin").
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Formats {
    half: bool,
    half_conversions: bool,
    single: bool,
    double: bool,
}

/// The widths of an instruction's operands that are floating-point numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Numbers {
    of_sew: bool,
    of_double: bool,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    /// With all operations on them.
    Any,
    /// Only converted between formats.
    Converted,
    /// Those of SEW are BF16.
    Brain,
}

impl Numbers {
    /// Of SEW.
    pub const OF_SEW: Self = Self { of_sew: true, of_double: false, kind: Kind::Any };
    /// Of 2·SEW; what has SEW are integers.
    pub const OF_DOUBLE: Self = Self { of_sew: false, of_double: true, kind: Kind::Any };
    /// Of SEW and 2·SEW.
    pub const OF_BOTH: Self = Self { of_sew: true, of_double: true, kind: Kind::Any };
    /// The same, only converted.
    pub const CONVERTED: Self = Self { of_sew: true, of_double: true, kind: Kind::Converted };
    /// The same, BF16 and single precision.
    pub const BRAIN: Self = Self { of_sew: true, of_double: true, kind: Kind::Brain };
}

impl Formats {
    /// Those of a hart.
    pub fn of(isa: &Isa) -> Self {
        Self {
            half: isa.has("zvfh"),
            half_conversions: isa.has("zvfhmin"),
            single: isa.has("zve32f"),
            double: isa.has("zve64d"),
        }
    }

    /// Whether an instruction with these numbers exists for a SEW (log2 of bytes).
    ///
    /// # Errors
    /// The rule that is broken.
    #[inline(always)]
    pub fn check(self, numbers: Numbers, sew: u8) -> Result<(), &'static str> {
        let half = match numbers.kind {
            Kind::Brain if sew == 1 => return Ok(()),
            Kind::Brain => return Err("BF16 instructions are defined for SEW = 16 only"),
            Kind::Any => self.half,
            Kind::Converted => self.half_conversions,
        };
        let has = |width| match width {
            1 if !half => {
                Err("vectors of half precision need Zvfh, or Zvfhmin to be converted to single precision")
            }
            2 if !self.single => Err("vectors of single precision need Zve32f"),
            3 if !self.double => Err("vectors of double precision need V or Zve64d"),
            1..=3 => Ok(()),
            _ => Err("there is no floating-point format of this width: SEW, or 2 SEW where it is wider"),
        };
        if numbers.of_sew {
            has(sew)?;
        }
        if numbers.of_double {
            has(sew + 1)?;
        }
        Ok(())
    }
}

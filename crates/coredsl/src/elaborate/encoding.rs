//! `encoding:` to bits and fields.

use super::Elaborator;
use crate::ast::{self, EncodingPart};
use crate::diagnostic::{Checked, Issue};
use crate::ir::{Encoding, Field, FieldPart};
use crate::source::Span;
use ethnum::U256;

/// Widest field.
const MAX_FIELD: u32 = 64;

/// The encoding, and where each field is named first.
pub(super) struct Encoded {
    pub encoding: Encoding,
    pub field_spans: Vec<Span>,
}

impl Elaborator<'_> {
    pub(super) fn encoding(&mut self, instruction: &ast::Instruction) -> Checked<Encoded> {
        let length = self.encoding_length(instruction)?;
        let mut encoding = Encoding { length, mask: 0, value: 0, fields: vec![] };
        let mut field_spans = Vec::new();
        let mut top = u32::from(length);
        for part in &instruction.encoding {
            match part {
                EncodingPart::Literal { value, width, .. } => {
                    top -= u32::from(*width);
                    let ones = u32::MAX >> (32 - u32::from(*width));
                    encoding.mask |= ones << top;
                    encoding.value |= value.as_u32() << top;
                }
                EncodingPart::Field { name, high, low, span } => {
                    let (high, low) = (high.as_u32(), low.as_u32());
                    let len = high - low + 1;
                    top -= len;
                    let part = FieldPart { word_lsb: top as u8, field_lsb: low as u8, len: len as u8 };
                    self.add_part(&mut encoding.fields, &mut field_spans, name, part, *span)?;
                }
            }
        }
        Ok(Encoded { encoding, field_spans })
    }

    /// The sum of all parts, which must be 16 or 32 bits; checks each field's bit numbers.
    fn encoding_length(&mut self, instruction: &ast::Instruction) -> Checked<u8> {
        let mut total = 0_u32;
        for part in &instruction.encoding {
            total = total.saturating_add(match part {
                EncodingPart::Literal { width, .. } => u32::from(*width),
                EncodingPart::Field { name, high, low, span } => self.field_bits(name, *high, *low, *span)?,
            });
        }
        if total == 16 || total == 32 {
            return Ok(total as u8);
        }
        let message = format!("the encoding of `{}` has {total} bits", instruction.name.name);
        let nearest = if total < 24 { 16 } else { 32 };
        let gap = total.abs_diff(nearest);
        let verb = if total < nearest { "add" } else { "remove" };
        let help = format!(
            "instructions have 16 or 32 bits: {verb} {gap}; a literal needs its size, as in `7'b0110011`"
        );
        Err(self.report(Issue::new(instruction.encoding_span, message, "wrong length", help)))
    }

    fn field_bits(&mut self, name: &ast::Ident, high: U256, low: U256, span: Span) -> Checked<u32> {
        if high < low {
            let message = format!("the bits of `{}` are given lowest first", name.name);
            let help = format!("write `{}[{low}:{high}]`", name.name);
            return Err(self.report(Issue::new(span, message, "swapped", help)));
        }
        if high >= U256::from(MAX_FIELD) {
            let message = format!("bit {high} of the field `{}`", name.name);
            let help = format!("fields have at most {MAX_FIELD} bits");
            return Err(self.report(Issue::new(span, message, "too high", help)));
        }
        Ok(high.as_u32() - low.as_u32() + 1)
    }

    fn add_part(
        &mut self,
        fields: &mut Vec<Field>,
        spans: &mut Vec<Span>,
        name: &ast::Ident,
        part: FieldPart,
        span: Span,
    ) -> Checked<()> {
        let width = u16::from(part.field_lsb) + u16::from(part.len);
        let Some(index) = fields.iter().position(|field| field.name == name.name) else {
            fields.push(Field { name: name.name.clone(), width, parts: vec![part] });
            spans.push(span);
            return Ok(());
        };
        let field = &mut fields[index];
        let bits = |part: &FieldPart| (u64::MAX >> (64 - u32::from(part.len))) << part.field_lsb;
        if field.parts.iter().any(|other| bits(other) & bits(&part) != 0) {
            let message = format!("bits of the field `{}` are given twice", name.name);
            let help = "each bit of a field has one place; rename the field if another is meant";
            let issue = Issue::new(span, message, "given again", help);
            return Err(self.report(issue.and(spans[index], "first part")));
        }
        field.width = field.width.max(width);
        field.parts.push(part);
        Ok(())
    }
}

//! Merges, slides by one, and moves to and from floating-point registers ("Vector Floating-Point Merge Instruction",
//! "Vector Floating-Point Move Instruction", "Floating-Point Scalar Move Instructions").

use super::super::element::Element;
use super::super::element_wise::MaskUse;
use super::super::fields::Immediate;
use super::super::group::Overlap;
use super::super::kernel::whole;
use super::super::operation::operations;
use super::super::permutation::{Down1, Up1};
use super::super::rules::{APART, Rules, scalar};
use super::entries::Spread;
use super::formats::for_format;
use super::rules::PLAIN;

const MERGING: Rules = Rules { mask: MaskUse::Operand, ..PLAIN };
const SPREADING: Rules = Rules { vs2: None, ..PLAIN };
const UP: Rules = Rules { overlap: APART, ..PLAIN };
const TO_FIRST: Rules = Rules { vd: scalar(0), vs2: None, overlap: Overlap::Any, ..PLAIN };
const FROM_FIRST: Rules =
    Rules { vd: None, vs2: scalar(0), immediate: Immediate::Nothing, overlap: Overlap::Any, ..PLAIN };

operations! {
    VFMERGE [VFM] MERGING => |hart, fields, shape| {
        hart.vector_environment()?;
        let walk = MERGING.walk(hart, fields, shape);
        let unit = &mut hart.vector;
        for_format!(unit.vtype.sew, _F, E => walk.run::<E, E, E>(unit, |a, b, _, second| {
            (if second { b } else { a }, 0)
        }));
        Ok(())
    } => Spread::VFMERGE;
    VFMV [V__F] SPREADING => |hart, fields, shape| {
        hart.vector_environment()?;
        let walk = SPREADING.walk(hart, fields, shape);
        let unit = &mut hart.vector;
        for_format!(unit.vtype.sew, _F, E => walk.run::<E, E, E>(unit, |_, b, _, _| (b, 0)));
        Ok(())
    } => Spread::VFMV;
    VFSLIDE1UP [VF] UP => |hart, fields, shape| {
        hart.vector_environment()?;
        whole::<Up1>(hart, fields, shape)
    } => Spread::VFSLIDE1UP;
    VFSLIDE1DOWN [VF] PLAIN => |hart, fields, shape| {
        hart.vector_environment()?;
        whole::<Down1>(hart, fields, shape)
    } => Spread::VFSLIDE1DOWN;
    VFMV [S__F] TO_FIRST => |hart, fields, _| {
        hart.vector_environment()?;
        let value = hart.vector_float(fields.rs1() as u16);
        let unit = &mut hart.vector;
        let start = std::mem::take(&mut unit.vstart);
        if start < unit.vl {
            for_format!(unit.vtype.sew, _F, E => {
                unit.set(fields.vd(), 0, E::truncate(value));
                unit.finish_scalar::<E>(fields.vd(), false);
            });
        }
        Ok(())
    } => Spread::ToFirst;
    VFMV [F__S] FROM_FIRST => |hart, fields, _| {
        hart.vector_environment()?;
        let unit = &mut hart.vector;
        unit.vstart = 0;
        for_format!(unit.vtype.sew, F, E => {
            let value = unit.get::<E>(fields.vs2(), 0).zero_extend();
            hart.write_f::<F>(fields.vd(), value);
        });
        Ok(())
    } => Spread::FromFirst;
}

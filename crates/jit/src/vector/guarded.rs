//! Floating-point instructions in place where the host's results and flags cannot differ, and by a call otherwise.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, BlockArg, InstBuilder, Type, Value, types};
use engine::uop::Uop;
use hart::vector::Vtype;
use hart::vector::compiled::{FLOAT_CHANGED, FloatOperands, Operation, Second, offset};

use super::cache::COLUMN;
use super::detour::Detour;
use super::flags;
use super::formats::{DOUBLE, Format, HALF, Numbers, SINGLE};
use super::unusual::Unusual;
use crate::builder::{Builder, FloatStatus, Place, own};

/// Longest body, in bytes: of a longer one, the unit's call is a small part.
pub const LONGEST: u64 = 128;
/// `fflags.NX`.
const INEXACT: u64 = 1;
/// The last of the rounding modes.
const LAST_MODE: u64 = 4;

/// How results are rounded, and what is known of the inexact flag then.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rounds {
    /// They are only bits, and right whatever the numbers.
    Bitwise,
    /// They are exact.
    Never,
    /// As the instruction says. It is found out where they are exact.
    Anyhow,
    /// To nearest. It is found out where they are exact.
    Nearest,
    /// To nearest, and the flag is raised already, or a second look tells whether that matters.
    Inexactly,
}

/// An instruction whose body is short and of whole columns.
#[derive(Clone, Copy)]
pub struct Guarded {
    pub operands: FloatOperands,
    pub format: Format,
    /// Elements, most likely.
    pub vl: u64,
    /// Bytes of the body.
    pub body: usize,
    pub rounds: Rounds,
    /// Elements whose bits of v0 are not set stay as they are, and raise nothing.
    pub is_masked: bool,
}

/// What the host computes.
pub struct Computed {
    /// Columns of `vd`, from the first on.
    pub columns: Vec<Value>,
    /// Lanes of ones where what comes of them is the unit's result, too, in columns of operands; none if it always is.
    pub fits: Vec<Value>,
    /// Both have v0 in them already, if the instruction is masked.
    pub is_merged: bool,
    /// How to tell whether they are the unit's after all, where lanes do not fit.
    pub unusual: Option<Unusual>,
}

impl Computed {
    /// Columns that are the unit's, whatever the numbers.
    pub const fn always(columns: Vec<Value>) -> Self {
        Self::where_fit(columns, Vec::new())
    }

    /// Columns that are the unit's where lanes fit.
    pub const fn where_fit(columns: Vec<Value>, fits: Vec<Value>) -> Self {
        Self { columns, fits, is_merged: false, unusual: None }
    }
}

impl Builder<'_, '_> {
    /// An instruction that can be compiled so: legal, of a short body of whole columns, leaving alone what is masked off, and
    /// on numbers that the host has or on bits.
    pub(super) fn guardable(
        &mut self,
        operation: &Operation,
        uop: Uop,
        vtype: Vtype,
        rounds: Rounds,
    ) -> Option<Guarded> {
        let unit = self.region.vector;
        let vl = self.vector.vl.unwrap_or_else(|| unit.vlmax(vtype.sew, vtype.lmul) as u64);
        let operands = operation.floats(unit, uop.word(), vtype)?;
        let body = vl << vtype.sew;
        let is_short = 0 < body && body <= LONGEST;
        let is_whole = body.is_multiple_of(COLUMN as u64) && body >= operands.tail_end as u64;
        let format = match vtype.sew {
            1 => HALF,
            2 => SINGLE,
            _ => DOUBLE,
        };
        let is_of_host = format.numbers.lane_type().is_float() || rounds == Rounds::Bitwise;
        let is_masked = operands.is_masked;
        let guarded = Guarded { operands, format, vl, body: body as usize, rounds, is_masked };
        (is_short && is_whole && is_of_host).then_some(guarded)
    }

    /// Compiles it: `compute` in place, or `call` if something differs.
    pub(super) fn guarded(
        &mut self,
        guarded: &Guarded,
        place: Place,
        compute: impl Fn(&mut Self) -> Computed,
        call: impl FnOnce(&mut Self),
    ) {
        let differs = self.differences(guarded, place);
        if differs.is_none() && guarded.rounds == Rounds::Bitwise {
            let (computed, masks) = (compute(self), self.masks_of(guarded));
            self.set_where(guarded, &computed.columns, &masks);
            return;
        }
        // Where nothing has been computed yet, or what was is forgotten: it is seldom unusual.
        let sooner = (guarded.rounds == Rounds::Inexactly).then(|| self.ins.create_block());
        let mut detour = self.part_ways(differs, sooner);
        let Computed { columns, fits, is_merged, unusual } = compute(self);
        let again = unusual.map(|_| sooner.unwrap_or_else(|| self.ins.create_block()));
        let masks = if is_merged { Vec::new() } else { self.masks_of(guarded) };
        self.go_unless_fit(guarded, &fits, &masks, again.unwrap_or(detour.around));
        self.set_where(guarded, &columns, &masks);
        self.join(&mut detour);
        if let Some(again) = again {
            self.begin_way(&detour, again);
            if sooner.is_some() {
                self.go_around_unless_nearest(guarded, detour.around);
            }
            let computed = compute(self);
            self.again(guarded, computed, &mut detour);
        }
        self.end_detour(detour, call);
    }

    /// Looks at what was computed once more, out of line, where something was unusual or nothing was inexact before.
    fn again(&mut self, guarded: &Guarded, computed: Computed, detour: &mut Detour) {
        let Computed { mut columns, is_merged, unusual, .. } = computed;
        let masks = if is_merged { Vec::new() } else { self.masks_of(guarded) };
        if let Some(unusual) = unusual {
            if let Some(inexact) = self.inexact_sums(&unusual, &columns) {
                let any = self.any_active(&inexact, &masks);
                let [exact, otherwise] = std::array::from_fn(|_| self.ins.create_block());
                self.ins.ins().brif(any, otherwise, &[], exact, &[]);
                self.begin_seldom(exact);
                self.set_where(guarded, &columns, &masks);
                self.join(detour);
                self.begin_way(detour, otherwise);
            }
            columns = self.unusual(&unusual, &columns, &masks, guarded, detour.around);
        }
        self.set_where(guarded, &columns, &masks);
        self.join(detour);
    }

    /// Goes to a block if not all lanes fit that are active in these masks, or in those of lanes of another width.
    fn go_unless_fit(&mut self, guarded: &Guarded, fits: &[Value], masks: &[Value], block: Block) {
        let Some(&first) = fits.first() else { return };
        let ty = self.ins.func.dfg.value_type(first);
        let on = self.ins.create_block();
        if masks.is_empty() || ty.lane_bits() == guarded.format.bits.lane_bits() {
            self.branch_if_all(fits, masks, [on, block]);
        } else {
            let masks = self.masks_in(ty, fits.len());
            self.branch_if_all(fits, &masks, [on, block]);
        }
        self.ins.seal_block(on);
        self.ins.switch_to_block(on);
    }

    /// Arguments of a block whose parameters are what was computed.
    pub(super) fn results_for(&mut self, block: Block, columns: &[Value]) -> Vec<BlockArg> {
        for &column in columns {
            let ty = self.ins.func.dfg.value_type(column);
            self.ins.append_block_param(block, ty);
        }
        columns.iter().copied().map(BlockArg::Value).collect()
    }

    /// Goes around if it is not the inexact flag alone that differs.
    fn go_around_unless_nearest(&mut self, guarded: &Guarded, around: Block) {
        let mut otherwise = self.mode();
        if let Some(other) = self.other_length(guarded) {
            otherwise = self.ins.ins().bor(otherwise, other);
        }
        self.go_if(otherwise, around);
    }

    /// Goes to a block if a value is not 0, and on otherwise, out of line.
    pub(super) fn go_if(&mut self, value: Value, block: Block) {
        let on = self.ins.create_block();
        self.ins.ins().brif(value, block, &[], on, &[]);
        self.begin_seldom(on);
    }

    /// Begins a block out of line that all have been seen to go to.
    pub(super) fn begin_seldom(&mut self, block: Block) {
        self.ins.seal_block(block);
        self.ins.set_cold_block(block);
        self.ins.switch_to_block(block);
    }

    /// Sets columns of `vd`, where there are masks in the lanes that these say.
    fn set_where(&mut self, guarded: &Guarded, columns: &[Value], masks: &[Value]) {
        let ty = guarded.format.bits;
        for (index, &value) in columns.iter().enumerate() {
            let at = guarded.operands.d + index * COLUMN;
            let value = match masks.get(index) {
                Some(&mask) => {
                    let before = self.column(at, ty);
                    let value = self.as_lanes(value, ty);
                    self.ins.ins().bitselect(mask, value, before)
                }
                None => value,
            };
            self.set_column(at, value);
        }
        self.settle_columns();
    }

    /// Lanes of ones where elements are active, by column; none if all are.
    pub(super) fn masks_of(&mut self, guarded: &Guarded) -> Vec<Value> {
        let Guarded { format, body, is_masked, .. } = *guarded;
        if is_masked { self.masks_in(format.bits, body.div_ceil(COLUMN)) } else { Vec::new() }
    }

    /// What fits, or does not matter, because it is not active.
    pub(super) fn of_active(&mut self, fits: &[Value], masks: &[Value]) -> Vec<Value> {
        let of = |(index, &fits): (usize, &Value)| match masks.get(index) {
            Some(&mask) => {
                let ty = self.ins.func.dfg.value_type(mask);
                let fits = self.as_lanes(fits, ty);
                self.ins.ins().bor_not(fits, mask)
            }
            None => fits,
        };
        fits.iter().enumerate().map(of).collect()
    }

    /// A column as lanes of a type.
    pub(super) fn as_lanes(&mut self, column: Value, ty: Type) -> Value {
        let is_so = self.ins.func.dfg.value_type(column) == ty;
        if is_so { column } else { self.ins.ins().bitcast(ty, flags(), column) }
    }

    /// Not 0 if the host's results or flags may be others than the unit's, whatever the numbers, or `vl` is not the one
    /// given: a loop whose length is not known has the greatest in all rounds but the last. None if neither can be. What is
    /// illegal is left to the interpreter.
    pub(super) fn differences(&mut self, guarded: &Guarded, place: Place) -> Option<Value> {
        self.expect_floats(place);
        let otherwise = match guarded.rounds {
            Rounds::Bitwise | Rounds::Never => None,
            Rounds::Anyhow => {
                self.raised();
                None
            }
            Rounds::Nearest => {
                self.raised();
                Some(self.mode())
            }
            Rounds::Inexactly => Some(self.rounds_otherwise()),
        };
        let other = self.other_length(guarded);
        let [Some(otherwise), Some(other)] = [otherwise, other] else { return otherwise.or(other) };
        Some(self.ins.ins().bor(otherwise, other))
    }

    /// Not 0 if `vl` is not the one given; none if it is.
    fn other_length(&mut self, guarded: &Guarded) -> Option<Value> {
        if self.vector.vl.is_some() {
            return None;
        }
        let (now, expected) = (self.vl(), self.constant(guarded.vl));
        Some(self.ins.ins().bxor(now, expected))
    }

    /// Leaves to the interpreter unless the floating-point unit is on and marked as changed, and its rounding mode is one.
    /// Only a block's first instruction has to look: what changes the mode ends a block.
    pub(super) fn expect_floats(&mut self, place: Place) {
        if self.vector.is_float_legal {
            return;
        }
        let (mode, last) = (self.mode(), self.constant(LAST_MODE));
        let mut wrong = self.ins.ins().icmp(IntCC::UnsignedGreaterThan, mode, last);
        if self.float_status < FloatStatus::Changed {
            let hart = self.hart();
            let status = self.ins.ins().load(types::I64, own(), hart, offset::STATUS as i32);
            let changed = self.constant(FLOAT_CHANGED);
            let status = self.ins.ins().band(status, changed);
            let differs = self.ins.ins().icmp(IntCC::NotEqual, status, changed);
            wrong = self.ins.ins().bor(wrong, differs);
        }
        self.leave_if(wrong, place);
        (self.vector.is_float_legal, self.float_status) = (true, FloatStatus::Changed);
    }

    /// The rounding mode, 0 for to nearest. What changes it ends a block.
    pub(super) fn mode(&mut self) -> Value {
        let hart = self.hart();
        self.ins.ins().uload8(types::I64, own(), hart, offset::FRM as i32)
    }

    /// Not 0 where the unit does not round to nearest, or the inexact flag is not raised. No instruction within a block
    /// takes it back, so the first one's is good for all.
    fn rounds_otherwise(&mut self) -> Value {
        if let Some(otherwise) = self.vector.rounds_otherwise {
            return otherwise;
        }
        let (mode, hart) = (self.mode(), self.hart());
        let flags = self.ins.ins().uload8(types::I64, own(), hart, offset::FFLAGS as i32);
        let inexact = self.constant(INEXACT);
        let exact = self.ins.ins().band_not(inexact, flags);
        let otherwise = self.ins.ins().bor(mode, exact);
        *self.vector.rounds_otherwise.insert(otherwise)
    }

    /// Lanes of ones if the inexact flag is raised.
    fn raised(&mut self) -> Value {
        if let Some(raised) = self.vector.raised {
            return raised;
        }
        let hart = self.hart();
        let flags = self.ins.ins().uload8(types::I64, own(), hart, offset::FFLAGS as i32);
        let inexact = self.constant(INEXACT);
        let raised = self.ins.ins().band(flags, inexact);
        let raised = self.ins.ins().ineg(raised);
        let raised = self.ins.ins().splat(types::I64X2, raised);
        *self.vector.raised.insert(raised)
    }

    /// Lanes of ones where a result is exact, as these say, or the inexact flag is raised already, which
    /// [`Self::differences`] has looked at.
    pub(super) fn exact_or_raised(&mut self, exact: Value) -> Value {
        let Some(raised) = self.vector.raised else { return exact };
        let ty = self.ins.func.dfg.value_type(exact);
        let raised = self.as_lanes(raised, ty);
        self.ins.ins().bor(exact, raised)
    }

    /// The operands by column; `vd` may be a group of columns or not.
    pub(super) fn numbers(&mut self, guarded: &Guarded, with_d: bool) -> Vec<Numbers> {
        let Guarded { operands, format, .. } = *guarded;
        let scalar = self.number(guarded);
        let vlenb = self.region.vector.vlenb();
        let of = |column: usize| {
            let a = self.column(operands.a + column, format.numbers);
            let b = match (operands.b, scalar) {
                (_, Some(scalar)) => scalar,
                (Second::Group(register), _) => {
                    self.column(register as usize * vlenb + column, format.numbers)
                }
                _ => a,
            };
            let d = if with_d { self.column(operands.d + column, format.numbers) } else { a };
            Numbers { a, b, d }
        };
        (0..guarded.body).step_by(COLUMN).map(of).collect()
    }

    /// The same number in all lanes.
    pub(super) fn lanes_constant(&mut self, lane: u64, ty: Type) -> Value {
        let width = ty.lane_type().bytes() as usize;
        let bytes: Vec<u8> = lane.to_le_bytes()[..width].iter().copied().cycle().take(COLUMN).collect();
        let constant = self.ins.func.dfg.constants.insert(bytes.into());
        self.ins.ins().vconst(ty, constant)
    }
}

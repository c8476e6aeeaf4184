//! What kind of work an instruction is, as a core's execution units divide it.

macro_rules! classes {
    ($($variant:ident $name:literal $about:literal;)*) => {
        /// The unit of a core that an instruction is for. Machine files give latencies by class.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
        pub enum Class {
            $(#[doc = $about] $variant,)*
        }

        impl Class {
            /// Every class.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// Its name in tables and machine files.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                }
            }
        }
    };
}

classes! {
    Alu "alu" "Addition, comparison, logic and moves of integers.";
    Shift "shift" "Shifts of integers.";
    Mul "mul" "Integer multiplication.";
    Div "div" "Integer division and remainder.";
    Bitmanip "bitmanip" "Rotations, counts, permutations and single bits.";
    Clmul "clmul" "Carry-less multiplication.";
    Aes "aes" "AES steps.";
    Sha "sha" "SHA-2 steps.";
    Sm "sm" "SM3 and SM4 steps.";
    Load "load" "Loads to integer registers.";
    Store "store" "Stores of integer registers.";
    Atomic "atomic" "Loads and stores in one, reservations.";
    Branch "branch" "Conditional transfers of control.";
    Jump "jump" "Unconditional transfers of control.";
    Csr "csr" "Access to control and status registers.";
    Fence "fence" "Ordering of memory and of fetches.";
    System "system" "Traps, returns from them, and calls to the environment.";
    FpAdd "fp-add" "Floating-point addition and subtraction.";
    FpMul "fp-mul" "Floating-point multiplication.";
    FpFma "fp-fma" "Fused multiplication and addition.";
    FpDiv "fp-div" "Floating-point division.";
    FpSqrt "fp-sqrt" "Square roots.";
    FpConvert "fp-convert" "Conversions between formats and with integers, rounding to integers.";
    FpMove "fp-move" "Moves, sign injection, constants.";
    FpCompare "fp-compare" "Comparisons, minimum, maximum, classification.";
    FpLoad "fp-load" "Loads to floating-point registers.";
    FpStore "fp-store" "Stores of floating-point registers.";
    VectorConfig "vector-config" "Settings of vl and vtype.";
    VectorAlu "vector-alu" "Addition, comparison, logic, merges and moves of vectors.";
    VectorShift "vector-shift" "Shifts of elements.";
    VectorMul "vector-mul" "Multiplication, also with accumulation.";
    VectorDiv "vector-div" "Division and remainder of elements.";
    VectorFixedPoint "vector-fixed-point" "Saturating, averaging and scaling arithmetic.";
    VectorReduce "vector-reduce" "Reductions.";
    VectorFpAdd "vector-fp-add" "Floating-point addition and subtraction of elements.";
    VectorFpMul "vector-fp-mul" "Floating-point multiplication of elements.";
    VectorFpFma "vector-fp-fma" "Fused multiplication and addition of elements.";
    VectorFpDiv "vector-fp-div" "Floating-point division of elements.";
    VectorFpSqrt "vector-fp-sqrt" "Square roots of elements, and estimates of their and of plain reciprocals.";
    VectorFpConvert "vector-fp-convert" "Conversions of elements between formats and with integers.";
    VectorFpMove "vector-fp-move" "Sign injection, merges, slides and moves with floating-point registers.";
    VectorFpCompare "vector-fp-compare" "Comparisons, minimum, maximum, classification of elements.";
    VectorFpReduce "vector-fp-reduce" "Floating-point reductions.";
    VectorMask "vector-mask" "Logic on masks, and what is counted from them.";
    VectorPermute "vector-permute" "Slides, gathers, compression, moves of a scalar or of whole registers.";
    VectorBitmanip "vector-bitmanip" "Rotations, counts and reversals within elements.";
    VectorClmul "vector-clmul" "Carry-less multiplication and GHASH.";
    VectorAes "vector-aes" "AES steps on element groups.";
    VectorSha "vector-sha" "SHA-2 steps on element groups.";
    VectorSm "vector-sm" "SM3 and SM4 steps on element groups.";
    VectorLoad "vector-load" "Vector loads.";
    VectorStore "vector-store" "Vector stores.";
    Custom "custom" "Computation of a user's own that states no class.";
}

impl Class {
    /// The class that the attribute of that name, without its `class_`, states.
    pub(super) fn from_attribute(name: &str) -> Option<Self> {
        let name = name.replace('_', "-");
        Self::ALL.iter().copied().find(|class| class.name() == name)
    }
}

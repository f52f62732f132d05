//! The facts that a family declares besides its operands and its shape rule.
//!
//! A fact is true of the op on every target. Other crates read it from [`Op::facts`], and never match on families to
//! state one. [`Facts`] has no default, and every family names every field. So the compiler demands all facts of a new
//! family, and each new fact of all families.

use super::{AxisRole, Op};
use crate::types::TensorType;

/// The facts of an op.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Facts {
    /// The memory that the first result may take over.
    pub memory: Alias,
    /// True if an op on constant operands can be folded.
    pub folds: bool,
    /// How the work grows with the sizes.
    pub work: Growth,
    /// The cost of decomposing the op.
    pub parts: Parts,
    /// How floats in the results are rounded.
    pub rounding: Rounding,
    /// Whether intermediate results are rounded.
    pub inner_rounding: InnerRounding,
    /// What the family does with quantised operands.
    pub quantised: Meaning,
    /// The operands whose elements become elements of the result, or are compared. All other operands must be
    /// unquantised.
    pub meeting: Meeting,
    /// True if the op computes reals from reals, so that it may stand in [`super::Quantised`]. Its shape rule decides
    /// whether the result is a single float.
    pub computes_reals: bool,
    /// True for a function of elements that may jump or have poles, so that close operands may have distant results.
    pub is_steep: bool,
}

/// The memory that a result may take over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Alias {
    /// None: the result needs memory of its own.
    No,
    /// The result is the memory of the first operand with another shape.
    View,
    /// The result may overwrite any operand of its own size, because element `i` is read before it is written.
    Elementwise,
    /// The result may overwrite the first operand, of which it changes a part.
    Update,
}

/// How the work of an op grows with the sizes of operands and results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Growth {
    /// With the number of elements.
    PerElement,
    /// With the number of pairs: an element of the result depends on many elements of an operand.
    PerPair,
}

/// The cost of decomposing an op.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parts {
    /// About as much work as the op, and equally exact: the parts are arithmetic on whole tensors.
    Cheap,
    /// About as much work as the op, but intermediate tensors have an element for each pair. Cheap while these fit the
    /// cache.
    Wide,
    /// More work, or less precision: the op picks single elements, sorts, changes a part of a tensor in place, or is no
    /// arithmetic.
    Dear,
}

/// How floats in the results of an op are rounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rounding {
    /// Not at all: each is an element of an operand, or a number among the attributes.
    Picked,
    /// Not at all: each is the maximum or minimum of several elements or numbers. Zeros of both signs are equal.
    Extreme,
    /// Not at all, although computed; or the results are no floats.
    Exact,
    /// As IEEE 754: each is the exact function of its operands' elements, rounded once.
    Once,
    /// Each is an approximation of a function of its operands' elements.
    Function,
    /// By a conversion to a narrower float, or from an integer.
    Conversion,
    /// Each is a sum of many terms. The op on the absolute values of its operands bounds the error.
    Terms,
    /// Each is a product of many elements of the first operand, which may overflow on the way. The error is that of
    /// [`Rounding::Terms`].
    Product,
    /// Each is a weighted mean, with weights that sum to about one. No element is much larger than the largest of the
    /// first operand.
    Mean,
}

impl Rounding {
    /// True if no float is rounded.
    pub fn is_exact(self) -> bool {
        matches!(self, Rounding::Picked | Rounding::Extreme | Rounding::Exact)
    }

    /// True if each float is an element of an operand, or a number among the attributes.
    pub fn picks(self) -> bool {
        matches!(self, Rounding::Picked | Rounding::Extreme)
    }
}

/// Whether an op rounds intermediate results.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum InnerRounding {
    /// There are no intermediate results.
    Exact,
    /// There are, and each is rounded. The effect is as if the operands were changed by units of the last place of
    /// their magnitude, or of `least` if that is larger.
    Rounded {
        /// The least magnitude.
        least: f64,
    },
}

/// What a family does with quantised operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// Takes the integers as they are; the result's integers represent reals in the same way.
    Carried,
    /// Gives comparisons or indices, which are the same for the integers as for the reals.
    Compared,
    /// Computes with the reals. The result is quantised as the first operand.
    Computed,
    /// Takes the integers, and gives an unquantised result.
    Plain,
    /// The family's own shape rule decides.
    Own,
    /// Takes no quantised operands.
    Refused,
}

/// The operands whose elements become elements of the result, or are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meeting {
    /// The first.
    First,
    /// The first two.
    FirstTwo,
    /// All but this one.
    AllBut(usize),
    /// All.
    All,
}

impl Meeting {
    /// True if the operand is among them.
    pub fn has(self, operand: usize) -> bool {
        match self {
            Meeting::First => operand == 0,
            Meeting::FirstTwo => operand < 2,
            Meeting::AllBut(other) => operand != other,
            Meeting::All => true,
        }
    }
}

impl Op {
    /// See [`Meaning`].
    pub fn on_quantised(&self) -> Meaning {
        self.facts().quantised
    }

    /// True if the operand's elements become elements of the result, or are compared. All other operands must be
    /// unquantised.
    pub fn meets(&self, operand: usize) -> bool {
        self.facts().meeting.has(operand)
    }

    /// The number of pairs: the elements of the result, times the sizes of the first operand's axes that the result
    /// does not have. `None` if a size is unknown, or the number exceeds 64 bits.
    pub fn pairs(&self, operands: &[&TensorType], result: &TensorType) -> Option<u64> {
        let roles = self.axes(operands, 0).into_iter();
        let sizes = roles.zip(&*operands.first()?.shape);
        let own = sizes.filter(|(role, _)| !matches!(role, AxisRole::Parallel(_)));
        own.map(|(_, size)| size)
            .chain(&*result.shape)
            .try_fold(1u64, |pairs, size| {
                pairs.checked_mul(u64::try_from(size.as_const()?).ok()?)
            })
    }

    /// True for functions of elements that may jump or have poles, so that close operands may have distant results.
    pub fn is_steep(&self) -> bool {
        self.facts().is_steep
    }

    /// True if the op computes reals from reals, so that it may stand in [`super::Quantised`]. Its shape rule decides
    /// whether the result is a single float.
    pub fn computes_reals(&self) -> bool {
        self.facts().computes_reals
    }
}

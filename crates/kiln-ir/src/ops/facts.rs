//! What a family declares of itself beside its operands and its shape rule.
//!
//! A fact holds of the op whatever target runs it. Whoever asks reads it from [`Op::facts`]: no other crate matches on
//! families to state one. [`Facts`] has no default and every family names every field, so that the compiler asks a new
//! family for each fact, and each family for a new fact.

use super::{AxisRole, Op};
use crate::types::TensorType;

/// The facts of an op.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Facts {
    /// What memory the first result may take over.
    pub memory: Alias,
    /// True if constant operands make constant results.
    pub folds: bool,
    /// How the work grows with the sizes.
    pub work: Growth,
    /// What the op costs when it is taken apart.
    pub parts: Parts,
    /// How the floats of the results are rounded.
    pub rounding: Rounding,
    /// Whether the op rounds on the way to its results.
    pub steps: Steps,
    /// What the family does with quantised operands.
    pub quantised: Meaning,
    /// The operands whose elements become the result's, or are compared; all others are plain.
    pub meeting: Meeting,
    /// True if the op makes reals of reals, so that it may stand in [`super::Quantised`]. Its shape rule says whether the
    /// result is one float.
    pub computes_reals: bool,
    /// True for a function of elements that may jump or have poles, where a real and its neighbour lie far apart.
    pub is_steep: bool,
}

/// What memory a result may take over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Alias {
    /// Fresh memory only.
    No,
    /// The result is the first operand's memory under another shape.
    View,
    /// The result may overwrite any operand of its own size: element `i` is read before it is written.
    Elementwise,
    /// The result may overwrite the first operand, of which it changes a part.
    Update,
}

/// How the work of an op grows with the sizes of its operands and results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Growth {
    /// With the number of elements.
    PerElement,
    /// With the number of pairs: an element of the result may see many of an operand, and is seen by few others.
    PerPair,
}

/// What an op costs when it is taken apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parts {
    /// About the work of the whole, as near to the exact result: the parts are arithmetic on whole tensors.
    Cheap,
    /// About the work of the whole, but the parts hold an element for each pair that meets: cheap while these fit the
    /// cache.
    Wide,
    /// More work, or less precision: the op picks single elements, orders them, changes a part of a tensor in place, or
    /// is no arithmetic.
    Dear,
}

/// How the floats of an op's results are rounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rounding {
    /// Not at all: each is an element of an operand, or a number among the attributes.
    Picked,
    /// Not at all: each is the greatest or the least of several elements or numbers; zeros of both signs are equal.
    Extreme,
    /// Not at all, though computed; or the results are no floats.
    Exact,
    /// As IEEE 754 rounds: each is the exact result of its operands' elements, rounded once.
    Once,
    /// Each is a function of its operands' elements, near to the exact one.
    Function,
    /// By a conversion: where the new type is narrower, or the old one has integers.
    Conversion,
    /// Each is made of many terms; the op on the magnitudes of its operands says how far the error goes.
    Terms,
    /// Each is a product of many elements of the first operand, which may pass the type's range on the way. The error is as
    /// that of terms.
    Product,
    /// Each is a mean by weights that sum to about one; no element exceeds the greatest of the first operand by much.
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

/// Whether an op rounds on the way to its results.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Steps {
    /// There is nothing between operands and results.
    One,
    /// Several steps, each rounded: as if the operands were moved by units of their magnitudes, or of `least` if that
    /// is more.
    Many {
        /// The least magnitude.
        least: f64,
    },
}

/// What a family does with quantised operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// Takes the integers as they are.
    Carried,
    /// Gives relations or indices of the reals, which those of the integers are.
    Compared,
    /// Computes with the reals, quantised as the first operand.
    Computed,
    /// Takes the integers, and gives plain numbers.
    Plain,
    /// Says of itself what it makes of them.
    Own,
    /// Takes none.
    Refused,
}

/// The operands of an op whose elements become the result's, or are compared.
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
    /// True for an operand that meets others in the result.
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
    /// What the family does with quantised operands; see [`Meaning`].
    pub fn on_quantised(&self) -> Meaning {
        self.facts().quantised
    }

    /// True for an operand whose elements become the result's, or are compared; all others are plain.
    pub fn meets(&self, operand: usize) -> bool {
        self.facts().meeting.has(operand)
    }

    /// The number of pairs that meet: each element of the result with each of the first operand's axes that it has not
    /// itself. `None` where a size is not known, or the number exceeds 64 bits.
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

    /// True for functions of elements that may jump or have poles, where a real and its neighbour lie far apart.
    pub fn is_steep(&self) -> bool {
        self.facts().is_steep
    }

    /// True for what makes reals of reals, so that it may stand in [`super::Quantised`]. Its shape rule says whether
    /// the result is one float.
    pub fn computes_reals(&self) -> bool {
        self.facts().computes_reals
    }
}

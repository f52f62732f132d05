//! Families that compute in floats with integers behind them: a float tensor on a grid of its own, and ops on quantised weights.

use super::*;
use crate::dtype::DType;
use crate::dynamic_quant::DynamicQuant;

family! {
    /// Quantises reals with parameters that follow from the extremes of each block, and dequantises them: the integers and their
    /// parameters stay inside. [`DynamicQuant`] says how.
    FakeQuantize {
        /// How the integers stand for the reals.
        quant: DynamicQuant,
        /// The dtype of the result.
        dtype: DType,
    }
}

/// Refuses what cannot be quantised by blocks.
fn check_dynamic(quant: &DynamicQuant, x: &TensorType) -> Result<(), Misfit> {
    if !x.dtype.is_float() || x.quant.is_some() || !quant.scale.is_float() {
        misfit!("{x:?} cannot be quantised with scales of {}", quant.scale);
    }
    if quant.axes == 0 || quant.axes > x.rank() {
        misfit!("{x:?} has no {} trailing axes", quant.axes);
    }
    if quant.min >= quant.max {
        misfit!(
            "the range {}..={} has no two integers",
            quant.min,
            quant.max
        );
    }
    Ok(())
}

/// The roles of a tensor's axes, of which some share parameters.
fn by_block(rank: usize, quant: &DynamicQuant) -> Vec<AxisRole> {
    let kept = rank.saturating_sub(quant.axes);
    let role = |i| match i < kept {
        true => AxisRole::Parallel(i),
        false => AxisRole::Mixed(i),
    };
    (0..rank).map(role).collect()
}

impl Family for FakeQuantize {
    const NAME: &'static str = "fake_quantize";
    const DOC: &'static str = Self::DOCUMENT;
    const OPERANDS: &'static [Slot] = &[Slot::One("x")];

    fn facts(&self) -> Facts {
        Facts {
            memory: Alias::No,
            folds: true,
            work: Growth::PerElement,
            parts: Parts::Dear,
            rounding: Rounding::Function,
            // Scales and quotients are rounded, and decide ties.
            inner_rounding: InnerRounding::Rounded { least: 0.0 },
            quantised: Meaning::Refused,
            meeting: Meeting::First,
            computes_reals: false,
            is_steep: true,
        }
    }

    fn infer(&self, _: &Infer<'_>, operands: &[&TensorType]) -> Result<Types, Misfit> {
        check_dynamic(&self.quant, operands[0])?;
        if !self.dtype.is_float() {
            misfit!("{} is no float", self.dtype);
        }
        one(operands[0].with_dtype(self.dtype))
    }

    fn axes(&self, operands: &[&TensorType], _: usize) -> Vec<AxisRole> {
        by_block(operands[0].rank(), &self.quant)
    }
}

family! {
    /// An op on the reals of quantised operands, whose result stays a float: a layer whose weights are integers, or a look-up in a
    /// table of integers. Quantised operands are dequantised to `dtype`; all others are as they are. With `activation`, the first
    /// operand is a float that is fake-quantised first.
    Dequantised {
        /// The inner op.
        op: Box<Op>,
        /// The dtype of dequantised operands.
        dtype: DType,
        /// How the first operand is quantised.
        activation: Option<DynamicQuant>,
    }
}

impl Dequantised {
    /// The operand types of the inner op.
    pub fn real_types(&self, operands: &[&TensorType]) -> Vec<TensorType> {
        let real = |(i, ty): (usize, &&TensorType)| {
            let is_rounded = i == 0 && self.activation.is_some();
            match ty.quant.is_some() || is_rounded {
                true => TensorType::new(self.dtype, ty.shape.clone()),
                false => (*ty).clone(),
            }
        };
        operands.iter().enumerate().map(real).collect()
    }

    /// The fake quantisation of the first operand.
    pub fn rounding(&self) -> Option<FakeQuantize> {
        let dtype = self.dtype;
        self.activation.map(|quant| FakeQuantize { quant, dtype })
    }
}

impl Family for Dequantised {
    const NAME: &'static str = "dequantised";
    const DOC: &'static str = Self::DOCUMENT;
    const OPERANDS: &'static [Slot] = &[Slot::Many("operands")];

    fn facts(&self) -> Facts {
        let inner = self.op.facts();
        let inner_rounding = match self.activation {
            Some(_) => InnerRounding::Rounded { least: 0.0 },
            None => inner.inner_rounding,
        };
        Facts {
            memory: Alias::No,
            folds: true,
            work: inner.work,
            parts: Parts::Dear,
            rounding: inner.rounding,
            inner_rounding,
            quantised: Meaning::Own,
            meeting: Meeting::First,
            computes_reals: false,
            is_steep: self.activation.is_some(),
        }
    }

    fn infer(&self, cx: &Infer<'_>, operands: &[&TensorType]) -> Result<Types, Misfit> {
        if !self.dtype.is_float() {
            misfit!("{} is no float", self.dtype);
        }
        if let (Some(quant), Some(first)) = (&self.activation, operands.first()) {
            check_dynamic(quant, first)?;
        }
        let reals = self.real_types(operands);
        let results = self.op.infer(cx, &reals.iter().collect::<Vec<_>>())?;
        match results.as_slice() {
            [real] if real.dtype.is_float() && real.quant.is_none() => Ok(results),
            _ => misfit!("{} gives {results:?}, not one float", self.op.name()),
        }
    }

    fn axes(&self, operands: &[&TensorType], operand: usize) -> Vec<AxisRole> {
        let mut roles = self.op.axes(operands, operand);
        if let (Some(quant), 0) = (&self.activation, operand) {
            // Elements of one block depend on each other through their parameters.
            let shared = quant.shared(roles.len());
            for axis in shared {
                if matches!(roles[axis], AxisRole::Parallel(_)) {
                    roles[axis] = AxisRole::Opaque;
                }
            }
        }
        roles
    }
}

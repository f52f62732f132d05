//! Conversions and element-wise operators.

use super::{integers_of, tensor, unsupported};
use crate::evaluate::operators::{binary, elu, raised};
use crate::evaluate::{ExecuteError, Result1, Run};
use crate::payload::{BinaryOp, Datatype, UnaryOp, ValueId, XnnNode};
use kiln_eval::Tensor;
use kiln_quantised::xnnpack::pointwise::{
    Addition, Conversion, LeakyRelu, Prelu, Product, Qparams,
};

impl Run<'_> {
    pub(super) fn pointwise(
        &self,
        op: UnaryOp,
        node: &XnnNode,
        [from, to]: [ValueId; 2],
    ) -> Result1 {
        match op {
            UnaryOp::Copy | UnaryOp::Clamp => Ok(self.value(from)?.clone()),
            UnaryOp::Convert => self.conversion(node, from, to),
            UnaryOp::Hardswish => self.table(from, to, |reals| Ok(hardswish(reals))),
            _ => self.table(from, to, |reals| self.unary(op, reals, to)),
        }
    }

    /// A function of one integer, which the library computes once for each of the 256.
    fn table(&self, from: ValueId, to: ValueId, function: impl Fn(&Tensor) -> Result1) -> Result1 {
        let (input, result) = (self.qparams(from)?, self.qparams(to)?);
        let reals: Vec<f32> = (input.min..=input.max).map(|n| input.real(n)).collect();
        let computed = function(&Tensor::new([reals.len()], reals))?;
        let entries = computed.elements::<f32>().unwrap_or_default();
        let rounded: Vec<i32> = entries.iter().map(|&y| result.round_reference(y)).collect();
        let found = integers_of(self.value(from)?)?;
        let looked_up = found.iter().map(|n| rounded[(n - input.min) as usize]);
        tensor(
            self.datatype(to),
            self.value(from)?.sizes(),
            looked_up.collect(),
        )
    }

    pub(super) fn elu_table(&self, alpha: f32, from: ValueId, to: ValueId) -> Result1 {
        self.table(from, to, |reals| elu(reals, alpha))
    }

    pub(super) fn leaky(&self, slope: f32, from: ValueId, to: ValueId) -> Result1 {
        let leaky =
            LeakyRelu::new(self.qparams(from)?, self.qparams(to)?, slope).ok_or_else(refused)?;
        self.mapped(from, to, |n| leaky.apply(n))
    }

    fn mapped(&self, from: ValueId, to: ValueId, function: impl Fn(i32) -> i32) -> Result1 {
        let input = self.value(from)?;
        let integers = integers_of(input)?.into_iter().map(function);
        tensor(self.datatype(to), input.sizes(), integers.collect())
    }

    fn conversion(&self, node: &XnnNode, from: ValueId, to: ValueId) -> Result1 {
        match (self.datatype(from), self.datatype(to)) {
            (Datatype::Fp32, _) => {
                let (input, params) = (self.value(from)?, self.qparams(to)?);
                let floats = input.elements::<f32>().unwrap_or_default();
                let integers = floats.iter().map(|&x| params.quantize(x)).collect();
                tensor(self.datatype(to), input.sizes(), integers)
            }
            (_, Datatype::Fp32) => {
                let (input, params) = (self.value(from)?, self.qparams(from)?);
                let reals = integers_of(input)?.into_iter().map(|n| params.real(n));
                Ok(Tensor::new(input.sizes(), reals.collect()))
            }
            (a, b) if a == b => {
                let convert =
                    Conversion::new(self.qparams(from)?, self.qparams(to)?).ok_or_else(refused)?;
                self.mapped(from, to, |n| convert.apply(n))
            }
            (Datatype::QInt8, Datatype::QUInt8) | (Datatype::QUInt8, Datatype::QInt8) => {
                let (input, result) = (self.qparams(from)?, self.qparams(to)?);
                self.mapped(from, to, |n| result.round_reference(input.real(n)))
            }
            _ => Err(unsupported(&node.op)),
        }
    }

    pub(super) fn pairwise(&self, op: BinaryOp, [a, b]: [ValueId; 2], to: ValueId) -> Result1 {
        let params = [self.qparams(a)?, self.qparams(b)?];
        let result = self.qparams(to)?;
        let apply = pair_function(op, params, result).ok_or_else(refused)?;
        let (a, b) = broadcast(self.value(a)?, self.value(b)?)?;
        let pairs = integers_of(&a)?.into_iter().zip(integers_of(&b)?);
        let integers = pairs.map(|(x, y)| apply(x, y));
        tensor(self.datatype(to), a.sizes(), integers.collect())
    }
}

/// An element-wise function of two integers.
type PairFunction = Box<dyn Fn(i32, i32) -> i32>;

/// `None` if the library refuses the scales.
fn pair_function(op: BinaryOp, params: [Qparams; 2], to: Qparams) -> Option<PairFunction> {
    let [a, b] = params;
    let on_reals = move |f: fn(f32, f32) -> f32| -> PairFunction {
        Box::new(move |x, y| to.round_reference(f(a.real(x), b.real(y))))
    };
    Some(match op {
        BinaryOp::Add | BinaryOp::Subtract => {
            let sum = Addition::new(params, to, op == BinaryOp::Subtract)?;
            Box::new(move |x, y| sum.apply(x, y))
        }
        BinaryOp::Multiply => {
            let product = Product::new(params, to)?;
            Box::new(move |x, y| product.apply(x, y))
        }
        BinaryOp::PRelu => {
            let relu = Prelu::new(params, to)?;
            Box::new(move |x, y| relu.apply(x, y))
        }
        BinaryOp::Divide => on_reals(|x, y| x / y),
        BinaryOp::Minimum => on_reals(|x, y| if x < y { x } else { y }),
        BinaryOp::Maximum => on_reals(|x, y| if x > y { x } else { y }),
    })
}

/// Both tensors with the sizes of the result.
fn broadcast(a: &Tensor, b: &Tensor) -> Result<(Tensor, Tensor), ExecuteError> {
    let rank = a.rank().max(b.rank());
    let zeros = |t: &Tensor| Tensor::new(t.sizes(), vec![0i32; t.len()]);
    let plain = |t: &Tensor| Ok::<_, ExecuteError>(Tensor::new(t.sizes(), integers_of(t)?));
    let (a, b) = (raised(&plain(a)?, rank)?, raised(&plain(b)?, rank)?);
    // The sum with zeros of the other's sizes has the sizes of both.
    let wide = binary(BinaryOp::Add, &a, &zeros(&b))?;
    Ok((wide, binary(BinaryOp::Add, &zeros(&a), &b)?))
}

fn refused() -> ExecuteError {
    ExecuteError::Unsupported("a ratio of scales that the library refuses".into())
}

/// `x / 6 * min(max(x + 3, 0), 6)` in this order, which decides at ties (measured; `integer_kernels`).
fn hardswish(reals: &Tensor) -> Tensor {
    let of = |&x: &f32| x / 6.0 * (x + 3.0).clamp(0.0, 6.0);
    let elements = reals.elements::<f32>().unwrap_or_default();
    Tensor::new(reals.sizes(), elements.iter().map(of).collect::<Vec<_>>())
}

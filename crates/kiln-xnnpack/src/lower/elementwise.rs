//! Lowering of elementwise functions of one and two operands, and of conversions.

use super::{Lowering, Problem, clamp_of, fuses_into};
use crate::orders::ROWS;
use crate::payload::{BinaryOp, Clamp, Datatype, UnaryOp, ValueId as Tensor, XnnOp};
use crate::support::{is_bounded, is_number, is_positive, rounding};
use crate::weights;
use kiln_ir::graph::Node;
use kiln_ir::ops::{BinaryFn, Simple, UnaryFn};
use kiln_ir::{DType, NodeId, ValueId};
use kiln_transforms::analysis::constants::{constant_of, is_constant};
use kiln_transforms::layout::Order;

/// The kernel of a function that XNNPACK computes as PyTorch defines it.
pub(super) fn kernel(f: Simple) -> Option<UnaryOp> {
    match f {
        Simple::Neg => Some(UnaryOp::Negate),
        Simple::Abs => Some(UnaryOp::Abs),
        Simple::Floor => Some(UnaryOp::Floor),
        Simple::Ceil => Some(UnaryOp::Ceiling),
        Simple::Log => Some(UnaryOp::Log),
        Simple::Square => Some(UnaryOp::Square),
        Simple::Sin => Some(UnaryOp::Sin),
        Simple::Cos => Some(UnaryOp::Cos),
        Simple::Tanh => Some(UnaryOp::Tanh),
        Simple::Sigmoid => Some(UnaryOp::Sigmoid),
        Simple::Gelu => Some(UnaryOp::Gelu),
        Simple::Hardswish => Some(UnaryOp::Hardswish),
        _ => None,
    }
}

impl Lowering<'_> {
    pub(super) fn unary(
        &mut self,
        id: NodeId,
        node: &Node,
        f: UnaryFn,
        order: &Order,
    ) -> Result<(), Problem> {
        if let Some(producer) = fuses_into(self.graph, node)
            && self.fused.contains_key(&producer)
        {
            return Ok(());
        }
        let input = self.tensors.operand(node.operands[0], order)?;
        let flags = 0;
        match f {
            UnaryFn::Simple(f) => self.simple(id, node, f, input, order)?,
            UnaryFn::Clamp { .. } => {
                let output = self.target(id, order);
                let clamp = clamp_of(self.graph, node).ok_or("a clamp without range")?;
                self.clamped(input, output, clamp);
            }
            UnaryFn::Elu { alpha, .. } => {
                let (alpha, output) = (alpha as f32, self.target(id, order));
                self.push(XnnOp::Elu {
                    alpha,
                    input,
                    output,
                    flags,
                });
            }
            UnaryFn::LeakyRelu { slope } => {
                let (negative_slope, output) = (slope as f32, self.target(id, order));
                self.push(XnnOp::LeakyRelu {
                    negative_slope,
                    input,
                    output,
                    flags,
                });
            }
            UnaryFn::Softplus { .. } => return Err("softplus".into()),
        }
        Ok(())
    }

    fn simple(
        &mut self,
        id: NodeId,
        node: &Node,
        f: Simple,
        input: Tensor,
        order: &Order,
    ) -> Result<(), Problem> {
        let x = node.operands[0];
        let is_finite = is_number(self.graph, x) && is_bounded(self.graph, x);
        if let Some(op) = kernel(f).filter(|_| f != Simple::Log || is_finite) {
            let output = self.target(id, order);
            self.push_unary(op, input, output);
            return Ok(());
        }
        match f {
            Simple::Exp => {
                let output = self.target(id, order);
                self.exponential(input, output)?;
            }
            Simple::Sqrt => {
                let output = self.target(id, order);
                self.of_finite(UnaryOp::SquareRoot, input, output)?;
            }
            Simple::Log => {
                let output = self.target(id, order);
                self.of_finite(UnaryOp::Log, input, output)?;
            }
            Simple::Silu => {
                let gate = self.like(input);
                self.push_unary(UnaryOp::Sigmoid, input, gate);
                let output = self.target(id, order);
                self.push_binary(BinaryOp::Multiply, [input, gate], output);
            }
            Simple::Reciprocal => {
                let output = self.target(id, order);
                self.reciprocal(input, output)?;
            }
            Simple::Rsqrt if is_positive(self.graph, node.operands[0]) => {
                let output = self.target(id, order);
                self.push_unary(UnaryOp::ReciprocalSquareRoot, input, output);
            }
            Simple::Rsqrt => {
                let root = self.like(input);
                self.of_finite(UnaryOp::SquareRoot, input, root)?;
                let output = self.target(id, order);
                self.reciprocal(root, output)?;
            }
            Simple::Round => {
                rounding::check(self.graph, node).map_err(|reason| reason.to_string())?;
                let output = self.target(id, order);
                self.rounded(input, output, rounding::is_within(self.graph, x))?;
            }
            Simple::Hardsigmoid => {
                let (shifted, clamped) = (self.like(input), self.like(input));
                let three = self.number(input, 3.0)?;
                self.push_binary(BinaryOp::Add, [input, three], shifted);
                self.clamped(shifted, clamped, Clamp { min: 0.0, max: 6.0 });
                let six = self.number(input, 6.0)?;
                let output = self.target(id, order);
                self.push_binary(BinaryOp::Divide, [clamped, six], output);
            }
            other => return Err(format!("{other:?}")),
        }
        Ok(())
    }

    /// The nearest whole numbers, ties to even, as [`rounding`] says.
    fn rounded(&mut self, input: Tensor, output: Tensor, is_within: bool) -> Result<(), Problem> {
        let (mut limited, shifted) = (input, self.like(input));
        if !is_within {
            limited = self.like(input);
            self.clamped(input, limited, rounding::LIMITS);
        }
        let shift = self.number(input, f64::from(rounding::SHIFT))?;
        self.push_binary(BinaryOp::Add, [limited, shift], shifted);
        self.push_binary(BinaryOp::Subtract, [shifted, shift], output);
        Ok(())
    }

    /// A new tensor of the same type.
    pub(super) fn like(&mut self, tensor: Tensor) -> Tensor {
        let (elements, dims) = (
            self.tensors.elements(tensor),
            self.tensors.dims(tensor).to_vec(),
        );
        self.tensors.add(elements, dims)
    }

    pub(super) fn push_unary(&mut self, op: UnaryOp, input: Tensor, output: Tensor) {
        self.push(XnnOp::Unary {
            op,
            input,
            output,
            flags: 0,
        });
    }

    pub(super) fn push_binary(&mut self, op: BinaryOp, inputs: [Tensor; 2], output: Tensor) {
        self.push(XnnOp::Binary {
            op,
            inputs,
            output,
            flags: 0,
        });
    }

    /// A number that broadcasts against every element of a tensor.
    pub(super) fn number(&mut self, like: Tensor, value: f64) -> Result<Tensor, Problem> {
        let dtype = match self.tensors.datatype(like) {
            Datatype::Fp32 => DType::F32,
            Datatype::Fp16 => DType::F16,
            other => return Err(format!("a number of {other}")),
        };
        // A vector of one element would raise a scalar's rank.
        let sizes: &[usize] = if self.tensors.dims(like).is_empty() {
            &[]
        } else {
            &[1]
        };
        self.tensors.constant(&weights::splat(dtype, sizes, value))
    }

    fn reciprocal(&mut self, input: Tensor, output: Tensor) -> Result<(), Problem> {
        let one = self.number(input, 1.0)?;
        self.push_binary(BinaryOp::Divide, [one, input], output);
        Ok(())
    }

    /// 0, or NaN where the input is NaN.
    pub(super) fn zero_or_nan(&mut self, input: Tensor) -> Result<Tensor, Problem> {
        let (finite, zero) = (self.like(input), self.like(input));
        let unit = Clamp {
            min: -1.0,
            max: 1.0,
        };
        self.clamped(input, finite, unit);
        self.push_binary(BinaryOp::Subtract, [finite, finite], zero);
        Ok(zero)
    }

    /// The maximum of the input and 0; NaN stays.
    pub(super) fn not_negative(&mut self, input: Tensor) -> Result<Tensor, Problem> {
        let (output, max) = (self.like(input), f32::INFINITY);
        self.clamped(input, output, Clamp { min: 0.0, max });
        Ok(output)
    }

    /// `exp`, guarded because the library's kernel gives 0 for NaN.
    fn exponential(&mut self, input: Tensor, output: Tensor) -> Result<(), Problem> {
        if self.options.fast_nan {
            self.push_unary(UnaryOp::Exp, input, output);
            return Ok(());
        }
        let (power, before) = (self.like(input), self.tensors.operators());
        self.push_unary(UnaryOp::Exp, input, power);
        let zero = self.zero_or_nan(input)?;
        self.push_binary(BinaryOp::Add, [power, zero], output);
        self.tensors.count_guards(before);
        Ok(())
    }

    /// `sqrt` and `log`, guarded because the library's kernel of roots gives NaN for infinity, and its kernels of logarithms but for that of
    /// AVX-512 give 88.4 for infinity and 88.8 for NaN (measured with AVX2; they take the exponent's bits for a number): the function of the
    /// finite part, minus the part that is missing from it (0 or minus infinity). A sum in place of the difference would lose the sign of
    /// the root of -0.
    fn of_finite(&mut self, f: UnaryOp, input: Tensor, output: Tensor) -> Result<(), Problem> {
        if self.options.fast_nan {
            self.push_unary(f, input, output);
            return Ok(());
        }
        let [finite, root, short] = [input; 3].map(|tensor| self.like(tensor));
        let (min, max) = (f32::NEG_INFINITY, f32::MAX);
        let before = self.tensors.operators();
        self.clamped(input, finite, Clamp { min, max });
        self.push_unary(f, finite, root);
        self.push_binary(BinaryOp::Subtract, [finite, input], short);
        self.push_binary(BinaryOp::Subtract, [root, short], output);
        self.tensors.count_guards(before);
        Ok(())
    }

    fn clamped(&mut self, input: Tensor, output: Tensor, clamp: Clamp) {
        let (op, flags) = (UnaryOp::Clamp, 0);
        let clamped = XnnOp::Unary {
            op,
            input,
            output,
            flags,
        };
        self.push_clamped(clamped, Some(clamp));
    }

    pub(super) fn binary(
        &mut self,
        id: NodeId,
        node: &Node,
        f: BinaryFn,
        order: &Order,
    ) -> Result<(), Problem> {
        let op = match f {
            BinaryFn::Add => BinaryOp::Add,
            BinaryFn::Sub => BinaryOp::Subtract,
            BinaryFn::Mul => BinaryOp::Multiply,
            BinaryFn::Div => BinaryOp::Divide,
            BinaryFn::Prelu => return self.prelu(id, node, order),
            BinaryFn::Max => return self.extreme(id, node, BinaryOp::Maximum, order),
            BinaryFn::Min => return self.extreme(id, node, BinaryOp::Minimum, order),
            BinaryFn::Pow => {
                let input = self.tensors.operand(node.operands[0], order)?;
                let output = self.target(id, order);
                self.push_unary(UnaryOp::Square, input, output);
                return Ok(());
            }
            other => return Err(format!("{other:?}")),
        };
        let inputs = self.pair(node, order)?;
        let output = self.target(id, order);
        let flags = 0;
        self.push_clamped(
            XnnOp::Binary {
                op,
                inputs,
                output,
                flags,
            },
            self.clamp(id),
        );
        Ok(())
    }

    fn pair(&mut self, node: &Node, order: &Order) -> Result<[Tensor; 2], Problem> {
        let a = self.tensors.operand(node.operands[0], order)?;
        let b = self.tensors.operand(node.operands[1], order)?;
        Ok([a, b])
    }

    /// The minimum or maximum. The library returns the second operand if one is NaN and both are of equal shapes. So a constant
    /// comes first, as large as the result. Two computed operands are compared in both orders and averaged; the orders
    /// differ only where one operand is NaN.
    fn extreme(
        &mut self,
        id: NodeId,
        node: &Node,
        op: BinaryOp,
        order: &Order,
    ) -> Result<(), Problem> {
        let is_known = |&v: &ValueId| is_constant(self.graph, v);
        let is_word = self.graph.ty(node.result()).dtype == DType::I32;
        if is_word && op == BinaryOp::Maximum && node.operands.iter().any(is_known) {
            return self.maximum_of_word(id, node, order);
        }
        // A clamp has the sizes of what it limits.
        let result = &self.graph.ty(node.result()).shape;
        let is_whole = |&v: &ValueId| is_known(&v) || self.graph.ty(v).shape == *result;
        let is_splat = |&v: &ValueId| self.graph.as_splat(v).is_some();
        let clamps = node.operands.iter().any(is_splat) && node.operands.iter().all(is_whole);
        let is_number = node.operands.iter().all(|&v| is_number(self.graph, v));
        // A constant costs nothing in the form that keeps NaN.
        let is_free = self.options.fast_nan && !node.operands.iter().any(is_known);
        if is_word || is_free || is_number && !clamps {
            let inputs = self.pair(node, order)?;
            let output = self.target(id, order);
            self.push_binary(op, inputs, output);
            return Ok(());
        }
        if let Some(constant) = node
            .operands
            .iter()
            .position(|&v| is_constant(self.graph, v))
        {
            let input = self.tensors.operand(node.operands[1 - constant], order)?;
            let (bound, output) = (node.operands[constant], self.target(id, order));
            return self.extreme_of_constant(input, bound, output, op, order);
        }
        let mut operands = self.pair(node, order)?;
        let before = self.tensors.operators();
        let to = &self.graph.ty(node.result()).shape;
        for (operand, &value) in operands.iter_mut().zip(&node.operands) {
            let from = &self.graph.ty(value).shape;
            *operand = self.repeated(*operand, from, to, order)?;
        }
        let [a, b] = operands;
        let half = self.number(a, 0.5)?;
        let mut halves = [a; 2];
        for (slot, inputs) in halves.iter_mut().zip([[a, b], [b, a]]) {
            let extreme = self.like(a);
            self.push_binary(op, inputs, extreme);
            *slot = self.like(extreme);
            self.push_binary(BinaryOp::Multiply, [extreme, half], *slot);
        }
        let output = self.target(id, order);
        self.push_binary(BinaryOp::Add, halves, output);
        self.tensors.count_guards(before);
        Ok(())
    }

    /// The greater one of two i32, as their sum less the smaller one, which is exact where sums wrap. The library makes a clamp without
    /// an upper bound of a maximum with a number, and converts that bound to the least integer (measured).
    fn maximum_of_word(&mut self, id: NodeId, node: &Node, order: &Order) -> Result<(), Problem> {
        let [a, b] = self.pair(node, order)?;
        let output = self.target(id, order);
        let (smaller, sum) = (self.like(output), self.like(output));
        self.push_binary(BinaryOp::Minimum, [a, b], smaller);
        self.push_binary(BinaryOp::Add, [a, b], sum);
        self.push_binary(BinaryOp::Subtract, [sum, smaller], output);
        Ok(())
    }

    fn extreme_of_constant(
        &mut self,
        input: Tensor,
        bound: ValueId,
        output: Tensor,
        op: BinaryOp,
        order: &Order,
    ) -> Result<(), Problem> {
        let data = constant_of(self.graph, bound).ok_or("a constant that cannot be moved")?;
        if let Some(bound) = data.as_splat() {
            let bound = bound.as_f64() as f32;
            let clamp = match op {
                BinaryOp::Maximum => Clamp {
                    min: bound,
                    max: f32::INFINITY,
                },
                _ => Clamp {
                    min: f32::NEG_INFINITY,
                    max: bound,
                },
            };
            self.clamped(input, output, clamp);
            return Ok(());
        }
        let to = order.to_memory(&self.graph.ty(bound).shape, ROWS);
        let data = data
            .moved(&to)
            .ok_or("a constant of other sizes than its type's")?;
        let sizes: Option<Vec<usize>> = self
            .tensors
            .dims(output)
            .iter()
            .map(|d| Some(d.as_const()? as usize))
            .collect();
        let data = weights::cast(&data, DType::F32);
        let full = weights::repeated(
            &data,
            &sizes.ok_or("an extreme with a constant sees known sizes")?,
        );
        let full = self
            .tensors
            .constant(&full.ok_or("a constant that does not repeat")?)?;
        self.push_binary(op, [full, input], output);
        Ok(())
    }

    /// `prelu`. The slope's axis lies innermost in this order, and the slope is a vector.
    fn prelu(&mut self, id: NodeId, node: &Node, order: &Order) -> Result<(), Problem> {
        let input = self.tensors.operand(node.operands[0], order)?;
        let data =
            constant_of(self.graph, node.operands[1]).ok_or("a slope that is no constant")?;
        let data = data
            .reshaped(vec![data.elements()])
            .map_err(|e| e.to_string())?;
        let slope = self.tensors.constant(&weights::cast(&data, DType::F32))?;
        let output = self.target(id, order);
        self.push_binary(BinaryOp::PRelu, [input, slope], output);
        Ok(())
    }

    pub(super) fn cast(
        &mut self,
        id: NodeId,
        node: &Node,
        to: DType,
        order: &Order,
    ) -> Result<(), Problem> {
        let input = self.tensors.operand(node.operands[0], order)?;
        let from = self.graph.ty(node.operands[0]).dtype;
        let mut source = input;
        if from != DType::F32 && to != DType::F32 && from != to {
            let dims = self.tensors.dims(input).to_vec();
            source = self.tensors.add(Datatype::Fp32, dims);
            self.push_unary(UnaryOp::Convert, input, source);
        }
        let op = if from == to {
            UnaryOp::Copy
        } else {
            UnaryOp::Convert
        };
        let output = self.target(id, order);
        self.push_unary(op, source, output);
        Ok(())
    }
}

//! Functions of each element, of pairs of elements, and selections.

use crate::dialect::{
    Clamp, Compare, Comparison, Dtype, Elu, Function, IntegerFunction, Integers, LeakyRelu, Map,
    Pairs, Parameters, Select, Softplus,
};
use crate::lower::parts::{TensorId, int};
use crate::lower::strided::{Walk, repeated};
use crate::lower::{Lowering, Order};
use kiln_ir::Scalar;
use kiln_ir::graph::Node;
use kiln_ir::ops::{BinaryFn, CompareFn, Simple, UnaryFn};
use kiln_transforms::framework::target::Reason;

impl Lowering<'_> {
    pub(super) fn plain_unary(
        &mut self,
        node: &Node,
        f: UnaryFn,
        order: &Order,
    ) -> Result<TensorId, Reason> {
        let x = self.operand(node.operands[0], order)?;
        if self.parts.dtype(x) != Dtype::F32 {
            return self.integer_unary(node, f, x);
        }
        let size = int(self.parts.elements(x))?;
        let (function, parameters): (Function, Parameters) = match f {
            UnaryFn::Simple(f) => (of_floats(f)?, Map { size }.into()),
            UnaryFn::LeakyRelu { slope } => {
                let slope = slope as f32;
                (Function::KilnLeakyReluF32, LeakyRelu { slope, size }.into())
            }
            UnaryFn::Elu {
                alpha,
                scale,
                input_scale,
            } => {
                let [alpha, scale, input_scale] = [alpha, scale, input_scale].map(|n| n as f32);
                let elu = Elu {
                    alpha,
                    scale,
                    input_scale,
                    size,
                };
                (Function::KilnEluF32, elu.into())
            }
            UnaryFn::Softplus { beta, threshold } => {
                let [beta, threshold] = [beta, threshold].map(|n| n as f32);
                let softplus = Softplus {
                    beta,
                    threshold,
                    size,
                };
                (Function::KilnSoftplusF32, softplus.into())
            }
            UnaryFn::Clamp { .. } => return Err(self.no_kernel(node)),
        };
        let dtype = match f {
            UnaryFn::Simple(Simple::IsNan | Simple::IsInf) => Dtype::U8,
            _ => Dtype::F32,
        };
        let sizes = self.parts.sizes(x).to_vec();
        let y = self.parts.temporary(dtype, &sizes);
        self.parts.call(function, parameters, &[Some(x), Some(y)])?;
        Ok(y)
    }

    /// A function of plain integers, by a function of two integers of which one is a number.
    fn integer_unary(&mut self, node: &Node, f: UnaryFn, x: TensorId) -> Result<TensorId, Reason> {
        let dtype = self.parts.dtype(x);
        let is_bool = self.graph.ty(node.operands[0]).dtype == kiln_ir::DType::Bool;
        let f = match f {
            UnaryFn::Simple(f) => f,
            _ => return Err(self.no_kernel(node)),
        };
        match f {
            Simple::Floor | Simple::Ceil | Simple::Round | Simple::Trunc => Ok(x),
            Simple::BitNot if is_bool => self.with_number(x, IntegerFunction::Xor, 1, true),
            Simple::BitNot => self.with_number(x, IntegerFunction::Xor, -1, true),
            Simple::Square => self.integers(IntegerFunction::Mul, [x, x]),
            Simple::Neg => self.with_number(x, IntegerFunction::Sub, 0, false),
            Simple::Abs if dtype == Dtype::U8 => Ok(x),
            Simple::Abs => {
                let negated = self.with_number(x, IntegerFunction::Sub, 0, false)?;
                self.integers(IntegerFunction::Max, [x, negated])
            }
            Simple::Sign if dtype != Dtype::U8 => {
                let most = self.with_number(x, IntegerFunction::Min, 1, true)?;
                self.with_number(most, IntegerFunction::Max, -1, true)
            }
            _ => Err(self.no_kernel(node)),
        }
    }

    /// A clamp of plain integers or floats. It becomes the limits of the call that made the operand if nothing else reads that
    /// call's result.
    pub(super) fn plain_clamp(
        &mut self,
        node: &Node,
        [min, max]: [Option<Scalar>; 2],
        order: &Order,
    ) -> Result<TensorId, Reason> {
        let mut x = self.operand(node.operands[0], order)?;
        if self.parts.dtype(x) != Dtype::F32 {
            // The upper bound is the stronger one.
            if let Some(min) = min {
                x = self.with_number(x, IntegerFunction::Max, min.as_i64(), true)?;
            }
            if let Some(max) = max {
                x = self.with_number(x, IntegerFunction::Min, max.as_i64(), true)?;
            }
            return Ok(x);
        }
        let least = min.map_or(f32::NEG_INFINITY, |min| min.as_f64() as f32);
        let most = max.map_or(f32::INFINITY, |max| max.as_f64() as f32);
        if let Some(mut call) = self.sole_maker(node.operands[0], x).cloned() {
            let range = match &mut call.parameters {
                Parameters::FloatConv(conv) => Some(&mut conv.convolution.range),
                Parameters::FloatMatmul(product) => Some(&mut product.matrices.range),
                _ => None,
            };
            if let Some(range) = range.filter(|range| **range == Default::default()) {
                (range.min, range.max) = (least, most);
                if self.parts.replace_maker(x, call) {
                    return Ok(x);
                }
            }
        }
        let clamp = Clamp {
            min: least,
            max: most,
            size: int(self.parts.elements(x))?,
        };
        let sizes = self.parts.sizes(x).to_vec();
        let y = self.parts.temporary(Dtype::F32, &sizes);
        self.parts
            .call(Function::KilnClampF32, clamp, &[Some(x), Some(y)])?;
        Ok(y)
    }

    /// A function of integers and a number, which is the second operand or the first.
    pub(in crate::lower) fn with_number(
        &mut self,
        x: TensorId,
        function: IntegerFunction,
        number: i64,
        is_second: bool,
    ) -> Result<TensorId, Reason> {
        let dtype = self.parts.dtype(x);
        let (low, high) = dtype.range().unwrap_or((i64::MIN, i64::MAX));
        let number = match function {
            IntegerFunction::Xor => number,
            _ => number.clamp(low, high),
        };
        let rank = self.parts.sizes(x).len();
        let number = self.number(dtype, Scalar::Int(number))?;
        let number = self.parts.view(number, &vec![1; rank]);
        match is_second {
            true => self.integers(function, [x, number]),
            false => self.integers(function, [number, x]),
        }
    }

    /// A function of two tensors of integers, with broadcasting.
    pub(in crate::lower) fn integers(
        &mut self,
        function: IntegerFunction,
        operands: [TensorId; 2],
    ) -> Result<TensorId, Reason> {
        let by = match self.parts.dtype(operands[0]) {
            Dtype::U8 => Function::KilnIntegersU8,
            Dtype::I8 => Function::KilnIntegersS8,
            Dtype::I16 => Function::KilnIntegersS16,
            Dtype::I32 => Function::KilnIntegersS32,
            Dtype::I64 => Function::KilnIntegersS64,
            other => return Err(Reason::new("the kernel takes integers", other.name())),
        };
        let sizes = self.met(operands);
        let strides = self.pair(operands, &sizes).strides()?;
        let y = self.parts.temporary(self.parts.dtype(operands[0]), &sizes);
        let slots = [Some(operands[0]), Some(operands[1]), Some(y)];
        self.parts
            .call(by, Integers { strides, function }, &slots)?;
        Ok(y)
    }

    /// The sizes of the broadcast result of two operands.
    fn met(&self, operands: [TensorId; 2]) -> Vec<usize> {
        let [a, b] = operands.map(|t| self.parts.sizes(t));
        a.iter()
            .zip(b)
            .map(|(&a, &b)| if a == 1 { b } else { a })
            .collect()
    }

    fn pair(&self, operands: [TensorId; 2], sizes: &[usize]) -> Walk {
        let [a, b] = operands.map(|t| repeated(self.parts.sizes(t)));
        Walk::new(sizes, [&a, &b])
    }

    pub(super) fn plain_binary(
        &mut self,
        node: &Node,
        f: BinaryFn,
        order: &Order,
    ) -> Result<TensorId, Reason> {
        let [a, b] = self.operands(node, order)?[..] else {
            return Err(self.no_kernel(node));
        };
        if self.parts.dtype(a) != Dtype::F32 {
            return self.integers(of_integers(f)?, [a, b]);
        }
        let function = match f {
            BinaryFn::Add => Function::KilnAddF32,
            BinaryFn::Sub => Function::KilnSubF32,
            BinaryFn::Mul => Function::KilnMulF32,
            BinaryFn::Div => Function::KilnDivF32,
            BinaryFn::FloorDiv => Function::KilnFloorDivF32,
            BinaryFn::TruncDiv => Function::KilnTruncDivF32,
            BinaryFn::Remainder => Function::KilnRemainderF32,
            BinaryFn::Fmod => Function::KilnFmodF32,
            BinaryFn::Pow => Function::KilnPowF32,
            BinaryFn::Max => Function::KilnMaximumF32,
            BinaryFn::Min => Function::KilnMinimumF32,
            BinaryFn::Atan2 => Function::KilnAtan2F32,
            BinaryFn::Prelu => Function::KilnPreluF32,
            _ => return Err(self.no_kernel(node)),
        };
        let sizes = self.sizes(node.result(), order)?;
        self.float_pair(function, [a, b], &sizes)
    }

    /// A function of two floats, with broadcasting.
    pub(super) fn float_pair(
        &mut self,
        function: Function,
        operands: [TensorId; 2],
        sizes: &[usize],
    ) -> Result<TensorId, Reason> {
        let strides = self.pair(operands, sizes).strides()?;
        let y = self.parts.temporary(Dtype::F32, sizes);
        let slots = [Some(operands[0]), Some(operands[1]), Some(y)];
        self.parts.call(function, Pairs { strides }, &slots)?;
        Ok(y)
    }

    /// A comparison. Quantised integers with one scale and zero point compare as they are.
    pub(super) fn compare(
        &mut self,
        node: &Node,
        f: CompareFn,
        order: &Order,
    ) -> Result<TensorId, Reason> {
        let [a, b] = self.operands(node, order)?[..] else {
            return Err(self.no_kernel(node));
        };
        let function = match self.parts.dtype(a) {
            Dtype::F32 => Function::KilnCompareF32,
            Dtype::I8 => Function::KilnCompareS8,
            Dtype::U8 => Function::KilnCompareU8,
            Dtype::I16 => Function::KilnCompareS16,
            Dtype::I32 => Function::KilnCompareS32,
            Dtype::I64 => Function::KilnCompareS64,
            Dtype::I4 | Dtype::F16 | Dtype::Bf16 => return Err(self.no_kernel(node)),
        };
        let (comparison, operands) = match f {
            CompareFn::Eq => (Comparison::Equal, [a, b]),
            CompareFn::Ne => (Comparison::NotEqual, [a, b]),
            CompareFn::Lt => (Comparison::Less, [a, b]),
            CompareFn::Le => (Comparison::LessEqual, [a, b]),
            CompareFn::Gt => (Comparison::Less, [b, a]),
            CompareFn::Ge => (Comparison::LessEqual, [b, a]),
        };
        let sizes = self.sizes(node.result(), order)?;
        let strides = self.pair(operands, &sizes).strides()?;
        let y = self.parts.temporary(Dtype::U8, &sizes);
        let compare = Compare {
            strides,
            comparison,
        };
        let slots = [Some(operands[0]), Some(operands[1]), Some(y)];
        self.parts.call(function, compare, &slots)?;
        Ok(y)
    }

    /// A selection. All three operands lie by strides of the same axes.
    pub(super) fn select(&mut self, node: &Node, order: &Order) -> Result<TensorId, Reason> {
        let [condition, a, b] = self.operands(node, order)?[..] else {
            return Err(self.no_kernel(node));
        };
        let sizes = self.sizes(node.result(), order)?;
        let [of_condition, of_a, of_b] = [condition, a, b].map(|t| repeated(self.parts.sizes(t)));
        let (sizes, steps) = together(&sizes, [of_condition, of_a, of_b]);
        let [of_condition, of_a, of_b] = &steps;
        let dtype = self.parts.dtype(a);
        let select = Select {
            strides: Walk::apart(&sizes, [of_a, of_b]).strides()?,
            condition_strides: Walk::apart(&sizes, [of_condition, of_condition]).strides()?,
            element_size: dtype.bytes(1) as i32,
        };
        let own = self.sizes(node.result(), order)?;
        let y = self.parts.temporary(dtype, &own);
        let slots = [Some(condition), Some(a), Some(b), Some(y)];
        self.parts.call(Function::KilnSelect, select, &slots)?;
        Ok(y)
    }
}

/// Sizes and strides with joined axes: neighbours that are one row in all three tensors.
fn together(sizes: &[usize], steps: [Vec<i64>; 3]) -> (Vec<usize>, [Vec<i64>; 3]) {
    let mut few: Vec<(usize, [i64; 3])> = Vec::new();
    for axis in (0..sizes.len()).filter(|&axis| sizes[axis] != 1) {
        let own: [i64; 3] = std::array::from_fn(|t| steps[t][axis]);
        let size = sizes[axis];
        match few.last_mut() {
            Some((whole, last)) if (0..3).all(|t| last[t] == own[t] * size as i64) => {
                (*whole, *last) = (*whole * size, own);
            }
            _ => few.push((size, own)),
        }
    }
    if few.is_empty() {
        few.push((1, [1; 3]));
    }
    let steps = std::array::from_fn(|t| few.iter().map(|(_, own)| own[t]).collect());
    (few.iter().map(|(size, _)| *size).collect(), steps)
}

fn of_integers(f: BinaryFn) -> Result<IntegerFunction, Reason> {
    Ok(match f {
        BinaryFn::Add => IntegerFunction::Add,
        BinaryFn::Sub => IntegerFunction::Sub,
        BinaryFn::Mul => IntegerFunction::Mul,
        BinaryFn::FloorDiv => IntegerFunction::FloorDiv,
        BinaryFn::TruncDiv => IntegerFunction::TruncDiv,
        BinaryFn::Remainder => IntegerFunction::Remainder,
        BinaryFn::Fmod => IntegerFunction::Fmod,
        BinaryFn::Max => IntegerFunction::Max,
        BinaryFn::Min => IntegerFunction::Min,
        BinaryFn::BitAnd => IntegerFunction::And,
        BinaryFn::BitOr => IntegerFunction::Or,
        BinaryFn::BitXor => IntegerFunction::Xor,
        BinaryFn::Shl => IntegerFunction::ShiftLeft,
        BinaryFn::Shr => IntegerFunction::ShiftRight,
        other => {
            let rule = "no kernel has this function of integers";
            return Err(Reason::new(rule, other.text()));
        }
    })
}

fn of_floats(f: Simple) -> Result<Function, Reason> {
    Ok(match f {
        Simple::Neg => Function::KilnNegF32,
        Simple::Abs => Function::KilnAbsF32,
        Simple::Sign => Function::KilnSignF32,
        Simple::Floor => Function::KilnFloorF32,
        Simple::Ceil => Function::KilnCeilF32,
        Simple::Round => Function::KilnRoundF32,
        Simple::Trunc => Function::KilnTruncF32,
        Simple::Exp => Function::KilnExpF32,
        Simple::Exp2 => Function::KilnExp2F32,
        Simple::Expm1 => Function::KilnExpm1F32,
        Simple::Log => Function::KilnLogF32,
        Simple::Log2 => Function::KilnLog2F32,
        Simple::Log10 => Function::KilnLog10F32,
        Simple::Log1p => Function::KilnLog1pF32,
        Simple::Sqrt => Function::KilnSqrtF32,
        Simple::Rsqrt => Function::KilnRsqrtF32,
        Simple::Reciprocal => Function::KilnReciprocalF32,
        Simple::Square => Function::KilnSquareF32,
        Simple::Sin => Function::KilnSinF32,
        Simple::Cos => Function::KilnCosF32,
        Simple::Tan => Function::KilnTanF32,
        Simple::Asin => Function::KilnAsinF32,
        Simple::Acos => Function::KilnAcosF32,
        Simple::Atan => Function::KilnAtanF32,
        Simple::Sinh => Function::KilnSinhF32,
        Simple::Cosh => Function::KilnCoshF32,
        Simple::Tanh => Function::KilnTanhF32,
        Simple::Asinh => Function::KilnAsinhF32,
        Simple::Acosh => Function::KilnAcoshF32,
        Simple::Atanh => Function::KilnAtanhF32,
        Simple::Erf => Function::KilnErfF32,
        Simple::Erfinv => Function::KilnErfinvF32,
        Simple::Sigmoid => Function::KilnSigmoidF32,
        Simple::LogSigmoid => Function::KilnLogSigmoidF32,
        Simple::Gelu => Function::KilnGeluF32,
        Simple::GeluTanh => Function::KilnGeluTanhF32,
        Simple::Silu => Function::KilnSiluF32,
        Simple::Mish => Function::KilnMishF32,
        Simple::Hardswish => Function::KilnHardswishF32,
        Simple::Hardsigmoid => Function::KilnHardsigmoidF32,
        Simple::IsNan => Function::KilnIsNanF32,
        Simple::IsInf => Function::KilnIsInfF32,
        Simple::BitNot => return Err(Reason::new("floats have no bits", "bit_not")),
    })
}

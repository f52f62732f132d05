//! Functions of two quantised operands with broadcasting; clamps; requantisations.

use super::goal::{Goal, fixed};
use super::parts::{TensorId, int};
use super::strided::{Walk, repeated};
use super::{Lowering, Order};
use crate::dialect::{
    Activation, Add, Broadcast, BroadcastMinMax, Dims, Dtype, Function, MinMax, Mul, Operands,
    Parameters, Scaling,
};
use crate::linked::Linked;
use kiln_ir::graph::Node;
use kiln_ir::ops::{BinaryFn, Quantised};
use kiln_ir::{DType, Quant, Scalar, ValueId};
use kiln_quantised::accumulator::Reach;
use kiln_quantised::multiplier::Multiplier;
use kiln_quantised::step::{CommonStep, Step};
use kiln_transforms::framework::target::Reason;

impl Lowering<'_> {
    pub(super) fn quantised_binary(
        &mut self,
        node: &Node,
        q: &Quantised,
        f: BinaryFn,
        to: &Goal,
        order: &Order,
    ) -> Result<TensorId, Reason> {
        let same_sizes = |i: &usize| {
            self.graph.ty(node.operands[*i]).shape == self.graph.ty(node.result()).shape
                && self.one_number(node.operands[1 - *i]).is_some()
        };
        if let Some(slot) = (0..2).find(same_sizes)
            && let Ok(made) = self.quantised_function(node, q, slot, order)
        {
            return Ok(made);
        }
        if self.is_of_itself(node, f)
            && let Ok(made) = self.quantised_function(node, q, 0, order)
        {
            return Ok(made);
        }
        let is_float = |i: &usize| self.graph.ty(node.operands[1 - *i]).quant.is_none();
        if let Some(slot) = (0..2).find(is_float) {
            return self.by_channel(node, (f, slot), to, order);
        }
        let steps = [self.step(node.operands[0])?, self.step(node.operands[1])?];
        let [a, b] = self.operands(node, order)?[..] else {
            let found = node.operands.len().to_string();
            return Err(Reason::new("the op has two operands", found));
        };
        let sizes = self.sizes(node.result(), order)?;
        match f {
            BinaryFn::Add => self.add(node, [a, b], steps, to, &sizes),
            BinaryFn::Sub => self.subtract(node, [a, b], steps, to, &sizes),
            BinaryFn::Mul => self.multiply(node, [a, b], steps, to, &sizes),
            BinaryFn::Div => self.divide([a, b], steps, to, &sizes),
            BinaryFn::Max | BinaryFn::Min => self.extreme(node, f, [a, b], to, &sizes),
            other => Err(Reason::new(
                "no function in integers computes the op",
                other.text(),
            )),
        }
    }

    /// Whether an op is a product or a quotient of an 8-bit operand with itself. It is a function of one integer, and a table
    /// rounds it once.
    fn is_of_itself(&self, node: &Node, f: BinaryFn) -> bool {
        let value = node.operands[0];
        let is_linked = self.parts.linked() == Linked::Project;
        let is_product = matches!(f, BinaryFn::Mul | BinaryFn::Div);
        let is_small = self.graph.ty(value).dtype == DType::I8;
        is_linked && is_product && is_small && node.operands[1] == value
    }

    /// The greatest distances of both operands' integers from their zero points.
    fn reaches(&self, node: &Node) -> [Reach; 2] {
        [node.operands[0], node.operands[1]].map(|value| self.reach(value))
    }

    fn add(
        &mut self,
        node: &Node,
        [a, b]: [TensorId; 2],
        steps: [Step; 2],
        to: &Goal,
        sizes: &[usize],
    ) -> Result<TensorId, Reason> {
        let o = added(steps, self.reaches(node), to)?;
        let [a, b] = self.repeated_but_rows([a, b], sizes)?;
        let is_same = self.parts.sizes(a) == sizes && self.parts.sizes(b) == sizes;
        let function = match to.dtype {
            Dtype::I16 => [Function::ElementwiseAddS16, Function::KilnAddS16],
            _ => [Function::ElementwiseAddS8, Function::KilnAddS8],
        };
        if !is_same {
            return self.broadcast(function[1], o, [a, b], sizes);
        }
        self.add_same(function[0], o, [a, b], to, sizes)
    }

    /// The difference of both operands. ExecuTorch has no kernel for it; there it is a sum with a negative factor.
    fn subtract(
        &mut self,
        node: &Node,
        [a, b]: [TensorId; 2],
        steps: [Step; 2],
        to: &Goal,
        sizes: &[usize],
    ) -> Result<TensorId, Reason> {
        let mut operands = added(steps, self.reaches(node), to)?;
        match self.parts.linked() {
            Linked::Project => self.broadcast(subtraction(to.dtype), operands, [a, b], sizes),
            Linked::Runtime => {
                operands.multiplier_2 = -operands.multiplier_2;
                let both = self.repeated_for_kernels([a, b], sizes)?;
                self.add_same(Function::ElementwiseAddS8, operands, both, to, sizes)
            }
        }
    }

    /// Both operands, repeated to the result's sizes where kernels do not broadcast.
    fn repeated_for_kernels(
        &mut self,
        [a, b]: [TensorId; 2],
        sizes: &[usize],
    ) -> Result<[TensorId; 2], Reason> {
        match self.parts.linked() {
            Linked::Project => Ok([a, b]),
            Linked::Runtime => Ok([self.repeated_to(a, sizes)?, self.repeated_to(b, sizes)?]),
        }
    }

    /// As [`Lowering::repeated_for_kernels`], for a kernel that repeats a row with one element for each channel by itself.
    fn repeated_but_rows(
        &mut self,
        [a, b]: [TensorId; 2],
        sizes: &[usize],
    ) -> Result<[TensorId; 2], Reason> {
        let is_whole = |t: TensorId| self.parts.sizes(t) == sizes;
        let is_row = |t: TensorId| {
            let own = self.parts.sizes(t).split_last();
            own.is_some_and(|(last, front)| {
                *last > 1 && sizes.last() == Some(last) && front.iter().all(|&size| size == 1)
            })
        };
        match is_whole(a) && is_row(b) || is_row(a) && is_whole(b) {
            true => Ok([a, b]),
            false => self.repeated_for_kernels([a, b], sizes),
        }
    }

    /// The sum of two operands that have the result's sizes. Kiln's own function gives the library's bits in fewer instructions.
    fn add_same(
        &mut self,
        function: Function,
        o: Operands,
        [a, b]: [TensorId; 2],
        to: &Goal,
        sizes: &[usize],
    ) -> Result<TensorId, Reason> {
        let add = sum_of(o, int(sizes.iter().product())?);
        let y = self.parts.temporary(to.dtype, sizes);
        let own = [(add.clone(), [a, b]), (add.swapped(), [b, a])];
        let is_own =
            function == Function::ElementwiseAddS8 && self.parts.linked() == Linked::Project;
        let own = own
            .into_iter()
            .find(|(add, _)| is_own && add.is_of_halves());
        let (function, add, [a, b]) = match own {
            Some((add, operands)) => (Function::KilnAddSameS8, add, operands),
            None => (function, add, [a, b]),
        };
        self.parts
            .call(function, add, &[Some(a), Some(b), Some(y)])?;
        Ok(y)
    }

    fn multiply(
        &mut self,
        node: &Node,
        [a, b]: [TensorId; 2],
        steps: [Step; 2],
        to: &Goal,
        sizes: &[usize],
    ) -> Result<TensorId, Reason> {
        let [x, y] = self.reaches(node);
        let reach = Reach::of_products(1, x, y);
        let unit = steps[0].scale * steps[1].scale;
        let [a, b] = self.repeated_but_rows([a, b], sizes)?;
        let is_same = self.parts.sizes(a) == sizes && self.parts.sizes(b) == sizes;
        let function = match to.dtype {
            Dtype::I16 => [Function::ElementwiseMulS16, Function::KilnMulS16],
            _ => [Function::ElementwiseMulS8, Function::KilnMulS8],
        };
        let factor = to.library_factor(unit, reach)?;
        // The library rounds twice what it shifts to the right, Kiln's own function once.
        let is_rounded = to.is_exact && factor.shift < 0;
        if self.parts.linked() == Linked::Project && (!is_same || is_rounded) {
            let o = of_steps(steps, to.factor(unit, reach)?, to);
            return self.broadcast(function[1], o, [a, b], sizes);
        }
        let o = of_steps(steps, factor, to);
        if !is_same {
            return self.broadcast(function[1], o, [a, b], sizes);
        }
        let mul = Mul {
            input_1_offset: o.offset_1,
            input_2_offset: o.offset_2,
            out_offset: o.output_offset,
            out_mult: o.multiplier,
            out_shift: o.shift,
            out_activation_min: o.activation.min,
            out_activation_max: o.activation.max,
            block_size: int(sizes.iter().product())?,
        };
        let y = self.parts.temporary(to.dtype, sizes);
        self.parts
            .call(function[0], mul, &[Some(a), Some(b), Some(y)])?;
        Ok(y)
    }

    fn divide(
        &mut self,
        operands: [TensorId; 2],
        steps: [Step; 2],
        to: &Goal,
        sizes: &[usize],
    ) -> Result<TensorId, Reason> {
        let factor = fixed(steps[0].scale / (steps[1].scale * to.step.scale), Reach(1))?;
        let function = match to.dtype {
            Dtype::I16 => Function::KilnDivS16,
            _ => Function::KilnDivS8,
        };
        let o = of_steps(steps, factor, to);
        let operands = self.repeated_for_kernels(operands, sizes)?;
        self.broadcast(function, o, operands, sizes)
    }

    /// A call of a kernel that broadcasts: elements lie by strides.
    fn broadcast(
        &mut self,
        function: Function,
        operands: Operands,
        [a, b]: [TensorId; 2],
        sizes: &[usize],
    ) -> Result<TensorId, Reason> {
        let dtype = if self.parts.dtype(a) == self.parts.dtype(b) {
            self.parts.dtype(a)
        } else {
            return Err(Reason::new("both operands have one type", "two"));
        };
        let strides = self.walk([a, b], sizes).strides()?;
        let y = self.parts.temporary(dtype, sizes);
        let slots = [Some(a), Some(b), Some(y)];
        self.parts
            .call(function, Broadcast { operands, strides }, &slots)?;
        Ok(y)
    }

    /// The walk over both operands' elements. An axis of size 1 is repeated.
    fn walk(&self, operands: [TensorId; 2], sizes: &[usize]) -> Walk {
        let [a, b] = operands.map(|t| repeated(self.parts.sizes(t)));
        Walk::new(sizes, [&a, &b])
    }

    /// The greater or the lesser of two operands. Operands of another scale or zero point than the result are requantised first.
    fn extreme(
        &mut self,
        node: &Node,
        f: BinaryFn,
        [a, b]: [TensorId; 2],
        to: &Goal,
        sizes: &[usize],
    ) -> Result<TensorId, Reason> {
        let a = self.brought(a, node.operands[0], to)?;
        let b = self.brought(b, node.operands[1], to)?;
        let function = match (f, to.dtype) {
            (BinaryFn::Max, Dtype::I16) => Function::KilnMaximumS16,
            (BinaryFn::Max, _) => Function::KilnMaximumS8,
            (_, Dtype::I16) => Function::KilnMinimumS16,
            _ => Function::KilnMinimumS8,
        };
        let y = self.parts.temporary(to.dtype, sizes);
        let slots = [Some(a), Some(b), Some(y)];
        let is_same = self.parts.sizes(a) == sizes && self.parts.sizes(b) == sizes;
        let mut candidates: Vec<(Function, Parameters)> = Vec::new();
        let library = match f {
            BinaryFn::Max => Function::MaximumS8,
            _ => Function::MinimumS8,
        };
        if is_same && to.dtype == Dtype::I8 {
            let all = super::parts::dims([1, 1, 1, sizes.iter().product()])?;
            let own = MinMax {
                input_1_dims: all.clone(),
                input_2_dims: all.clone(),
                output_dims: all,
            };
            candidates.push((library, own.into()));
        } else if self.parts.linked() == Linked::Runtime && sizes.len() <= 4 {
            let own = MinMax {
                input_1_dims: in_four(self.parts.sizes(a))?,
                input_2_dims: in_four(self.parts.sizes(b))?,
                output_dims: in_four(sizes)?,
            };
            candidates.push((library, own.into()));
        }
        let strides = self.walk([a, b], sizes).strides()?;
        candidates.push((function, BroadcastMinMax { strides }.into()));
        self.parts.call_first(candidates, &slots)?;
        Ok(y)
    }

    /// The tensor of `value`, requantised to the result.
    pub(super) fn brought(
        &mut self,
        x: TensorId,
        value: ValueId,
        to: &Goal,
    ) -> Result<TensorId, Reason> {
        let from = self.step(value)?;
        self.brought_from(x, from, self.reach(value), to)
    }

    /// A tensor, requantised to the result. `from` has its scale and zero point, and `reach` the greatest distance from that zero
    /// point.
    pub(super) fn brought_from(
        &mut self,
        x: TensorId,
        from: Step,
        reach: Reach,
        to: &Goal,
    ) -> Result<TensorId, Reason> {
        let is_whole = to.dtype.range() == Some((to.range.min.into(), to.range.max.into()));
        if from == to.step && self.parts.dtype(x) == to.dtype && is_whole {
            return Ok(x);
        }
        // Integers about 0 fit their type as they are.
        let reach = match from.zero_point {
            0 => reach.min(Reach(i32::MAX as u128)),
            _ => reach,
        };
        let factor = to.factor(from.scale, reach)?;
        self.rescaled(
            x,
            to.dtype,
            &Scaling {
                input_offset: -from.zero_point,
                multiplier: factor.multiplier,
                shift: factor.shift,
                output_offset: to.step.zero_point,
                activation: to.range.clone(),
            },
        )
    }

    pub(super) fn requantize(
        &mut self,
        node: &Node,
        (quant, dtype): (&Quant, DType),
        order: &Order,
    ) -> Result<TensorId, Reason> {
        let to = Goal::new(quant, dtype)?;
        let x = self.operand(node.operands[0], order)?;
        self.brought(x, node.operands[0], &to)
    }

    /// A clamp to reals. It becomes the activation range of the call that made the operand if nothing else reads that call's
    /// result, and is a call of its own otherwise.
    pub(super) fn quantised_clamp(
        &mut self,
        node: &Node,
        [min, max]: [Option<Scalar>; 2],
        order: &Order,
    ) -> Result<TensorId, Reason> {
        let value = node.operands[0];
        let quant = self.quant(value)?.clone();
        let step = super::goal::step_of(&quant)?;
        let x = self.operand(value, order)?;
        let bound = |real: Scalar| step.integer(real.as_f64(), quant.min, quant.max);
        let (min, max) = (min.map_or(quant.min, bound), max.map_or(quant.max, bound));
        let range = Activation {
            min: min.min(max) as i32,
            max: max as i32,
        };
        if let Some(mut call) = self.sole_maker(value, x).cloned()
            && let Some(own) = activation(&mut call.parameters)
        {
            let limit = |bound: i32| bound.clamp(range.min, range.max);
            let limits = own.map(|bound| (limit(*bound), bound));
            limits.into_iter().for_each(|(new, bound)| *bound = new);
            if self.parts.replace_maker(x, call) {
                return Ok(x);
            }
        }
        let dtype = self.parts.dtype(x);
        self.limited(x, dtype, range)
    }
}

/// The activation range of a call, where its function has one.
fn activation(parameters: &mut Parameters) -> Option<[&mut i32; 2]> {
    fn of(range: &mut Activation) -> Option<[&mut i32; 2]> {
        Some([&mut range.min, &mut range.max])
    }
    match parameters {
        Parameters::Conv(call) => of(&mut call.conv_params.activation),
        Parameters::Depthwise(call) => of(&mut call.dw_conv_params.activation),
        Parameters::TransposeConv(call) => of(&mut call.transpose_conv_params.activation),
        Parameters::FullyConnected(call) => of(&mut call.fc_params.activation),
        Parameters::BatchMatmul(call) => of(&mut call.bmm_params.fc_params.activation),
        Parameters::Pool(call) => of(&mut call.pool_params.activation),
        Parameters::CountedPool(call) => of(&mut call.params.activation),
        Parameters::DilatedPool(call) => of(&mut call.params.activation),
        Parameters::Requantise(call) => of(&mut call.scaling.activation),
        Parameters::AxisSum(call) => of(&mut call.scaling.activation),
        Parameters::AxisMean(call) => of(&mut call.mean.activation),
        Parameters::Broadcast(call) => of(&mut call.operands.activation),
        Parameters::Add(call) => Some([&mut call.out_activation_min, &mut call.out_activation_max]),
        Parameters::Mul(call) => Some([&mut call.out_activation_min, &mut call.out_activation_max]),
        _ => None,
    }
}

/// Up to four sizes as the library's dims, the last innermost.
fn in_four(sizes: &[usize]) -> Result<Dims, Reason> {
    let mut all = [1; 4];
    all[4 - sizes.len()..].copy_from_slice(sizes);
    super::parts::dims(all)
}

/// The parameters of a sum of this many elements.
fn sum_of(o: Operands, block_size: i32) -> Add {
    Add {
        input_1_offset: o.offset_1,
        input_1_mult: o.multiplier_1,
        input_1_shift: o.shift_1,
        input_2_offset: o.offset_2,
        input_2_mult: o.multiplier_2,
        input_2_shift: o.shift_2,
        left_shift: o.left_shift,
        out_offset: o.output_offset,
        out_mult: o.multiplier,
        out_shift: o.shift,
        out_activation_min: o.activation.min,
        out_activation_max: o.activation.max,
        block_size,
    }
}

fn subtraction(dtype: Dtype) -> Function {
    match dtype {
        Dtype::I16 => Function::KilnSubS16,
        _ => Function::KilnSubS8,
    }
}

/// Two operands and a result, for functions that read no factors of the operands.
fn of_steps(steps: [Step; 2], factor: Multiplier, to: &Goal) -> Operands {
    Operands {
        offset_1: -steps[0].zero_point,
        offset_2: -steps[1].zero_point,
        output_offset: to.step.zero_point,
        multiplier: factor.multiplier,
        shift: factor.shift,
        activation: to.range.clone(),
        ..Operands::default()
    }
}

/// The operands of a sum. Both are requantised to a common scale with 20 spare bits for 8-bit integers, and 14 for 16-bit ones.
/// There are fewer spare bits where the result's scale is so much finer that nearly all results saturate.
fn added(steps: [Step; 2], reaches: [Reach; 2], to: &Goal) -> Result<Operands, Reason> {
    let most = if to.dtype == Dtype::I16 { 14 } else { 20 };
    if CommonStep::of(steps, most).forgets(to.step.scale) {
        return Err(Reason::new(
            "operands of an integer sum have scales less than some 2^19 apart",
            format!("scales {:e} and {:e}", steps[0].scale, steps[1].scale),
        ));
    }
    let spare = (0..=most).rev().step_by(2);
    let mut made = Err(Reason::new("a sum is scaled", "it is not"));
    for left_shift in spare {
        made = added_with(left_shift, steps, reaches, to);
        if made.is_ok() {
            break;
        }
    }
    made
}

fn added_with(
    left_shift: u32,
    steps: [Step; 2],
    reaches: [Reach; 2],
    to: &Goal,
) -> Result<Operands, Reason> {
    let common = CommonStep::of(steps, left_shift);
    let reach = Reach(common.reach(reaches.map(Reach::size)) as u128 + 2);
    let [first, second] = common.operands;
    let (first, second) = (fixed(first, Reach(1))?, fixed(second, Reach(1))?);
    let factor = to.factor(common.unit, reach)?;
    Ok(Operands {
        multiplier_1: first.multiplier,
        shift_1: first.shift,
        multiplier_2: second.multiplier,
        shift_2: second.shift,
        left_shift: left_shift as i32,
        ..of_steps(steps, factor, to)
    })
}

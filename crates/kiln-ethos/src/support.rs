//! Support: whether a core runs a TOSA graph, and why not.
//!
//! The rules are those of Vela 5.1.0, measured on random graphs of each operator (`tests/survey.rs` repeats the
//! measurement): Vela takes each graph that passes here. U85 runs all of TOSA's integer profile except variables and
//! custom operators. U55 and U65 run neither bools nor operators on them nor branches, and fewer types.

use crate::core_name::{Core, Family};
use kiln_tosa::dialect::{
    Operator, Region, ResizeMode, Tensor, TensorId, TosaDtype, TosaGraph, TosaOp,
};
use kiln_transforms::framework::target::Reason;

/// Whether the core runs all operators of the graph.
///
/// # Errors
/// If it does not: why, in words for the user.
pub fn support(core: Core, file: &TosaGraph) -> Result<(), Reason> {
    let refused = file
        .regions
        .iter()
        .find_map(|region| refusals_of(core, region).next());
    refused.map_or(Ok(()), |(_, reason)| Err(reason))
}

/// The operators that the core does not run, and why.
pub fn refusals(core: Core, file: &TosaGraph) -> impl Iterator<Item = (&Operator, Reason)> {
    let regions = file.regions.iter();
    regions.flat_map(move |region| refusals_of(core, region))
}

fn refusals_of(core: Core, region: &Region) -> impl Iterator<Item = (&Operator, Reason)> {
    let is_constant = constants(region);
    region.operators.iter().filter_map(move |operator| {
        let query = Query {
            family: core.family(),
            region,
            operator,
            is_constant: &is_constant,
        };
        query.check().err().map(|reason| (operator, reason))
    })
}

/// For each tensor of the region, whether it is known ahead of time: a constant, also under other sizes.
fn constants(region: &Region) -> Vec<bool> {
    let mut known: Vec<bool> = region.constants().iter().map(Option::is_some).collect();
    for operator in &region.operators {
        if let (TosaOp::Reshape { .. }, [from], [to]) = (
            &operator.op,
            operator.inputs.as_slice(),
            operator.outputs.as_slice(),
        ) {
            known[to.index()] = known[from.index()];
        }
    }
    known
}

/// What to do about an op in floats.
pub(crate) const QUANTISE: &str = "quantise what the op reads and gives before the export (Arm's quantiser takes softmax and norms apart into \
    integers), or a model of floats by --quantize";

/// An operator whose support is asked for.
struct Query<'a> {
    family: Family,
    region: &'a Region,
    operator: &'a Operator,
    /// For each tensor, whether it is known ahead of time.
    is_constant: &'a [bool],
}

impl<'a> Query<'a> {
    fn check(&self) -> Result<(), Reason> {
        let (ins, outs) = (&self.operator.inputs, &self.operator.outputs);
        let tensors = ins
            .iter()
            .chain(outs)
            .filter_map(|&t| self.region.tensor(t));
        for tensor in tensors {
            if tensor.dtype.is_float() {
                let reason = self.reason("the NPU computes in integers", tensor);
                return Err(reason.advise(QUANTISE));
            }
            if tensor.dtype == TosaDtype::Bool && self.family != Family::U85 {
                let rule = format!("{} has no bools", self.family);
                return Err(self.reason(&rule, tensor).advise("compute in int8"));
            }
        }
        match self.family {
            Family::U85 => self.check_u85(),
            Family::U55 | Family::U65 => self.check_u55(),
        }
    }

    fn check_u85(&self) -> Result<(), Reason> {
        match &self.operator.op {
            TosaOp::Variable(_) | TosaOp::VariableRead { .. } | TosaOp::VariableWrite { .. } => {
                self.none("keeps no state")
            }
            TosaOp::Custom(_) => self.none("has the operators of TOSA only"),
            _ => Ok(()),
        }
    }

    fn check_u55(&self) -> Result<(), Reason> {
        match &self.operator.op {
            TosaOp::BitwiseAnd
            | TosaOp::BitwiseOr
            | TosaOp::BitwiseXor
            | TosaOp::BitwiseNot
            | TosaOp::LogicalRightShift => self.none("has no such operation on bits"),
            TosaOp::IntDiv => self.none("does not divide"),
            TosaOp::Gather | TosaOp::Scatter => self.none("has no indices that are computed"),
            TosaOp::CondIf(_) | TosaOp::WhileLoop(_) => self.none("has no branches"),
            TosaOp::Conv3d(_) => self.none("has no windows of three axes"),
            TosaOp::ReduceProduct { .. } => self.none("does not multiply along an axis"),
            TosaOp::ArithmeticRightShift { .. } | TosaOp::LogicalLeftShift => {
                self.of(&[TosaDtype::I32])
            }
            TosaOp::MatMul(_) => self.of(&[TosaDtype::I8]),
            TosaOp::ReduceMax { .. } | TosaOp::ReduceMin { .. } => {
                self.of(&[TosaDtype::I8, TosaDtype::I16])
            }
            TosaOp::ArgMax(op) => self.arg_max(op.axis),
            TosaOp::Reverse { axis } => self.reverse(*axis),
            TosaOp::Resize(_) => self.resize(),
            TosaOp::Conv2d(_) | TosaOp::DepthwiseConv2d(_) => self.known_weights(),
            TosaOp::TransposeConv2d(op) => self.transposed(op.stride),
            TosaOp::AvgPool2d(op) => self.average(op.kernel, op.pad),
            TosaOp::Transpose { .. } => self.transpose(),
            _ => self.check_u85(),
        }
    }

    /// ARGMAX runs along an innermost axis of few elements only, row by row.
    fn arg_max(&self, axis: usize) -> Result<(), Reason> {
        const MOST: usize = 127;
        self.of(&[TosaDtype::I8])?;
        let shape = &self.operand(0)?.shape;
        let is_row = axis + 1 == shape.len() && shape[axis] <= MOST;
        let rows = shape.len().saturating_sub(3);
        match is_row && shape[..rows].iter().all(|&n| n == 1) {
            true => Ok(()),
            false => self.but_only(&format!(
                "finds the greatest of at most {MOST} elements along an innermost axis"
            )),
        }
    }

    fn reverse(&self, axis: usize) -> Result<(), Reason> {
        match axis + 1 < self.operand(0)?.shape.len() {
            true => Ok(()),
            false => self.but_only("reverses no innermost axis"),
        }
    }

    /// RESIZE repeats the nearest element of one image 2, 4 or 8 times along both axes.
    fn resize(&self) -> Result<(), Reason> {
        let TosaOp::Resize(op) = &self.operator.op else {
            return Ok(());
        };
        let (from, to) = (&self.operand(0)?.shape, &self.result()?.shape);
        let [n, d] = [op.scale_n, op.scale_d];
        let times = n[0] / d[0].max(1);
        let is_whole = [2, 4, 8].contains(&times) && (0..2).all(|i| n[i] == times * d[i]);
        let fits = from.len() == 4
            && from[0] == 1
            && from[1] * from[2] > 1
            && (1..3).all(|i| to[i] == from[i] * times as usize);
        match op.mode == ResizeMode::Nearest && is_whole && fits {
            true => Ok(()),
            false => self.but_only(
                "repeats the nearest element of one image 2, 4 or 8 times along both axes",
            ),
        }
    }

    /// Weights and biases have to be known ahead of time, since Vela compresses them.
    fn known_weights(&self) -> Result<(), Reason> {
        let rest = self.operator.inputs.iter().skip(1);
        let is_known = |t: &TensorId| self.is_constant.get(t.index()).copied() == Some(true);
        match rest.into_iter().all(is_known) {
            true => Ok(()),
            false => self.but_only("takes weights and biases that are constants"),
        }
    }

    fn transposed(&self, stride: [usize; 2]) -> Result<(), Reason> {
        self.of(&[TosaDtype::I8])?;
        self.known_weights()?;
        match [[1, 1], [2, 2]].contains(&stride) {
            true => Ok(()),
            false => self.but_only("transposes convolutions of stride 1 or 2 along both axes"),
        }
    }

    fn average(&self, kernel: [usize; 2], pad: [[usize; 2]; 2]) -> Result<(), Reason> {
        const MOST: usize = 8;
        match kernel.iter().all(|&k| k <= MOST) || pad == [[0, 0]; 2] {
            true => Ok(()),
            false => self.but_only(&format!(
                "averages padded windows of at most {MOST} by {MOST} elements"
            )),
        }
    }

    fn transpose(&self) -> Result<(), Reason> {
        const MOST: usize = 1 << 16;
        const MAX_WORDS: usize = 1 << 14;
        let operand = self.operand(0)?;
        let inner = operand.shape.last().copied().unwrap_or(1);
        if operand.dtype == TosaDtype::I32 && inner > MAX_WORDS {
            return self.but_only(&format!(
                "transposes innermost axes of at most {MAX_WORDS} elements of 32 bits"
            ));
        }
        match operand.shape.iter().all(|&n| n <= MOST) {
            true => Ok(()),
            false => self.but_only(&format!("transposes axes of at most {MOST} elements")),
        }
    }

    fn operand(&self, slot: usize) -> Result<&'a Tensor, Reason> {
        self.at(self.operator.inputs.get(slot))
    }

    fn result(&self) -> Result<&'a Tensor, Reason> {
        self.at(self.operator.outputs.first())
    }

    fn at(&self, id: Option<&TensorId>) -> Result<&'a Tensor, Reason> {
        let found = id.and_then(|&id| self.region.tensor(id));
        found.ok_or_else(|| Reason::new("an operator has its operands", self.name()))
    }

    /// The operator runs on these types only.
    fn of(&self, dtypes: &[TosaDtype]) -> Result<(), Reason> {
        let operand = self.operand(0)?;
        if dtypes.contains(&operand.dtype) {
            return Ok(());
        }
        let names: Vec<&str> = dtypes.iter().map(|d| d.name()).collect();
        let rule = format!(
            "{} has {} of {}",
            self.family,
            self.name(),
            names.join(" and ")
        );
        Err(self.reason(&rule, operand))
    }

    fn name(&self) -> &'static str {
        self.operator.op.kind().name()
    }

    fn none(&self, what: &str) -> Result<(), Reason> {
        let rule = format!("{} {what}", self.family);
        Err(Reason::new(rule, self.name()))
    }

    fn but_only(&self, what: &str) -> Result<(), Reason> {
        let rule = format!("{} {what}", self.family);
        Err(self.reason(&rule, self.operand(0)?))
    }

    fn reason(&self, rule: &str, tensor: &Tensor) -> Reason {
        let found = format!("{} of {}{:?}", self.name(), tensor.dtype, tensor.shape);
        Reason::new(rule, found)
    }
}

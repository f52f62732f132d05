//! Which nodes a delegate runs, and why it does not run the others.
//!
//! The rules are the runtime's, as measured. Dtypes per op are a table ([`elementwise`]). Shapes and attributes are
//! checked by the same plans that the lowering follows, so an accepted node lowers.
//!
//! # NaN and infinity
//! A delegate's result is NaN or infinite where PyTorch's is, except as [`difference()`] says, and
//! [`Options::strict_nan`] leaves those nodes outside. Kernels of the library that differ (`exp(NaN)` is 0, `sqrt(inf)`
//! is NaN, `rsqrt(0)` is NaN, minima and maxima, averages, maximum pools, depthwise windows of most sizes) are not used,
//! or the lowering puts guards around them. Kernels of f16, which drop NaN, are used only where the user asks for them
//! (`--half`).
//!
//! # Empty tensors
//! Empty images are among the differences of [`difference()`]. Every other tensor may be empty ([`empty`]).

mod advice;
mod data;
mod difference;
mod dynamic;
mod elementwise;
mod empty;
mod integers;
mod made_nan;
mod product;
pub(crate) mod rounding;
mod sign;
mod window;

pub use difference::difference;
pub(crate) use product::comes_with_position;
pub(crate) use sign::{is_bounded, is_not_negative, is_number, is_positive};

use crate::lower::masked;
use crate::orders::MOVERS;
use kiln_ir::graph::Node;
use kiln_ir::{DType, Dim, Graph, NodeId, Op, TensorData, TensorType, TypeNames};
use kiln_target::Half;
use kiln_transforms::analysis::constants::{constant_of, is_constant};
use kiln_transforms::framework::target::Reason;
use made_nan::maker_of_nan;

/// The user's options.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Leave nodes outside that treat NaN, infinity or empty images otherwise than PyTorch.
    pub strict_nan: bool,
    /// The bytes of weight copies that stay in the cache. Up to this, nodes that share weights may each have their own
    /// copy.
    pub cached_bytes: u64,
    /// Guard no operator that treats NaN or infinity otherwise than PyTorch.
    pub fast_nan: bool,
    /// In which floats f16 is computed.
    pub half: Half,
}

impl Options {
    /// In which floats f16 is computed: strict answers to NaN exist in f32 only.
    pub(crate) fn half(&self) -> Half {
        match self.strict_nan {
            true => Half::Single,
            false => self.half,
        }
    }
}

impl Default for Options {
    fn default() -> Options {
        Options {
            strict_nan: false,
            // A core's second-level cache.
            cached_bytes: 2 << 20,
            fast_nan: false,
            half: Half::default(),
        }
    }
}

/// Checks whether a delegate can run the node.
///
/// # Errors
/// Why not, in words for the user.
pub fn support(graph: &Graph, node: NodeId) -> Result<(), Reason> {
    support_with(graph, node, &Options::default())
}

/// As [`support`], with options.
///
/// # Errors
/// Why not, in words for the user.
pub fn support_with(graph: &Graph, node: NodeId, options: &Options) -> Result<(), Reason> {
    let query = Query {
        graph,
        node: graph.node(node),
    };
    query
        .check()
        .and_then(|()| match options.fast_nan {
            true => Ok(()),
            false => query.hides_no_nan(),
        })
        .map_err(|reason| advice::advised(&query, reason))?;
    if options.strict_nan
        && let Some(reason) = difference(graph, node, options)
    {
        return Err(reason.advise("without --strict-nan a delegate takes it"));
    }
    Ok(())
}

/// What no size of a node changes.
const NO_OPERATION: &str = "XNNPACK has no such operation";
/// The same of a family with other functions.
const NO_FUNCTION: &str = "XNNPACK has no such function";

/// The most bytes of a value at its largest: what processors of 64 bits address. A payload counts the bytes of its
/// tensors in 64 bits. Those that the lowering adds may be larger than the values, by less than 2^16.
const MAX_BYTES: u64 = 1 << 48;

/// The maximum of a size, which a payload declares; its least value if it has no bound.
pub(crate) fn largest(graph: &Graph, size: &Dim) -> u32 {
    let bounds = graph.symbols.bounds(size);
    let known = bounds.hi.or(bounds.lo).unwrap_or(1);
    u32::try_from(known)
        .unwrap_or(u32::MAX)
        .min(i32::MAX as u32)
}

/// The node that is asked about.
pub(crate) struct Query<'g> {
    pub(crate) graph: &'g Graph,
    pub(crate) node: &'g Node,
}

/// The float in which everything is computed.
pub(crate) const F32: &[DType] = &[DType::F32];
/// Every dtype of a delegate's tensors, except quantised integers.
pub(crate) const ALL: &[DType] = &[DType::F32, DType::F16, DType::BF16, DType::I32];
/// Plain integers of 8 bits. A delegate has them as quantised integers with a scale of 1 about 0, moves them, and converts them to floats.
pub(crate) const BYTES: &[DType] = &[DType::I8, DType::U8];

impl<'g> Query<'g> {
    fn check(&self) -> Result<(), Reason> {
        self.check_family()?;
        // The condition of a `where` is constant, and no tensor of the delegate.
        let tensors = usize::from(matches!(self.node.op, Op::Select(_)));
        let operands = self.node.operands.iter().skip(tensors);
        for &value in operands.chain(&self.node.results) {
            self.check_type(self.graph.ty(value))?;
        }
        self.empty_operands()?;
        self.nothing_found()?;
        self.check_rules()
    }

    /// Refuses families for which XNNPACK has no operator, before anything else is said of the node.
    pub(super) fn check_family(&self) -> Result<(), Reason> {
        let why = match &self.node.op {
            Op::Constant(_) => "constants are held by the delegates that read them",
            Op::ReadState(_) => "a delegate keeps no state",
            Op::DimValue(_) | Op::BindSymbol(_) => "sizes are computed by the runtime",
            Op::If(_) | Op::While(_) => {
                "branches and loops are run by the runtime, delegates inside their bodies"
            }
            Op::Normalize(_) | Op::Attention(_) => "XNNPACK has its parts only",
            Op::Unary(_)
            | Op::Binary(_)
            | Op::Cast(_)
            | Op::Move(_)
            | Op::Broadcast(_)
            | Op::Slice(_)
            | Op::Pad(_)
            | Op::Concat(_)
            | Op::Reduce(_)
            | Op::MatMul(_)
            | Op::Linear(_)
            | Op::Conv(_)
            | Op::Pool(_)
            | Op::AdaptivePool(_)
            | Op::Resize(_)
            | Op::Softmax(_)
            | Op::Quantize(_)
            | Op::Dequantize(_)
            | Op::Requantize(_)
            | Op::Quantised(_) => return Ok(()),
            Op::Dequantised(op) if matches!(*op.op, Op::Linear(_) | Op::Conv(_)) => return Ok(()),
            Op::Select(_) => return masked::computed(self.graph, self.node).map(drop),
            _ => NO_OPERATION,
        };
        Err(Reason::new(why, self.node.op.function()))
    }

    fn check_rules(&self) -> Result<(), Reason> {
        match &self.node.op {
            Op::Quantised(op) => return self.quantised(op),
            Op::Dequantised(op) => return self.dequantised(op),
            Op::Quantize(_) => return self.quantize(),
            Op::Dequantize(_) => return self.dequantize(),
            Op::Requantize(_) => return self.requantize(),
            _ if self.is_quantised() => return self.carried(),
            _ => {}
        }
        match &self.node.op {
            Op::Unary(op) => self.unary(op.f),
            Op::Binary(op) => self.binary(op.f),
            Op::Cast(op) => self.cast(op.to),
            Op::Move(op) => self.movement(&op.movement),
            Op::Broadcast(op) => self.broadcast(&op.shape),
            Op::Slice(op) => self.slice(op),
            Op::Pad(op) => self.pad(op),
            Op::Concat(_) => self.dtype_moves(),
            Op::Reduce(op) => self.reduce(op),
            Op::MatMul(_) => self.dtype_in(F32),
            Op::Linear(_) => self.linear(),
            Op::Conv(op) => self.conv(op),
            Op::Pool(op) => self.pool(op),
            Op::AdaptivePool(op) => self.adaptive_pool(op),
            Op::Resize(op) => self.resize(op),
            Op::Softmax(op) => self.softmax(op),
            _ => Ok(()),
        }
    }

    /// Refuses a mask that may stand there to hide NaN: the delegate would show it.
    fn hides_no_nan(&self) -> Result<(), Reason> {
        if !matches!(self.node.op, Op::Select(_)) {
            return Ok(());
        }
        let computed = self.node.operands[masked::computed(self.graph, self.node)?];
        if is_number(self.graph, computed) {
            return Ok(());
        }
        let Some(maker) = maker_of_nan(self.graph, computed) else {
            return Ok(());
        };
        let rule = "a NaN that a mask hides would stay NaN in a delegate";
        let advice = "keep NaN from arising (divide by a number that is never 0), or pass --fast-nan if none arises";
        Err(Reason::new(rule, format!("a NaN that {maker} may make")).advise(advice))
    }

    fn check_type(&self, ty: &TensorType) -> Result<(), Reason> {
        if ty.quant.is_some() {
            self.check_quantised(ty)?;
        } else if !ALL.contains(&ty.dtype) && !self.takes_bytes(ty.dtype) {
            return Err(Reason::new(
                "XNNPACK computes in f32, f16, bf16 and i32",
                ty.dtype.name(),
            ));
        }
        if ty.rank() > MOVERS.max_rank {
            return Err(Reason::new(
                "XNNPACK takes at most 6 dims",
                TypeNames(ty, &self.graph.symbols).to_string(),
            ));
        }
        ty.shape.iter().try_for_each(|size| self.check_size(size))?;
        self.check_bytes(ty)
    }

    /// True for a type of plain integers that the op moves or converts to floats.
    fn takes_bytes(&self, dtype: DType) -> bool {
        let is_byte = BYTES.contains(&dtype);
        match &self.node.op {
            Op::Move(_) | Op::Slice(_) | Op::Concat(_) | Op::Pad(_) => is_byte,
            // Booleans are bytes of 0 and 1.
            Op::Cast(op) => (is_byte || dtype == DType::Bool) && op.to.is_float(),
            _ => false,
        }
    }

    fn check_bytes(&self, ty: &TensorType) -> Result<(), Reason> {
        let sizes = ty.shape.iter().map(|size| largest(self.graph, size));
        let element = ty.dtype.size() as u64;
        let bytes = sizes.fold(element, |n, size| n.saturating_mul(size.into()));
        if bytes <= MAX_BYTES {
            return Ok(());
        }
        let rule = "a delegate's tensor has at most 2^48 bytes";
        Err(
            Reason::new(rule, TypeNames(ty, &self.graph.symbols).to_string())
                .advise("export with smaller sizes"),
        )
    }

    fn check_size(&self, size: &Dim) -> Result<(), Reason> {
        let bounds = self.graph.symbols.bounds(size);
        if size.is(0) || bounds.lo.is_none_or(|lo| lo < 0) {
            let rule = "XNNPACK takes no empty tensors";
            return Err(Reason::new(rule, format!("a size of {}", self.size(size))));
        }
        if bounds.hi.is_some_and(|hi| hi > i64::from(i32::MAX)) {
            return Err(Reason::new("sizes are below 2^31", self.size(size)));
        }
        Ok(())
    }

    /// The type of an operand.
    pub(crate) fn ty(&self, operand: usize) -> &'g TensorType {
        self.graph.ty(self.node.operands[operand])
    }

    /// The dtype of the first operand; f32 for halves that are computed with, since whatever has a kernel of f16 has one of f32.
    pub(crate) fn dtype(&self) -> DType {
        let own = self.ty(0).dtype;
        let keeps = matches!(
            self.node.op,
            Op::Move(_) | Op::Slice(_) | Op::Broadcast(_) | Op::Concat(_) | Op::Cast(_)
        );
        match own.is_half() && !keeps {
            true => DType::F32,
            false => own,
        }
    }

    /// Refuses other dtypes of the first operand.
    pub(crate) fn dtype_in(&self, allowed: &[DType]) -> Result<(), Reason> {
        if allowed.contains(&self.dtype()) {
            return Ok(());
        }
        let names: Vec<&str> = allowed.iter().map(|d| d.name()).collect();
        let rule = format!("XNNPACK has {} for {}", self.what(), names.join(", "));
        Err(Reason::new(rule, self.dtype().name()))
    }

    fn what(&self) -> String {
        self.node.op.function().into_owned()
    }

    /// The constant behind an operand, also through movements.
    pub(crate) fn constant(&self, operand: usize) -> Option<TensorData> {
        constant_of(self.graph, self.node.operands[operand])
    }

    /// Refuses an operand that is not known at compile time.
    pub(crate) fn require_constant(&self, operand: usize, name: &str) -> Result<(), Reason> {
        if is_constant(self.graph, self.node.operands[operand]) {
            return Ok(());
        }
        let rule = format!("XNNPACK takes only a constant {name} here");
        Err(Reason::new(rule, "one that is computed when running"))
    }
}

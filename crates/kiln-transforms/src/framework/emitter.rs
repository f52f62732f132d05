//! Insertion of a rewrite's nodes, all at one place in the graph.
//!
//! Nodes over constants are folded at once where that is allowed (see [`crate::framework::folding`]). So a rule has the
//! same code for weights that are known and for weights that are not.

use crate::framework::folding;
use crate::framework::target::{Placement, Reason, Target};
use kiln_ir::graph::ValueList;
use kiln_ir::movement::MovementError;
use kiln_ir::ops::Misfit;
use kiln_ir::tensor::TensorData;
use kiln_ir::{Builder, Dim, Graph, NodeId, Op, Place, Rewriter, TensorType, ValueId};

/// An emitted value, or the reason why it cannot be emitted.
pub type Emitted = Result<ValueId, Reason>;

impl From<Misfit> for Reason {
    fn from(misfit: Misfit) -> Reason {
        Reason::new("the rewritten op accepts its operands", misfit.0)
    }
}

impl From<MovementError> for Reason {
    fn from(error: MovementError) -> Reason {
        Reason::new("the rewritten form is a valid movement", error.to_string())
    }
}

/// Inserts nodes at one place.
pub struct Emitter<'r, 'g> {
    rewriter: &'r mut Rewriter<'g>,
    target: &'r dyn Target,
    place: Place,
    free_bytes: u64,
}

impl<'r, 'g> Emitter<'r, 'g> {
    /// An emitter at `place`. New nodes get the rewriter's current provenance.
    pub fn new(
        rewriter: &'r mut Rewriter<'g>,
        target: &'r dyn Target,
        place: Place,
    ) -> Emitter<'r, 'g> {
        Emitter {
            rewriter,
            target,
            place,
            free_bytes: folding::ALWAYS_FOLDED_BYTES,
        }
    }

    /// From now on, folds results of up to this many bytes, however small the operands are. For intermediate values
    /// between old weights and new ones.
    pub fn allow_bytes(&mut self, bytes: usize) {
        self.free_bytes = self.free_bytes.max(bytes as u64);
    }

    /// How the target would run the op on these operands. The node is inserted for the question and erased afterwards.
    ///
    /// # Errors
    /// If operands and attributes do not fit.
    pub fn placement(
        &mut self,
        op: impl Into<Op>,
        operands: &[ValueId],
    ) -> Result<Placement, Reason> {
        let node = self.rewriter.insert(self.place, op, operands)?;
        let placement = self.target.placement(self.rewriter.graph(), node);
        self.rewriter.erase(node);
        Ok(placement)
    }

    /// See [`Target::quotients_below`].
    pub fn quotients_below(&self, node: NodeId) -> Option<f64> {
        self.target.quotients_below(self.graph(), node)
    }

    /// See [`Target::holds`].
    pub fn holds(&self, ty: &TensorType) -> bool {
        self.target.holds(ty)
    }

    /// See [`Target::weight_bytes`].
    pub fn weight_bytes(&self, weight: &TensorData) -> usize {
        self.target.weight_bytes(weight)
    }

    /// See [`Target::quantises_nan_to_zero`].
    pub fn quantises_nan_to_zero(&self, node: NodeId) -> bool {
        self.target.quantises_nan_to_zero(self.graph(), node)
    }

    /// See [`Target::elements_per_operator`].
    pub fn elements_per_operator(&self) -> u64 {
        self.target.elements_per_operator()
    }

    /// See [`Target::bytes_per_join`].
    pub fn bytes_per_join(&self) -> Option<u64> {
        self.target.bytes_per_join()
    }

    /// See [`Target::elements_per_range`].
    pub fn elements_per_range(&self) -> u64 {
        self.target.elements_per_range()
    }

    /// See [`Target::max_rank`].
    pub fn max_rank(&self) -> usize {
        self.target.max_rank()
    }

    /// How the target runs an existing node.
    pub fn placement_of(&self, node: NodeId) -> Placement {
        self.target.placement(self.graph(), node)
    }

    /// True if the target would run the op on these operands, in a delegate or as a kernel.
    pub fn runs(&mut self, op: impl Into<Op>, operands: &[ValueId]) -> bool {
        matches!(
            self.placement(op, operands),
            Ok(Placement::Delegate | Placement::Kernel(_))
        )
    }

    /// True if the target would run the op on these operands inside a delegate.
    pub fn delegates(&mut self, op: impl Into<Op>, operands: &[ValueId]) -> bool {
        matches!(self.placement(op, operands), Ok(Placement::Delegate))
    }

    /// True if the target would run the op on these operands at least as well as it runs `node`.
    pub fn is_no_worse(&mut self, node: NodeId, op: impl Into<Op>, operands: &[ValueId]) -> bool {
        let now = self.placement_of(node);
        self.placement(op, operands)
            .is_ok_and(|then| then.is_no_worse_than(&now))
    }

    /// Emits a node without folding it.
    ///
    /// # Errors
    /// If operands and attributes do not fit.
    pub fn unfolded(&mut self, op: impl Into<Op>, operands: &[ValueId]) -> Emitted {
        Ok(self.rewriter.value(self.place, op, operands)?)
    }

    /// Adds a constant with its type.
    pub fn known_constant(&mut self, constant: kiln_ir::graph::Constant) -> ValueId {
        let value = self.rewriter.add_typed_constant(constant);
        self.rewriter
            .value(self.place, kiln_ir::ops::Constant { value }, &[])
            .expect("a constant that was just added exists")
    }

    /// A new constant.
    pub fn constant(&mut self, name: &str, data: TensorData) -> ValueId {
        self.rewriter.constant_value(self.place, name, data)
    }

    /// A copy of the constant `value` under another name; any other value as it is.
    pub fn renamed(&mut self, value: ValueId, name: &str) -> ValueId {
        let Some(constant) = self.graph().as_constant(value) else {
            return value;
        };
        let renamed = kiln_ir::graph::Constant {
            name: name.into(),
            ..constant.clone()
        };
        self.known_constant(renamed)
    }

    /// The size of an axis when it is known.
    ///
    /// # Errors
    /// If the size is unknown.
    pub fn known(&self, dim: &Dim, rule: &str) -> Result<i64, Reason> {
        dim.as_const().ok_or_else(|| {
            let found = kiln_ir::dim::DimNames(dim, &self.graph().symbols).to_string();
            Reason::new(rule, format!("the size {found}"))
        })
    }
}

impl Builder for Emitter<'_, '_> {
    type Error = Reason;

    fn graph(&self) -> &Graph {
        self.rewriter.graph()
    }

    /// Emits a node, or the constants that it computes.
    fn results(&mut self, op: impl Into<Op>, operands: &[ValueId]) -> Result<ValueList, Reason> {
        let op = op.into();
        if let Ok(Some(constants)) = folding::fold(self.graph(), &op, operands, self.free_bytes) {
            let constants = constants.into_iter();
            return Ok(constants.map(|c| self.known_constant(c)).collect());
        }
        let node = self.rewriter.insert(self.place, op, operands)?;
        Ok(self.graph().node(node).results.clone())
    }

    fn literal(&mut self, data: TensorData) -> ValueId {
        self.constant("", data)
    }
}

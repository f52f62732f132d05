//! The family of distances between rows.

use super::*;
use crate::types::Shape;

family! {
    /// The p-norms of the differences between each row of `a` and each row of `b`: `[.., n, m]` and `[.., r, m]` give
    /// `[.., n, r]`. Ranks are equal and at least 2. Leading axes of size 1 are broadcast. `p` = 0 counts the differing
    /// elements, `p` = infinity takes the maximum. Half types compute in f32 and round once.
    Distances {
        /// The order of the norm; 0 or more.
        p: f64,
    }
}

impl Family for Distances {
    const NAME: &'static str = "distances";
    const DOC: &'static str = Self::DOCUMENT;
    const OPERANDS: &'static [Slot] = &[Slot::One("a"), Slot::One("b")];

    fn facts(&self) -> Facts {
        Facts {
            memory: Alias::No,
            folds: true,
            work: Growth::PerPair,
            parts: Parts::Wide,
            rounding: Rounding::Function,
            inner_rounding: InnerRounding::Exact,
            quantised: Meaning::Refused,
            meeting: Meeting::First,
            computes_reals: true,
            is_steep: false,
        }
    }

    fn infer(&self, cx: &Infer<'_>, operands: &[&TensorType]) -> Result<Types, Misfit> {
        let (a, b) = (operands[0], operands[1]);
        let rank = a.rank();
        if rank < 2 || b.rank() != rank {
            misfit!(
                "ranks {rank} and {}: distances take equal ranks of at least 2",
                b.rank()
            );
        }
        if a.dtype != b.dtype || !a.dtype.is_float() {
            misfit!("distances are of floats, found {} and {}", a.dtype, b.dtype);
        }
        if self.p.is_nan() || self.p < 0.0 {
            misfit!("the order of the norm is {}, not 0 or more", self.p);
        }
        let symbols = &cx.graph.symbols;
        let (wide, other) = (&a.shape[rank - 1], &b.shape[rank - 1]);
        if symbols.equal(wide, other) == Some(false) {
            misfit!("rows have {wide} and {other} elements");
        }
        let mut shape = Shape::default();
        for i in 0..rank - 2 {
            match broadcast_dim(&a.shape[i], &b.shape[i], symbols) {
                Some(size) => shape.push(size),
                None => misfit!(
                    "batch sizes {} and {} are neither equal nor 1",
                    a.shape[i],
                    b.shape[i]
                ),
            }
        }
        shape.push(a.shape[rank - 2].clone());
        shape.push(b.shape[rank - 2].clone());
        one(TensorType::new(a.dtype, shape))
    }

    fn axes(&self, operands: &[&TensorType], operand: usize) -> Vec<AxisRole> {
        let rank = operands[operand].rank();
        let mut roles = parallel_but(rank, rank - 1, AxisRole::Opaque);
        roles[rank - 2] = AxisRole::Parallel(rank - 2 + operand);
        roles
    }
}

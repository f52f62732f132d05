//! The names of functions as users know them: `add` and `relu`, where the families are `binary` and `unary`.

use super::{Op, PoolFn, UnaryFn};
use std::borrow::Cow;

impl UnaryFn {
    /// The name, without parameters.
    pub fn function(&self) -> &'static str {
        match self {
            UnaryFn::Simple(f) => f.text(),
            UnaryFn::Clamp { .. } => "clamp",
            UnaryFn::Elu { .. } => "elu",
            UnaryFn::LeakyRelu { .. } => "leaky_relu",
            UnaryFn::Softplus { .. } => "softplus",
        }
    }
}

impl Op {
    /// The name of what the op computes, for people.
    pub fn function(&self) -> Cow<'static, str> {
        match self.computing() {
            Op::Unary(op) => op.f.function().into(),
            Op::Binary(op) => op.f.text().into(),
            Op::Compare(op) => op.f.text().into(),
            Op::Reduce(op) => op.f.text().into(),
            Op::ArgReduce(op) => format!("arg{}", op.f.text()).into(),
            Op::Scan(op) => format!("cum{}", op.f.text()).into(),
            Op::Pool(op) => match op.f {
                PoolFn::Max | PoolFn::MaxWithIndices => "max_pool".into(),
                PoolFn::Avg { .. } => "avg_pool".into(),
            },
            Op::AdaptivePool(op) => match op.f {
                PoolFn::Max | PoolFn::MaxWithIndices => "adaptive_max_pool".into(),
                PoolFn::Avg { .. } => "adaptive_avg_pool".into(),
            },
            Op::Move(op) if op.movement.is_view() => "view".into(),
            Op::Move(_) => "transpose".into(),
            Op::Select(_) => "where".into(),
            Op::Softmax(op) if op.log => "log_softmax".into(),
            Op::Foreign(op) => op.kernel.0.clone().into(),
            other => other.name().into(),
        }
    }
}

//! The text form of a graph, for people.

use super::graph::{Operator, Region, TensorId, TosaGraph};
use std::fmt;

impl fmt::Display for TosaGraph {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.regions.iter().try_for_each(|region| region.fmt(f))
    }
}

impl fmt::Display for Region {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}({}) {{", self.name, self.list(&self.inputs, true))?;
        for operator in &self.operators {
            writeln!(f, "  {}", Line(self, operator))?;
        }
        writeln!(f, "  return {}", self.list(&self.outputs, false))?;
        writeln!(f, "}}")
    }
}

impl Region {
    /// The names of tensors, with their types if asked for.
    fn list(&self, ids: &[TensorId], typed: bool) -> String {
        let names = ids.iter().map(|&id| match self.tensor(id) {
            Some(tensor) if typed => tensor.to_string(),
            Some(tensor) => tensor.name.clone(),
            None => format!("{id:?}"),
        });
        names.collect::<Vec<_>>().join(", ")
    }
}

/// An operator, within its region.
struct Line<'a>(&'a Region, &'a Operator);

impl fmt::Display for Line<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Line(region, operator) = self;
        if !operator.outputs.is_empty() {
            write!(f, "{} = ", region.list(&operator.outputs, true))?;
        }
        write!(f, "{}", operator.op.kind())?;
        if !operator.inputs.is_empty() {
            write!(f, " {}", region.list(&operator.inputs, false))?;
        }
        // The attributes as `Debug` prints them, without the name of their type.
        let shown = format!("{:?}", operator.op);
        match (shown.find('{'), shown.rfind('}')) {
            (Some(first), Some(last)) => write!(f, " {}", &shown[first..=last]),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::dialect::{Builder, MatMul, TosaDtype, TosaOp};

    #[test]
    fn a_graph_prints() {
        let mut b = Builder::new();
        let x = b.input("x", TosaDtype::I8, &[1, 2, 3]);
        let w = b.integers(TosaDtype::I8, &[1, 3, 1], &[1, 2, 3]).unwrap();
        let y = b
            .op(TosaOp::MatMul(MatMul::new(TosaDtype::I32)), &[x, w])
            .unwrap();
        let graph = b.finish(&[y]);
        let expected = "main(x: i8[1, 2, 3]) {\n  \
            const: i8[1, 3, 1] = CONST { dtype: I8, shape: [1, 3, 1], values: 3 bytes }\n  \
            matmul: i32[1, 2, 1] = MATMUL x, const { a_zp: 0, b_zp: 0, to: I32 }\n  \
            return matmul\n}\n";
        assert_eq!(graph.to_string(), expected);
    }
}

//! The names of functions as users know them: `add` and `relu`, where the graph's families are `binary` and `unary`.

use kiln_ir::ops::attribute::{Attribute, Names};
use kiln_ir::{Graph, Op};

/// The functions of a graph's nodes.
pub struct Functions<'g>(Names<'g>);

impl<'g> Functions<'g> {
    /// Those of this graph.
    pub fn new(graph: &'g Graph) -> Self {
        Self(Names::new(graph))
    }

    /// The name of what an op computes.
    pub fn name(&self, op: &Op) -> String {
        match op.computing() {
            Op::Unary(op) => self.word(&op.f),
            Op::Binary(op) => self.word(&op.f),
            Op::Compare(op) => self.word(&op.f),
            Op::Reduce(op) => self.word(&op.f),
            Op::ArgReduce(op) => format!("arg{}", self.word(&op.f)),
            Op::Pool(op) => format!("{}_pool", self.word(&op.f)),
            Op::AdaptivePool(op) => format!("adaptive_{}_pool", self.word(&op.f)),
            Op::Move(op) if op.movement.is_view() => "view".to_owned(),
            Op::Move(_) => "transpose".to_owned(),
            Op::Softmax(op) if op.log => "log_softmax".to_owned(),
            other => other.name().to_owned(),
        }
    }

    /// The first word of an attribute's text: a function's parameters follow it.
    fn word(&self, attribute: &impl Attribute) -> String {
        let mut text = String::new();
        attribute.print(&mut text, &self.0);
        let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let end = text.find(|c| !is_part(c)).unwrap_or(text.len());
        text[..end].to_owned()
    }
}

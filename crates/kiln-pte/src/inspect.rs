//! Queries of a program, for `inspect`, reports and the builtin runtime.

use crate::{Delegate, Instruction, Method, Operator, Program, TensorValue, Value, ValueIndex};

impl Program {
    /// The method with this name.
    pub fn method(&self, name: &str) -> Option<&Method> {
        self.methods.iter().find(|method| method.name == name)
    }

    /// The kernels that the methods call, each once, sorted by key. The runtime must have these linked.
    pub fn operators(&self) -> Vec<Operator> {
        let mut all: Vec<_> = self
            .methods
            .iter()
            .flat_map(Method::called_operators)
            .cloned()
            .collect();
        all.sort();
        all.dedup();
        all
    }

    /// The bytes of a named datum.
    pub fn named(&self, key: &str) -> Option<&bytes::Bytes> {
        self.named_data
            .iter()
            .find(|named| named.key == key)
            .map(|named| named.data.bytes())
    }
}

impl Method {
    /// The value, if the index is in range.
    pub fn value(&self, index: ValueIndex) -> Option<&Value> {
        self.values.get(index.index())
    }

    /// The tensor at an index; `None` for other kinds and out of range.
    pub fn tensor(&self, index: ValueIndex) -> Option<&TensorValue> {
        self.value(index).and_then(Value::as_tensor)
    }

    /// The values of the inputs, in order.
    pub fn input_values(&self) -> impl Iterator<Item = &Value> {
        self.inputs.iter().filter_map(|&index| self.value(index))
    }

    /// The values of the outputs, in order.
    pub fn output_values(&self) -> impl Iterator<Item = &Value> {
        self.outputs.iter().filter_map(|&index| self.value(index))
    }

    /// The bytes of all arenas together; saturates.
    pub fn planned_bytes(&self) -> u64 {
        self.arena_sizes
            .iter()
            .fold(0, |sum, &size| sum.saturating_add(size))
    }

    /// The kernel of each call, in order of execution.
    pub fn called_operators(&self) -> impl Iterator<Item = &Operator> {
        self.instructions
            .iter()
            .filter_map(|instruction| match instruction {
                Instruction::KernelCall { op, .. } => self.operators.get(op.index()),
                _ => None,
            })
    }

    /// The number of calls of each kernel, by key, in the order of first calls.
    pub fn kernel_calls(&self) -> indexmap::IndexMap<String, usize> {
        let mut calls = indexmap::IndexMap::new();
        for operator in self.called_operators() {
            *calls.entry(operator.key()).or_insert(0) += 1;
        }
        calls
    }

    /// The delegates with their payloads. The payload is `None` if its index is out of range, in a program built by
    /// hand.
    pub fn delegates_with_blobs<'a>(
        &'a self,
        program: &'a Program,
    ) -> impl Iterator<Item = (&'a Delegate, Option<&'a bytes::Bytes>)> {
        self.delegates.iter().map(|delegate| {
            let blob = program.delegate_blobs.get(delegate.blob);
            (delegate, blob.map(kiln_ir::Content::bytes))
        })
    }
}

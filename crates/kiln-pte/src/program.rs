//! The program: methods, and the bytes that they share.

use kiln_ir::Content;

use crate::{
    BlobIndex, ConstantIndex, Delegate, InitialIndex, Instruction, Operator, OperatorIndex, Pool,
    Value, ValueIndex,
};

/// A whole `.pte` file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Program {
    /// The schema's version; the runtime takes only 0.
    pub version: u32,
    /// The entry points. Their names differ.
    pub methods: Vec<Method>,
    /// Bytes of constant tensors, each once.
    pub constants: Pool<ConstantIndex>,
    /// Bytes that mutable buffers hold when a method is loaded.
    pub initial_data: Pool<InitialIndex>,
    /// What delegates compile.
    pub delegate_blobs: Pool<BlobIndex>,
    /// Bytes that delegates look up by key. Keys differ; equal bytes are stored once.
    pub named_data: Vec<NamedData>,
}

/// Bytes under a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedData {
    /// The key, compared byte by byte.
    pub key: String,
    /// The bytes.
    pub data: Content,
}

/// An entry point of the program.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Method {
    /// `forward`, for one.
    pub name: String,
    /// How flat inputs and outputs nest, for the caller; the runtime ignores it.
    pub container: Option<ContainerMeta>,
    /// Everything that instructions read and write.
    pub values: Vec<Value>,
    /// The method's inputs in order.
    pub inputs: Vec<ValueIndex>,
    /// The method's outputs in order; constants, inputs and repeats are allowed.
    pub outputs: Vec<ValueIndex>,
    /// The steps in order.
    pub instructions: Vec<Instruction>,
    /// The kernels that the steps call.
    pub operators: Vec<Operator>,
    /// The delegates that the steps call. Each is initialised at load, called or not.
    pub delegates: Vec<Delegate>,
    /// Bytes of each arena. The file has a reserved entry before them, which is not here.
    pub arena_sizes: Vec<u64>,
}

impl Method {
    /// Appends a value.
    pub fn add_value(&mut self, value: Value) -> ValueIndex {
        let index = ValueIndex(
            u32::try_from(self.values.len()).expect("a method has fewer than 2^32 values"),
        );
        self.values.push(value);
        index
    }

    /// The position of the kernel in [`operators`](Self::operators), appended if it is new.
    pub fn add_operator(&mut self, operator: Operator) -> OperatorIndex {
        let found = self.operators.iter().position(|o| *o == operator);
        let index = found.unwrap_or_else(|| {
            self.operators.push(operator);
            self.operators.len() - 1
        });
        OperatorIndex(u32::try_from(index).expect("a method has fewer than 2^32 operators"))
    }
}

/// The pytree strings of a method, as `torch.export` writes them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ContainerMeta {
    /// The nesting of the inputs.
    pub inputs: String,
    /// The nesting of the outputs.
    pub outputs: String,
}

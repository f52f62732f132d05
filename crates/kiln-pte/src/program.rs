//! The program: its methods, and the bytes that they share.

use kiln_ir::Content;

use crate::{
    BlobIndex, ConstantIndex, Delegate, InitialIndex, Instruction, Operator, OperatorIndex, Pool,
    Value, ValueIndex,
};

/// A whole `.pte` file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Program {
    /// The version of the schema. The runtime accepts only 0.
    pub version: u32,
    /// The methods. Their names are distinct.
    pub methods: Vec<Method>,
    /// The bytes of constant tensors, without duplicates.
    pub constants: Pool<ConstantIndex>,
    /// The initial contents of mutable buffers.
    pub initial_data: Pool<InitialIndex>,
    /// The payloads of delegates.
    pub delegate_blobs: Pool<BlobIndex>,
    /// Bytes that delegates look up by key. Keys are distinct, and equal bytes are stored once.
    pub named_data: Vec<NamedData>,
}

/// A named datum: bytes with a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedData {
    /// The key; compared byte by byte.
    pub key: String,
    /// The bytes.
    pub data: Content,
}

/// A method of the program.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Method {
    /// The name, for example `forward`.
    pub name: String,
    /// How flat inputs and outputs nest, for the caller. The runtime ignores it.
    pub container: Option<ContainerMeta>,
    /// All values that instructions read and write.
    pub values: Vec<Value>,
    /// The method's inputs in order.
    pub inputs: Vec<ValueIndex>,
    /// The method's outputs in order. An output may be a constant or an input, and may occur several times.
    pub outputs: Vec<ValueIndex>,
    /// The instructions in order.
    pub instructions: Vec<Instruction>,
    /// The kernels that instructions call.
    pub operators: Vec<Operator>,
    /// The delegates that instructions call. Each is initialised when the method is loaded, even if it is never called.
    pub delegates: Vec<Delegate>,
    /// The bytes of each arena, without the reserved entry that the file has before them.
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

    /// The index of the kernel in [`operators`](Self::operators), to which it is appended if it is new.
    pub fn add_operator(&mut self, operator: Operator) -> OperatorIndex {
        let found = self.operators.iter().position(|o| *o == operator);
        let index = found.unwrap_or_else(|| {
            self.operators.push(operator);
            self.operators.len() - 1
        });
        OperatorIndex(u32::try_from(index).expect("a method has fewer than 2^32 operators"))
    }
}

/// The pytree strings of a method, in the form of `torch.export`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ContainerMeta {
    /// The structure of the inputs.
    pub inputs: String,
    /// The structure of the outputs.
    pub outputs: String,
}

//! Programs: buffers and calls.

use super::dtype::Dtype;
use super::flow::Flow;
use super::parameters::Parameters;
use super::table::Function;
use bytes::Bytes;
use kiln_ir::NodeId;
use std::fmt;

/// The index of a buffer in [`Program::buffers`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BufferId(pub u32);

impl BufferId {
    /// The index in the program's buffers.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Debug for BufferId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "%{}", self.0)
    }
}

/// A model as calls of C functions.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Program {
    /// All buffers. Inputs and outputs are numbered in the order in which they stand here.
    pub buffers: Vec<Buffer>,
    /// The calls, in order.
    pub calls: Vec<Call>,
    /// Branches and loops, an inner one before an outer one.
    pub flows: Vec<Flow>,
}

/// A buffer.
#[derive(Clone, Debug, PartialEq)]
pub struct Buffer {
    /// Its name, unique in the program.
    pub name: String,
    /// The type of its elements.
    pub dtype: Dtype,
    /// How many there are.
    pub elements: usize,
    /// What it is for.
    pub role: Role,
}

/// What a buffer is for.
#[derive(Clone, Debug, PartialEq)]
pub enum Role {
    /// Written from outside before each run.
    Input,
    /// Written from outside before each run, and read from outside after it.
    Updated,
    /// Read from outside after each run.
    Output,
    /// The same in all runs; its bytes.
    Constant(Bytes),
    /// Kept from one run to the next; its bytes before the first.
    State(Bytes),
    /// Only within a run.
    Temporary,
}

impl Role {
    /// Whether it is written from outside before each run.
    pub const fn is_input(&self) -> bool {
        matches!(self, Role::Input | Role::Updated)
    }

    /// Whether it has a content before the first call of a run.
    pub const fn is_given(&self) -> bool {
        matches!(self, Role::Input | Role::Updated | Role::State(_))
    }

    /// Whether its content after the last call of a run is used.
    pub const fn is_kept(&self) -> bool {
        matches!(self, Role::Updated | Role::Output | Role::State(_))
    }
}

/// A call of a function.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// The function.
    pub function: Function,
    /// Its parameters.
    pub parameters: Parameters,
    /// The buffer of each slot of the function's row; `None` is a null pointer.
    pub buffers: Vec<Option<BufferId>>,
    /// The part of its buffer that each slot uses; the pointer points to the part's first element. A slot without a view uses the
    /// whole buffer, and so do all slots if the list is empty.
    pub views: Vec<Option<View>>,
    /// The node of which the call computes a part, if the program is lowered from a graph.
    pub node: Option<NodeId>,
    /// The name of the layer of which the call computes a part, for the user.
    pub layer: String,
    /// The user's line that it comes from, empty if unknown.
    pub source: String,
}

/// Contiguous elements of a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct View {
    /// The first element.
    pub first: usize,
    /// The number of elements.
    pub elements: usize,
}

impl View {
    /// The element behind the last.
    pub const fn end(self) -> usize {
        self.first.saturating_add(self.elements)
    }

    /// Whether the two have an element in common.
    pub const fn meets(self, other: View) -> bool {
        self.first < other.end() && other.first < self.end()
    }
}

impl Call {
    /// The part of a buffer that the slot at this place uses. `None` for the whole buffer.
    pub fn view(&self, place: usize) -> Option<View> {
        self.views.get(place).copied().flatten()
    }
}

impl Program {
    /// The part of its buffer that a slot of a call uses. `None` for a null pointer, or if there is no such buffer.
    pub fn used(&self, call: &Call, place: usize) -> Option<View> {
        let buffer = self.buffer((*call.buffers.get(place)?)?)?;
        let whole = View {
            first: 0,
            elements: buffer.elements,
        };
        Some(call.view(place).unwrap_or(whole))
    }

    /// Adds a buffer.
    pub fn add(&mut self, buffer: Buffer) -> BufferId {
        self.buffers.push(buffer);
        BufferId(self.buffers.len() as u32 - 1)
    }

    /// Adds a call.
    pub fn call(
        &mut self,
        function: Function,
        parameters: impl Into<Parameters>,
        buffers: &[Option<BufferId>],
    ) -> &mut Call {
        self.calls.push(Call {
            function,
            parameters: parameters.into(),
            buffers: buffers.to_vec(),
            views: Vec::new(),
            node: None,
            layer: String::new(),
            source: String::new(),
        });
        self.calls.last_mut().expect("it was pushed")
    }

    /// A buffer, if there is one of this number.
    pub fn buffer(&self, id: BufferId) -> Option<&Buffer> {
        self.buffers.get(id.index())
    }

    /// The buffers whose role satisfies a condition, in order.
    pub fn having(&self, holds: impl Fn(&Role) -> bool) -> Vec<BufferId> {
        let ids = (0u32..).map(BufferId).zip(&self.buffers);
        let found = ids.filter(|(_, buffer)| holds(&buffer.role));
        found.map(|(id, _)| id).collect()
    }

    /// The inputs.
    pub fn inputs(&self) -> Vec<BufferId> {
        self.having(Role::is_input)
    }

    /// The outputs.
    pub fn outputs(&self) -> Vec<BufferId> {
        self.having(|role| matches!(role, Role::Output))
    }
}

impl Buffer {
    /// A buffer.
    pub fn new(name: impl Into<String>, dtype: Dtype, elements: usize, role: Role) -> Buffer {
        Buffer {
            name: name.into(),
            dtype,
            elements,
            role,
        }
    }

    /// Its bytes.
    pub fn bytes(&self) -> usize {
        self.dtype.bytes(self.elements)
    }

    /// What it holds in every run, if it is a constant.
    pub fn constant(&self) -> Option<&Bytes> {
        match &self.role {
            Role::Constant(bytes) => Some(bytes),
            _ => None,
        }
    }
}

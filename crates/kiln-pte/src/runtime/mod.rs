//! The builtin runtime. It executes a program as the stock runtime does, so that programs can be checked without
//! ExecuTorch.
//!
//! Memory is real: arenas hold bytes, tensors lie where the plan puts them, and views share bytes. So a plan in which
//! live tensors overlap gives wrong results here too. The meaning of kernels comes from ATen's table ([`kiln_aten`])
//! and the reference interpreter. Delegates come from a [`Backend`].

mod delegate;
mod empty;
mod error;
mod foreign;
mod kernel;
mod memory;
mod primitive;
mod stock;

pub use delegate::{Backend, LoadedDelegate};
pub use error::RuntimeError;
pub use foreign::{Argument, Kernels, Stored};
pub use memory::check_planned;

use crate::{Instruction, Method, Program, TensorStorage, Value, ValueIndex};
use delegate::load_delegates;
use error::{Fault, at};
use kiln_eval::Tensor;
use memory::{Memory, Place, Slot};
use std::sync::Arc;

/// The most instructions of one execution, as in the stock runtime.
const MAX_INSTRUCTIONS: u64 = 10_000_000;

/// Options for loading a method.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// Fills arenas with this byte at first; programs must not depend on it.
    pub poison: Option<u8>,
}

/// A value at run time.
#[derive(Clone, Debug)]
enum Cell {
    None,
    Int(i64),
    Bool(bool),
    Double(f64),
    Text(Arc<str>),
    IntList(Vec<ValueIndex>),
    DoubleList(Vec<f64>),
    BoolList(Vec<bool>),
    TensorList(Vec<ValueIndex>),
    OptionalTensorList(Vec<Option<ValueIndex>>),
    Tensor(Slot),
}

/// An input or output.
#[derive(Clone, Debug)]
pub enum Item {
    /// A tensor.
    Tensor(Tensor),
    /// A Python int.
    Int(i64),
    /// A Python float.
    Double(f64),
    /// A Python bool.
    Bool(bool),
    /// Anything else, such as None or a string.
    Other,
}

/// A loaded method. Its state persists between executions.
pub struct Runtime<'p> {
    method: &'p Method,
    memory: Memory,
    cells: Vec<Cell>,
    delegates: Vec<Box<dyn LoadedDelegate>>,
    libraries: &'p [&'p dyn Kernels],
}

impl<'p> Runtime<'p> {
    /// Loads a method: arenas, constants, state and delegates. It has the stock runtime's kernels.
    ///
    /// # Errors
    /// If there is no such method, a backend is missing or refuses its blob, or the memory is too large.
    pub fn load(
        program: &'p Program,
        method: &str,
        backends: &[&dyn Backend],
        options: &Options,
    ) -> Result<Runtime<'p>, RuntimeError> {
        let found = program.method(method);
        let method =
            found.ok_or_else(|| RuntimeError::load(format!("there is no method {method}")))?;
        let mut memory = Memory::new(&method.arena_sizes, options.poison)?;
        let cells = method
            .values
            .iter()
            .map(|value| make_cell(program, &mut memory, value));
        let cells = cells.collect::<Result<Vec<Cell>, RuntimeError>>()?;
        let delegates = load_delegates(program, method, backends)?;
        Ok(Runtime {
            method,
            memory,
            cells,
            delegates,
            libraries: &[],
        })
    }

    /// The method with these kernels beside the stock runtime's.
    pub fn with_kernels(self, libraries: &'p [&'p dyn Kernels]) -> Runtime<'p> {
        Runtime { libraries, ..self }
    }

    /// The number of inputs.
    pub fn inputs(&self) -> usize {
        self.method.inputs.len()
    }

    /// Executes the method once. `inputs` has an entry for each position; entries of positions that are no tensors are
    /// ignored.
    ///
    /// # Errors
    /// If an input does not match, or an instruction fails.
    pub fn execute(&mut self, inputs: &[Option<Tensor>]) -> Result<Vec<Item>, RuntimeError> {
        for (position, &index) in self.method.inputs.iter().enumerate() {
            if let Cell::Tensor(_) = self.cells[index.index()] {
                let tensor = inputs.get(position).and_then(Option::as_ref);
                let tensor =
                    tensor.ok_or_else(|| RuntimeError::input(position, "is missing".into()))?;
                self.store(index, tensor)
                    .map_err(|fault| RuntimeError::input(position, fault.0))?;
            }
        }
        self.instructions()?;
        self.method
            .outputs
            .iter()
            .map(|&index| self.item(index))
            .collect()
    }

    /// The content of an input after the last execution.
    ///
    /// # Errors
    /// If the position has no tensor.
    pub fn input_after(&self, position: usize) -> Result<Option<Tensor>, RuntimeError> {
        let Some(&index) = self.method.inputs.get(position) else {
            return Ok(None);
        };
        match self.item(index)? {
            Item::Tensor(tensor) => Ok(Some(tensor)),
            _ => Ok(None),
        }
    }

    fn item(&self, index: ValueIndex) -> Result<Item, RuntimeError> {
        Ok(match &self.cells[index.index()] {
            Cell::Tensor(_) => Item::Tensor(
                self.load_tensor(index)
                    .map_err(|f| RuntimeError::load(f.0))?,
            ),
            Cell::Int(v) => Item::Int(*v),
            Cell::Double(v) => Item::Double(*v),
            Cell::Bool(v) => Item::Bool(*v),
            _ => Item::Other,
        })
    }

    fn instructions(&mut self) -> Result<(), RuntimeError> {
        let instructions = &self.method.instructions;
        let (mut next, mut executed) = (0usize, 0u64);
        while let Some(instruction) = instructions.get(next) {
            executed += 1;
            if executed > MAX_INSTRUCTIONS {
                return Err(RuntimeError::load(format!(
                    "more than {MAX_INSTRUCTIONS} instructions: a loop that does not end"
                )));
            }
            next = self
                .instruction(instruction, next)
                .map_err(|fault| at(self.method, next, instruction, fault))?;
        }
        Ok(())
    }

    /// Executes an instruction. Returns the index of the next one.
    fn instruction(&mut self, instruction: &Instruction, position: usize) -> Result<usize, Fault> {
        match instruction {
            Instruction::KernelCall { op, args } => {
                let key = self.method.operators[op.index()].key();
                let is_done =
                    primitive::call(self, &key, args)? || foreign::call(self, &key, args)?;
                if !is_done {
                    kernel::call(self, &key, args)?;
                }
            }
            Instruction::DelegateCall { delegate, args } => {
                self.delegate_call(delegate.index(), args)?
            }
            Instruction::Move { from, to } => {
                self.cells[to.index()] = self.cells[from.index()].clone()
            }
            Instruction::JumpFalse { cond, dest } => {
                if !self.truth(*cond)? {
                    return Ok(*dest as usize);
                }
            }
            Instruction::Free { .. } => {}
        }
        Ok(position + 1)
    }

    fn truth(&self, index: ValueIndex) -> Result<bool, Fault> {
        match &self.cells[index.index()] {
            Cell::Bool(b) => Ok(*b),
            Cell::Tensor(_) => {
                let tensor = self.load_tensor(index)?;
                let flags = tensor
                    .elements::<bool>()
                    .ok_or_else(|| Fault("the condition of a jump has no bool".into()))?;
                Ok(flags.iter().all(|&f| f))
            }
            other => Err(Fault(format!("the condition is {other:?}"))),
        }
    }

    fn slot(&self, index: ValueIndex) -> Result<&Slot, Fault> {
        match &self.cells[index.index()] {
            Cell::Tensor(slot) => Ok(slot),
            other => Err(Fault(format!(
                "value {} is {other:?}, not a tensor",
                index.index()
            ))),
        }
    }

    /// The tensor at an index, in row-major order.
    fn load_tensor(&self, index: ValueIndex) -> Result<Tensor, Fault> {
        self.memory.read(self.slot(index)?)
    }

    /// Writes a tensor to an index, which gets its sizes.
    fn store(&mut self, index: ValueIndex, tensor: &Tensor) -> Result<(), Fault> {
        let mut slot = self.slot(index)?.clone();
        slot.resize(tensor)?;
        self.memory.write(&mut slot, tensor)?;
        self.cells[index.index()] = Cell::Tensor(slot);
        Ok(())
    }

    /// Changes the sizes of the tensor at an index, but not its bytes.
    fn resize(&mut self, index: ValueIndex, sizes: &[usize]) -> Result<(), Fault> {
        let mut slot = self.slot(index)?.clone();
        slot.resize_to(sizes)?;
        self.cells[index.index()] = Cell::Tensor(slot);
        Ok(())
    }

    fn delegate_call(&mut self, delegate: usize, args: &[ValueIndex]) -> Result<(), Fault> {
        let loaded = self
            .delegates
            .get(delegate)
            .ok_or_else(|| Fault(format!("there is no delegate {delegate}")))?;
        let mut inputs = Vec::with_capacity(args.len());
        for (position, &index) in args.iter().enumerate() {
            let slot = self.slot(index)?;
            inputs.push(if loaded.is_output(position) {
                None
            } else {
                Some(self.memory.read_as_stored(slot)?)
            });
        }
        let results = loaded.execute(&inputs).map_err(Fault)?;
        for (position, tensor) in results {
            let index = *args.get(position).ok_or_else(|| {
                Fault(format!(
                    "the delegate writes argument {position}, which is no output"
                ))
            })?;
            let mut slot = self.slot(index)?.clone();
            self.memory.write_as_stored(&mut slot, &tensor)?;
            self.cells[index.index()] = Cell::Tensor(slot);
        }
        Ok(())
    }
}

fn stored(data: Option<&kiln_ir::Content>) -> Result<bytes::Bytes, RuntimeError> {
    data.map(|data| data.bytes().clone())
        .ok_or_else(|| RuntimeError::load("a tensor refers to data that does not exist".into()))
}

fn make_cell(program: &Program, memory: &mut Memory, value: &Value) -> Result<Cell, RuntimeError> {
    Ok(match value {
        Value::None => Cell::None,
        Value::Int(v) => Cell::Int(*v),
        Value::Bool(v) => Cell::Bool(*v),
        Value::Double(v) => Cell::Double(*v),
        Value::String(v) => Cell::Text(v.as_str().into()),
        Value::IntList(v) => Cell::IntList(v.clone()),
        Value::DoubleList(v) => Cell::DoubleList(v.clone()),
        Value::BoolList(v) => Cell::BoolList(v.clone()),
        Value::TensorList(v) => Cell::TensorList(v.clone()),
        Value::OptionalTensorList(v) => Cell::OptionalTensorList(v.clone()),
        Value::Tensor(tensor) => {
            let place = match tensor.storage {
                TensorStorage::Unallocated => Place::Own(Vec::new()),
                TensorStorage::Planned(slot) => Place::Arena(slot),
                TensorStorage::Constant(index) => {
                    Place::Constant(stored(program.constants.get(index))?)
                }
                TensorStorage::PlannedWithInitial(slot, index) => {
                    memory.initialise(slot, &stored(program.initial_data.get(index))?)?;
                    Place::Arena(slot)
                }
                TensorStorage::External(_) => {
                    return Err(RuntimeError::load(
                        "the builtin runtime reads no separate data files".into(),
                    ));
                }
            };
            Cell::Tensor(Slot::new(tensor, place)?)
        }
    })
}

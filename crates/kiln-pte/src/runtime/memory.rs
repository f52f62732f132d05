//! Arenas, and the tensors in them.

use super::RuntimeError;
use super::error::Fault;
use crate::{ArenaSlot, Dynamism, ScalarType, TensorValue};
use bytes::Bytes;
use kiln_eval::Tensor;
use kiln_ir::{DType, TensorData};

/// The most bytes of all arenas of a method. No program of Kiln plans more, and no 32-bit device could address more.
/// Poisoning touches all of them.
const MAX_ARENA_BYTES: u64 = 1 << 32;

/// Refuses arenas whose sizes exceed what a method may plan.
///
/// # Errors
/// If the sum exceeds the limit; names both.
pub fn check_planned(sizes: &[u64]) -> Result<(), RuntimeError> {
    let total = sizes.iter().try_fold(0u64, |sum, &s| sum.checked_add(s));
    if total.is_some_and(|t| t <= MAX_ARENA_BYTES) {
        return Ok(());
    }
    let total = total.map_or_else(|| "2^64 or more".to_owned(), |t| t.to_string());
    Err(RuntimeError::load(format!(
        "planned memory of {total} bytes, at most {MAX_ARENA_BYTES} are taken; compile the program for smaller greatest \
         sizes (--dim SYMBOL=MAX)"
    )))
}

/// The planned memory of a method.
pub(super) struct Memory {
    arenas: Vec<Vec<u8>>,
}

/// The location of a tensor's bytes.
#[derive(Clone, Debug)]
pub(super) enum Place {
    /// In an arena.
    Arena(ArenaSlot),
    /// In the program.
    Constant(Bytes),
    /// In memory of its own: an unplanned input or output, or the target of a view.
    Own(Vec<u8>),
}

/// The number of elements. `None` if it exceeds 64 bits, as sizes from a program may.
pub(super) fn elements(sizes: &[usize]) -> Option<usize> {
    sizes
        .iter()
        .try_fold(1usize, |n, &size| n.checked_mul(size))
}

/// The state of a tensor at run time.
#[derive(Clone, Debug)]
pub(super) struct Slot {
    pub dtype: DType,
    /// The current sizes.
    pub sizes: Vec<usize>,
    /// The planned sizes, which are upper bounds unless the tensor is static.
    planned: Vec<usize>,
    /// The most elements that it can hold.
    capacity: usize,
    pub dim_order: Vec<usize>,
    is_static: bool,
    pub place: Place,
}

impl Slot {
    pub fn new(tensor: &TensorValue, place: Place) -> Result<Slot, RuntimeError> {
        let dtype = dtype(tensor.dtype).ok_or_else(|| {
            RuntimeError::load(format!(
                "a tensor has dtype {}, which Kiln does not have",
                tensor.dtype.name()
            ))
        })?;
        let sizes: Vec<usize> = tensor.sizes.iter().map(|&s| s as usize).collect();
        let capacity = tensor.numel().and_then(|n| usize::try_from(n).ok());
        let capacity =
            capacity.ok_or_else(|| RuntimeError::load(format!("a tensor of sizes {sizes:?}")))?;
        let dim_order = tensor.dim_order.iter().map(|&d| usize::from(d)).collect();
        let is_static = tensor.dynamism == Dynamism::Static;
        Ok(Slot {
            dtype,
            planned: sizes.clone(),
            sizes,
            capacity,
            dim_order,
            is_static,
            place,
        })
    }

    /// Changes the sizes to those of `tensor`, if the stock runtime would allow it.
    pub fn resize(&mut self, tensor: &Tensor) -> Result<(), Fault> {
        if tensor.dtype() != self.dtype {
            return Err(Fault(format!(
                "found {}, expected {}",
                tensor.dtype(),
                self.dtype
            )));
        }
        self.resize_to(tensor.sizes())
    }

    pub fn resize_to(&mut self, sizes: &[usize]) -> Result<(), Fault> {
        let fits = if self.is_static {
            sizes == self.sizes
        } else {
            elements(sizes).is_some_and(|n| n <= self.capacity)
        };
        if sizes.len() != self.sizes.len() || !fits {
            let relation = if self.is_static { "" } else { "at most " };
            return Err(Fault(format!(
                "found sizes {sizes:?}, expected {relation}{:?}",
                self.planned
            )));
        }
        self.sizes = sizes.to_vec();
        Ok(())
    }

    pub fn bytes(&self) -> usize {
        self.sizes.iter().product::<usize>() * self.dtype.size()
    }

    /// The sizes in memory order.
    fn stored_sizes(&self) -> Vec<usize> {
        self.dim_order.iter().map(|&d| self.sizes[d]).collect()
    }

    fn is_row_major(&self) -> bool {
        self.dim_order.iter().copied().eq(0..self.dim_order.len())
    }
}

/// The dtype for a program's scalar type, if Kiln has it.
pub(super) fn dtype(scalar_type: ScalarType) -> Option<DType> {
    DType::from_name(scalar_type.name())
}

impl Memory {
    pub fn new(sizes: &[u64], poison: Option<u8>) -> Result<Memory, RuntimeError> {
        check_planned(sizes)?;
        let arenas: Result<_, _> = sizes
            .iter()
            .map(|&size| arena(size, poison.unwrap_or(0)))
            .collect();
        Ok(Memory { arenas: arenas? })
    }

    pub fn initialise(&mut self, slot: ArenaSlot, data: &Bytes) -> Result<(), RuntimeError> {
        let target = self
            .range_mut(slot, data.len())
            .map_err(|f| RuntimeError::load(f.0))?;
        target.copy_from_slice(data);
        Ok(())
    }

    fn range(&self, slot: ArenaSlot, bytes: usize) -> Result<&[u8], Fault> {
        let arena = self.arenas.get(slot.arena as usize);
        let start = usize::try_from(slot.offset).ok();
        let end = start.and_then(|s| s.checked_add(bytes));
        arena
            .zip(start)
            .zip(end)
            .and_then(|((a, s), e)| a.get(s..e))
            .ok_or_else(|| outside(slot, bytes))
    }

    fn range_mut(&mut self, slot: ArenaSlot, bytes: usize) -> Result<&mut [u8], Fault> {
        let arena = self.arenas.get_mut(slot.arena as usize);
        let start = usize::try_from(slot.offset).ok();
        let end = start.and_then(|s| s.checked_add(bytes));
        arena
            .zip(start)
            .zip(end)
            .and_then(|((a, s), e)| a.get_mut(s..e))
            .ok_or_else(|| outside(slot, bytes))
    }

    fn stored_bytes<'m>(&'m self, slot: &'m Slot) -> Result<&'m [u8], Fault> {
        let bytes = slot.bytes();
        let missing = || {
            Fault(format!(
                "a tensor of {bytes} bytes is read before it was written"
            ))
        };
        match &slot.place {
            Place::Arena(place) => self.range(*place, bytes),
            Place::Constant(data) => data.get(..bytes).ok_or_else(missing),
            Place::Own(data) => data.get(..bytes).ok_or_else(missing),
        }
    }

    /// The tensor with its axes in memory order.
    pub fn read_as_stored(&self, slot: &Slot) -> Result<Tensor, Fault> {
        let bytes = match &slot.place {
            Place::Constant(data) if data.len() >= slot.bytes() => data.slice(..slot.bytes()),
            _ => Bytes::copy_from_slice(self.stored_bytes(slot)?),
        };
        let data = TensorData::new(slot.dtype, slot.stored_sizes(), bytes).map_err(Fault::of)?;
        Ok(Tensor::from(data))
    }

    /// The tensor in row-major order.
    pub fn read(&self, slot: &Slot) -> Result<Tensor, Fault> {
        let stored = self.read_as_stored(slot)?;
        if slot.is_row_major() {
            return Ok(stored);
        }
        let mut inverse = vec![0; slot.dim_order.len()];
        slot.dim_order
            .iter()
            .enumerate()
            .for_each(|(at, &d)| inverse[d] = at);
        permute(&stored, &inverse)
    }

    /// Writes a row-major tensor of the slot's sizes.
    pub fn write(&mut self, slot: &mut Slot, tensor: &Tensor) -> Result<(), Fault> {
        if slot.is_row_major() {
            return self.write_bytes(slot, tensor.bytes());
        }
        let stored = permute(tensor, &slot.dim_order.clone())?;
        self.write_bytes(slot, stored.bytes())
    }

    /// Writes a tensor whose axes are in memory order. The slot gets its sizes. An i64 slot accepts i32 elements, which
    /// delegates give.
    pub fn write_as_stored(&mut self, slot: &mut Slot, tensor: &Tensor) -> Result<(), Fault> {
        let mut sizes = vec![0; slot.dim_order.len()];
        if tensor.sizes().len() != sizes.len() {
            return Err(Fault(format!(
                "found sizes {:?}, expected rank {}",
                tensor.sizes(),
                sizes.len()
            )));
        }
        slot.dim_order
            .iter()
            .zip(tensor.sizes())
            .for_each(|(&d, &size)| sizes[d] = size);
        slot.resize_to(&sizes)?;
        if slot.dtype == DType::I64 && tensor.dtype() == DType::I32 {
            let wide =
                TensorData::from_scalars(DType::I64, tensor.sizes().to_vec(), tensor.scalars());
            return self.write_bytes(slot, wide.bytes());
        }
        if tensor.dtype() != slot.dtype {
            return Err(Fault(format!(
                "the delegate gives {}, expected {}",
                tensor.dtype(),
                slot.dtype
            )));
        }
        self.write_bytes(slot, tensor.bytes())
    }

    fn write_bytes(&mut self, slot: &mut Slot, bytes: &[u8]) -> Result<(), Fault> {
        match &mut slot.place {
            Place::Arena(place) => self.range_mut(*place, bytes.len())?.copy_from_slice(bytes),
            Place::Constant(_) => return Err(Fault("an instruction writes to a constant".into())),
            Place::Own(data) => *data = bytes.to_vec(),
        }
        Ok(())
    }
}

/// Allocates an arena. Zeroed pages are not touched before they are used.
fn arena(size: u64, fill: u8) -> Result<Vec<u8>, RuntimeError> {
    let refused = || {
        RuntimeError::load(format!(
            "an arena of {size} bytes is more than there is memory"
        ))
    };
    let size = usize::try_from(size).map_err(|_| refused())?;
    // `vec!` gets zeroed pages, which a fallible reservation cannot, but it aborts if there is no memory.
    Vec::<u8>::new()
        .try_reserve_exact(size)
        .map_err(|_| refused())?;
    Ok(vec![fill; size])
}

fn outside(slot: ArenaSlot, bytes: usize) -> Fault {
    Fault(format!(
        "{bytes} bytes at {} lie outside arena {}",
        slot.offset, slot.arena
    ))
}

/// Permutes axes: result axis `i` is axis `order[i]`.
fn permute(tensor: &Tensor, order: &[usize]) -> Result<Tensor, Fault> {
    let ty = tensor.tensor_type();
    let movement = kiln_ir::Movement::permute(&ty.shape, order).map_err(Fault::of)?;
    kernel_free(kiln_ir::ops::Move { movement }.into(), tensor)
}

fn kernel_free(op: kiln_ir::Op, tensor: &Tensor) -> Result<Tensor, Fault> {
    let mut results = super::kernel::evaluate_op(&op, std::slice::from_ref(tensor))?;
    results
        .pop()
        .ok_or_else(|| Fault("a movement gives one tensor".into()))
}

//! The arguments of a kernel, read as the parameters of a function of CMSIS-NN.

use crate::dialect::{
    Buffer, BufferId, Build, Call, Dims, Dtype, Function, Parameters, Program, Role, Tile,
};
use crate::evaluate::{Data, results};
use crate::verify::faults_of;
use kiln_eval::Tensor;
use kiln_ir::{DType, TensorData};
use kiln_pte::runtime::{Argument, Stored};

/// The arguments in the order of the kernel's schema. The last is the tensor that the kernel writes.
pub(super) struct Given<'a>(pub(super) &'a [Argument]);

impl Given<'_> {
    fn at(&self, i: usize) -> Result<&Argument, String> {
        self.0
            .get(i)
            .ok_or_else(|| format!("argument {i} is missing"))
    }

    /// An integer of 32 bits.
    pub(super) fn int(&self, i: usize) -> Result<i32, String> {
        match self.at(i)? {
            Argument::Int(v) => i32::try_from(*v).map_err(|_| format!("argument {i} is {v}")),
            other => Err(format!("argument {i} is {other:?}, not an integer")),
        }
    }

    /// The offset of a zero point: minus the argument.
    pub(super) fn offset(&self, i: usize) -> Result<i32, String> {
        self.int(i).map(i32::wrapping_neg)
    }

    pub(super) fn double(&self, i: usize) -> Result<f64, String> {
        match self.at(i)? {
            Argument::Double(v) => Ok(*v),
            other => Err(format!("argument {i} is {other:?}, not a float")),
        }
    }

    pub(super) fn bool(&self, i: usize) -> Result<bool, String> {
        match self.at(i)? {
            Argument::Bool(v) => Ok(*v),
            other => Err(format!("argument {i} is {other:?}, not a bool")),
        }
    }

    /// Integers of 32 bits.
    pub(super) fn ints(&self, i: usize) -> Result<Vec<i32>, String> {
        match self.at(i)? {
            Argument::Ints(all) => {
                let all = all.iter().map(|&v| i32::try_from(v));
                all.collect::<Result<_, _>>()
                    .map_err(|_| format!("argument {i} has an integer of more than 32 bits"))
            }
            other => Err(format!("argument {i} is {other:?}, not integers")),
        }
    }

    /// A list of this many integers.
    pub(super) fn array<const N: usize>(&self, i: usize) -> Result<[i32; N], String> {
        let all = self.ints(i)?;
        all.try_into()
            .map_err(|all: Vec<i32>| format!("argument {i} has {} integers, not {N}", all.len()))
    }

    /// Height and width.
    pub(super) fn tile(&self, i: usize) -> Result<Tile, String> {
        let [h, w] = self.array(i)?;
        Ok(Tile { w, h })
    }

    pub(super) fn tensor(&self, i: usize) -> Result<&Stored, String> {
        match self.at(i)? {
            Argument::Tensor(tensor) => Ok(tensor),
            other => Err(format!("argument {i} is {other:?}, not a tensor")),
        }
    }

    pub(super) fn optional(&self, i: usize) -> Result<Option<&Stored>, String> {
        match self.at(i)? {
            Argument::None => Ok(None),
            _ => self.tensor(i).map(Some),
        }
    }

    /// The tensor that the kernel writes.
    pub(super) fn out(&self) -> Result<&Stored, String> {
        let last = self
            .0
            .len()
            .checked_sub(1)
            .ok_or("there are no arguments")?;
        self.tensor(last)
    }

    /// The elements of a tensor of 32-bit integers.
    pub(super) fn words(&self, i: usize) -> Result<Vec<i32>, String> {
        let tensor = self.tensor(i)?;
        match data(tensor)? {
            Data::I32(words) => Ok(words),
            other => Err(format!("argument {i} is of {}, not i32", other.dtype())),
        }
    }

    /// The sizes of an image that lies channels last.
    pub(super) fn image(&self, tensor: &Stored) -> Result<Dims, String> {
        let [n, c, h, w] = four(tensor)?;
        let is_one = c == 1 || h == 1 && w == 1;
        match is_one || tensor.dim_order == [0, 2, 3, 1] {
            true => Ok(Dims { n, h, w, c }),
            false => Err(format!(
                "an image in the memory order {:?}, not channels last",
                tensor.dim_order
            )),
        }
    }
}

/// The sizes of four axes.
pub(super) fn four(tensor: &Stored) -> Result<[i32; 4], String> {
    let sizes = tensor.sizes.iter().map(|&size| i32::try_from(size));
    let sizes: Option<Vec<i32>> = sizes.collect::<Result<_, _>>().ok();
    let sizes = sizes.and_then(|sizes| <[i32; 4]>::try_from(sizes).ok());
    sizes.ok_or_else(|| format!("a tensor has the sizes {:?}, not four", tensor.sizes))
}

/// The number of elements.
pub(super) fn count(tensor: &Stored) -> Result<i32, String> {
    let elements: usize = tensor.sizes.iter().product();
    i32::try_from(elements).map_err(|_| format!("a tensor has {elements} elements"))
}

fn dtype(dtype: DType) -> Result<Dtype, String> {
    Ok(match dtype {
        DType::I8 => Dtype::I8,
        DType::U8 => Dtype::U8,
        DType::I16 => Dtype::I16,
        DType::I32 => Dtype::I32,
        DType::I64 => Dtype::I64,
        DType::F32 => Dtype::F32,
        other => return Err(format!("kernels take no {other}")),
    })
}

/// The elements of a tensor in the order of memory.
pub(super) fn data(tensor: &Stored) -> Result<Data, String> {
    let elements = tensor.sizes.iter().product();
    let dtype = dtype(tensor.data.dtype())?;
    Ok(Data::of_bytes(dtype, elements, tensor.data.bytes()))
}

/// A tensor of these elements, with another tensor's sizes in memory.
pub(super) fn like(out: &Stored, data: &Data) -> Result<Tensor, String> {
    let made = TensorData::new(
        out.data.dtype(),
        out.data.sizes().to_vec(),
        data.bytes().into(),
    );
    made.map(Tensor::from).map_err(|error| error.to_string())
}

/// The result that a function writes to its last slot. A slot has the elements of its buffer, or is a null pointer.
///
/// # Errors
/// If the function does not take the arguments, as the library would not.
pub(super) fn computed(
    function: Function,
    parameters: impl Into<Parameters>,
    slots: Vec<Option<Data>>,
    build: Build,
) -> Result<Data, String> {
    let mut program = Program::default();
    let mut buffers: Vec<Option<BufferId>> = Vec::with_capacity(slots.len());
    for (i, slot) in slots.iter().enumerate() {
        buffers.push(slot.as_ref().map(|data| {
            let name = format!("argument_{i}");
            program.add(Buffer::new(name, data.dtype(), data.len(), Role::Temporary))
        }));
    }
    let call = Call {
        function,
        parameters: parameters.into(),
        buffers,
        views: Vec::new(),
        node: None,
        layer: String::new(),
        source: String::new(),
    };
    if let Some(fault) = faults_of(&program, &call, build).first() {
        return Err(format!("{}: {fault}", function.name()));
    }
    let held = slots.iter().map(Option::as_ref).collect();
    let mut made = results(&call, held, build).unwrap_or_default();
    made.pop()
        .ok_or_else(|| format!("{} refuses its arguments", function.name()))
}

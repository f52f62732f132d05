//! The conversion of calls of functions to calls of kernels.

use crate::dialect::{BufferId, Build, Call, Dims, Dtype, Function, Parameters, Program, Role};
use crate::lower::{Lowered, Origin};
use crate::verify::faults_of;
use bytes::Bytes;
use kiln_ir::DType;
use kiln_portable::calls::{self, Argument, Calls, Place, Tensor};
use kiln_transforms::framework::target::Reason;
use rustc_hash::FxHashMap;

/// The order of axes of images.
pub(super) const CHANNELS_LAST: [u8; 4] = [0, 2, 3, 1];

/// Checks that some kernel makes the call.
///
/// # Errors
/// If none does: the reason.
pub(crate) fn check_kernel(
    program: &Program,
    call: &Call,
    origin: &Origin,
    build: Build,
) -> Result<(), Reason> {
    let mut converter = Converter::new(program, build);
    match call.function {
        Function::ConcatenationS8X => Ok(()),
        _ => converter.call(call, origin).map(|_| ()),
    }
}

/// The calls of kernels for the calls of a program.
///
/// # Errors
/// If a call has no kernel: why.
pub(crate) fn calls(lowered: &Lowered, build: Build) -> Result<Calls, Reason> {
    let program = &lowered.program;
    let mut converter = Converter::new(program, build);
    let (mut made, mut next) = (Vec::with_capacity(program.calls.len()), 0);
    while let (Some(call), Some(origin)) = (program.calls.get(next), lowered.origins.get(next)) {
        let (kernel, count) = match call.function {
            Function::ConcatenationS8X => converter.join(&program.calls[next..])?,
            _ => (converter.call(call, origin)?, 1),
        };
        made.push(calls::Call {
            node: origin.node,
            ..kernel
        });
        next += count;
    }
    Ok(Calls {
        places: converter.places,
        calls: made,
    })
}

/// Converts calls of one program.
pub(super) struct Converter<'p> {
    program: &'p Program,
    pub(super) build: Build,
    places: Vec<Place>,
    known: FxHashMap<BufferId, usize>,
}

impl<'p> Converter<'p> {
    fn new(program: &'p Program, build: Build) -> Converter<'p> {
        Converter {
            program,
            build,
            places: Vec::new(),
            known: FxHashMap::default(),
        }
    }

    /// The call of a kernel for a call of a function.
    fn call(&mut self, call: &Call, origin: &Origin) -> Result<calls::Call, Reason> {
        match &call.parameters {
            Parameters::Conv(conv) => self.conv(call, conv),
            Parameters::Depthwise(conv) => self.depthwise(call, conv),
            Parameters::TransposeConv(conv) => self.transpose_conv(call, conv),
            Parameters::Pool(pool) => self.pool(call, pool),
            Parameters::FullyConnected(layer) => self.linear(call, layer),
            Parameters::BatchMatmul(product) => self.batch_matmul(call, product),
            Parameters::AxisSum(sum) => self.axis_sum(call, sum),
            Parameters::Add(add) => self.add(call, add),
            Parameters::Mul(mul) => self.mul(call, mul),
            Parameters::Broadcast(of) => self.broadcast(call, of),
            Parameters::MinMax(dims) => self.extreme(call, dims),
            Parameters::Table(of) => self.table(call, of),
            Parameters::Requantise(of) => self.requantise(call, of),
            Parameters::Softmax(softmax) => self.softmax(call, softmax),
            Parameters::Quantise(of) => self.quantise(call, of, origin),
            Parameters::Dequantise(of) => self.dequantise(call, of),
            Parameters::Pad(pad) => self.pad(call, pad),
            Parameters::Transpose(transpose) => self.transpose(call, transpose),
            Parameters::Copy(copy) => self.copy(call, copy),
            _ => Err(no_kernel(call)),
        }
    }

    /// The number of the place that holds a buffer.
    fn place(&mut self, id: BufferId) -> usize {
        if let Some(&known) = self.known.get(&id) {
            return known;
        }
        let buffer = &self.program.buffers[id.index()];
        let number = |ids: Vec<BufferId>| ids.iter().position(|&other| other == id).unwrap_or(0);
        let place = match &buffer.role {
            Role::Input | Role::Updated => Place::Input(number(self.program.inputs())),
            Role::Output => Place::Output(number(self.program.outputs())),
            Role::Constant(bytes) => Place::Constant(bytes.clone().into()),
            Role::State(_) | Role::Temporary => Place::Temporary(buffer.bytes() as u64),
        };
        let made = self.own(place);
        self.known.insert(id, made);
        made
    }

    fn own(&mut self, place: Place) -> usize {
        self.places.push(place);
        self.places.len() - 1
    }

    /// A slot of a call as a tensor of these sizes.
    pub(super) fn tensor(
        &mut self,
        call: &Call,
        slot: usize,
        sizes: &[usize],
        dim_order: &[u8],
    ) -> Result<Tensor, Reason> {
        let id = call.buffers.get(slot).copied().flatten();
        let id = id.ok_or_else(|| Reason::new("a kernel has the operand", "none"))?;
        let used = self.program.used(call, slot);
        let (first, elements) = used.map_or((0, 0), |view| (view.first, view.elements));
        if sizes.iter().product::<usize>() != elements {
            let found = format!("{elements} elements for {sizes:?}");
            return Err(Reason::new("a tensor has the elements of its part", found));
        }
        let dtype = self.program.buffers[id.index()].dtype;
        let sizes = sizes.iter().map(|&size| u32::try_from(size));
        let sizes: Result<Vec<u32>, _> = sizes.collect();
        Ok(Tensor {
            place: self.place(id),
            offset: dtype.bytes(first) as u64,
            dtype: element_type(dtype)?,
            sizes: sizes.map_err(|_| Reason::new("sizes fit 32 bits", "a greater one"))?,
            dim_order: dim_order.to_vec(),
        })
    }

    /// The buffer of a slot as a tensor of these sizes, the last axis innermost.
    pub(super) fn plain(
        &mut self,
        call: &Call,
        slot: usize,
        sizes: &[usize],
    ) -> Result<Tensor, Reason> {
        let order: Vec<u8> = (0..sizes.len() as u8).collect();
        self.tensor(call, slot, sizes, &order)
    }

    /// The buffer of a slot as one row.
    pub(super) fn row(&mut self, call: &Call, slot: usize) -> Result<Tensor, Reason> {
        let elements = self.elements(call, slot);
        self.plain(call, slot, &[elements])
    }

    /// The number of elements of a slot.
    pub(super) fn elements(&self, call: &Call, slot: usize) -> usize {
        self.program
            .used(call, slot)
            .map_or(0, |view| view.elements)
    }

    /// The buffer of a slot as an image, channels last.
    pub(super) fn image(
        &mut self,
        call: &Call,
        slot: usize,
        dims: &Dims,
    ) -> Result<Tensor, Reason> {
        let [n, h, w, c] = dims.sizes();
        self.tensor(call, slot, &[n, c, h, w], &CHANNELS_LAST)
    }

    /// The buffer of a slot as one row, or none for a null pointer.
    pub(super) fn optional(&mut self, call: &Call, slot: usize) -> Result<Argument, Reason> {
        match call.buffers.get(slot).copied().flatten() {
            Some(_) => Ok(Argument::Tensor(self.row(call, slot)?)),
            None => Ok(Argument::None),
        }
    }

    /// The bytes of a slot, if its buffer is a constant.
    pub(super) fn constant(&self, call: &Call, slot: usize) -> Option<&'p Bytes> {
        let id = call.buffers.get(slot).copied().flatten()?;
        let whole = call.view(slot).is_none();
        self.program.buffer(id)?.constant().filter(|_| whole)
    }

    /// A new constant of bytes, for the kernel alone.
    pub(super) fn bytes(&mut self, bytes: Vec<u8>, sizes: &[usize]) -> Tensor {
        self.literal(DType::I8, bytes, sizes)
    }

    /// A new constant of 32-bit integers, for the kernel alone.
    pub(super) fn words(&mut self, words: &[i32]) -> Tensor {
        let bytes = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        self.literal(DType::I32, bytes, &[words.len()])
    }

    fn literal(&mut self, dtype: DType, bytes: Vec<u8>, sizes: &[usize]) -> Tensor {
        Tensor {
            place: self.own(Place::Constant(Bytes::from(bytes).into())),
            offset: 0,
            dtype,
            sizes: sizes.iter().map(|&size| size as u32).collect(),
            dim_order: (0..sizes.len() as u8).collect(),
        }
    }

    /// The call with another function, which the kernel calls.
    ///
    /// # Errors
    /// If the other function does not take the call.
    pub(super) fn with(
        &self,
        call: &Call,
        function: Function,
        parameters: impl Into<Parameters>,
    ) -> Result<Call, Reason> {
        let own = Call {
            function,
            parameters: parameters.into(),
            ..call.clone()
        };
        match faults_of(self.program, &own, self.build).first() {
            None => Ok(own),
            Some(fault) => {
                let rule = format!("{} takes the operands", function.name());
                Err(Reason::new(rule, fault))
            }
        }
    }

    /// The scratch memory of a call, by its number.
    pub(super) fn scratch(&self, call: &Call, number: usize) -> Argument {
        let scratch = call.function.row().scratch.get(number);
        let bytes = scratch.map_or(0, |own| (own.bytes)(&call.parameters, self.build));
        Argument::Scratch(bytes as u64)
    }

    /// Which arguments of a call its result may be written over: of these candidates (slot and argument number), those that the
    /// row allows and that are as large.
    pub(super) fn overwrites(&self, call: &Call, candidates: &[(usize, usize)]) -> Vec<usize> {
        let row = call.function.row();
        let slots = row.slots.iter().enumerate();
        let mut written = slots.filter(|(_, slot)| slot.access.writes());
        let Some((result, _)) = written.next() else {
            return Vec::new();
        };
        let is_whole = |slot: usize| call.view(slot).is_none();
        let is_free = |&&(slot, _): &&(usize, usize)| {
            row.overwritable.contains(&row.slots[slot].name)
                && is_whole(slot)
                && is_whole(result)
                && self.elements(call, slot) == self.elements(call, result)
        };
        let taken = candidates.iter().filter(is_free);
        taken.map(|&(_, number)| number).collect()
    }
}

/// The element type of a tensor, as a kernel sees it.
fn element_type(dtype: Dtype) -> Result<DType, Reason> {
    Ok(match dtype {
        Dtype::I8 => DType::I8,
        Dtype::U8 => DType::U8,
        Dtype::I16 => DType::I16,
        Dtype::I32 => DType::I32,
        Dtype::I64 => DType::I64,
        Dtype::F32 => DType::F32,
        Dtype::F16 => DType::F16,
        Dtype::Bf16 => DType::BF16,
        Dtype::I4 => return Err(Reason::new("kernels take whole bytes", "4 bits")),
    })
}

/// The reason for a call that no kernel makes.
pub(super) fn no_kernel(call: &Call) -> Reason {
    let rule = "the runtime has a cortex_m kernel for the call";
    Reason::new(rule, call.function.name())
}

/// A call of a kernel whose result takes the place of no argument.
pub(super) fn kernel(kernel: &'static str, arguments: Vec<Argument>, out: Tensor) -> calls::Call {
    calls::Call {
        kernel,
        arguments,
        out,
        overwrites: Vec::new(),
        reorders: false,
        node: None,
    }
}

/// An integer argument.
pub(super) fn int(number: i32) -> Argument {
    Argument::Int(number.into())
}

/// Height and width, in PyTorch's order.
pub(super) fn pair(tile: &crate::dialect::Tile) -> Argument {
    Argument::Ints(vec![tile.h.into(), tile.w.into()])
}

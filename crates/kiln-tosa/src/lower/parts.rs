//! The operators and tensors of a file that is being built.

use super::joined_axes::joined;
use crate::dialect::{Builder, Clamp, NanMode, TensorId, TosaDtype, TosaOp};
use crate::machine::Machine;
use crate::orders::ROWS;
use kiln_ir::{DType, Dim, Graph, Scalar, TensorData, ValueId};
use kiln_transforms::analysis::constants::constant_of;
use kiln_transforms::framework::target::Reason;
use kiln_transforms::layout::movers::Mover;
use kiln_transforms::layout::{Order, Tensors};
use rustc_hash::{FxHashMap, FxHashSet};

/// The most parts in which a large tensor is transposed: each is two operators of the file.
const MAX_TRANSPOSED_PARTS: usize = 4096;

/// TOSA's element type for a core type. 64-bit integers, which are indices and sizes, are held in 32 bits.
///
/// # Errors
/// If there is none.
pub(crate) fn dtype_of(dtype: DType) -> Result<TosaDtype, Reason> {
    let held = match dtype {
        DType::I64 => Some(TosaDtype::I32),
        other => TosaDtype::of(other),
    };
    held.ok_or_else(|| {
        Reason::new("TOSA has no 64-bit floats", dtype.name()).advise("export the model in float32")
    })
}

/// Emits operators and tensors. It does not know which value of the graph a tensor holds.
pub(crate) struct Parts<'a, 'b> {
    graph: &'a Graph,
    machine: Machine,
    builder: &'b mut Builder,
    /// The sizes of each tensor, as dimensions.
    dims: Vec<Vec<Dim>>,
    constants: FxHashMap<(blake3::Hash, TosaDtype, Vec<usize>), TensorId>,
    /// Constants without a negative element.
    indices: FxHashSet<TensorId>,
    /// Tensors that are inputs, constants or outputs already.
    claimed: FxHashSet<TensorId>,
}

impl<'a, 'b> Parts<'a, 'b> {
    pub(crate) fn new(
        graph: &'a Graph,
        builder: &'b mut Builder,
        machine: Machine,
    ) -> Parts<'a, 'b> {
        Parts {
            graph,
            machine,
            builder,
            dims: Vec::new(),
            constants: FxHashMap::default(),
            indices: FxHashSet::default(),
            claimed: FxHashSet::default(),
        }
    }

    /// The machine that the file is for.
    pub(crate) fn machine(&self) -> Machine {
        self.machine
    }

    /// Marks the tensor as an output. False if it cannot be one, or is one already.
    pub(crate) fn claim(&mut self, tensor: TensorId) -> bool {
        self.claimed.insert(tensor)
    }

    /// True for a constant of integers without a negative element.
    pub(crate) fn is_constant_at_least_zero(&self, tensor: TensorId) -> bool {
        self.indices.contains(&tensor)
    }

    pub(crate) fn builder(&mut self) -> &mut Builder {
        self.builder
    }

    /// The tensor's sizes.
    pub(crate) fn shape(&self, tensor: TensorId) -> &[usize] {
        self.builder.shape(tensor)
    }

    /// The tensor's element type.
    pub(crate) fn dtype(&self, tensor: TensorId) -> TosaDtype {
        self.builder.dtype(tensor)
    }

    fn note(&mut self, tensor: TensorId) -> TensorId {
        let dims = self.builder.shape(tensor).iter();
        let dims = dims.map(|&n| Dim::constant(n as i64)).collect();
        if self.dims.len() <= tensor.index() {
            self.dims.resize(tensor.index() + 1, Vec::new());
        }
        self.dims[tensor.index()] = dims;
        tensor
    }

    /// Adds an input to the region.
    pub(crate) fn input(&mut self, name: &str, dtype: TosaDtype, shape: &[usize]) -> TensorId {
        let tensor = self.builder.input(name, dtype, shape);
        self.claimed.insert(tensor);
        self.note(tensor)
    }

    /// Emits an operator with one result.
    ///
    /// # Errors
    /// If the operator does not take the operands.
    pub(crate) fn op(&mut self, op: TosaOp, operands: &[TensorId]) -> Result<TensorId, Reason> {
        let made = self.builder.op(op, operands);
        let made = made
            .map_err(|misfit| Reason::new("the operator takes the operands", misfit.to_string()))?;
        Ok(self.note(made))
    }

    /// Emits an operator with any number of results.
    ///
    /// # Errors
    /// If the operator does not take the operands.
    pub(crate) fn ops(
        &mut self,
        op: TosaOp,
        operands: &[TensorId],
    ) -> Result<Vec<TensorId>, Reason> {
        let made = self.builder.ops(op, operands);
        let made = made
            .map_err(|misfit| Reason::new("the operator takes the operands", misfit.to_string()))?;
        Ok(made.into_iter().map(|tensor| self.note(tensor)).collect())
    }

    /// A constant of these elements. 64-bit integers are held in 32 bits.
    ///
    /// # Errors
    /// If TOSA has no type for the elements, or if one does not fit.
    pub(crate) fn data(&mut self, data: &TensorData) -> Result<TensorId, Reason> {
        let dtype = dtype_of(data.dtype())?;
        let narrowed = (data.dtype() == DType::I64)
            .then(|| narrow(data))
            .transpose()?;
        let data = narrowed.as_ref().unwrap_or(data);
        let key = (data.content().key(), dtype, data.sizes().to_vec());
        if let Some(&known) = self.constants.get(&key) {
            return Ok(known);
        }
        let made = self
            .builder
            .constant(dtype, data.sizes(), data.content().clone());
        let made =
            made.map_err(|misfit| Reason::new("a constant has its bytes", misfit.to_string()))?;
        self.constants.insert(key, made);
        self.claimed.insert(made);
        if dtype == TosaDtype::I32 && data.scalars().all(|s| s.as_i64() >= 0) {
            self.indices.insert(made);
        }
        Ok(self.note(made))
    }

    /// A constant of integers.
    ///
    /// # Errors
    /// If an integer does not fit the type.
    pub(crate) fn integers(
        &mut self,
        dtype: TosaDtype,
        shape: &[usize],
        values: &[i64],
    ) -> Result<TensorId, Reason> {
        let made = self.builder.integers(dtype, shape, values);
        let made =
            made.map_err(|misfit| Reason::new("integers fit their type", misfit.to_string()))?;
        self.claimed.insert(made);
        Ok(self.note(made))
    }

    /// A constant of one number, of the dtype and the rank of a tensor.
    ///
    /// # Errors
    /// If the dtype does not hold the number.
    pub(crate) fn number(&mut self, like: TensorId, value: f64) -> Result<TensorId, Reason> {
        let (dtype, rank) = (self.dtype(like), self.shape(like).len());
        self.number_of(dtype, rank, value)
    }

    /// A constant of one number, of a rank.
    ///
    /// # Errors
    /// If the dtype does not hold the number.
    pub(crate) fn number_of(
        &mut self,
        dtype: TosaDtype,
        rank: usize,
        value: f64,
    ) -> Result<TensorId, Reason> {
        let core = core_dtype(dtype)?;
        let scalar = match core {
            DType::Bool => Scalar::Bool(value != 0.0),
            _ if core.is_float() => Scalar::Float(value),
            _ => Scalar::Int(value as i64),
        };
        self.data(&TensorData::splat(core, vec![1; rank], scalar))
    }

    /// The tensor with other sizes.
    ///
    /// # Errors
    /// If the number of elements differs.
    pub(crate) fn reshape(&mut self, input: TensorId, shape: &[usize]) -> Result<TensorId, Reason> {
        if self.shape(input) == shape {
            return Ok(input);
        }
        let shape = shape.to_vec();
        self.op(TosaOp::Reshape { shape }, &[input])
    }

    /// The tensor with its axes permuted.
    ///
    /// # Errors
    /// If these are not the tensor's axes.
    pub(crate) fn transpose(
        &mut self,
        input: TensorId,
        perms: &[usize],
    ) -> Result<TensorId, Reason> {
        if perms.iter().copied().eq(0..perms.len()) {
            return Ok(input);
        }
        let shape = self.shape(input).to_vec();
        let is_word = matches!(self.dtype(input), TosaDtype::I32 | TosaDtype::F32);
        let most = self.machine.most_along_an_axis(is_word);
        if let Some(axis) = (0..shape.len()).find(|&axis| shape[axis] > most) {
            return self.transpose_parts(input, perms, axis, most);
        }
        let few = joined(&shape, perms, most).filter(|_| self.machine.joins_axes);
        if let Some((sizes, few)) = few {
            let whole: Vec<usize> = perms.iter().map(|&axis| shape[axis]).collect();
            let input = self.reshape(input, &sizes)?;
            let made = self.op(TosaOp::Transpose { perms: few }, &[input])?;
            return self.reshape(made, &whole);
        }
        let perms = perms.to_vec();
        self.op(TosaOp::Transpose { perms }, &[input])
    }

    /// As [`Parts::transpose`], but no TRANSPOSE has more than so many elements along an axis: larger tensors are
    /// transposed in parts.
    fn transpose_parts(
        &mut self,
        input: TensorId,
        perms: &[usize],
        axis: usize,
        most: usize,
    ) -> Result<TensorId, Reason> {
        let size = self.shape(input)[axis];
        if size.div_ceil(most) > MAX_TRANSPOSED_PARTS {
            let rule = format!("a tensor is transposed in at most {MAX_TRANSPOSED_PARTS} parts");
            return Err(Reason::new(rule, format!("{size} elements along an axis")));
        }
        let parts = (0..size).step_by(most).map(|from| {
            let part = self.part(input, axis, from, most.min(size - from))?;
            self.transpose(part, perms)
        });
        let parts: Vec<TensorId> = parts.collect::<Result<_, Reason>>()?;
        let axis = perms.iter().position(|&p| p == axis).unwrap_or(axis);
        self.op(TosaOp::Concat { axis }, &parts)
    }

    /// The tensor clamped to a range.
    ///
    /// # Errors
    /// If the dtype does not hold the bounds.
    pub(crate) fn clamp(
        &mut self,
        input: TensorId,
        min: Scalar,
        max: Scalar,
    ) -> Result<TensorId, Reason> {
        let nan_mode = NanMode::Propagate;
        self.op(TosaOp::Clamp(Clamp { min, max, nan_mode }), &[input])
    }

    /// A slice along one axis, of `len` elements from `from` on.
    ///
    /// # Errors
    /// If the axis has fewer elements.
    pub(crate) fn part(
        &mut self,
        input: TensorId,
        axis: usize,
        from: usize,
        len: usize,
    ) -> Result<TensorId, Reason> {
        let mut size = self.shape(input).to_vec();
        if from == 0 && size[axis] == len {
            return Ok(input);
        }
        let mut start = vec![0; size.len()];
        (start[axis], size[axis]) = (from, len);
        self.op(
            TosaOp::Slice(crate::dialect::Slice { start, size }),
            &[input],
        )
    }
}

impl Tensors for Parts<'_, '_> {
    type Tensor = TensorId;

    fn dims(&self, tensor: TensorId) -> &[Dim] {
        &self.dims[tensor.index()]
    }

    fn apply(&mut self, tensor: TensorId, mover: &Mover) -> Result<TensorId, String> {
        let made = match mover {
            Mover::Reshape(to) => {
                let to: Option<Vec<usize>> = to
                    .iter()
                    .map(|d| usize::try_from(d.as_const()?).ok())
                    .collect();
                let to = to.ok_or("a size that is known only when running")?;
                self.reshape(tensor, &to)
            }
            Mover::Transpose(perms) => self.transpose(tensor, perms),
            Mover::Raise(_) | Mover::Deal { .. } | Mover::Drop => {
                return Err("sizes are known, so reshapes do".into());
            }
        };
        made.map_err(|reason| reason.to_string())
    }

    fn constant(&mut self, value: ValueId, order: &Order) -> Result<TensorId, String> {
        let data = constant_of(self.graph, value).ok_or("a constant that cannot be moved")?;
        let to = order.to_memory(&self.graph.ty(value).shape, ROWS);
        let data = data
            .moved(&to)
            .ok_or("a constant of other sizes than its type's")?;
        self.data(&data).map_err(|reason| reason.to_string())
    }
}

/// The most elements of a constant that the lowering computes from sizes, as of a constant that the importer computes: 64
/// MiB as i32. Each question whether a node is supported lowers the node.
const MAX_WRITTEN: usize = 1 << 24;

/// Refuses a constant of too many elements before it is computed.
pub(crate) fn check_written(what: &str, sizes: &[usize]) -> Result<(), Reason> {
    let count = sizes.iter().fold(1usize, |n, &size| n.saturating_mul(size));
    if count <= MAX_WRITTEN {
        return Ok(());
    }
    let rule = format!("at most {MAX_WRITTEN} {what} are written out");
    Err(Reason::new(rule, count.to_string()).advise("export with smaller sizes"))
}

/// The core's dtype for the elements of a TOSA type.
pub(crate) fn core_dtype(dtype: TosaDtype) -> Result<DType, Reason> {
    Ok(match dtype {
        TosaDtype::Bool => DType::Bool,
        TosaDtype::I8 => DType::I8,
        TosaDtype::I16 => DType::I16,
        TosaDtype::I32 => DType::I32,
        TosaDtype::F16 => DType::F16,
        TosaDtype::BF16 => DType::BF16,
        TosaDtype::F32 => DType::F32,
        other => return Err(Reason::new("numbers are of 8, 16 or 32 bits", other.name())),
    })
}

fn narrow(data: &TensorData) -> Result<TensorData, Reason> {
    let values = data.scalars().map(Scalar::as_i64);
    let fits = |v: i64| i32::try_from(v).map(|v| Scalar::Int(v.into()));
    let values: Result<Vec<Scalar>, _> = values.map(fits).collect();
    let values = values
        .map_err(|_| Reason::new("TOSA holds integers in 32 bits", "a constant beyond that"))?;
    Ok(TensorData::from_scalars(
        DType::I32,
        data.sizes().to_vec(),
        values,
    ))
}

/// The number as the dtype holds it.
pub(crate) fn rounded(dtype: TosaDtype, value: f64) -> f64 {
    match dtype {
        TosaDtype::F16 => half::f16::from_f64(value).to_f64(),
        TosaDtype::BF16 => half::bf16::from_f64(value).to_f64(),
        _ => f64::from(value as f32),
    }
}

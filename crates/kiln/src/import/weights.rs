//! Weights, buffers and constants of an archive as constants of the graph, over the mapped bytes.

use super::Walker;
use anyhow::{Context, Result, bail};
use kiln_aten::{Arg, Tensor};
use kiln_ir::{ConstId, DType, Movement, Place, Shape, TensorData, ValueId, ops};
use kiln_pt2::{ScalarType, StoredTensor};

/// The dtype of a saved element type.
///
/// # Errors
/// If Kiln does not have it.
pub fn dtype(saved: ScalarType) -> Result<DType> {
    match DType::from_name(short_name(saved)) {
        Some(dtype) => Ok(dtype),
        None => bail!(
            "dtype {saved:?} is not supported; Kiln takes bool, u8, i8, i16, i32, i64, f16, bf16, f32 and f64"
        ),
    }
}

fn short_name(saved: ScalarType) -> &'static str {
    match saved.torch_name() {
        "bool" => "bool",
        "uint8" => "u8",
        "int8" => "i8",
        "int16" => "i16",
        "int32" => "i32",
        "int64" => "i64",
        "float16" => "f16",
        "bfloat16" => "bf16",
        "float32" => "f32",
        "float64" => "f64",
        _ => "",
    }
}

impl Walker<'_, '_> {
    /// The value of the tensor stored under `fqn`, which the graph calls `name`, and its constant.
    pub(super) fn weight(&mut self, name: &str, fqn: &str) -> Result<(ValueId, ConstId)> {
        let stored = self
            .archive
            .tensor(fqn)
            .with_context(|| format!("weight {fqn}"))?;
        let place = Place::End(self.cx.block());
        let rewriter = self.cx.rewriter();
        rewriter.set_sources([]);
        let (data, permutation) = tensor_data(&stored).with_context(|| format!("weight {fqn}"))?;
        let constant = rewriter.add_constant(fqn, data);
        let mut value = rewriter.value(place, ops::Constant { value: constant }, &[])?;
        if let Some(permutation) = permutation {
            let shape = rewriter.graph().ty(value).shape.clone();
            let movement = Movement::permute(&shape, &permutation)?;
            value = rewriter.value(place, ops::Move { movement }, &[value])?;
        }
        rewriter.name_value(value, name);
        Ok((value, constant))
    }

    /// The complex tensor stored under `fqn`, as its parts; `None` if it is none.
    pub(super) fn complex_weight(&mut self, fqn: &str) -> Result<Option<Arg>> {
        let stored = self
            .archive
            .tensor(fqn)
            .with_context(|| format!("weight {fqn}"))?;
        let part = match stored.dtype() {
            ScalarType::C64 => DType::F32,
            ScalarType::C128 => DType::F64,
            _ => return Ok(None),
        };
        let pairs = stored.to_contiguous();
        let [real, imaginary] = [0, part.size()].map(|at| {
            let pairs = pairs.chunks_exact(2 * part.size());
            pairs
                .flat_map(|pair| &pair[at..at + part.size()])
                .copied()
                .collect::<Vec<u8>>()
        });
        let mut bind = |name: String, bytes: Vec<u8>| -> Result<Tensor> {
            let data = TensorData::new(part, stored.sizes().to_vec(), bytes.into())?;
            let place = Place::End(self.cx.block());
            let value = self
                .cx
                .rewriter()
                .constant_value(place, name.as_str(), data);
            Ok(self.cx.bind(value))
        };
        Ok(Some(Arg::Complex {
            real: bind(format!("{fqn}.real"), real)?,
            imaginary: bind(format!("{fqn}.imag"), imaginary)?,
        }))
    }
}

/// The elements without a copy where they are dense, in the order of axes in which they lie; then the
/// permutation that gives the tensor. Tensors with gaps are copied.
fn tensor_data(stored: &StoredTensor) -> Result<(TensorData, Option<Vec<usize>>)> {
    let dtype = dtype(stored.dtype())?;
    if let (Some(order), Some(bytes), false) = (
        stored.permuted_dense(),
        stored.dense_bytes(),
        stored.is_contiguous(),
    ) {
        let sizes: Vec<usize> = order.iter().map(|&a| stored.sizes()[a]).collect();
        let mut permutation = vec![0; order.len()];
        order
            .iter()
            .enumerate()
            .for_each(|(at, &axis)| permutation[axis] = at);
        return Ok((TensorData::new(dtype, sizes, bytes)?, Some(permutation)));
    }
    let bytes = stored.to_contiguous();
    let data = TensorData::new(dtype, stored.sizes().to_vec(), bytes)?;
    debug_assert_eq!(data.tensor_type().shape, Shape::from(stored.sizes()));
    Ok((data, None))
}

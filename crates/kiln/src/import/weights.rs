//! Weights, buffers and constants of an archive become constants over the mapped bytes.

use super::Walker;
use anyhow::{Context, Result, bail};
use kiln_aten::{Arg, Tensor};
use kiln_ir::content::{Content, Keeper, Then};
use kiln_ir::{ConstId, DType, Movement, Place, Shape, TensorData, ValueId, ops};
use kiln_pt2::{MappedFile, ScalarType, StoredTensor};
use std::sync::Arc;

/// The dtype of a saved element type.
///
/// # Errors
/// Kiln does not have the element type.
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

/// The mapped archive. Its pages are released as weights are passed.
pub(super) struct Mapped(pub MappedFile);

impl Keeper for Mapped {
    fn copy(&self, bytes: &[u8], out: &mut [u8]) {
        self.0.copy(bytes, out);
    }

    fn passed(&self, bytes: &[u8], then: Then) {
        self.0.passed(bytes, then == Then::Again);
    }
}

impl Walker<'_, '_> {
    /// The constant of the tensor stored under `fqn`, which the graph calls `name`, and the constant's value.
    pub(super) fn weight(&mut self, name: &str, fqn: &str) -> Result<(ValueId, ConstId)> {
        let stored = self
            .archive
            .tensor(fqn)
            .with_context(|| format!("weight {fqn}"))?;
        self.cx.rewriter().set_sources([]);
        self.constant(name, fqn, &stored)
    }

    /// The constant of a tensor of the archive.
    pub(super) fn constant(
        &mut self,
        name: &str,
        fqn: &str,
        stored: &StoredTensor,
    ) -> Result<(ValueId, ConstId)> {
        let place = Place::End(self.cx.block());
        let rewriter = self.cx.rewriter();
        let (data, permutation) =
            tensor_data(stored, self.keeper.as_ref()).with_context(|| format!("weight {fqn}"))?;
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

    /// The real and the imaginary part of the complex tensor stored under `fqn`; `None` if the tensor is not complex.
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

/// The elements in the order in which they lie, without a copy if they are dense, and the permutation that gives the
/// tensor. A tensor with gaps is copied.
fn tensor_data(
    stored: &StoredTensor,
    keeper: Option<&Arc<dyn Keeper>>,
) -> Result<(TensorData, Option<Vec<usize>>)> {
    let content = |bytes| match keeper {
        Some(keeper) => Content::kept(bytes, keeper.clone()),
        None => Content::from(bytes),
    };
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
        let data = TensorData::of_content(dtype, sizes, content(bytes))?;
        return Ok((data, Some(permutation)));
    }
    let bytes = content(stored.to_contiguous());
    let data = TensorData::of_content(dtype, stored.sizes().to_vec(), bytes)?;
    debug_assert_eq!(data.tensor_type().shape, Shape::from(stored.sizes()));
    Ok((data, None))
}

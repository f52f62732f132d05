//! Runs of tensors in `.safetensors` files: `<run>.in.<i>`, `<run>.out.<i>`, `<run>.in_after.<i>`.

use anyhow::{Context, Result, bail};
use bytes::Bytes;
use kiln_ir::{DType, TensorData};
use safetensors::tensor::{Dtype, SafeTensors, TensorView, serialize};
use std::collections::BTreeMap;
use std::path::Path;

/// What a tensor of a run is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// An input.
    Input,
    /// An output.
    Output,
    /// An input as a run left it.
    InputAfter,
}

impl Role {
    fn text(self) -> &'static str {
        match self {
            Role::Input => "in",
            Role::Output => "out",
            Role::InputAfter => "in_after",
        }
    }
}

/// Tensors of several runs, by run, role and position.
#[derive(Clone, Debug, Default)]
pub struct Runs(BTreeMap<(usize, Role, usize), TensorData>);

impl Runs {
    /// Reads a file. Tensors of other names are passed over.
    ///
    /// # Errors
    /// If the file cannot be read, is no safetensors file, or holds a dtype that Kiln has not.
    pub fn read(path: &Path) -> Result<Runs> {
        let file =
            std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
        let parsed = SafeTensors::deserialize(&file)
            .with_context(|| format!("{} is not a whole .safetensors file", path.display()))?;
        let mut runs = Runs::default();
        for (name, view) in parsed.iter() {
            let Some(key) = parse_name(name) else {
                continue;
            };
            let Some(dtype) = from_safetensors(view.dtype()) else {
                bail!(
                    "{}: tensor {name} has dtype {:?}, which Kiln does not have",
                    path.display(),
                    view.dtype()
                );
            };
            let data = TensorData::new(
                dtype,
                view.shape().to_vec(),
                Bytes::copy_from_slice(view.data()),
            )
            .with_context(|| format!("{}: tensor {name}", path.display()))?;
            runs.0.insert(key, data);
        }
        Ok(runs)
    }

    /// Writes a file, whole or not at all.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write(&self, path: &Path) -> Result<()> {
        let views: Result<Vec<_>> = self
            .0
            .iter()
            .map(|((run, role, i), data)| {
                let view = TensorView::new(
                    to_safetensors(data.dtype()),
                    data.sizes().to_vec(),
                    data.bytes(),
                )?;
                Ok((format!("{run}.{}.{i}", role.text()), view))
            })
            .collect();
        let bytes = serialize(views?, None).context("cannot serialise the tensors")?;
        crate::output::write_file(path, &bytes)
    }

    /// Adds a tensor.
    pub fn insert(&mut self, run: usize, role: Role, position: usize, data: TensorData) {
        self.0.insert((run, role, position), data);
    }

    /// The tensor at a place.
    pub fn get(&self, run: usize, role: Role, position: usize) -> Option<&TensorData> {
        self.0.get(&(run, role, position))
    }

    /// Number of runs: one more than the greatest run number.
    pub fn count(&self) -> usize {
        self.0.keys().next_back().map_or(0, |(run, _, _)| run + 1)
    }

    /// Positions that a run has in a role.
    pub fn positions(&self, run: usize, role: Role) -> impl Iterator<Item = usize> + '_ {
        self.0
            .range((run, role, 0)..=(run, role, usize::MAX))
            .map(|((_, _, i), _)| *i)
    }
}

fn parse_name(name: &str) -> Option<(usize, Role, usize)> {
    let mut parts = name.split('.');
    let run = parts.next()?.parse().ok()?;
    let role = match parts.next()? {
        "in" => Role::Input,
        "out" => Role::Output,
        "in_after" => Role::InputAfter,
        _ => return None,
    };
    let position = parts.next()?.parse().ok()?;
    parts.next().is_none().then_some((run, role, position))
}

fn from_safetensors(dtype: Dtype) -> Option<DType> {
    Some(match dtype {
        Dtype::BOOL => DType::Bool,
        Dtype::U8 => DType::U8,
        Dtype::I8 => DType::I8,
        Dtype::I16 => DType::I16,
        Dtype::I32 => DType::I32,
        Dtype::I64 => DType::I64,
        Dtype::F16 => DType::F16,
        Dtype::BF16 => DType::BF16,
        Dtype::F32 => DType::F32,
        Dtype::F64 => DType::F64,
        _ => return None,
    })
}

fn to_safetensors(dtype: DType) -> Dtype {
    match dtype {
        DType::Bool => Dtype::BOOL,
        DType::U8 => Dtype::U8,
        DType::I8 => Dtype::I8,
        DType::I16 => Dtype::I16,
        DType::I32 => Dtype::I32,
        DType::I64 => Dtype::I64,
        DType::F16 => Dtype::F16,
        DType::BF16 => Dtype::BF16,
        DType::F32 => Dtype::F32,
        DType::F64 => Dtype::F64,
    }
}

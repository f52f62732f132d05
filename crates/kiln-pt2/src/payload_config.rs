//! `model_weights_config.json` and similar files, which map tensors to files of the archive (torch 2.9 on).

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use crate::Error;
use crate::graph::TensorMeta;
use crate::scalar_type::Layout;
use crate::sym_value::SymInt;

/// The table of one folder.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct PayloadConfig {
    pub config: IndexMap<String, PayloadMeta>,
}

/// A tensor of the table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct PayloadMeta {
    /// The file, in the folder of the table. Several tensors may share one.
    pub path_name: String,
    /// True for a parameter.
    #[serde(default)]
    pub is_param: bool,
    /// True if the file is one of `torch.save`, false if it is raw storage.
    #[serde(default)]
    pub use_pickle: bool,
    /// Absent for objects that are no tensors.
    #[serde(default)]
    pub tensor_meta: Option<TensorMeta>,
}

/// The shape of a tensor in which all numbers are known.
pub(crate) struct StaticShape {
    pub sizes: Vec<usize>,
    pub strides: Vec<usize>,
    pub storage_offset: usize,
}

impl StaticShape {
    /// Refuses symbolic and negative numbers, and layouts other than strided.
    pub fn of(meta: &TensorMeta) -> Result<Self, Error> {
        if meta.layout != Layout::Strided {
            let message = format!(
                "layout {:?} is not read; make the tensor dense before export",
                meta.layout
            );
            return Err(Error::unsupported(message));
        }
        Ok(Self {
            sizes: meta.sizes.iter().map(known).collect::<Result<_, _>>()?,
            strides: meta.strides.iter().map(known).collect::<Result<_, _>>()?,
            storage_offset: known(&meta.storage_offset)?,
        })
    }
}

fn known(value: &SymInt) -> Result<usize, Error> {
    let number = value.as_int().and_then(|value| usize::try_from(value).ok());
    number.ok_or_else(|| {
        Error::tensor(format!(
            "a stored tensor has the size, stride or offset {value:?}"
        ))
    })
}

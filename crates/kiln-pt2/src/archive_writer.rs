//! Writes an archive in the form of torch 2.15.
//!
//! The same content gives the same bytes. Tensors that share a storage in memory share it in the file.

use std::io::Write;

use bytes::Bytes;
use indexmap::IndexMap;

use crate::Error;
use crate::graph::TensorMeta;
use crate::payload_config::{PayloadConfig, PayloadMeta};
use crate::pickle_writer::write_torch_file;
use crate::program::ExportedProgram;
use crate::scalar_type::{Device, Layout, ScalarType};
use crate::stored_tensor::StoredTensor;
use crate::sym_value::SymInt;
use crate::torch_save::SampleValue;
use crate::zip_writer::ZipFileWriter;

/// The content of an archive to be written.
#[derive(Clone, Debug)]
pub struct ArchiveWriter<'a> {
    program: &'a ExportedProgram,
    weights: Folder,
    constants: Folder,
    sample_inputs: Option<Vec<SampleValue>>,
    extra_files: IndexMap<String, String>,
}

/// The tensors of one folder, and their distinct storages.
#[derive(Clone, Debug)]
struct Folder {
    stem: &'static str,
    storages: Vec<(Bytes, ScalarType)>,
    config: PayloadConfig,
}

impl<'a> ArchiveWriter<'a> {
    /// An archive of this program, without tensors so far.
    pub fn new(program: &'a ExportedProgram) -> Self {
        Self {
            program,
            weights: Folder::new("weight"),
            constants: Folder::new("tensor"),
            sample_inputs: None,
            extra_files: IndexMap::new(),
        }
    }

    /// Adds a parameter or a persistent buffer.
    pub fn weight(&mut self, fqn: &str, tensor: &StoredTensor, is_param: bool) -> &mut Self {
        self.weights.add(fqn, tensor, is_param);
        self
    }

    /// Adds a constant, or a buffer that is not persistent.
    pub fn constant(&mut self, fqn: &str, tensor: &StoredTensor) -> &mut Self {
        self.constants.add(fqn, tensor, false);
        self
    }

    /// Adds the inputs with which the model was exported, flattened as the program's input spec says.
    pub fn sample_inputs(&mut self, leaves: Vec<SampleValue>) -> &mut Self {
        self.sample_inputs = Some(leaves);
        self
    }

    /// Adds a text of the user.
    pub fn extra_file(&mut self, name: &str, text: &str) -> &mut Self {
        self.extra_files.insert(name.to_owned(), text.to_owned());
        self
    }

    /// Writes the archive. `root` is its root folder; torch names it after the file without `.pt2`.
    pub fn write<W: Write>(&self, out: W, root: &str) -> Result<W, Error> {
        let mut zip = ZipFileWriter::new(out, root);
        self.weights
            .write(&mut zip, "data/weights", "model_weights_config.json")?;
        self.constants
            .write(&mut zip, "data/constants", "model_constants_config.json")?;
        zip.entry("models/model.json", &self.program.to_json()?)?;
        zip.entry("data/sample_inputs/model.pt", &self.sample_inputs_file()?)?;
        for (name, text) in &self.extra_files {
            zip.entry(&format!("extra/{name}"), text.as_bytes())?;
        }
        zip.entry("archive_format", b"pt2")?;
        zip.entry("archive_version", b"0")?;
        zip.entry(".data/version", b"6\n")?;
        zip.entry("byteorder", b"little")?;
        zip.finish()
    }

    fn sample_inputs_file(&self) -> Result<Vec<u8>, Error> {
        let mut file = Vec::new();
        if let Some(leaves) = &self.sample_inputs {
            let call = self.program.call.as_ref();
            let call = call
                .ok_or_else(|| Error::missing("sample inputs need a program with an input spec"))?;
            write_torch_file(&mut file, &call.in_spec, leaves)?;
        }
        Ok(file)
    }
}

impl Folder {
    fn new(stem: &'static str) -> Self {
        Self {
            stem,
            storages: Vec::new(),
            config: PayloadConfig::default(),
        }
    }

    fn add(&mut self, fqn: &str, tensor: &StoredTensor, is_param: bool) {
        let file = self.file_of(tensor.storage(), tensor.dtype());
        let meta = PayloadMeta {
            path_name: format!("{}_{file}", self.stem),
            is_param,
            use_pickle: false,
            tensor_meta: Some(tensor_meta(
                tensor,
                is_param && tensor.dtype().is_differentiable(),
            )),
        };
        self.config.config.insert(fqn.to_owned(), meta);
    }

    fn file_of(&mut self, storage: &Bytes, dtype: ScalarType) -> usize {
        let same = |(other, other_dtype): &(Bytes, ScalarType)| {
            let range = other.as_ptr() == storage.as_ptr() && other.len() == storage.len();
            *other_dtype == dtype && (range || other.is_empty() && storage.is_empty())
        };
        self.storages.iter().position(same).unwrap_or_else(|| {
            self.storages.push((storage.clone(), dtype));
            self.storages.len() - 1
        })
    }

    fn write<W: Write>(
        &self,
        zip: &mut ZipFileWriter<W>,
        folder: &str,
        config: &str,
    ) -> Result<(), Error> {
        for (i, (storage, _)) in self.storages.iter().enumerate() {
            zip.entry(&format!("{folder}/{}_{i}", self.stem), storage)?;
        }
        zip.entry(
            &format!("{folder}/{config}"),
            &serde_json::to_vec(&self.config)?,
        )
    }
}

fn tensor_meta(tensor: &StoredTensor, requires_grad: bool) -> TensorMeta {
    let int =
        |value: &usize| SymInt::Int(i64::try_from(*value).expect("sizes of what is in memory fit"));
    TensorMeta {
        dtype: tensor.dtype(),
        sizes: tensor.sizes().iter().map(int).collect(),
        requires_grad,
        device: Device {
            kind: "cpu".to_owned(),
            index: None,
        },
        strides: tensor.strides().iter().map(int).collect(),
        storage_offset: int(&tensor.storage_offset()),
        layout: Layout::Strided,
    }
}

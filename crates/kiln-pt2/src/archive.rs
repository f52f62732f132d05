//! The archive: its form, its models, their tensors and sample inputs.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use bytes::Bytes;
use indexmap::IndexMap;

use crate::Error;
use crate::mapped_file::MappedFile;
use crate::payload_config::{PayloadConfig, PayloadMeta, StaticShape};
use crate::program::ExportedProgram;
use crate::stored_tensor::{MAX_EXPANDED_BYTES, StoredTensor, element_count};
use crate::torch_save::{self, Payload, SampleValue, TensorSubclass};
use crate::zip_directory::{TORCH_SCRIPT, ZipDirectory};

const LEGACY_PROGRAM: &str = "serialized_exported_program.json";
const LEGACY_WEIGHTS: &str = "serialized_state_dict.pt";
const LEGACY_CONSTANTS: &str = "serialized_constants.pt";
const DEFAULT_MODEL: &str = "model";

/// Folders of tensors, and what the names of their lists end in.
const WEIGHTS: (&str, &str) = ("data/weights", "weights");
const CONSTANTS: (&str, &str) = ("data/constants", "constants");

/// An archive of `torch.export.save`, with one of its models selected. Clones share everything.
#[derive(Clone, Debug)]
pub struct Archive(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    file: Option<MappedFile>,
    zip: ZipDirectory,
    form: Form,
    model: String,
    weights: Table,
    constants: Table,
}

/// The layout of an archive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// A flat zip (torch 2.5 to 2.7).
    Legacy,
    /// A PT2 archive (torch 2.8 on).
    Pt2,
}

/// Tensors by name.
type Table = IndexMap<String, Slot>;

#[derive(Debug)]
enum Slot {
    /// In a file of its own, in the table's folder.
    File {
        folder: &'static str,
        meta: PayloadMeta,
    },
    /// From a `torch.save` dict.
    Unpickled(Result<Payload, Error>),
}

impl Archive {
    /// Maps a file. Nobody else may change the file while the archive, or a tensor of it, is in use.
    ///
    /// Selects the model named `model`, otherwise the only one. Refuses files that are no archive of
    /// `torch.export.save`.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, Error> {
        let path = path.as_ref();
        let file = MappedFile::open(path).map_err(|error| Error::io(error).in_file(path))?;
        Self::build(file.bytes(), Some(file), None).map_err(|error| error.in_file(path))
    }

    /// An archive in memory.
    pub fn from_bytes(data: Bytes) -> Result<Self, Error> {
        Self::build(data, None, None)
    }

    /// The same archive with another model selected.
    pub fn with_model(&self, name: &str) -> Result<Self, Error> {
        let inner = &self.0;
        let selected = Inner::select(inner.zip.clone(), inner.file.clone(), Some(name));
        selected
            .map(|inner| Self(Arc::new(inner)))
            .map_err(|error| self.locate(error))
    }

    fn build(data: Bytes, file: Option<MappedFile>, model: Option<&str>) -> Result<Self, Error> {
        let inner = Inner::select(ZipDirectory::read(data)?, file, model)?;
        Ok(Self(Arc::new(inner)))
    }

    /// The file with the bytes of the tensors; `None` if the archive is in memory.
    pub fn file(&self) -> Option<&MappedFile> {
        self.0.file.as_ref()
    }

    /// The layout of the archive.
    pub fn form(&self) -> Form {
        self.0.form
    }

    /// The names of all models in the archive.
    pub fn models(&self) -> Vec<&str> {
        model_names(&self.0.zip, self.0.form)
    }

    /// The name of the selected model.
    pub fn model(&self) -> &str {
        &self.0.model
    }

    /// A text that the user saved with the program under this name.
    pub fn extra_file(&self, name: &str) -> Option<Bytes> {
        let folder = match self.0.form {
            Form::Legacy => "extra_files",
            Form::Pt2 => "extra",
        };
        self.0.zip.get_rooted(&format!("{folder}/{name}"))
    }

    /// Parses the selected model's program.
    pub fn program(&self) -> Result<ExportedProgram, Error> {
        let entry = match self.0.form {
            Form::Legacy => LEGACY_PROGRAM.to_owned(),
            Form::Pt2 => program_entry(&self.0.model),
        };
        let text = self.0.zip.get_rooted(&entry);
        let text = text
            .ok_or_else(|| self.locate(Error::missing("the entry is absent").in_entry(&entry)))?;
        let program = ExportedProgram::parse(&text);
        if let Some(file) = self.file() {
            file.passed(&text, false);
        }
        program.map_err(|error| self.locate(error.in_entry(&entry)))
    }

    /// The names of all stored parameters, buffers and constants.
    pub fn tensor_names(&self) -> impl Iterator<Item = &str> {
        self.0
            .weights
            .keys()
            .chain(self.0.constants.keys())
            .map(String::as_str)
    }

    /// The parameter, buffer or constant with this name. Refuses tensor subclasses.
    pub fn tensor(&self, fqn: &str) -> Result<StoredTensor, Error> {
        match self.payload(fqn)? {
            Payload::Tensor(tensor) => Ok(tensor),
            Payload::Subclass(subclass) => Err(self.locate(refuse_subclass(fqn, &subclass))),
        }
    }

    /// The payload that is stored under a name.
    pub fn payload(&self, fqn: &str) -> Result<Payload, Error> {
        let slot = self
            .0
            .weights
            .get(fqn)
            .or_else(|| self.0.constants.get(fqn));
        let slot =
            slot.ok_or_else(|| Error::missing(format!("the archive holds no tensor `{fqn}`")));
        let payload = slot.and_then(|slot| slot.read(&self.0.zip));
        payload.map_err(|error| self.locate(error.in_entry(fqn)))
    }

    /// The inputs with which the model was exported, flattened in pytree order: positional arguments, then keyword
    /// arguments. `None` if the archive has none.
    pub fn sample_inputs(&self) -> Result<Option<Vec<SampleValue>>, Error> {
        let entry = match self.0.form {
            Form::Legacy => "serialized_example_inputs.pt".to_owned(),
            Form::Pt2 => format!("data/sample_inputs/{}.pt", self.0.model),
        };
        let Some(data) = self.0.zip.get_rooted(&entry).filter(|d| !d.is_empty()) else {
            return Ok(None);
        };
        let read = || {
            let values = torch_save::read_sample_inputs(data)?;
            let copied = values.iter().flatten().map(|value| match value {
                SampleValue::Tensor(tensor) => tensor.copied_bytes(),
                _ => 0,
            });
            check_expansion(&self.0.zip, copied)?;
            Ok(values)
        };
        read().map_err(|error: Error| self.locate(error.in_entry(&entry)))
    }

    /// Compares what the selected model is made of with its checksums: the program, its weights and its constants. The
    /// reader does not do this, because it would touch every weight. What is not read, such as sample inputs, is left out.
    pub fn verify_checksums(&self) -> Result<(), Error> {
        let inner = &self.0;
        for entry in inner.entries() {
            let name = format!("{}{entry}", inner.zip.root());
            let verified = inner.zip.verify(&name);
            verified.map_err(|error| self.locate(error))?;
            if let Some((file, bytes)) = self.file().zip(inner.zip.get(&name)) {
                file.passed(&bytes, true);
            }
        }
        Ok(())
    }

    fn locate(&self, error: Error) -> Error {
        match &self.0.file {
            Some(file) => error.in_file(file.path()),
            None => error,
        }
    }
}

fn refuse_subclass(fqn: &str, subclass: &TensorSubclass) -> Error {
    let inner: Vec<&str> = subclass.inner.keys().map(String::as_str).collect();
    Error::unsupported(format!(
        "`{fqn}` is a tensor of class {} (around {}), not a plain one; call `run_decompositions({{}})` on the program, \
         or torchao's `unwrap_tensor_subclass` on the model before export",
        subclass.type_name,
        inner.join(", "),
    ))
}

impl Inner {
    fn select(
        zip: ZipDirectory,
        file: Option<MappedFile>,
        model: Option<&str>,
    ) -> Result<Self, Error> {
        let form = form_of(&zip)?;
        check_format(&zip, form)?;
        let model = select_model(&model_names(&zip, form), model)?;
        let table = |legacy: &str, (folder, stem): (&'static str, &str)| match form {
            Form::Legacy => pickled_table(&zip, legacy),
            Form::Pt2 => folder_table(&zip, folder, &model, stem),
        };
        let weights = table(LEGACY_WEIGHTS, WEIGHTS)?;
        let constants = table(LEGACY_CONSTANTS, CONSTANTS)?;
        let slots = weights.values().chain(constants.values());
        check_expansion(&zip, slots.map(|slot| slot.copied_bytes(&zip)))?;
        Ok(Self {
            file,
            form,
            weights,
            constants,
            model,
            zip,
        })
    }

    /// The entries that the selected model may have below the root folder: its program, and its tensors with their lists.
    fn entries(&self) -> BTreeSet<String> {
        if self.form == Form::Legacy {
            return [LEGACY_PROGRAM, LEGACY_WEIGHTS, LEGACY_CONSTANTS]
                .map(str::to_owned)
                .into();
        }
        let model = &self.model;
        let lists = [WEIGHTS, CONSTANTS].map(|(folder, stem)| list_entry(folder, model, stem));
        let packed = [WEIGHTS, CONSTANTS].map(|(folder, _)| packed_entry(folder, model));
        let slots = self.weights.values().chain(self.constants.values());
        let files = slots.filter_map(|slot| match slot {
            Slot::File { folder, meta } => Some(format!("{folder}/{}", meta.path_name)),
            Slot::Unpickled(_) => None,
        });
        let program = std::iter::once(program_entry(model));
        program.chain(lists).chain(packed).chain(files).collect()
    }
}

/// The entry of a model's program.
fn program_entry(model: &str) -> String {
    format!("models/{model}.json")
}

/// The entry that lists the tensors of a folder (torch 2.9 on).
fn list_entry(folder: &str, model: &str, stem: &str) -> String {
    format!("{folder}/{model}_{stem}_config.json")
}

/// The entry with all tensors of a folder (torch 2.8).
fn packed_entry(folder: &str, model: &str) -> String {
    format!("{folder}/{model}.pt")
}

fn form_of(zip: &ZipDirectory) -> Result<Form, Error> {
    let has = |name: &str| zip.get_rooted(name).is_some();
    if zip.get(LEGACY_PROGRAM).is_some() {
        return Ok(Form::Legacy);
    }
    if has("archive_format") || zip.rooted_names().any(|name| model_name(name).is_some()) {
        return Ok(Form::Pt2);
    }
    let found = match () {
        () if zip.rooted_names().any(|name| name.starts_with("code/")) => TORCH_SCRIPT,
        () if has("data.pkl") => "a torch.save file",
        () => "a zip archive without an exported program",
    };
    Err(Error::not_torch_export(found))
}

fn check_format(zip: &ZipDirectory, form: Form) -> Result<(), Error> {
    let expect = |entry: &str, expected: &str, advice: &str| match zip.get_rooted(entry) {
        Some(found) if found != expected.as_bytes() => {
            let found = String::from_utf8_lossy(&found[..found.len().min(40)]).into_owned();
            Err(
                Error::unsupported(format!("found `{found}`, known is `{expected}`; {advice}"))
                    .in_entry(entry),
            )
        }
        _ => Ok(()),
    };
    if form == Form::Legacy {
        return Ok(());
    }
    expect(
        "archive_format",
        "pt2",
        "save the program with torch.export.save",
    )?;
    expect(
        "archive_version",
        "0",
        "save the program with torch 2.8 to 2.15",
    )?;
    expect(
        "byteorder",
        "little",
        "save the program on a little-endian machine",
    )
}

/// The model name of an entry `models/<name>.json`.
fn model_name(entry: &str) -> Option<&str> {
    entry.strip_prefix("models/")?.strip_suffix(".json")
}

fn model_names(zip: &ZipDirectory, form: Form) -> Vec<&str> {
    match form {
        Form::Legacy => vec![DEFAULT_MODEL],
        Form::Pt2 => zip.rooted_names().filter_map(model_name).collect(),
    }
}

fn select_model(names: &[&str], wanted: Option<&str>) -> Result<String, Error> {
    let all = || names.join("`, `");
    match (wanted, names) {
        (Some(name), _) if names.contains(&name) => Ok(name.to_owned()),
        (Some(name), _) => Err(Error::missing(format!(
            "no model `{name}`; the archive has `{}`",
            all()
        ))),
        (None, []) => Err(Error::not_an_export(
            "the archive holds no exported program, `models/` is empty",
        )),
        (None, [only]) => Ok((*only).to_owned()),
        (None, _) if names.contains(&DEFAULT_MODEL) => Ok(DEFAULT_MODEL.to_owned()),
        (None, _) => Err(Error::missing(format!(
            "none of the models `{}` is called `model`; name one",
            all()
        ))),
    }
}

/// The tensors of a dict in one `torch.save` file; none if the file is absent or empty.
fn pickled_table(zip: &ZipDirectory, entry: &str) -> Result<Table, Error> {
    let data = zip.get_rooted(entry).unwrap_or_default();
    if data.is_empty() {
        return Ok(Table::new());
    }
    let dict = torch_save::read_state_dict(data).map_err(|error| error.in_entry(entry))?;
    Ok(dict
        .into_iter()
        .map(|(fqn, payload)| (fqn, Slot::Unpickled(payload)))
        .collect())
}

/// The tensors of a folder: those of the config (torch 2.9 on), otherwise those of the single file of torch 2.8.
fn folder_table(
    zip: &ZipDirectory,
    folder: &'static str,
    model: &str,
    stem: &str,
) -> Result<Table, Error> {
    let entry = list_entry(folder, model, stem);
    let Some(text) = zip.get_rooted(&entry) else {
        return pickled_table(zip, &packed_entry(folder, model));
    };
    let config: Result<PayloadConfig, _> = serde_json::from_slice(&text);
    let config = config.map_err(|error| Error::from(error).in_entry(&entry))?;
    Ok(config
        .config
        .into_iter()
        .map(|(fqn, meta)| (fqn, Slot::File { folder, meta }))
        .collect())
}

/// Refuses a small archive whose tensors would be copied into much memory.
fn check_expansion(zip: &ZipDirectory, copied: impl Iterator<Item = usize>) -> Result<(), Error> {
    let limit = zip.len().saturating_add(MAX_EXPANDED_BYTES);
    let total = copied.fold(0, usize::saturating_add);
    if total <= limit {
        return Ok(());
    }
    Err(Error::limit(format!(
        "expanded, strided and unstored tensors take {total} bytes beyond what the archive stores, at most {limit} are \
         taken; save them contiguous, with real values"
    )))
}

impl Slot {
    /// The bytes that the tensor takes in addition to the archive: for a copy in row-major order, or for zeros that are
    /// not stored. 0 if it cannot be read.
    fn copied_bytes(&self, zip: &ZipDirectory) -> usize {
        let of_payload = |payload: &Payload| match payload {
            Payload::Tensor(tensor) => tensor.copied_bytes(),
            Payload::Subclass(subclass) => {
                let inner = subclass.inner.values().map(StoredTensor::copied_bytes);
                inner.fold(0, usize::saturating_add)
            }
        };
        match self {
            Self::Unpickled(payload) => payload.as_ref().map_or(0, of_payload),
            Self::File { folder, meta } => match unstored_bytes(zip, folder, meta) {
                Some(zeros) => zeros,
                None => self.read(zip).as_ref().map_or(0, of_payload),
            },
        }
    }

    fn read(&self, zip: &ZipDirectory) -> Result<Payload, Error> {
        match self {
            Self::Unpickled(payload) => payload.clone(),
            Self::File { folder, meta } => {
                let entry = [folder, "/", meta.path_name.as_str()].concat();
                let data = zip.get_rooted(&entry);
                let data =
                    data.ok_or_else(|| Error::missing("the entry is absent").in_entry(&entry))?;
                read_file(meta, data).map_err(|error| error.in_entry(&entry))
            }
        }
    }
}

/// The bytes of a tensor whose file is empty, as for a fake tensor; 0 if the tensor is too large to be read.
fn unstored_bytes(zip: &ZipDirectory, folder: &str, meta: &PayloadMeta) -> Option<usize> {
    let data = zip.get_rooted(&[folder, "/", meta.path_name.as_str()].concat())?;
    let tensor = meta.tensor_meta.as_ref().filter(|_| data.is_empty())?;
    let count = element_count(&StaticShape::of(tensor).ok()?.sizes)?;
    let bytes = count.checked_mul(tensor.dtype.size()?)?;
    Some(if bytes > MAX_EXPANDED_BYTES { 0 } else { bytes })
}

fn read_file(meta: &PayloadMeta, data: Bytes) -> Result<Payload, Error> {
    let Some(tensor_meta) = &meta.tensor_meta else {
        return Err(Error::unsupported(
            "an object that is no tensor; torchbind objects are not supported",
        ));
    };
    if meta.use_pickle {
        return torch_save::read_payload(data);
    }
    let shape = StaticShape::of(tensor_meta)?;
    let tensor = match (data.is_empty(), element_count(&shape.sizes)) {
        // Fake tensors have no storage. Their elements are zero.
        (true, count) if count != Some(0) => StoredTensor::zeros(tensor_meta.dtype, shape.sizes)?,
        _ => StoredTensor::new(
            tensor_meta.dtype,
            shape.sizes,
            shape.strides,
            shape.storage_offset,
            data,
        )?,
    };
    Ok(Payload::Tensor(tensor))
}

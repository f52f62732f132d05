//! Writes the subset of pickle for `torch.save`: containers, scalars and plain tensors, in protocol 2 without
//! memoisation.

use std::io::Write;

use bytes::Bytes;

use crate::Error;
use crate::scalar_type::ScalarType;
use crate::stored_tensor::StoredTensor;
use crate::torch_save::SampleValue;
use crate::tree_spec::{TreeKey, TreeKind, TreeSpec};
use crate::zip_writer::ZipFileWriter;

/// Writes a `torch.save` file with leaves in the containers of a spec.
pub(crate) fn write_torch_file(
    out: impl Write,
    spec: &TreeSpec,
    leaves: &[SampleValue],
) -> Result<(), Error> {
    if spec.leaf_count() != leaves.len() {
        let (places, found) = (spec.leaf_count(), leaves.len());
        return Err(Error::tensor(format!(
            "{found} sample inputs for {places} places in the input spec"
        )));
    }
    let mut pickle = Pickle {
        bytes: b"\x80\x02".to_vec(),
        storages: Vec::new(),
    };
    pickle.tree(spec, &mut leaves.iter())?;
    pickle.bytes.push(b'.');
    let mut zip = ZipFileWriter::new(out, "archive");
    zip.entry("data.pkl", &pickle.bytes)?;
    zip.entry(".format_version", b"1")?;
    zip.entry(".storage_alignment", b"64")?;
    zip.entry("byteorder", b"little")?;
    for (i, storage) in pickle.storages.iter().enumerate() {
        zip.entry(&format!("data/{i}"), storage)?;
    }
    zip.entry("version", b"3\n")?;
    zip.finish()?;
    Ok(())
}

struct Pickle {
    bytes: Vec<u8>,
    storages: Vec<Bytes>,
}

/// The storage class of an element type; newer types have none.
fn storage_class(dtype: ScalarType) -> Option<&'static str> {
    Some(match dtype {
        ScalarType::F32 => "FloatStorage",
        ScalarType::F64 => "DoubleStorage",
        ScalarType::F16 => "HalfStorage",
        ScalarType::BF16 => "BFloat16Storage",
        ScalarType::I64 => "LongStorage",
        ScalarType::I32 => "IntStorage",
        ScalarType::I16 => "ShortStorage",
        ScalarType::I8 => "CharStorage",
        ScalarType::U8 => "ByteStorage",
        ScalarType::Bool => "BoolStorage",
        ScalarType::C64 => "ComplexFloatStorage",
        ScalarType::C128 => "ComplexDoubleStorage",
        _ => return None,
    })
}

impl Pickle {
    fn tree<'a>(
        &mut self,
        spec: &TreeSpec,
        leaves: &mut impl Iterator<Item = &'a SampleValue>,
    ) -> Result<(), Error> {
        match &spec.kind {
            TreeKind::Leaf => {
                self.leaf(leaves.next().expect("the leaves were counted"));
                return Ok(());
            }
            TreeKind::Tuple => self.bytes.push(b'('),
            TreeKind::List => self.bytes.extend(b"]("),
            TreeKind::Dict { .. } => self.bytes.extend(b"}("),
            TreeKind::Other { type_name, .. } => {
                return Err(Error::unsupported(format!(
                    "sample inputs in a {type_name} cannot be written"
                )));
            }
        }
        for (i, child) in spec.children.iter().enumerate() {
            if let TreeKind::Dict { keys, .. } = &spec.kind {
                self.key(&keys[i])?;
            }
            self.tree(child, leaves)?;
        }
        self.bytes.push(match spec.kind {
            TreeKind::Tuple => b't',
            TreeKind::List => b'e',
            _ => b'u',
        });
        Ok(())
    }

    fn key(&mut self, key: &TreeKey) -> Result<(), Error> {
        match key {
            TreeKey::Str(text) => self.string(text),
            TreeKey::Int(value) => self.int(*value),
            TreeKey::Other(text) => {
                return Err(Error::unsupported(format!(
                    "the dict key {text} cannot be written"
                )));
            }
        }
        Ok(())
    }

    fn leaf(&mut self, leaf: &SampleValue) {
        match leaf {
            SampleValue::None => self.bytes.push(b'N'),
            SampleValue::Bool(value) => self.bool(*value),
            SampleValue::Int(value) => self.int(*value),
            SampleValue::Float(value) => {
                self.bytes.push(b'G');
                self.bytes.extend(value.to_be_bytes());
            }
            SampleValue::Str(text) => self.string(text),
            SampleValue::Tensor(tensor) => self.tensor(tensor),
        }
    }

    fn tensor(&mut self, tensor: &StoredTensor) {
        let class = storage_class(tensor.dtype());
        let rebuild = if class.is_some() {
            "_rebuild_tensor_v2"
        } else {
            "_rebuild_tensor_v3"
        };
        self.global("torch._utils", rebuild);
        self.bytes.push(b'(');
        self.storage(tensor, class);
        self.size(tensor.storage_offset());
        self.sizes(tensor.sizes());
        self.sizes(tensor.strides());
        self.bool(false);
        self.global("collections", "OrderedDict");
        self.bytes.extend(b")R");
        if class.is_none() {
            self.global("torch", tensor.dtype().torch_name());
        }
        self.bytes.extend(b"tR");
    }

    /// Writes the persistent id `("storage", class, key, "cpu", count)`.
    fn storage(&mut self, tensor: &StoredTensor, class: Option<&str>) {
        let storage = tensor.storage();
        let same =
            |other: &Bytes| other.as_ptr() == storage.as_ptr() && other.len() == storage.len();
        let index = self.storages.iter().position(same).unwrap_or_else(|| {
            self.storages.push(storage.clone());
            self.storages.len() - 1
        });
        self.bytes.push(b'(');
        self.string("storage");
        match class {
            Some(class) => self.global("torch", class),
            None => self.global("torch.storage", "UntypedStorage"),
        }
        self.string(&index.to_string());
        self.string("cpu");
        let unit = class.and(tensor.dtype().size()).unwrap_or(1);
        self.size(storage.len() / unit);
        self.bytes.extend(b"tQ");
    }

    fn global(&mut self, module: &str, name: &str) {
        self.bytes.extend(format!("c{module}\n{name}\n").bytes());
    }

    fn sizes(&mut self, sizes: &[usize]) {
        self.bytes.push(b'(');
        sizes.iter().for_each(|&size| self.size(size));
        self.bytes.push(b't');
    }

    fn size(&mut self, size: usize) {
        self.int(i64::try_from(size).expect("sizes of what is in memory fit"));
    }

    fn int(&mut self, value: i64) {
        if let Ok(small) = i32::try_from(value) {
            self.bytes.push(b'J');
            self.bytes.extend(small.to_le_bytes());
        } else {
            self.bytes.extend(b"\x8a\x08");
            self.bytes.extend(value.to_le_bytes());
        }
    }

    fn bool(&mut self, value: bool) {
        self.bytes.push(if value { 0x88 } else { 0x89 });
    }

    fn string(&mut self, text: &str) {
        let length = u32::try_from(text.len()).expect("strings of what is in memory are short");
        self.bytes.push(b'X');
        self.bytes.extend(length.to_le_bytes());
        self.bytes.extend(text.bytes());
    }
}

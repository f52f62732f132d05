//! Files of `torch.save`: a zip file with a pickle, which refers to storages in entries of their own.
//!
//! A pickle may call what is on the whitelist: [`Function`] and the storage classes of [`storage_dtype`]. Anything else
//! is refused by name, but only if it is needed, so that one unsupported tensor does not make a state dict unreadable.

use bytes::Bytes;
use indexmap::IndexMap;

use crate::Error;
use crate::pickle::{self, Heap, Object, Value};
use crate::scalar_type::ScalarType;
use crate::stored_tensor::StoredTensor;
use crate::zip_directory::ZipDirectory;

/// The largest pickle that is read. It does not contain the tensors' elements; a tensor takes about 150 bytes.
const MAX_PICKLE_BYTES: usize = 64 << 20;

/// The deepest nesting of containers that is flattened.
const MAX_NESTING: usize = 64;

/// The most containers, leaves and bytes of strings in flattened containers. A pickle can repeat one object without
/// limit.
const FLATTENING_BUDGET: usize = 1 << 22;

/// Torch's own limit for the number of axes.
const MAX_RANK: usize = 64;

/// The most tensors that a subclass may wrap, and the most subclasses; no known one has more. A pickle can repeat a subclass without
/// limit.
const MAX_INNER_TENSORS: usize = 64;

/// The deepest nesting of subclasses. A known nesting is three deep: an activation's quantisation around a quantised tensor around
/// packed data.
const MAX_WRAPPING: usize = 4;

/// What is stored under a name.
#[derive(Clone, Debug)]
pub enum Payload {
    /// A plain tensor.
    Tensor(StoredTensor),
    /// A tensor subclass that wraps other tensors.
    Subclass(TensorSubclass),
}

/// A tensor subclass, such as torchao's quantised tensors.
#[derive(Clone, Debug)]
pub struct TensorSubclass {
    /// The qualified name of the class, for example `torchao.quantization.IntxUnpackedToInt8Tensor`.
    pub type_name: String,
    /// The plain tensors that it wraps, by attribute: `qdata`, `scale`, `zero_point` and so on. Those that a wrapped subclass
    /// wraps have both attributes, `outer.inner`.
    pub inner: IndexMap<String, StoredTensor>,
}

/// A leaf of the sample inputs.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum SampleValue {
    Tensor(StoredTensor),
    Int(i64),
    Float(f64),
    Bool(bool),
    None,
    Str(String),
}

/// Reads a dict of tensors. A value that cannot be read has an error of its own.
pub(crate) fn read_state_dict(
    file: Bytes,
) -> Result<IndexMap<String, Result<Payload, Error>>, Error> {
    TorchFile::open(file)?.with_pickle(|reader, value| {
        let found = reader.describe(value);
        let pairs = reader.heap.dict(value);
        let pairs = pairs.ok_or_else(|| {
            Error::pickle(format!("a dict of tensors was expected, found {found}"))
        })?;
        let named = pairs.iter().map(|&(key, value)| match key {
            Value::Str(name) => Ok((name.to_owned(), reader.payload(value))),
            other => Err(Error::pickle(format!(
                "a state dict has the key {}",
                reader.describe(other)
            ))),
        });
        named.collect()
    })
}

/// Reads a single tensor.
pub(crate) fn read_payload(file: Bytes) -> Result<Payload, Error> {
    TorchFile::open(file)?.with_pickle(|reader, value| reader.payload(value))
}

/// Reads `(args, kwargs)`, flattened in pytree order; `None` if `None` was saved.
pub(crate) fn read_sample_inputs(file: Bytes) -> Result<Option<Vec<SampleValue>>, Error> {
    TorchFile::open(file)?.with_pickle(|reader, value| {
        if value == Value::None {
            return Ok(None);
        }
        let mut leaves = Leaves {
            found: Vec::new(),
            budget: FLATTENING_BUDGET,
        };
        reader.flatten(value, 0, &mut leaves)?;
        Ok(Some(leaves.found))
    })
}

/// The leaves that were found so far, and the rest of the budget.
struct Leaves {
    found: Vec<SampleValue>,
    budget: usize,
}

impl Leaves {
    fn spend(&mut self, cost: usize) -> Result<(), Error> {
        let rest = self.budget.checked_sub(cost);
        self.budget = rest
            .ok_or_else(|| Error::limit("the sample inputs have too many or too large leaves"))?;
        Ok(())
    }
}

struct TorchFile {
    zip: ZipDirectory,
    pickle: Bytes,
}

impl TorchFile {
    fn open(file: Bytes) -> Result<Self, Error> {
        let zip = ZipDirectory::read(file)?;
        let order = zip.get_rooted("byteorder");
        if order.is_some_and(|order| order != "little"[..]) {
            return Err(Error::unsupported(
                "tensors are saved in big-endian order; save them on a little-endian machine",
            ));
        }
        let pickle = zip.get_rooted("data.pkl");
        let pickle = pickle
            .ok_or_else(|| Error::missing("no `data.pkl`: the file is not one of torch.save"))?;
        if pickle.len() > MAX_PICKLE_BYTES {
            let (found, limit) = (pickle.len(), MAX_PICKLE_BYTES);
            return Err(Error::limit(format!(
                "a pickle of {found} bytes; the limit is {limit}"
            )));
        }
        Ok(Self { zip, pickle })
    }

    fn with_pickle<T>(
        &self,
        read: impl for<'b> FnOnce(&Reader<'b>, Value<'b>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let (heap, value) = pickle::read(&self.pickle)?;
        read(
            &Reader {
                zip: &self.zip,
                heap: &heap,
            },
            value,
        )
    }
}

/// The functions that a pickle of tensors calls, by what they rebuild.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Function {
    Tensor,
    TensorWithDtype,
    Parameter,
    Subclass,
}

impl Function {
    fn of((module, name): (&str, &str)) -> Option<Self> {
        match (module, name) {
            ("torch._utils", "_rebuild_tensor_v2") => Some(Self::Tensor),
            ("torch._utils", "_rebuild_tensor_v3") => Some(Self::TensorWithDtype),
            ("torch._utils", "_rebuild_parameter" | "_rebuild_parameter_with_state") => {
                Some(Self::Parameter)
            }
            ("torch._tensor", "_rebuild_from_type_v2") => Some(Self::Subclass),
            _ => None,
        }
    }
}

/// The element type of a storage class. `UntypedStorage` counts bytes.
fn storage_dtype((module, name): (&str, &str)) -> Option<ScalarType> {
    if module != "torch" && module != "torch.storage" {
        return None;
    }
    Some(match name {
        "FloatStorage" => ScalarType::F32,
        "DoubleStorage" => ScalarType::F64,
        "HalfStorage" => ScalarType::F16,
        "BFloat16Storage" => ScalarType::BF16,
        "LongStorage" => ScalarType::I64,
        "IntStorage" => ScalarType::I32,
        "ShortStorage" => ScalarType::I16,
        "CharStorage" => ScalarType::I8,
        "ByteStorage" | "UntypedStorage" => ScalarType::U8,
        "BoolStorage" => ScalarType::Bool,
        "ComplexFloatStorage" => ScalarType::C64,
        "ComplexDoubleStorage" => ScalarType::C128,
        _ => return None,
    })
}

struct Reader<'a> {
    zip: &'a ZipDirectory,
    heap: &'a Heap<'a>,
}

/// What was found in a subclass.
#[derive(Default)]
struct Unwrapped {
    tensors: IndexMap<String, StoredTensor>,
    /// The number of subclasses.
    wrappers: usize,
}

impl<'a> Reader<'a> {
    fn payload(&self, value: Value<'a>) -> Result<Payload, Error> {
        let (function, args) = self.call(value)?;
        match function {
            Function::Subclass => self.subclass(args),
            Function::Parameter => match args {
                [data, ..] => self.payload_of_parameter(*data),
                [] => Err(Error::pickle("a parameter without data")),
            },
            Function::Tensor | Function::TensorWithDtype => self.tensor(value).map(Payload::Tensor),
        }
    }

    /// A parameter holds a tensor or a subclass, but not another parameter.
    fn payload_of_parameter(&self, data: Value<'a>) -> Result<Payload, Error> {
        match self.call(data)? {
            (Function::Parameter, _) => Err(Error::pickle("a parameter within a parameter")),
            _ => self.payload(data),
        }
    }

    /// Reads `(function, class, args, state)`, where the state maps attributes to tensors.
    fn subclass(&self, args: &[Value<'a>]) -> Result<Payload, Error> {
        let [_, class, _, state] = *args else {
            return Err(Error::pickle(
                "a tensor subclass with other than four arguments",
            ));
        };
        let (module, name) = self
            .heap
            .global(class)
            .ok_or_else(|| Error::pickle("a tensor subclass without class"))?;
        let mut unwrapped = Unwrapped::default();
        self.unwrap(state, "", MAX_WRAPPING, &mut unwrapped)?;
        Ok(Payload::Subclass(TensorSubclass {
            type_name: format!("{module}.{name}"),
            inner: unwrapped.tensors,
        }))
    }

    /// Adds the plain tensors of a subclass's state, each under its attribute behind the prefix.
    fn unwrap(
        &self,
        state: Value<'a>,
        prefix: &str,
        depth: usize,
        unwrapped: &mut Unwrapped,
    ) -> Result<(), Error> {
        unwrapped.wrappers += 1;
        // The state of a class with slots is a pair of dicts, of which the first has the attributes.
        let pair = self.heap.tuple(state);
        let state = pair.and_then(|pair| pair.first()).unwrap_or(&state);
        for &(attribute, value) in self.heap.dict(*state).unwrap_or_default() {
            let (Value::Str(attribute), Ok((function, args))) = (attribute, self.call(value))
            else {
                continue;
            };
            let path = format!("{prefix}{attribute}");
            match (function, args) {
                (Function::Subclass, &[_, _, _, state]) if depth > 1 => {
                    self.unwrap(state, &format!("{path}."), depth - 1, unwrapped)?;
                }
                (Function::Subclass, _) => {
                    let found = "tensor subclasses that nest too deep; unwrap them before export";
                    return Err(Error::unsupported(found));
                }
                (Function::Parameter, [data, ..]) => {
                    unwrapped.tensors.insert(path, self.tensor(*data)?);
                }
                _ => {
                    unwrapped.tensors.insert(path, self.tensor(value)?);
                }
            }
            if unwrapped.tensors.len().max(unwrapped.wrappers) > MAX_INNER_TENSORS {
                return Err(Error::limit("a tensor subclass with too many tensors"));
            }
        }
        Ok(())
    }

    /// Reads `(storage, offset, sizes, strides, requires_grad, hooks, metadata)`. The newer form has a dtype before the
    /// metadata.
    fn tensor(&self, value: Value<'a>) -> Result<StoredTensor, Error> {
        let (function, args) = self.call(value)?;
        let (dtype, metadata) = match (function, args) {
            (Function::Tensor, [_, _, _, _, _, _, rest @ ..]) => (None, rest),
            (Function::TensorWithDtype, [_, _, _, _, _, _, dtype, rest @ ..]) => {
                (Some(*dtype), rest)
            }
            _ => return Err(Error::pickle("a tensor was expected")),
        };
        if metadata.iter().any(|&value| self.holds_something(value)) {
            return Err(Error::unsupported(
                "a tensor is saved as conjugate or negated view; clone it before export",
            ));
        }
        let (storage_dtype, storage) = self.storage(args[0])?;
        let dtype = dtype.map_or(Ok(storage_dtype), |dtype| self.dtype(dtype))?;
        StoredTensor::new(
            dtype,
            self.sizes(args[2])?,
            self.sizes(args[3])?,
            self.size(args[1])?,
            storage,
        )
    }

    fn holds_something(&self, value: Value<'a>) -> bool {
        value != Value::None && self.heap.dict(value).is_none_or(|pairs| !pairs.is_empty())
    }

    /// Reads `("storage", class, key, location, element count)`.
    fn storage(&self, value: Value<'a>) -> Result<(ScalarType, Bytes), Error> {
        let fault = || {
            Error::pickle(format!(
                "a storage was expected, found {}",
                self.describe(value)
            ))
        };
        let Some(&Object::Persistent(id)) = self.heap.object(value) else {
            return Err(fault());
        };
        let Some(&[Value::Str("storage"), class, Value::Str(key), _, count]) = self.heap.tuple(id)
        else {
            return Err(fault());
        };
        let class = self.heap.global(class).ok_or_else(fault)?;
        let dtype = storage_dtype(class).ok_or_else(|| {
            Error::unsupported(format!("storages of class {}.{}", class.0, class.1))
        })?;
        let entry = format!("data/{key}");
        let data = self
            .zip
            .get_rooted(&entry)
            .ok_or_else(|| Error::missing(format!("no storage `{entry}`")))?;
        let needed = dtype
            .size()
            .and_then(|size| self.size(count).ok()?.checked_mul(size));
        match needed {
            Some(needed) if needed <= data.len() => Ok((dtype, data)),
            _ => Err(Error::tensor(format!(
                "storage `{entry}` has {} bytes, fewer than its count of elements",
                data.len()
            ))),
        }
    }

    fn dtype(&self, value: Value<'a>) -> Result<ScalarType, Error> {
        match self.heap.global(value) {
            Some(("torch", name)) if let Some(dtype) = ScalarType::from_torch_name(name) => {
                Ok(dtype)
            }
            _ => Err(Error::unsupported(format!(
                "the dtype {}",
                self.describe(value)
            ))),
        }
    }

    fn sizes(&self, value: Value<'a>) -> Result<Vec<usize>, Error> {
        let items = self
            .heap
            .tuple(value)
            .ok_or_else(|| Error::pickle("sizes or strides that are no tuple"))?;
        if items.len() > MAX_RANK {
            return Err(Error::limit(format!(
                "a tensor of {} axes; torch allows {MAX_RANK}",
                items.len()
            )));
        }
        items.iter().map(|&item| self.size(item)).collect()
    }

    fn size(&self, value: Value<'a>) -> Result<usize, Error> {
        match value {
            Value::Int(value) => usize::try_from(value).ok(),
            _ => None,
        }
        .ok_or_else(|| {
            Error::pickle(format!(
                "a size was expected, found {}",
                self.describe(value)
            ))
        })
    }

    /// The known function of which a value is a call, and its arguments.
    fn call(&self, value: Value<'a>) -> Result<(Function, &'a [Value<'a>]), Error> {
        let refused = || {
            Error::unsupported(format!(
                "{} is not read; only plain tensors and what wraps them are",
                self.describe(value)
            ))
        };
        let Some(&Object::Call { function, args }) = self.heap.object(value) else {
            return Err(refused());
        };
        let function = self
            .heap
            .global(function)
            .and_then(Function::of)
            .ok_or_else(refused)?;
        Ok((function, self.heap.tuple(args).unwrap_or_default()))
    }

    /// Appends the leaves of nested containers. A named tuple is an instance with arguments and without state.
    fn flatten(&self, value: Value<'a>, depth: usize, leaves: &mut Leaves) -> Result<(), Error> {
        if depth > MAX_NESTING {
            return Err(Error::limit(format!(
                "the sample inputs nest deeper than {MAX_NESTING}"
            )));
        }
        leaves.spend(1)?;
        match self.heap.object(value) {
            Some(Object::Tuple(items) | Object::List(items)) => {
                self.flatten_all(items, depth, leaves)
            }
            Some(Object::Dict(pairs)) => pairs
                .iter()
                .try_for_each(|pair| self.flatten(pair.1, depth + 1, leaves)),
            Some(&Object::Instance {
                args,
                has_state: false,
                ..
            }) if let Some(items @ [_, ..]) = self.heap.tuple(args) => {
                self.flatten_all(items, depth, leaves)
            }
            _ => {
                if let Value::Str(text) = value {
                    leaves.spend(text.len())?;
                }
                leaves.found.push(self.leaf(value)?);
                Ok(())
            }
        }
    }

    fn flatten_all(
        &self,
        items: &[Value<'a>],
        depth: usize,
        leaves: &mut Leaves,
    ) -> Result<(), Error> {
        items
            .iter()
            .try_for_each(|&item| self.flatten(item, depth + 1, leaves))
    }

    fn leaf(&self, value: Value<'a>) -> Result<SampleValue, Error> {
        Ok(match value {
            Value::None => SampleValue::None,
            Value::Bool(value) => SampleValue::Bool(value),
            Value::Int(value) => SampleValue::Int(value),
            Value::Float(value) => SampleValue::Float(value),
            Value::Str(value) => SampleValue::Str(value.to_owned()),
            Value::Object(_) => match self.payload(value)? {
                Payload::Tensor(tensor) => SampleValue::Tensor(tensor),
                Payload::Subclass(subclass) => {
                    return Err(Error::unsupported(format!(
                        "a sample input of class {}",
                        subclass.type_name
                    )));
                }
            },
        })
    }

    /// A description of a value, for messages.
    fn describe(&self, value: Value<'a>) -> String {
        let object = match self.heap.object(value) {
            None => return shorten(&format!("{value:?}")),
            Some(object) => object,
        };
        let (what, named) = match object {
            Object::Tuple(_) => return "a tuple".to_owned(),
            Object::List(_) => return "a list".to_owned(),
            Object::Dict(_) => return "a dict".to_owned(),
            Object::Persistent(_) => return "a storage".to_owned(),
            Object::Global(..) => ("the name", value),
            Object::Call { function, .. } => ("a call of", *function),
            Object::Instance { class, .. } => ("an object of class", *class),
        };
        let (module, name) = self.heap.global(named).unwrap_or(("?", "?"));
        format!("{what} {}", shorten(&format!("{module}.{name}")))
    }
}

/// Text from the file, shortened for a message.
fn shorten(text: &str) -> String {
    text.chars().take(120).collect()
}

//! Reading a payload.
//!
//! Contract: takes what the stock runtime 1.5.1 takes, with header or (old payloads) without, and refuses the rest
//! with a reason. The result obeys [`check`](super::check()), except that a node may read a value that nothing writes:
//! ExecuTorch's writer makes such payloads, and the runtime loads them. Inline constants share the input's bytes.

use std::collections::HashMap;

use bytes::Bytes;
use kiln_pte::flatbuffer::{Budget, Expands, describe};

use super::graph::{ConstantData, ConstantIndex, External, ValueId, XnnGraph, XnnValue};
use super::payload_fb::xnnpack as fb;
use super::quant::{Datatype, Quant, Scales};
use super::{Fault, HEADER_LENGTH, IDENTIFIER, IDENTIFIER_OLD, MAGIC, NONE, check, decode};

/// Why bytes are not a payload that the stock runtime would take.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    /// A part ends beyond the payload.
    #[error("the payload is cut off: {what} ends at byte {needed}, but there are {found}")]
    Truncated {
        /// What does not fit.
        what: String,
        /// Where it ends.
        needed: u64,
        /// How many bytes there are.
        found: u64,
    },
    /// Not this format.
    #[error("not an XNNPACK payload: the identifier is {found:02x?}, not \"XN01\" or \"XN00\"")]
    Identifier {
        /// What is where the identifier belongs.
        found: [u8; 4],
    },
    /// A table of the flatbuffer is out of bounds, or holds a code that the schema does not have.
    #[error("the payload's flatbuffer is wrong: {0}")]
    Flatbuffer(String),
    /// A field that the runtime needs is absent.
    #[error("{0} is absent")]
    Missing(&'static str),
    /// A list is shorter than the number beside it says, or longer than any rank.
    #[error("{what} has {found} items, but {needed} are needed (6 at most)")]
    Dims {
        /// The list.
        what: &'static str,
        /// Its length.
        found: usize,
        /// What the number says.
        needed: usize,
    },
    /// A node names a value that is not there.
    #[error("a node refers to value {0}, which is not there")]
    UnknownValue(u32),
    /// Two values have one number.
    #[error("two values have the number {0}")]
    RepeatedValue(u32),
    /// Bits of a value's flags that the runtime does not take.
    #[error("a value has the flags {0:#x}; only 1 (input) and 2 (output) are known")]
    Flags(u32),
    /// Tables of the flatbuffer are shared too often.
    #[error("the payload is not taken: {0}")]
    Expands(#[from] Expands),
    /// The tables are sound, but what they say breaks a rule.
    #[error(transparent)]
    Fault(#[from] Fault),
}

impl From<planus::Error> for ReadError {
    fn from(error: planus::Error) -> Self {
        ReadError::Flatbuffer(describe(&error))
    }
}

/// Reads a payload.
pub fn read(blob: Bytes) -> Result<XnnGraph, ReadError> {
    let (flatbuffer, constants) = split(&blob)?;
    let found: [u8; 4] = field(&flatbuffer, 4, "the identifier")?;
    if found != *IDENTIFIER && found != *IDENTIFIER_OLD {
        return Err(ReadError::Identifier { found });
    }
    let root = <fb::XnnGraphRef<'_> as planus::ReadAsRoot>::read_as_root(&flatbuffer)?;
    let mut reader = Reader {
        budget: Budget::new(flatbuffer.len() as u64),
        flatbuffer: &flatbuffer,
        constants,
    };
    let graph = reader.graph(&root)?;
    check::check_tables(&graph)?;
    Ok(graph)
}

/// The flatbuffer and the inline constants. A payload without header is a flatbuffer and nothing else.
fn split(blob: &Bytes) -> Result<(Bytes, Bytes), ReadError> {
    if blob.get(4..8) != Some(&MAGIC[..]) {
        return Ok((blob.clone(), Bytes::new()));
    }
    part(blob, "the header", 0, HEADER_LENGTH.into())?;
    let number =
        |at| Ok::<u64, ReadError>(u32::from_le_bytes(field(blob, at, "the header")?).into());
    let flatbuffer = part(blob, "the flatbuffer", number(10)?, number(14)?)?;
    let constant_size = u64::from_le_bytes(field(blob, 22, "the header")?);
    Ok((
        flatbuffer,
        part(blob, "the constants", number(18)?, constant_size)?,
    ))
}

fn part(whole: &Bytes, what: &str, start: u64, size: u64) -> Result<Bytes, ReadError> {
    let found = whole.len() as u64;
    match start.checked_add(size) {
        Some(end) if end <= found => Ok(whole.slice(start as usize..end as usize)),
        end => Err(ReadError::Truncated {
            what: what.to_owned(),
            needed: end.unwrap_or(u64::MAX),
            found,
        }),
    }
}

fn field<const N: usize>(whole: &Bytes, start: u64, what: &str) -> Result<[u8; N], ReadError> {
    let bytes = part(whole, what, start, N as u64)?;
    Ok(bytes[..].try_into().expect("a part has the size asked for"))
}

/// A field that must be there.
pub(super) fn required<T>(what: &'static str, field: Option<T>) -> Result<T, ReadError> {
    field.ok_or(ReadError::Missing(what))
}

/// A short list, as long as `count` says; absent is empty.
pub(super) fn dims(
    what: &'static str,
    list: Option<planus::Vector<'_, u32>>,
    count: Option<u32>,
) -> Result<Vec<u32>, ReadError> {
    let list = list.unwrap_or(planus::Vector::new_empty());
    let needed = count.map_or(list.len(), |count| count as usize);
    if needed > check::MAX_RANK || needed > list.len() {
        return Err(ReadError::Dims {
            what,
            found: list.len(),
            needed,
        });
    }
    Ok(list.iter().take(needed).collect())
}

/// The values by the file's numbers.
#[derive(Default)]
pub(super) struct Ids {
    by_number: HashMap<u32, ValueId>,
}

impl Ids {
    /// The value with a number.
    pub fn get(&self, number: u32) -> Result<ValueId, ReadError> {
        self.by_number
            .get(&number)
            .copied()
            .ok_or(ReadError::UnknownValue(number))
    }
}

/// What a graph is read from.
struct Reader<'a> {
    budget: Budget,
    flatbuffer: &'a Bytes,
    constants: Bytes,
}

impl<'a> Reader<'a> {
    fn graph(&mut self, root: &fb::XnnGraphRef<'a>) -> Result<XnnGraph, ReadError> {
        let mut graph = XnnGraph {
            num_externs: root.num_externs()?,
            ..XnnGraph::default()
        };
        let mut ids = Ids::default();
        let values = required("XNNGraph.xvalues", root.xvalues()?)?;
        self.budget.charge::<XnnValue>(values.len())?;
        for value in values {
            let (number, value) = self.value(&value?)?;
            let id = graph.add_value(value);
            if ids.by_number.insert(number, id).is_some() {
                return Err(ReadError::RepeatedValue(number));
            }
        }
        let nodes = required("XNNGraph.xnodes", root.xnodes()?)?;
        self.budget.charge::<super::XnnNode>(nodes.len())?;
        for node in nodes {
            graph.nodes.push(decode::node(&ids, &node?)?);
        }
        graph.constants = self.all_constants(root)?;
        Ok(graph)
    }

    /// From the list of new payloads, or that of old ones. The first entry is reserved.
    fn all_constants(
        &mut self,
        root: &fb::XnnGraphRef<'a>,
    ) -> Result<Vec<ConstantData>, ReadError> {
        let mut constants = Vec::new();
        if let Some(entries) = root.constant_data()?.filter(|entries| !entries.is_empty()) {
            self.budget.charge::<ConstantData>(entries.len())?;
            for entry in entries.iter().skip(1) {
                constants.push(self.constant(&entry?)?);
            }
            return Ok(constants);
        }
        let entries = root
            .constant_buffer()?
            .unwrap_or(planus::Vector::new_empty());
        self.budget.charge::<ConstantData>(entries.len())?;
        for entry in entries.iter().skip(1) {
            let data = entry?.storage()?.unwrap_or_default();
            constants.push(ConstantData::Inline(self.flatbuffer.slice_ref(data)));
        }
        Ok(constants)
    }

    fn constant(
        &mut self,
        entry: &fb::ConstantDataOffsetRef<'a>,
    ) -> Result<ConstantData, ReadError> {
        match entry.named_key()? {
            Some(key) if entry.offset()? == u64::MAX => {
                self.budget.charge::<u8>(key.len())?;
                Ok(ConstantData::Named(key.to_owned()))
            }
            _ => part(
                &self.constants,
                "a constant",
                entry.offset()?,
                entry.size()?,
            )
            .map(ConstantData::Inline),
        }
    }

    fn value(&mut self, value: &fb::XValueRef<'a>) -> Result<(u32, XnnValue), ReadError> {
        let (tensor, quant) = match required("XValue.xvalue_union", value.xvalue_union()?)? {
            fb::XValueUnionRef::XnnTensorValue(tensor) => (tensor, None),
            fb::XValueUnionRef::XnnQuantizedTensorValue(value) => (
                required(
                    "XNNQuantizedTensorValue.tensor_value",
                    value.tensor_value()?,
                )?,
                Some(required(
                    "XNNQuantizedTensorValue.quant_params",
                    value.quant_params()?,
                )?),
            ),
        };
        let code = tensor.datatype()? as i16;
        let value = XnnValue {
            datatype: Datatype::from_code(code).ok_or(ReadError::Missing("a value's datatype"))?,
            quant: quant.map(|quant| self.quant(&quant)).transpose()?,
            dims: dims(
                "XNNTensorValue.dims",
                tensor.dims()?,
                Some(tensor.num_dims()?),
            )?,
            constant: tensor
                .constant_buffer_idx()?
                .checked_sub(1)
                .map(ConstantIndex),
            external: external(&tensor)?,
        };
        Ok((tensor.id_out()?, value))
    }

    fn quant(&mut self, quant: &fb::XnnQuantParamsRef<'a>) -> Result<Quant, ReadError> {
        use fb::XnnQuantParamsRef as Kind;
        Ok(match quant {
            Kind::PerTensorQuant(q) => Quant::PerTensor {
                scale: q.scale()?.unwrap_or(0.0),
                zero_point: q.zero_point()?,
            },
            Kind::PerTokenDynamicQuant(q) => Quant::PerTokenDynamic {
                num_nonbatch_dims: q.num_nonbatch_dims()?,
            },
            Kind::PerChannelQuant(q) => Quant::PerChannel {
                scales: self.scales(q.scale()?, q.scale_buffer_idx()?, q.num_scales()?)?,
                channel_dim: q.channel_dim()?,
            },
            Kind::PerChannelGroupQuant(q) => Quant::PerGroup {
                scales: self.scales(q.scale()?, q.scale_buffer_idx()?, q.num_scales()?)?,
                channel_dim: q.channel_dim()?,
                group_size: q.group_size()?,
            },
        })
    }

    fn scales(
        &mut self,
        inline: Option<planus::Vector<'a, f32>>,
        index: u32,
        count: u32,
    ) -> Result<Scales, ReadError> {
        if let Some(index) = index.checked_sub(1) {
            return Ok(Scales::Constant {
                data: ConstantIndex(index),
                count,
            });
        }
        let scales = required("the scales of a value", inline)?;
        self.budget.charge::<f32>(scales.len())?;
        Ok(Scales::Inline(scales.iter().collect()))
    }
}

fn external(tensor: &fb::XnnTensorValueRef<'_>) -> Result<Option<External>, ReadError> {
    let (position, flags) = (tensor.external_id()?, tensor.flags()?);
    match flags {
        0 if position == NONE => Ok(None),
        0..=3 => Ok(Some(External {
            position,
            input: flags & 1 != 0,
            output: flags & 2 != 0,
        })),
        _ => Err(ReadError::Flags(flags)),
    }
}

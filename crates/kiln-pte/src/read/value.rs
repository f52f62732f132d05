//! Reads the values of a method.

use super::{ReadError, Reader, required, unsigned};
use crate::program_fb::executorch as fb;
use crate::{
    ArenaSlot, ConstantIndex, Dynamism, InitialIndex, ScalarType, TensorStorage, TensorValue, Value,
};
use crate::{ValueIndex, value::MAX_RANK};

impl<'a> Reader<'a> {
    /// Reads a value. Its payload must be present, unless it is `None`.
    pub(super) fn value(&mut self, value: &fb::EValueRef<'a>) -> Result<Value, ReadError> {
        use fb::KernelTypesRef as Kind;
        Ok(match required("EValue.val", value.val()?)? {
            Kind::Null(_) => Value::None,
            Kind::Int(int) => Value::Int(int.int_val()?),
            Kind::Bool(flag) => Value::Bool(flag.bool_val()?),
            Kind::Double(double) => Value::Double(double.double_val()?.unwrap_or(0.0)),
            Kind::Tensor(tensor) => Value::Tensor(self.tensor(&tensor)?),
            Kind::String(text) => {
                Value::String(self.string(required("String.string_val", text.string_val()?)?)?)
            }
            Kind::IntList(list) => Value::IntList(self.int_list(&list)?),
            Kind::DoubleList(list) => {
                let items = required("DoubleList.items", list.items()?)?;
                Value::DoubleList(self.list(Some(items), |_, item| Ok(item))?)
            }
            Kind::BoolList(list) => {
                let items = required("BoolList.items", list.items()?)?;
                Value::BoolList(self.list(Some(items), |_, item| Ok(item))?)
            }
            Kind::TensorList(list) => {
                let items = required("TensorList.items", list.items()?)?;
                Value::TensorList(self.indices("an item of a TensorList", Some(items))?)
            }
            Kind::OptionalTensorList(list) => {
                Value::OptionalTensorList(self.optional_items(&list)?)
            }
        })
    }

    fn int_list(&mut self, list: &fb::IntListRef<'a>) -> Result<Vec<ValueIndex>, ReadError> {
        let items = required("IntList.items", list.items()?)?;
        self.list(Some(items), |_, item| {
            let (what, allowed) = ("an item of an IntList", "the index of a value");
            u32::try_from(item)
                .map(ValueIndex)
                .map_err(|_| ReadError::Value {
                    what,
                    found: item.into(),
                    allowed,
                })
        })
    }

    fn optional_items(
        &mut self,
        list: &fb::OptionalTensorListRef<'a>,
    ) -> Result<Vec<Option<ValueIndex>>, ReadError> {
        let items = required("OptionalTensorList.items", list.items()?)?;
        self.list(Some(items), |_, item| match item {
            -1 => Ok(None),
            item => unsigned("an item of an OptionalTensorList", item)
                .map(|index| Some(ValueIndex(index))),
        })
    }

    fn tensor(&mut self, tensor: &fb::TensorRef<'a>) -> Result<TensorValue, ReadError> {
        let offset = tensor.storage_offset()?;
        if offset != 0 {
            let (what, allowed) = ("Tensor.storage_offset", "0");
            return Err(ReadError::Value {
                what,
                found: offset.into(),
                allowed,
            });
        }
        let sizes = required("Tensor.sizes", tensor.sizes()?)?;
        let dim_order = required("Tensor.dim_order", tensor.dim_order()?)?;
        if sizes.len().max(dim_order.len()) > MAX_RANK {
            let found = sizes.len().max(dim_order.len()) as i128;
            return Err(ReadError::Value {
                what: "a tensor's rank",
                found,
                allowed: "at most 16",
            });
        }
        self.budget.charge::<u8>(dim_order.len())?;
        let code = tensor.scalar_type()? as u8;
        let dtype = ScalarType::from_code(code).expect("the schema's codes are ScalarType's");
        let name = tensor
            .extra_tensor_info()?
            .map(|extra| extra.fully_qualified_name())
            .transpose()?
            .flatten();
        Ok(TensorValue {
            dtype,
            sizes: self.list(Some(sizes), |_, size| unsigned("a tensor's dim", size))?,
            dim_order: dim_order.to_vec(),
            dynamism: dynamism(tensor)?,
            storage: storage(tensor)?,
            name: name
                .filter(|name| !name.is_empty())
                .map(|name| self.string(name))
                .transpose()?,
        })
    }
}

fn dynamism(tensor: &fb::TensorRef<'_>) -> Result<Dynamism, ReadError> {
    match tensor.shape_dynamism()? {
        fb::TensorShapeDynamism::Static => Ok(Dynamism::Static),
        fb::TensorShapeDynamism::DynamicBound => Ok(Dynamism::Bounded),
        fb::TensorShapeDynamism::DynamicUnbound => Err(ReadError::Unsupported(
            "a tensor without bound on its shape (DYNAMIC_UNBOUND)".to_owned(),
        )),
    }
}

fn storage(tensor: &fb::TensorRef<'_>) -> Result<TensorStorage, ReadError> {
    let slot = tensor
        .allocation_info()?
        .map(|allocation| slot(&allocation))
        .transpose()?;
    if let Some(extra) = tensor.extra_tensor_info()? {
        if extra.device_type()? != fb::DeviceType::Cpu {
            return Err(ReadError::Unsupported(format!(
                "a tensor on the device {:?}",
                extra.device_type()?
            )));
        }
        if extra.location()? == fb::TensorDataLocation::External {
            return Ok(TensorStorage::External(slot));
        }
    }
    Ok(match (tensor.data_buffer_idx()?.checked_sub(1), slot) {
        (None, None) => TensorStorage::Unallocated,
        (None, Some(slot)) => TensorStorage::Planned(slot),
        (Some(index), None) => TensorStorage::Constant(ConstantIndex(index)),
        (Some(index), Some(slot)) => TensorStorage::PlannedWithInitial(slot, InitialIndex(index)),
    })
}

fn slot(allocation: &fb::AllocationDetailsRef<'_>) -> Result<ArenaSlot, ReadError> {
    let (low, high) = (
        allocation.memory_offset_low()?,
        allocation.memory_offset_high()?,
    );
    let (what, allowed) = ("AllocationDetails.memory_id", "1 or more");
    let arena = allocation
        .memory_id()?
        .checked_sub(1)
        .ok_or(ReadError::Value {
            what,
            found: 0,
            allowed,
        })?;
    Ok(ArenaSlot {
        arena,
        offset: u64::from(high) << 32 | u64::from(low),
    })
}

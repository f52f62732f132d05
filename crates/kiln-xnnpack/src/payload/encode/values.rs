//! The values of a payload: tensors and their quantisation.

use super::super::graph::XnnValue;
use super::super::quant::{Quant, Scales};
use super::{Encoder, NONE, fb, unless_zero};
use planus::WriteAsOffset;

impl<'a> Encoder<'a> {
    pub(super) fn value(&mut self, value: &'a XnnValue, id: u32) -> planus::Offset<fb::XValue> {
        let tensor = self.tensor(value, id);
        let union = match &value.quant {
            None => fb::XValueUnion::create_xnn_tensor_value(&mut self.builder, tensor),
            Some(params) => {
                let params = self.quant(params);
                let table = fb::XnnQuantizedTensorValue::create(&mut self.builder, tensor, params);
                fb::XValueUnion::create_xnn_quantized_tensor_value(&mut self.builder, table)
            }
        };
        fb::XValue::create(&mut self.builder, union)
    }

    fn tensor(&mut self, value: &'a XnnValue, id: u32) -> planus::Offset<fb::XnnTensorValue> {
        let external = value.external;
        let flag = |set: bool, bit: u32| if set { bit } else { 0 };
        let datatype: fb::XnnDatatype = value
            .datatype
            .code()
            .try_into()
            .expect("Datatype's codes are the schema's");
        let dims = self.list(&value.dims);
        fb::XnnTensorValue::create(
            &mut self.builder,
            datatype,
            value.dims.len() as u32,
            dims,
            value.constant.map_or(0, |constant| constant.0 + 1),
            external.map_or(NONE, |external| external.position),
            external.map_or(0, |external| {
                flag(external.input, 1) | flag(external.output, 2)
            }),
            id,
            fb::XnnDatatype::Invalid,
        )
    }

    fn quant(&mut self, params: &Quant) -> planus::UnionOffset<fb::XnnQuantParams> {
        match params {
            &Quant::PerTensor { scale, zero_point } => {
                let builder = &mut self.builder;
                let known = self.per_tensor.entry((scale.to_bits(), zero_point));
                let table = *known.or_insert_with(|| {
                    fb::PerTensorQuant::create(builder, unless_zero(scale), zero_point)
                });
                fb::XnnQuantParams::create_per_tensor_quant(builder, table)
            }
            Quant::PerChannel {
                scales,
                channel_dim,
            } => {
                let (scale, index, count) = self.scales(scales);
                let builder = &mut self.builder;
                let table = fb::PerChannelQuant::create(builder, scale, *channel_dim, index, count);
                fb::XnnQuantParams::create_per_channel_quant(builder, table)
            }
            &Quant::PerTokenDynamic { num_nonbatch_dims } => {
                let builder = &mut self.builder;
                let table = fb::PerTokenDynamicQuant::create(builder, num_nonbatch_dims);
                fb::XnnQuantParams::create_per_token_dynamic_quant(builder, table)
            }
            Quant::PerGroup {
                scales,
                channel_dim,
                group_size,
            } => {
                let (scale, index, count) = self.scales(scales);
                let builder = &mut self.builder;
                let table = fb::PerChannelGroupQuant::create(
                    builder,
                    scale,
                    *channel_dim,
                    *group_size,
                    index,
                    count,
                );
                fb::XnnQuantParams::create_per_channel_group_quant(builder, table)
            }
        }
    }

    /// The list of scales, the index of the constant that has them instead, and their number. The list is there even if it is empty: the
    /// runtime reads its length first.
    fn scales(&mut self, scales: &Scales) -> (planus::Offset<[f32]>, u32, u32) {
        let builder = &mut self.builder;
        match scales {
            Scales::Inline(scales) => {
                let list = WriteAsOffset::prepare(scales, builder);
                (list, 0, scales.len() as u32)
            }
            Scales::Constant { data, count } => {
                let empty: &[f32] = &[];
                let none = &mut self.no_scales;
                let none = none.get_or_insert_with(|| WriteAsOffset::prepare(empty, builder));
                (*none, data.0 + 1, *count)
            }
        }
    }
}

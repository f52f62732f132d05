//! Casts, quantisations and dequantisations.

use crate::dialect::{
    Activation, Cast, Clamp, Dequantise, Dtype, ElementType, Function, IntegerFunction, Map,
    Quantise,
};
use crate::lower::parts::{TensorId, dtype_of, int};
use crate::lower::{Lowering, Order};
use crate::orders::ROWS;
use kiln_ir::graph::Node;
use kiln_ir::{DType, Quant, QuantScheme, Scalar, TensorData};
use kiln_transforms::framework::target::Reason;

fn element_type(dtype: DType) -> Result<ElementType, Reason> {
    Ok(match dtype {
        DType::Bool => ElementType::Bool,
        DType::U8 => ElementType::U8,
        DType::I8 => ElementType::S8,
        DType::I16 => ElementType::S16,
        DType::I32 => ElementType::S32,
        DType::I64 => ElementType::S64,
        DType::F32 => ElementType::F32,
        other => {
            let reason = Reason::new("no kernel converts numbers of this type", other.name());
            return Err(reason.advise("export the model in float32"));
        }
    })
}

fn is_half(dtype: DType) -> bool {
    matches!(dtype, DType::F16 | DType::BF16)
}

impl Lowering<'_> {
    pub(super) fn cast(
        &mut self,
        node: &Node,
        to: DType,
        order: &Order,
    ) -> Result<TensorId, Reason> {
        let from = self.graph.ty(node.operands[0]).dtype;
        let x = self.operand(node.operands[0], order)?;
        self.as_type(x, from, to)
    }

    /// The elements in another type.
    pub(in crate::lower) fn as_type(
        &mut self,
        x: TensorId,
        from: DType,
        to: DType,
    ) -> Result<TensorId, Reason> {
        if from == to {
            return Ok(x);
        }
        if is_half(from) {
            let wide = self.converted(x, from, DType::F32)?;
            return self.as_type(wide, DType::F32, to);
        }
        if is_half(to) {
            let wide = self.as_type(x, from, DType::F32)?;
            return self.converted(wide, DType::F32, to);
        }
        let cast = Cast {
            from: element_type(from)?,
            to: element_type(to)?,
            size: int(self.parts.elements(x))?,
        };
        let sizes = self.parts.sizes(x).to_vec();
        let y = self.parts.temporary(cast.to.dtype(), &sizes);
        self.parts
            .call(Function::KilnCast, cast, &[Some(x), Some(y)])?;
        Ok(y)
    }

    /// Floats of 16 bits as those of 32, or the other way round.
    fn converted(&mut self, x: TensorId, from: DType, to: DType) -> Result<TensorId, Reason> {
        let function = match (from, to) {
            (DType::F16, _) => Function::KilnF16ToF32,
            (DType::BF16, _) => Function::KilnBf16ToF32,
            (_, DType::F16) => Function::KilnF32ToF16,
            _ => Function::KilnF32ToBf16,
        };
        let size = int(self.parts.elements(x))?;
        let sizes = self.parts.sizes(x).to_vec();
        let y = self.parts.temporary(dtype_of(to)?, &sizes);
        self.parts
            .call(function, Map { size }, &[Some(x), Some(y)])?;
        Ok(y)
    }

    /// The sizes in front of the axis of a quantisation's parameters, along it, and behind it.
    fn along(&self, x: TensorId, quant: &Quant, order: &Order) -> Result<[i32; 3], Reason> {
        let sizes = self.parts.sizes(x);
        let axis = match &quant.scheme {
            QuantScheme::PerTensor { .. } => return Ok([1, 1, int(sizes.iter().product())?]),
            QuantScheme::PerChannel { axis, .. } => order.position(*axis, ROWS),
            QuantScheme::PerGroup { .. } => {
                return Err(Reason::new("parameters are by channel", "groups"));
            }
        };
        Ok([
            int(sizes[..axis].iter().product())?,
            int(sizes[axis])?,
            int(sizes[axis + 1..].iter().product())?,
        ])
    }

    fn floats(&mut self, what: &str, values: Vec<f32>) -> TensorId {
        let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        self.parts
            .constant(what, Dtype::F32, &[values.len()], bytes)
    }

    fn zero_points(&mut self, quant: &Quant) -> TensorId {
        let zeros = quant.scheme.zero_points().iter();
        let zeros: Vec<i32> = zeros.map(|&zero| zero as i32).collect();
        self.parts.words("zero_points", &zeros)
    }

    pub(super) fn quantize(
        &mut self,
        node: &Node,
        (quant, dtype): (&Quant, DType),
        order: &Order,
    ) -> Result<TensorId, Reason> {
        let x = self.operand(node.operands[0], order)?;
        self.check_float(x)?;
        if dtype == DType::I32 {
            return self.quantize_words(x, quant);
        }
        let (function, dtype) = match dtype_of(dtype)? {
            Dtype::I8 => (Function::KilnQuantizeS8, Dtype::I8),
            Dtype::U8 => (Function::KilnQuantizeU8, Dtype::U8),
            Dtype::I16 => (Function::KilnQuantizeS16, Dtype::I16),
            other => {
                return Err(Reason::new(
                    "floats become integers of 16 bits",
                    other.name(),
                ));
            }
        };
        let [outer, n, inner] = self.along(x, quant, order)?;
        let scales = quant.scheme.scales().iter();
        let inverse = scales.map(|&scale| (1.0 / scale) as f32).collect();
        let scales = self.floats("inverse_scales", inverse);
        let zero_points = self.zero_points(quant);
        let quantise = Quantise {
            outer,
            n,
            inner,
            activation: Activation {
                min: quant.min as i32,
                max: quant.max as i32,
            },
        };
        let sizes = self.parts.sizes(x).to_vec();
        let y = self.parts.temporary(dtype, &sizes);
        let slots = [Some(x), Some(scales), Some(zero_points), Some(y)];
        let scale = quant.scheme.scales().first().copied();
        self.parts.call_of(function, quantise, &slots, scale)?;
        Ok(y)
    }

    /// Quantises to 32-bit integers. Floats hold only 24 of their bits, so the product is rounded and clamped as a float, and the
    /// zero point is added as an integer.
    fn quantize_words(&mut self, x: TensorId, quant: &Quant) -> Result<TensorId, Reason> {
        /// The greatest float that is a 32-bit integer.
        const MOST: f32 = 2_147_483_520.0;
        let QuantScheme::PerTensor { scale, zero_point } = quant.scheme else {
            return Err(Reason::new(
                "32-bit integers have one scale",
                "scales by channel",
            ));
        };
        let sizes = self.parts.sizes(x).to_vec();
        let size = int(self.parts.elements(x))?;
        let inverse = self.floats("inverse_scale", vec![(1.0 / scale) as f32]);
        let one = vec![1; sizes.len()];
        let inverse = self.parts.view(inverse, &one);
        let scaled = self.float_pair(Function::KilnMulF32, [x, inverse], &sizes)?;
        let rounded = self.parts.temporary(Dtype::F32, &sizes);
        let slots = [Some(scaled), Some(rounded)];
        self.parts
            .call(Function::KilnRoundF32, Map { size }, &slots)?;
        let limits = [quant.min, quant.max].map(|end| (end - zero_point) as f32);
        let clamp = Clamp {
            min: limits[0].max(i32::MIN as f32),
            max: limits[1].min(MOST),
            size,
        };
        let limited = self.parts.temporary(Dtype::F32, &sizes);
        let slots = [Some(rounded), Some(limited)];
        self.parts.call(Function::KilnClampF32, clamp, &slots)?;
        let words = self.as_type(limited, DType::F32, DType::I32)?;
        match zero_point {
            0 => Ok(words),
            zero => self.with_number(words, IntegerFunction::Add, zero, true),
        }
    }

    pub(super) fn dequantize(&mut self, node: &Node, order: &Order) -> Result<TensorId, Reason> {
        if self.graph.ty(node.results[0]).dtype != DType::F32 {
            return Err(self.no_kernel(node));
        }
        let quant = self.quant(node.operands[0])?.clone();
        let x = self.operand(node.operands[0], order)?;
        let function = match self.parts.dtype(x) {
            Dtype::I8 => Function::KilnDequantizeS8,
            Dtype::U8 => Function::KilnDequantizeU8,
            Dtype::I16 => Function::KilnDequantizeS16,
            Dtype::I32 => Function::KilnDequantizeS32,
            other => return Err(Reason::new("integers become floats", other.name())),
        };
        let [outer, n, inner] = self.along(x, &quant, order)?;
        let scales = quant.scheme.scales().iter().map(|&scale| scale as f32);
        let scales = self.floats("scales", scales.collect());
        let zero_points = self.zero_points(&quant);
        let sizes = self.parts.sizes(x).to_vec();
        let y = self.parts.temporary(Dtype::F32, &sizes);
        let slots = [Some(x), Some(scales), Some(zero_points), Some(y)];
        self.parts
            .call(function, Dequantise { outer, n, inner }, &slots)?;
        Ok(y)
    }

    /// The most numbers that are written out.
    pub(super) fn iota(&mut self, node: &Node, dtype: DType) -> Result<TensorId, Reason> {
        const MOST: usize = 1 << 20;
        let sizes = self.sizes(node.result(), &Order::plain(1))?;
        if sizes[0] > MOST {
            let rule = format!("at most {MOST} numbers are written out");
            return Err(Reason::new(rule, sizes[0].to_string()));
        }
        let numbers = (0..sizes[0]).map(|i| match dtype.is_float() {
            true => Scalar::Float(i as f64),
            false => Scalar::Int(i as i64),
        });
        let data = TensorData::from_scalars(dtype, sizes.clone(), numbers);
        self.parts.data("numbers", &data)
    }
}

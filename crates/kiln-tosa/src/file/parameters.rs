//! Operators from files: the table of attributes, and the compile-time operands that are attributes here.

use super::operand::{Value, table_type};
use super::tosa_fb::tosa as fb;
use super::tosa_fb::tosa::AttributeRef as A;
use super::{ReadError, code};
use crate::dialect::{
    ArgMax, AvgPool, Clamp, CondIf, Conv, Custom, Kind, MatMul, MaxPool, NanMode, Negate, Pad,
    RegionId, Rescale, Resize, ResizeMode, Rounding, Slice, TensorType, TosaDtype, TosaOp,
    TransposeConv, WhileLoop,
};
use bytes::Bytes;
use kiln_ir::Scalar;
use rustc_hash::FxHashMap;

/// The parts of a file from which an operator is made.
pub(super) struct Parts<'a> {
    pub kind: Kind,
    pub attributes: Option<A<'a>>,
    /// The compile-time operands, in the order of the operator's row.
    pub values: Vec<Value>,
    pub operands: &'a [TensorType],
    pub results: &'a [TensorType],
    /// The regions by name.
    pub regions: &'a FxHashMap<&'a str, RegionId>,
}

/// Why there is no operator: a message, or an error of the flatbuffer.
pub(super) enum Wrong {
    /// The values make no operator.
    What(String),
    /// The flatbuffer is broken.
    File(ReadError),
}

impl From<String> for Wrong {
    fn from(what: String) -> Self {
        Wrong::What(what)
    }
}

impl From<planus::Error> for Wrong {
    fn from(error: planus::Error) -> Self {
        Wrong::File(error.into())
    }
}

impl From<u64> for Wrong {
    fn from(limit: u64) -> Self {
        Wrong::File(limit.into())
    }
}

type Made<T> = Result<T, Wrong>;

impl Parts<'_> {
    /// Makes the operator.
    pub fn op(self) -> Made<TosaOp> {
        let op = match &self.attributes {
            None => None,
            Some(attributes) => match self.windowed(attributes)? {
                Some(op) => Some(op),
                None => self.attributed(attributes)?,
            },
        };
        match op.or_else(|| plain(self.kind)) {
            Some(op) => Ok(op),
            None => self.by_operands(),
        }
    }

    /// Makes an operator with windows.
    fn windowed(&self, attributes: &A<'_>) -> Made<Option<TosaOp>> {
        Ok(Some(match (self.kind, attributes) {
            (Kind::AvgPool2d, A::AvgPool2d(a)) => TosaOp::AvgPool2d(AvgPool {
                kernel: sizes(a.kernel()?)?,
                stride: sizes(a.stride()?)?,
                pad: pairs(a.pad()?)?,
                acc: dtype(a.acc_type()?)?,
                input_zp: self.operand_zero(0, 0)?,
                output_zp: self.result_zero(1)?,
            }),
            (Kind::MaxPool2d, A::MaxPool2d(a)) => TosaOp::MaxPool2d(MaxPool {
                kernel: sizes(a.kernel()?)?,
                stride: sizes(a.stride()?)?,
                pad: pairs(a.pad()?)?,
                nan_mode: nan_mode(a.nan_mode()?)?,
            }),
            (Kind::Conv2d, A::Conv2d(a)) => TosaOp::Conv2d(self.conv(a)?),
            (Kind::Conv3d, A::Conv3d(a)) => TosaOp::Conv3d(self.conv(a)?),
            (Kind::DepthwiseConv2d, A::DepthwiseConv2d(a)) => {
                TosaOp::DepthwiseConv2d(self.conv(a)?)
            }
            (Kind::TransposeConv2d, A::TransposeConv2d(a)) => {
                TosaOp::TransposeConv2d(self.transpose_conv(a)?)
            }
            (Kind::Fft2d, A::Fft2d(a)) => TosaOp::Fft2d {
                inverse: a.inverse()?,
                local_bound: a.local_bound()?,
            },
            (Kind::Rfft2d, A::Rfft2d(a)) => TosaOp::Rfft2d {
                local_bound: a.local_bound()?,
            },
            _ => return Ok(None),
        }))
    }

    /// Makes another operator with a table of attributes.
    fn attributed(&self, attributes: &A<'_>) -> Made<Option<TosaOp>> {
        Ok(Some(match (self.kind, attributes) {
            (Kind::Clamp, A::Clamp(a)) => TosaOp::Clamp(Clamp {
                min: self.bound(a.min_val()?)?,
                max: self.bound(a.max_val()?)?,
                nan_mode: nan_mode(a.nan_mode()?)?,
            }),
            (Kind::ArithmeticRightShift, A::ArithmeticRightShift(a)) => {
                TosaOp::ArithmeticRightShift { round: a.round()? }
            }
            (kind, A::Maximum(a) | A::Minimum(a)) => extreme(kind, nan_mode(a.nan_mode()?)?)?,
            (kind, A::ArgMax(a) | A::ReduceMax(a) | A::ReduceMin(a)) => {
                extreme_along(kind, size(a.axis()?)?, nan_mode(a.nan_mode()?)?)?
            }
            (
                kind,
                A::ReduceAll(a)
                | A::ReduceAny(a)
                | A::ReduceProduct(a)
                | A::ReduceSum(a)
                | A::Concat(a)
                | A::Reverse(a),
            ) => along(kind, size(a.axis()?)?)?,
            (Kind::Transpose, A::Transpose(a)) => TosaOp::Transpose {
                perms: list(a.perms()?)?,
            },
            (Kind::Resize, A::Resize(a)) => self.resize(a.mode()?)?,
            (Kind::Rescale, A::Rescale(a)) => self.rescale(a)?,
            (Kind::Custom, A::Custom(a)) => self.custom(a)?,
            (Kind::CondIf, A::CondIf(a)) => TosaOp::CondIf(CondIf {
                then: self.region(a.then_graph()?)?,
                otherwise: self.region(a.else_graph()?)?,
            }),
            (Kind::WhileLoop, A::WhileLoop(a)) => TosaOp::WhileLoop(WhileLoop {
                cond: self.region(a.cond_graph()?)?,
                body: self.region(a.body_graph()?)?,
            }),
            _ => return Ok(None),
        }))
    }

    fn custom(&self, a: &fb::CustomAttributeRef<'_>) -> Made<TosaOp> {
        let results = self.results.iter().map(|r| (r.dtype, r.shape.clone()));
        Ok(TosaOp::Custom(Custom {
            operator: a.operator_name()?.unwrap_or_default().to_owned(),
            domain: a.domain_name()?.unwrap_or_default().to_owned(),
            attributes: a.implementation_attrs()?.unwrap_or_default().to_vec(),
            results: results.collect(),
        }))
    }

    /// Makes an operator whose attributes are compile-time operands.
    fn by_operands(&self) -> Made<TosaOp> {
        Ok(match self.kind {
            Kind::MatMul => TosaOp::MatMul(MatMul {
                a_zp: self.operand_zero(0, 0)?,
                b_zp: self.operand_zero(1, 1)?,
                to: self.result()?.dtype,
            }),
            Kind::Negate => TosaOp::Negate(Negate {
                input_zp: self.operand_zero(0, 0)?,
                output_zp: self.result_zero(1)?,
            }),
            Kind::Mul => TosaOp::Mul {
                shift: u8::try_from(self.zero(0, TosaDtype::I8, false)?)
                    .map_err(|_| "the shift is below zero".to_owned())?,
            },
            Kind::Table => self.table()?,
            Kind::Pad => TosaOp::Pad(Pad {
                padding: self
                    .positions(0)?
                    .chunks(2)
                    .map(pair)
                    .collect::<Made<_>>()?,
                value: self.scalar(1, 0)?,
            }),
            Kind::Reshape => TosaOp::Reshape {
                shape: self.positions(0)?,
            },
            Kind::Slice => TosaOp::Slice(Slice {
                start: self.positions(0)?,
                size: self.positions(1)?,
            }),
            Kind::Tile => TosaOp::Tile {
                multiples: self.positions(0)?,
            },
            Kind::Cast => TosaOp::Cast {
                to: self.result()?.dtype,
            },
            kind => return foreign(kind),
        })
    }

    fn conv<const N: usize>(&self, a: &fb::ConvAttributeRef<'_>) -> Made<Conv<N>> {
        Ok(Conv {
            pad: pairs(a.pad()?)?,
            stride: sizes(a.stride()?)?,
            dilation: sizes(a.dilation()?)?,
            acc: dtype(a.acc_type()?)?,
            input_zp: self.operand_zero(0, 0)?,
            weight_zp: self.operand_zero(1, 1)?,
            local_bound: a.local_bound()?,
        })
    }

    fn transpose_conv(&self, a: &fb::TransposeConv2dAttributeRef<'_>) -> Made<TransposeConv> {
        let pad: Vec<i32> = a
            .out_pad()?
            .map_or_else(Vec::new, |v| v.iter().take(5).collect());
        let [top, bottom, left, right] = pad[..] else {
            return Err(format!("{} numbers of out_pad, not 4", pad.len()).into());
        };
        Ok(TransposeConv {
            out_pad: [[top, bottom], [left, right]],
            stride: sizes(a.stride()?)?,
            acc: dtype(a.acc_type()?)?,
            input_zp: self.operand_zero(0, 0)?,
            weight_zp: self.operand_zero(1, 1)?,
            local_bound: a.local_bound()?,
        })
    }

    fn resize(&self, mode: fb::ResizeMode) -> Made<TosaOp> {
        let [y_n, y_d, x_n, x_d] = self.numbers(0)?;
        Ok(TosaOp::Resize(Resize {
            mode: match mode {
                fb::ResizeMode::Nearest => ResizeMode::Nearest,
                fb::ResizeMode::Bilinear => ResizeMode::Bilinear,
                fb::ResizeMode::Unknown => return Err("the mode is unknown".to_owned().into()),
            },
            scale_n: [y_n, x_n],
            scale_d: [y_d, x_d],
            offset: self.numbers(1)?,
            border: self.numbers(2)?,
        }))
    }

    fn rescale(&self, a: &fb::RescaleAttributeRef<'_>) -> Made<TosaOp> {
        let (input_unsigned, output_unsigned) = (a.input_unsigned()?, a.output_unsigned()?);
        Ok(TosaOp::Rescale(Rescale {
            to: self.result()?.dtype,
            multiplier: self.integers(0)?,
            shift: self
                .integers(1)?
                .into_iter()
                .map(|s| s.clamp(-128, 127) as i8)
                .collect(),
            input_zp: self.zero(2, self.operand(0)?.dtype, input_unsigned)?,
            output_zp: self.zero(3, self.result()?.dtype, output_unsigned)?,
            scale32: a.scale32()?,
            rounding: match a.rounding_mode()? {
                fb::RoundingMode::SingleRound => Rounding::Single,
                fb::RoundingMode::InexactRound => Rounding::Inexact,
                fb::RoundingMode::DoubleRound => Rounding::Double,
                fb::RoundingMode::Unknown => {
                    return Err("the rounding is unknown".to_owned().into());
                }
            },
            per_channel: a.per_channel()?,
            input_unsigned,
            output_unsigned,
        }))
    }

    fn table(&self) -> Made<TosaOp> {
        let expected = table_type(self.operand(0)?.dtype);
        match &self.values[0] {
            Value::Tensor(ty, content) if Some(ty) == expected.as_ref() => Ok(TosaOp::Table {
                table: content.clone(),
            }),
            Value::Tensor(ty, _) => {
                Err(format!("a table {ty} for {}", self.operand(0)?.dtype).into())
            }
            Value::Shape(_) => Err("the table is a shape".to_owned().into()),
        }
    }

    fn region(&self, name: Option<&str>) -> Made<RegionId> {
        let name = name.unwrap_or_default();
        let id = self.regions.get(name).copied();
        id.ok_or_else(|| format!("there is no region {name:?}").into())
    }

    fn operand(&self, i: usize) -> Made<&TensorType> {
        let operand = self.operands.get(i);
        operand.ok_or_else(|| format!("operand {i} is missing").into())
    }

    fn result(&self) -> Made<&TensorType> {
        let result = self.results.first();
        result.ok_or_else(|| "there is no result".to_owned().into())
    }

    fn bound(&self, bytes: Option<&[u8]>) -> Made<Scalar> {
        let (dtype, bytes) = (self.operand(0)?.dtype, bytes.unwrap_or_default());
        let scalar = bytes.get(..dtype.bits() / 8).and_then(|b| dtype.get(b));
        scalar.ok_or_else(|| format!("a bound of {} bytes for {dtype}", bytes.len()).into())
    }

    /// The bytes of a compile-time tensor, and their type.
    fn bytes(&self, i: usize) -> Made<(TosaDtype, &Bytes)> {
        match &self.values[i] {
            Value::Tensor(ty, content) => Ok((ty.dtype, content.bytes())),
            Value::Shape(_) => Err(format!("compile-time operand {i} is a shape").into()),
        }
    }

    /// The one element of a compile-time operand, of the dtype of an operand.
    fn scalar(&self, i: usize, operand: usize) -> Made<Scalar> {
        let (dtype, bytes) = self.bytes(i)?;
        let expected = self.operand(operand)?.dtype;
        if dtype != expected {
            return Err(format!("compile-time operand {i} is {dtype}, not {expected}").into());
        }
        if bytes[..] == [0] && dtype.is_float() {
            return Ok(Scalar::Float(0.0));
        }
        let scalar = dtype.get(bytes);
        scalar.ok_or_else(|| format!("compile-time operand {i} is not one {dtype}").into())
    }

    /// The zero point of an operand, of the operand's dtype.
    fn operand_zero(&self, i: usize, operand: usize) -> Made<i32> {
        self.zero(i, self.operand(operand)?.dtype, false)
    }

    /// The zero point of the result.
    fn result_zero(&self, i: usize) -> Made<i32> {
        self.zero(i, self.result()?.dtype, false)
    }

    /// The one integer of a compile-time operand, signed or unsigned. For floats it has to be 0.
    fn zero(&self, i: usize, expected: TosaDtype, unsigned: bool) -> Made<i32> {
        let (dtype, bytes) = self.bytes(i)?;
        if dtype != expected {
            return Err(format!("compile-time operand {i} is {dtype}, not {expected}").into());
        }
        let number = match (dtype, dtype.get(bytes)) {
            (TosaDtype::I4, _) if bytes.len() == 1 => Some(i64::from((bytes[0] << 4) as i8 >> 4)),
            (_, Some(Scalar::Int(n))) if unsigned => Some(n & ((1 << dtype.bits()) - 1)),
            (_, Some(Scalar::Int(n))) => Some(n),
            (_, Some(Scalar::Float(0.0))) => Some(0),
            _ if dtype.is_float() && bytes[..] == [0] => Some(0),
            _ => None,
        };
        let number = number.and_then(|n| i32::try_from(n).ok());
        number.ok_or_else(|| {
            format!(
                "compile-time operand {i} is {:02x?}, no zero point or shift of {dtype}",
                &bytes[..bytes.len().min(8)]
            )
            .into()
        })
    }

    fn integers(&self, i: usize) -> Made<Vec<i32>> {
        let (dtype, bytes) = self.bytes(i)?;
        let numbers = bytes
            .chunks((dtype.bits() / 8).max(1))
            .map(|b| match dtype.get(b) {
                Some(Scalar::Int(n)) => i32::try_from(n).ok(),
                _ => None,
            });
        let numbers: Option<Vec<i32>> = numbers.collect();
        numbers.ok_or_else(|| format!("compile-time operand {i} is of {dtype}").into())
    }

    fn shape(&self, i: usize) -> Made<&[i64]> {
        match &self.values[i] {
            Value::Shape(numbers) => Ok(numbers),
            Value::Tensor(ty, _) => Err(format!("{ty} in place of a shape").into()),
        }
    }

    /// A shape without negative numbers.
    fn positions(&self, i: usize) -> Made<Vec<usize>> {
        let numbers = self.shape(i)?;
        let sizes = numbers
            .iter()
            .map(|&n| usize::try_from(n).ok().filter(|_| n <= i32::MAX.into()));
        let sizes: Option<Vec<usize>> = sizes.collect();
        sizes.ok_or_else(|| format!("{numbers:?} has a number below 0 or above 2^31").into())
    }

    /// A shape of a fixed number of numbers.
    fn numbers<const N: usize>(&self, i: usize) -> Made<[i32; N]> {
        let numbers = self.shape(i)?;
        let narrow: Option<Vec<i32>> = numbers.iter().map(|&n| i32::try_from(n).ok()).collect();
        let array = narrow.and_then(|n| <[i32; N]>::try_from(n).ok());
        array.ok_or_else(|| format!("{numbers:?} are not {N} numbers of 32 bits").into())
    }
}

/// Makes an operator without attributes.
fn plain(kind: Kind) -> Option<TosaOp> {
    Some(match kind {
        Kind::Erf => TosaOp::Erf,
        Kind::Sigmoid => TosaOp::Sigmoid,
        Kind::Tanh => TosaOp::Tanh,
        Kind::Add => TosaOp::Add,
        Kind::BitwiseAnd => TosaOp::BitwiseAnd,
        Kind::BitwiseOr => TosaOp::BitwiseOr,
        Kind::BitwiseXor => TosaOp::BitwiseXor,
        Kind::IntDiv => TosaOp::IntDiv,
        Kind::LogicalAnd => TosaOp::LogicalAnd,
        Kind::LogicalLeftShift => TosaOp::LogicalLeftShift,
        Kind::LogicalRightShift => TosaOp::LogicalRightShift,
        Kind::LogicalOr => TosaOp::LogicalOr,
        Kind::LogicalXor => TosaOp::LogicalXor,
        Kind::Pow => TosaOp::Pow,
        Kind::Sub => TosaOp::Sub,
        Kind::Abs => TosaOp::Abs,
        Kind::BitwiseNot => TosaOp::BitwiseNot,
        Kind::Ceil => TosaOp::Ceil,
        Kind::Clz => TosaOp::Clz,
        Kind::Cos => TosaOp::Cos,
        Kind::Exp => TosaOp::Exp,
        Kind::Floor => TosaOp::Floor,
        Kind::Log => TosaOp::Log,
        Kind::LogicalNot => TosaOp::LogicalNot,
        Kind::Reciprocal => TosaOp::Reciprocal,
        Kind::Rsqrt => TosaOp::Rsqrt,
        Kind::Sin => TosaOp::Sin,
        Kind::Select => TosaOp::Select,
        Kind::Equal => TosaOp::Equal,
        Kind::Greater => TosaOp::Greater,
        Kind::GreaterEqual => TosaOp::GreaterEqual,
        Kind::Gather => TosaOp::Gather,
        Kind::Scatter => TosaOp::Scatter,
        Kind::Identity => TosaOp::Identity,
        _ => return None,
    })
}

fn foreign<T>(kind: Kind) -> Made<T> {
    Err(format!("the attributes are not those of {kind}").into())
}

/// Makes an operator whose only attribute is the NaN mode.
fn extreme(kind: Kind, nan_mode: NanMode) -> Made<TosaOp> {
    Ok(match kind {
        Kind::Maximum => TosaOp::Maximum { nan_mode },
        Kind::Minimum => TosaOp::Minimum { nan_mode },
        _ => return foreign(kind),
    })
}

/// Makes an operator with an axis and a NaN mode.
fn extreme_along(kind: Kind, axis: usize, nan_mode: NanMode) -> Made<TosaOp> {
    Ok(match kind {
        Kind::ArgMax => TosaOp::ArgMax(ArgMax { axis, nan_mode }),
        Kind::ReduceMax => TosaOp::ReduceMax { axis, nan_mode },
        Kind::ReduceMin => TosaOp::ReduceMin { axis, nan_mode },
        _ => return foreign(kind),
    })
}

/// Makes an operator whose only attribute is an axis.
fn along(kind: Kind, axis: usize) -> Made<TosaOp> {
    Ok(match kind {
        Kind::ReduceAll => TosaOp::ReduceAll { axis },
        Kind::ReduceAny => TosaOp::ReduceAny { axis },
        Kind::ReduceProduct => TosaOp::ReduceProduct { axis },
        Kind::ReduceSum => TosaOp::ReduceSum { axis },
        Kind::Concat => TosaOp::Concat { axis },
        Kind::Reverse => TosaOp::Reverse { axis },
        _ => return foreign(kind),
    })
}

fn dtype(code: u32) -> Made<TosaDtype> {
    code::dtype(code).ok_or_else(|| format!("the code {code} is no dtype").into())
}

fn nan_mode(mode: fb::NanPropagationMode) -> Made<NanMode> {
    match mode {
        fb::NanPropagationMode::Propagate => Ok(NanMode::Propagate),
        fb::NanPropagationMode::Ignore => Ok(NanMode::Ignore),
        fb::NanPropagationMode::Unknown => Err("the mode for NaN is unknown".to_owned().into()),
    }
}

fn size(number: i32) -> Made<usize> {
    usize::try_from(number).map_err(|_| format!("{number} is below zero").into())
}

fn list(numbers: Option<planus::Vector<'_, i32>>) -> Made<Vec<usize>> {
    let numbers = numbers.unwrap_or(planus::Vector::new_empty());
    // A shape with more axes than any level allows is refused: it may be of any length.
    const MOST: usize = 64;
    if numbers.len() > MOST {
        return Err(format!("{} numbers of an attribute", numbers.len()).into());
    }
    numbers.iter().map(size).collect()
}

fn sizes<const N: usize>(numbers: Option<planus::Vector<'_, i32>>) -> Made<[usize; N]> {
    let numbers = list(numbers)?;
    let array = <[usize; N]>::try_from(numbers.as_slice());
    array.map_err(|_| format!("{numbers:?} are not {N} numbers").into())
}

fn pairs<const N: usize>(numbers: Option<planus::Vector<'_, i32>>) -> Made<[[usize; 2]; N]> {
    let numbers = list(numbers)?;
    let pairs: Vec<[usize; 2]> = numbers.chunks(2).map(pair).collect::<Made<_>>()?;
    <[[usize; 2]; N]>::try_from(pairs)
        .map_err(|_| format!("{numbers:?} are not {} numbers", 2 * N).into())
}

fn pair(numbers: &[usize]) -> Made<[usize; 2]> {
    <[usize; 2]>::try_from(numbers).map_err(|_| format!("{numbers:?} is no pair").into())
}

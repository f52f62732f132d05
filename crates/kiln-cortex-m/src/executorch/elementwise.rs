//! Functions of elements.

use super::convert::{CHANNELS_LAST, Converter, int, kernel, no_kernel};
use super::images::check_whole;
use super::names;
use crate::dialect::{
    Add, Broadcast, Call, Dequantise, Function, MinMax, Mul, PerAxis, Quantise, Requantise,
    Strides, Table,
};
use crate::evaluate::requantised_bytes;
use crate::lower::Origin;
use kiln_ir::DType;
use kiln_portable::calls::{self, Argument};
use kiln_transforms::framework::target::Reason;

/// The left shift of the kernel of sums.
pub(super) const ADD_SHIFT: i32 = 20;

impl Converter<'_> {
    pub(super) fn add(&mut self, call: &Call, add: &Add) -> Result<calls::Call, Reason> {
        if call.function != Function::ElementwiseAddS8 {
            return Err(no_kernel(call));
        }
        check_shift(add.left_shift)?;
        let arguments = vec![
            Argument::Tensor(self.row(call, 0)?),
            int(-add.input_1_offset),
            int(add.input_1_mult),
            int(add.input_1_shift),
            Argument::Tensor(self.row(call, 1)?),
            int(-add.input_2_offset),
            int(add.input_2_mult),
            int(add.input_2_shift),
            int(add.out_offset),
            int(add.out_mult),
            int(add.out_shift),
            int(add.out_activation_min),
            int(add.out_activation_max),
        ];
        let out = self.row(call, 2)?;
        Ok(calls::Call {
            overwrites: self.overwrites(call, &[(0, 0), (1, 4)]),
            ..kernel(names::ADD, arguments, out)
        })
    }

    pub(super) fn mul(&mut self, call: &Call, mul: &Mul) -> Result<calls::Call, Reason> {
        if call.function != Function::ElementwiseMulS8 {
            return Err(no_kernel(call));
        }
        check_whole(&crate::dialect::Activation {
            min: mul.out_activation_min,
            max: mul.out_activation_max,
        })?;
        let arguments = vec![
            Argument::Tensor(self.row(call, 0)?),
            int(-mul.input_1_offset),
            Argument::Tensor(self.row(call, 1)?),
            int(-mul.input_2_offset),
            int(mul.out_offset),
            int(mul.out_mult),
            int(mul.out_shift),
        ];
        let out = self.row(call, 2)?;
        Ok(calls::Call {
            overwrites: self.overwrites(call, &[(0, 0), (1, 2)]),
            ..kernel(names::MUL, arguments, out)
        })
    }

    /// A function of two operands by strides: a row of channels with any tensor, or a quotient.
    pub(super) fn broadcast(&mut self, call: &Call, of: &Broadcast) -> Result<calls::Call, Reason> {
        let is_sum = match call.function {
            Function::KilnAddS8 => true,
            Function::KilnMulS8 => false,
            _ => return self.div(call, of),
        };
        let strides = &of.strides;
        let both = |axes: &PerAxis| <[i32; 2]>::try_from(axes.0.as_slice()).ok();
        let axes = both(&strides.sizes).zip(both(&strides.strides_1).zip(both(&strides.strides_2)));
        let Some(([rows, channels], (first, second))) = axes else {
            return Err(no_kernel(call));
        };
        let (whole, row) = ([channels, 1], [0, 1]);
        if ![(whole, row), (row, whole)].contains(&(first, second)) {
            return Err(no_kernel(call));
        }
        let (rows, channels) = (rows as usize, channels as usize);
        let mut operand = |slot: usize, strides: [i32; 2]| {
            let rows = if strides[0] == 0 { 1 } else { rows };
            let sizes = [1, channels, rows, 1];
            let made = self.tensor(call, slot, &sizes, &CHANNELS_LAST);
            made.map(Argument::Tensor)
        };
        let (a, b) = (operand(0, first)?, operand(1, second)?);
        let out = self.tensor(call, 2, &[1, channels, rows, 1], &CHANNELS_LAST)?;
        let o = &of.operands;
        if !is_sum {
            check_whole(&o.activation)?;
            let arguments = vec![
                a,
                int(-o.offset_1),
                b,
                int(-o.offset_2),
                int(o.output_offset),
                int(o.multiplier),
                int(o.shift),
            ];
            return Ok(kernel(names::MUL, arguments, out));
        }
        check_shift(o.left_shift)?;
        let arguments = vec![
            a,
            int(-o.offset_1),
            int(o.multiplier_1),
            int(o.shift_1),
            b,
            int(-o.offset_2),
            int(o.multiplier_2),
            int(o.shift_2),
            int(o.output_offset),
            int(o.multiplier),
            int(o.shift),
            int(o.activation.min),
            int(o.activation.max),
        ];
        Ok(kernel(names::ADD, arguments, out))
    }

    /// A quotient. The kernel divides in floats, and so takes the real factor.
    pub(super) fn div(&mut self, call: &Call, of: &Broadcast) -> Result<calls::Call, Reason> {
        if !matches!(call.function, Function::KilnDivS8 | Function::KilnDivS16)
            || !is_dense(&of.strides)
        {
            return Err(no_kernel(call));
        }
        let operands = &of.operands;
        let (low, high) = match call.function {
            Function::KilnDivS8 => (-128, 127),
            _ => (-32_768, 32_767),
        };
        if (operands.activation.min, operands.activation.max) != (low, high) {
            return Err(Reason::new("the kernel gives all integers", "a range"));
        }
        let factor = f64::from(operands.multiplier) * f64::from(operands.shift - 31).exp2();
        let arguments = vec![
            Argument::Tensor(self.row(call, 0)?),
            int(-operands.offset_1),
            Argument::Tensor(self.row(call, 1)?),
            int(-operands.offset_2),
            int(operands.output_offset),
            Argument::Double(factor),
        ];
        let out = self.row(call, 2)?;
        Ok(kernel(names::DIV, arguments, out))
    }

    pub(super) fn extreme(&mut self, call: &Call, dims: &MinMax) -> Result<calls::Call, Reason> {
        let name = match call.function {
            Function::MaximumS8 => names::MAXIMUM,
            Function::MinimumS8 => names::MINIMUM,
            _ => return Err(no_kernel(call)),
        };
        let arguments = vec![
            Argument::Tensor(self.plain(call, 0, &dims.input_1_dims.sizes())?),
            Argument::Tensor(self.plain(call, 1, &dims.input_2_dims.sizes())?),
        ];
        let out = self.plain(call, 2, &dims.output_dims.sizes())?;
        Ok(calls::Call {
            overwrites: self.overwrites(call, &[(0, 0), (1, 1)]),
            ..kernel(name, arguments, out)
        })
    }

    pub(super) fn table(&mut self, call: &Call, _: &Table) -> Result<calls::Call, Reason> {
        if call.function != Function::KilnTableS8 {
            return Err(no_kernel(call));
        }
        let arguments = vec![
            Argument::Tensor(self.row(call, 1)?),
            Argument::Tensor(self.row(call, 0)?),
        ];
        let out = self.row(call, 2)?;
        Ok(calls::Call {
            overwrites: self.overwrites(call, &[(1, 0)]),
            ..kernel(names::ACTIVATION, arguments, out)
        })
    }

    /// A requantisation, by a table: it is a function of one integer.
    pub(super) fn requantise(
        &mut self,
        call: &Call,
        of: &Requantise,
    ) -> Result<calls::Call, Reason> {
        if call.function != Function::KilnRequantizeS8S8 {
            return Err(no_kernel(call));
        }
        let entries = requantised_bytes(&of.scaling);
        let entries = entries.into_iter().map(|entry| entry as u8).collect();
        let arguments = vec![
            Argument::Tensor(self.row(call, 0)?),
            Argument::Tensor(self.bytes(entries, &[256])),
        ];
        let out = self.row(call, 1)?;
        Ok(calls::Call {
            overwrites: self.overwrites(call, &[(0, 0)]),
            ..kernel(names::ACTIVATION, arguments, out)
        })
    }

    pub(super) fn quantise(
        &mut self,
        call: &Call,
        of: &Quantise,
        origin: &Origin,
    ) -> Result<calls::Call, Reason> {
        let dtype = match call.function {
            Function::KilnQuantizeS8 => DType::I8,
            Function::KilnQuantizeS16 => DType::I16,
            _ => return Err(no_kernel(call)),
        };
        let scale = origin.scale.filter(|_| of.n == 1);
        let scale = scale.ok_or_else(by_channel)?;
        let range = [of.activation.min.into(), of.activation.max.into()];
        let arguments = self.step(call, (scale, range, dtype))?;
        let out = self.row(call, 3)?;
        Ok(kernel(names::QUANTIZE, arguments, out))
    }

    pub(super) fn dequantise(
        &mut self,
        call: &Call,
        of: &Dequantise,
    ) -> Result<calls::Call, Reason> {
        let (dtype, range) = match call.function {
            Function::KilnDequantizeS8 => (DType::I8, [-128, 127]),
            Function::KilnDequantizeS16 => (DType::I16, [-32_768, 32_767]),
            _ => return Err(no_kernel(call)),
        };
        let scale = self.constant(call, 1).filter(|_| of.n == 1);
        let scale = scale.and_then(|bytes| bytes.first_chunk::<4>());
        let scale = f32::from_le_bytes(*scale.ok_or_else(by_channel)?);
        let arguments = self.step(call, (scale.into(), range, dtype))?;
        let out = self.row(call, 3)?;
        Ok(kernel(names::DEQUANTIZE, arguments, out))
    }

    /// The arguments that the kernels of quantisation and of dequantisation share.
    fn step(
        &mut self,
        call: &Call,
        (scale, [min, max], dtype): (f64, [i64; 2], DType),
    ) -> Result<Vec<Argument>, Reason> {
        let zero = self
            .constant(call, 2)
            .and_then(|bytes| bytes.first_chunk::<4>());
        let zero = i32::from_le_bytes(*zero.ok_or_else(by_channel)?);
        if !(min..=max).contains(&i64::from(zero)) {
            let rule = "the kernel's zero point is one of the integers";
            return Err(Reason::new(rule, zero.to_string()));
        }
        Ok(vec![
            Argument::Tensor(self.row(call, 0)?),
            Argument::Double(scale),
            int(zero),
            Argument::Int(min),
            Argument::Int(max),
            Argument::DType(dtype),
        ])
    }
}

fn check_shift(left_shift: i32) -> Result<(), Reason> {
    match left_shift {
        ADD_SHIFT => Ok(()),
        other => {
            let rule = format!("the kernel of sums shifts by {ADD_SHIFT} bits");
            Err(Reason::new(rule, other.to_string()))
        }
    }
}

fn by_channel() -> Reason {
    let rule = "the kernels of ExecuTorch for Cortex-M quantise whole tensors";
    Reason::new(rule, "scales by channel")
}

/// Whether both tensors are dense: the walk visits their elements in the order of memory.
fn is_dense(strides: &Strides) -> bool {
    let mut step = 1;
    let axes = strides
        .sizes
        .0
        .iter()
        .zip(strides.strides_1.0.iter().zip(&strides.strides_2.0));
    axes.rev().all(|(&size, (&first, &second))| {
        let is_next = size == 1 || (first == step && second == step);
        step *= size;
        is_next
    })
}

//! Bitwise and logical functions of two numbers.

use crate::call::error::Problem;
use crate::importer::Importer;
use crate::importer::arguments::Args;
use crate::importer::returns::{Returns, one};
use crate::importer::row::Row;
use kiln_ir::Builder;
use kiln_ir::DType;
use kiln_ir::ops::BinaryFn;

/// The rows.
pub(crate) const ROWS: &[Row] = &[
    Row::new(
        |cx, a| bitwise(cx, a, BinaryFn::BitAnd),
        &[
            "aten.bitwise_and.Tensor(self, other)",
            "aten.bitwise_and.Scalar(self, other)",
            "aten.bitwise_and.Scalar_Tensor(self, other)",
            "aten.__and__.Tensor(self, other)",
            "aten.__and__.Scalar(self, other)",
        ],
    ),
    Row::new(
        |cx, a| bitwise(cx, a, BinaryFn::BitOr),
        &[
            "aten.bitwise_or.Tensor(self, other)",
            "aten.bitwise_or.Scalar(self, other)",
            "aten.bitwise_or.Scalar_Tensor(self, other)",
            "aten.__or__.Tensor(self, other)",
            "aten.__or__.Scalar(self, other)",
        ],
    ),
    Row::new(
        |cx, a| bitwise(cx, a, BinaryFn::BitXor),
        &[
            "aten.bitwise_xor.Tensor(self, other)",
            "aten.bitwise_xor.Scalar(self, other)",
            "aten.bitwise_xor.Scalar_Tensor(self, other)",
            "aten.__xor__.Tensor(self, other)",
            "aten.__xor__.Scalar(self, other)",
        ],
    ),
    Row::new(
        |cx, a| bitwise(cx, a, BinaryFn::Shl),
        &[
            "aten.bitwise_left_shift.Tensor(self, other)",
            "aten.bitwise_left_shift.Tensor_Scalar(self, other)",
            "aten.bitwise_left_shift.Scalar_Tensor(self, other)",
            "aten.__lshift__.Tensor(self, other)",
            "aten.__lshift__.Scalar(self, other)",
        ],
    ),
    Row::new(
        |cx, a| bitwise(cx, a, BinaryFn::Shr),
        &[
            "aten.bitwise_right_shift.Tensor(self, other)",
            "aten.bitwise_right_shift.Tensor_Scalar(self, other)",
            "aten.bitwise_right_shift.Scalar_Tensor(self, other)",
            "aten.__rshift__.Tensor(self, other)",
            "aten.__rshift__.Scalar(self, other)",
        ],
    ),
    Row::new(
        |cx, a| logical(cx, a, BinaryFn::BitAnd),
        &["aten.logical_and.default(self, other)"],
    ),
    Row::new(
        |cx, a| logical(cx, a, BinaryFn::BitOr),
        &["aten.logical_or.default(self, other)"],
    ),
    Row::new(
        |cx, a| logical(cx, a, BinaryFn::BitXor),
        &["aten.logical_xor.default(self, other)"],
    ),
];

fn bitwise(cx: &mut Importer<'_>, a: &Args<'_>, f: BinaryFn) -> Result<Returns, Problem> {
    let (x, y) = (a.operand("self")?, a.operand("other")?);
    let dtype = cx.result_type(&[&x, &y]);
    let [x, y] = cx.meet([&x, &y], dtype)?;
    one(cx.binary(f, x, y)?)
}

fn logical(cx: &mut Importer<'_>, a: &Args<'_>, f: BinaryFn) -> Result<Returns, Problem> {
    let (x, y) = (a.operand("self")?, a.operand("other")?);
    let [x, y] = cx.meet([&x, &y], DType::Bool)?;
    one(cx.binary(f, x, y)?)
}

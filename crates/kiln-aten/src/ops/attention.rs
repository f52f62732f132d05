//! Scaled dot-product attention.

use crate::call::Arg;
use crate::call::error::Problem;
use crate::importer::Importer;
use crate::importer::arguments::{Args, Operand};
use crate::importer::returns::{Return, Returns, one};
use crate::importer::row::Row;
use kiln_ir::ops::Attention;
use kiln_ir::{Builder, DType, ValueId};

/// The rows.
pub(crate) const ROWS: &[Row] = &[
    Row::new(
        attention,
        &[
            "aten.scaled_dot_product_attention.default(query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, *, scale=None, enable_gqa=False)",
        ],
    ),
    Row::new(
        with_spare,
        &[
            "aten._scaled_dot_product_flash_attention_for_cpu.default(query, key, value, dropout_p=0.0, is_causal=False, *, attn_mask=None, scale=None)",
            "aten._scaled_dot_product_attention_math.default(query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, dropout_mask=None, *, scale=None, enable_gqa=False)",
        ],
    ),
];

/// The second result (log-sums or weights, which only gradients need) is not given.
fn with_spare(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let mut results = attention(cx, a)?;
    results.push(Return::Arg(Arg::None));
    Ok(results)
}

/// The scale of the products, and the query. A scale that is known only at run time is multiplied into the query.
fn scale(
    cx: &mut Importer<'_>,
    a: &Args<'_>,
    q: ValueId,
) -> Result<(ValueId, Option<f64>), Problem> {
    match a.optional_operand("scale")? {
        None => Ok((q, None)),
        Some(Operand::Known(s)) => Ok((q, Some(s.as_f64()))),
        Some(other) => {
            let (dtype, rank) = (cx.dtype(q), cx.rank(q));
            let factor = cx.materialise(&other, dtype, rank)?;
            Ok((cx.mul(q, factor)?, Some(1.0)))
        }
    }
}

fn attention(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    if a.float("dropout_p")? > 0.0 {
        return Err(Problem::unsupported(
            "dropout_p > 0 draws random numbers; export the model in eval mode",
        ));
    }
    let (q, factor) = scale(cx, a, a.tensor("query")?)?;
    let [q, k, v] = cx.align([q, a.tensor("key")?, a.tensor("value")?])?;
    let mut operands = vec![q, k, v];
    if let Some(mask) = a.optional_tensor("attn_mask")? {
        let dtype = cx.dtype(q);
        let mask = if cx.dtype(mask) == DType::Bool {
            mask
        } else {
            cx.cast(mask, dtype)?
        };
        operands.push(cx.with_rank(mask, cx.rank(q))?);
    }
    let op = Attention {
        scale: factor,
        causal: a.bool("is_causal")?,
        grouped: a.has("enable_gqa") && a.bool("enable_gqa")?,
    };
    one(cx.value(op, &operands)?)
}

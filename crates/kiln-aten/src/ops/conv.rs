//! Convolutions.

use crate::call::Arg;
use crate::call::error::Problem;
use crate::importer::Importer;
use crate::importer::arguments::Args;
use crate::importer::returns::{Returns, one};
use crate::importer::row::Row;
use kiln_ir::Builder;
use kiln_ir::ValueId;
use kiln_ir::ops::Conv;

/// The rows.
pub(crate) const ROWS: &[Row] = &[
    Row::new(
        |cx, a| plain(cx, a, 1),
        &[
            "aten.conv1d.default(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1)",
        ],
    ),
    Row::new(
        |cx, a| plain(cx, a, 2),
        &[
            "aten.conv2d.default(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1)",
        ],
    ),
    Row::new(
        |cx, a| plain(cx, a, 3),
        &[
            "aten.conv3d.default(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1)",
        ],
    ),
    Row::new(
        |cx, a| plain(cx, a, 1),
        &[
            "aten.conv1d.padding(input, weight, bias=None, stride=1, padding=\"valid\", dilation=1, groups=1)",
        ],
    ),
    Row::new(
        |cx, a| plain(cx, a, 2),
        &[
            "aten.conv2d.padding(input, weight, bias=None, stride=1, padding=\"valid\", dilation=1, groups=1)",
        ],
    ),
    Row::new(
        |cx, a| plain(cx, a, 3),
        &[
            "aten.conv3d.padding(input, weight, bias=None, stride=1, padding=\"valid\", dilation=1, groups=1)",
        ],
    ),
    Row::new(
        |cx, a| transposed(cx, a, 1),
        &[
            "aten.conv_transpose1d.default(input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1)",
        ],
    ),
    Row::new(
        |cx, a| transposed(cx, a, 2),
        &[
            "aten.conv_transpose2d.input(input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1)",
        ],
    ),
    Row::new(
        |cx, a| transposed(cx, a, 3),
        &[
            "aten.conv_transpose3d.input(input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1)",
        ],
    ),
    Row::new(
        convolution,
        &[
            "aten.convolution.default(input, weight, bias, stride, padding, dilation, transposed, output_padding, groups)",
            "aten._convolution.default(input, weight, bias, stride, padding, dilation, transposed, output_padding, groups, benchmark, deterministic, cudnn_enabled, allow_tf32)",
            "aten._convolution.deprecated(input, weight, bias, stride, padding, dilation, transposed, output_padding, groups, benchmark, deterministic, cudnn_enabled)",
            "aten.convolution_overrideable.default(input, weight, bias, stride, padding, dilation, transposed, output_padding, groups)",
        ],
    ),
];

/// The padding before and behind each spatial axis: sizes, `"valid"`, or `"same"`. For `"same"` an odd element goes
/// behind.
fn padding(
    cx: &Importer<'_>,
    a: &Args<'_>,
    n: usize,
    dilation: &[i64],
) -> Result<(Vec<i64>, Vec<i64>), Problem> {
    if !matches!(a.arg("padding")?, Arg::Str(_)) {
        let both = a.spatial("padding", n)?;
        return Ok((both.clone(), both));
    }
    match a.text("padding")? {
        "valid" => Ok((vec![0; n], vec![0; n])),
        "same" => {
            let weight = cx.shape(a.tensor("weight")?);
            let kernel: Option<Vec<i64>> = weight.iter().skip(2).map(|d| d.as_const()).collect();
            let kernel = kernel.filter(|k| k.len() == n).ok_or_else(|| {
                Problem::unsupported("padding=\"same\" of a kernel of unknown size")
            })?;
            let total: Vec<i64> = kernel
                .iter()
                .zip(dilation)
                .map(|(k, d)| d.saturating_mul(k - 1))
                .collect();
            let low: Vec<i64> = total.iter().map(|t| t / 2).collect();
            let high = total.iter().zip(&low).map(|(t, l)| t - l).collect();
            Ok((low, high))
        }
        other => Err(Problem::unsupported(format!("padding={other:?}"))),
    }
}

fn plain(cx: &mut Importer<'_>, a: &Args<'_>, n: usize) -> Result<Returns, Problem> {
    let dilation = a.spatial("dilation", n)?;
    let (pad_low, pad_high) = padding(cx, a, n, &dilation)?;
    let conv = Conv {
        stride: a.spatial("stride", n)?,
        pad_low,
        pad_high,
        dilation,
        groups: a.int("groups")?,
        transposed: false,
        output_padding: vec![0; n],
    };
    apply(cx, a, conv)
}

fn transposed(cx: &mut Importer<'_>, a: &Args<'_>, n: usize) -> Result<Returns, Problem> {
    let pad = a.spatial("padding", n)?;
    let conv = Conv {
        stride: a.spatial("stride", n)?,
        pad_low: pad.clone(),
        pad_high: pad,
        dilation: a.spatial("dilation", n)?,
        groups: a.int("groups")?,
        transposed: true,
        output_padding: a.spatial("output_padding", n)?,
    };
    apply(cx, a, conv)
}

fn convolution(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let n = cx.rank(a.tensor("weight")?).saturating_sub(2);
    if a.bool("transposed")? {
        transposed(cx, a, n)
    } else {
        plain(cx, a, n)
    }
}

/// The input with a batch axis of size 1 if it has none.
fn apply(cx: &mut Importer<'_>, a: &Args<'_>, conv: Conv) -> Result<Returns, Problem> {
    let (x, weight) = (a.tensor("input")?, a.tensor("weight")?);
    let single = cx.rank(x) == conv.spatial() + 1;
    let x = if single { cx.unsqueeze(x, &[0])? } else { x };
    let mut operands: Vec<ValueId> = vec![x, weight];
    operands.extend(a.optional_tensor("bias")?);
    let y = cx.value(conv, &operands)?;
    one(if single { cx.squeeze(y, &[0])? } else { y })
}

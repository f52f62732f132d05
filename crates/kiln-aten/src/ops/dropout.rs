//! Dropout and random ops in inference: dropout is the identity, and no random number is drawn.

use crate::call::error::Problem;
use crate::importer::Importer;
use crate::importer::arguments::Args;
use crate::importer::returns::{Return, Returns, view};
use crate::importer::row::Row;
use kiln_ir::{Builder, DType, Scalar};

/// The rows.
pub(crate) const ROWS: &[Row] = &[
    Row::new(
        dropout,
        &[
            "aten.dropout.default(input, p, train)",
            "aten.feature_dropout.default(input, p, train)",
            "aten.alpha_dropout.default(input, p, train)",
            "aten.feature_alpha_dropout.default(input, p, train)",
        ],
    ),
    Row::new(
        native_dropout,
        &["aten.native_dropout.default(input, p, train)"],
    ),
    Row::new(
        random,
        &[
            "aten.rand.default(size, *, dtype=None, layout=None, device=None, pin_memory=None)",
            "aten.randn.default(size, *, dtype=None, layout=None, device=None, pin_memory=None)",
            "aten.randint.default(high, size, *, dtype=None, layout=None, device=None, pin_memory=None)",
            "aten.randint.low(low, high, size, *, dtype=None, layout=None, device=None, pin_memory=None)",
            "aten.randperm.default(n, *, dtype=None, layout=None, device=None, pin_memory=None)",
            "aten.rand_like.default(self, *, dtype=None, layout=None, device=None, pin_memory=None, memory_format=None)",
            "aten.randn_like.default(self, *, dtype=None, layout=None, device=None, pin_memory=None, memory_format=None)",
            "aten.bernoulli.default(self, *, generator=None)",
            "aten.bernoulli.p(self, p, *, generator=None)",
            "aten.multinomial.default(self, num_samples, replacement=False, *, generator=None)",
            "aten.uniform.default(self, from=0.0, to=1.0, *, generator=None)",
            "aten.normal_functional.default(self, mean=0.0, std=1.0, *, generator=None)",
        ],
    ),
];

fn check_inference(a: &Args<'_>) -> Result<(), Problem> {
    if a.optional_bool("train")?.unwrap_or(true) && a.float("p")? > 0.0 {
        return Err(Problem::unsupported(
            "train=True draws random numbers; call `model.eval()` before export, and pass `training=self.training` to functions such as `F.dropout`",
        ));
    }
    Ok(())
}

fn dropout(_: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    check_inference(a)?;
    view(a.variable("input")?, Vec::new())
}

/// The second result is the mask of what was kept.
fn native_dropout(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    check_inference(a)?;
    let x = a.tensor("input")?;
    let shape = cx.shape(x);
    let mask = cx.full(&shape, DType::Bool, Scalar::Bool(true))?;
    Ok(vec![Return::Value(x), Return::Value(mask)])
}

fn random(_: &mut Importer<'_>, _: &Args<'_>) -> Result<Returns, Problem> {
    Err(Problem::unsupported(
        "draws random numbers; make them an input of the model",
    ))
}

//! How a model is compiled, as users say it: the options that commands, `kiln.toml` and Python have in common. They become a [`Job`]
//! here; what only some callers take (names, borders, samples in memory), these add.

use crate::compiler::{DimChoice, Job};
use crate::quantisation::{Quantisation, SamplesFile};
use crate::target::TargetName;
use anyhow::Result;
use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use kiln_ir::DType;
use kiln_quantiser::Mode;
use kiln_target::{Half, Options as TargetOptions};
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// The options of `kiln compile` that other commands have too. The text of each field is its help.
#[derive(Args, Clone, Debug, Default)]
pub struct ModelOptions {
    /// What the program runs on.
    #[arg(long, value_enum, default_value = "xnnpack")]
    pub target: TargetName,
    /// Refuse delegate ops that differ from PyTorch on NaN, infinity or an empty batch (for target xnnpack).
    #[arg(long)]
    pub strict_nan: bool,
    /// Leave out the guards that keep NaN and infinity as in PyTorch, where XNNPACK's own operators differ (for target xnnpack); `explain` names the nodes.
    #[arg(long, conflicts_with = "strict_nan")]
    pub fast_nan: bool,
    /// In which floats f16 is computed (for target xnnpack) [default: f16 where there is a kernel and sums do not overflow, else f32].
    #[arg(long, value_parser = halves())]
    pub half: Option<Half>,
    /// Compute a model of floats in these, whatever it was exported in. Inputs, outputs and state keep their types; a note says what stays.
    #[arg(long, value_parser = precisions())]
    pub precision: Option<DType>,
    /// Quantise a model of floats.
    #[arg(long, value_parser = modes())]
    pub quantize: Option<Mode>,
    /// Inputs on which `--quantize int8` finds the ranges of activations: tensors `<sample>.in.<position>`; for one method with its name in front [default: the archive's sample inputs].
    #[arg(long, value_name = "[METHOD=]FILE.safetensors", requires = "quantize", value_parser = parse_samples)]
    pub samples: Vec<SamplesFile>,
    /// Take ops that Kiln does not know for kernels that you register with the runtime: those of a namespace, or one by its schema, such as
    /// "mine::scale(Tensor x, float by=2.0) -> Tensor". `mine::scale` is a call of `mine::scale.out`. PyTorch leaves arguments at their
    /// defaults out of the archive, so only a schema tells them.
    #[arg(long = "custom-op", value_name = "NAMESPACE|SCHEMA")]
    pub custom_ops: Vec<String>,
    /// The greatest value of a symbol that nothing bounds, or, with ==, the size that it has; `kiln inspect` lists symbols.
    #[arg(long = "dim", value_name = "SYMBOL<=MAX|SYMBOL==SIZE", value_parser = DimChoice::from_str)]
    pub dims: Vec<DimChoice>,
}

impl ModelOptions {
    /// The job that compiles methods so, each a name and a model, with the default of everything else.
    ///
    /// # Errors
    /// Samples are given twice, cannot be read, or are of no use.
    pub fn job(self, methods: Vec<(String, PathBuf)>) -> Result<Job> {
        let quantised = self
            .quantize
            .map(|mode| Quantisation::with(mode, &self.samples));
        Ok(Job {
            target_options: TargetOptions {
                strict_nan: self.strict_nan,
                fast_nan: self.fast_nan,
                half: self.half,
                ..TargetOptions::default()
            },
            dims: self.dims,
            custom_ops: self.custom_ops,
            precision: self.precision,
            quantisation: quantised.transpose()?,
            ..Job::of(methods, self.target)
        })
    }
}

/// The floats that `--precision` takes.
pub const PRECISIONS: [DType; 3] = [DType::F16, DType::BF16, DType::F32];

/// The floats of a name, if `--precision` takes it.
pub fn precision_named(name: &str) -> Option<DType> {
    PRECISIONS.into_iter().find(|dtype| dtype.name() == name)
}

fn halves() -> impl TypedValueParser<Value = Half> {
    let help = |half| match half {
        Half::Native => {
            "The library's kernels of f16, where it has them: fastest on processors with arithmetic of f16, but sums may overflow beyond \
             65504, and NaN may become a number"
        }
        Half::Single => "f32 inside delegates, with weights of f16 in the file",
        Half::Fitting => "f16 where there is a kernel and sums do not overflow, else f32",
    };
    let choices = Half::CHOICES.map(|(name, half)| PossibleValue::new(name).help(help(half)));
    PossibleValuesParser::new(choices).try_map(|name| name.parse())
}

fn precisions() -> impl TypedValueParser<Value = DType> {
    let help = |dtype| match dtype {
        DType::F16 => "IEEE half, up to 65504: half the size",
        DType::BF16 => {
            "bfloat16, with the range of f32 and 8 bits of precision: half the size; computed in f32"
        }
        _ => "IEEE single, for models of halves",
    };
    let choices = PRECISIONS.map(|dtype| PossibleValue::new(dtype.name()).help(help(dtype)));
    PossibleValuesParser::new(choices)
        .try_map(|name| precision_named(&name).ok_or("expected f16, bf16 or f32"))
}

fn modes() -> impl TypedValueParser<Value = Mode> {
    let help = |mode| match mode {
        Mode::Static => {
            "Weights of 8 bits by channel and activations of 8 bits, whose ranges are found on samples"
        }
        Mode::Dynamic => {
            "Weights of 8 bits by channel; rows of activations are rounded when running"
        }
        Mode::FourBit => {
            "Weights of 4 bits in groups of 32; rows of activations are rounded to 8 bits when running"
        }
        Mode::Weights => "Weights of 8 bits beside floats",
        Mode::Wide => "Weights of 8 bits beside activations of 16",
    };
    let choices = Mode::ALL.map(|mode| PossibleValue::new(mode.name()).help(help(mode)));
    PossibleValuesParser::new(choices).try_map(|name| name.parse())
}

/// Samples of one method, or of all. A file whose own name has an equals sign is taken as it is.
fn parse_samples(text: &str) -> Result<SamplesFile, String> {
    let is_name =
        |name: &str| !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_');
    match text.split_once('=') {
        _ if text.is_empty() => Err("expected a file, or METHOD=FILE".into()),
        Some((name, path)) if is_name(name) && !path.is_empty() && !Path::new(text).exists() => {
            Ok((Some(name.into()), path.into()))
        }
        _ => Ok((None, text.into())),
    }
}

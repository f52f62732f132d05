//! The arguments of `kiln quantize`.

use super::values::or_stdout;
use crate::commands::quantize::Options;
use crate::target::TargetName;
use clap::{Args, ValueEnum};
use kiln_quantiser::Mode;
use std::path::PathBuf;

#[derive(Args)]
pub(super) struct QuantizeArgs {
    /// The archive of floats (.pt2).
    model: PathBuf,
    /// Inputs on which `static` and `a16w8` find the ranges of activations: tensors `<sample>.in.<position>`. Without it they are the inputs that the
    /// archive holds. The other schemes need none.
    #[arg(long, value_name = "CALIB.safetensors")]
    data: Option<PathBuf>,
    /// What the archive will be compiled for.
    #[arg(long, value_enum, default_value = "xnnpack")]
    target: TargetName,
    /// The numbers.
    #[arg(long, value_enum, default_value = "static")]
    scheme: Scheme,
    /// The archive to write; `-` is stdout.
    #[arg(short, long, value_name = "OUT.pt2")]
    output: PathBuf,
    /// Print one JSON document.
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Scheme {
    /// Weights of 8 bits by channel and activations of 8 bits, whose ranges are found on samples.
    Static,
    /// Weights of 8 bits by channel; rows of activations are rounded when running (for target xnnpack).
    Dynamic,
    /// Weights of 4 bits in groups of 32; rows of activations are rounded to 8 bits when running (for target xnnpack).
    W4,
    /// Weights of 8 bits by channel beside activations of floats (for target xnnpack).
    W8,
    /// Activations of 16 bits, whose ranges are found on samples, and weights of 8 bits (for targets of integers).
    A16w8,
}

impl From<Scheme> for Mode {
    fn from(choice: Scheme) -> Mode {
        match choice {
            Scheme::Static => Mode::Static,
            Scheme::Dynamic => Mode::Dynamic,
            Scheme::W4 => Mode::FourBit,
            Scheme::W8 => Mode::Weights,
            Scheme::A16w8 => Mode::Wide,
        }
    }
}

impl QuantizeArgs {
    /// What the command takes.
    pub(super) fn into_options(self, quiet: bool) -> Options {
        Options {
            model: self.model,
            data: self.data,
            target: self.target,
            mode: self.scheme.into(),
            output: or_stdout(self.output),
            json: self.json,
            quiet,
        }
    }
}

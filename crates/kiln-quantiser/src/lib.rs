//! Quantises a model of floats, before all passes: `compile --quantize`.
//!
//! [`Mode::Static`] rounds activations to 8 bits within ranges that [`Ranges`] saw on samples, and weights to 8 bits by channel. It
//! writes quantisations and dequantisations into the graph, as PyTorch's quantisers do; the passes make integers of what is between
//! them. [`Mode::Wide`] has activations of 16 bits. [`Mode::Dynamic`] and [`Mode::FourBit`] need no samples: they round weights, and rows of
//! activations when running. [`Mode::Weights`] rounds weights alone.
//!
//! What is quantised is the same for all targets, but for [`Scope`]: integer-only targets want the rest as well.

mod activations;
mod choice;
mod clipping;
mod grid;
mod histogram;
mod layers;
mod products;
mod ranges;
mod trial;
mod weights;

pub use ranges::{Range, Ranges, RangesError};
pub use trial::{Nearest, quantise_nearest};

use grid::Grid;
use kiln_ir::Graph;
use std::str::FromStr;

/// How a model is quantised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Activations and weights of 8 bits, with ranges from samples.
    Static,
    /// Weights of 8 bits by channel; rows of activations are rounded to 8 bits when running.
    Dynamic,
    /// Weights of 4 bits in groups of 32; rows of activations are rounded to 8 bits when running.
    FourBit,
    /// Weights of 8 bits by channel; activations stay floats.
    Weights,
    /// Activations of 16 bits about 0, with ranges from samples, and weights of 8 bits.
    Wide,
}

impl Mode {
    /// The modes of `compile --quantize`.
    pub const ALL: [Mode; 3] = [Mode::Static, Mode::Dynamic, Mode::FourBit];

    /// The name that users give.
    pub fn name(self) -> &'static str {
        match self {
            Mode::Static => "int8",
            Mode::Dynamic => "int8-dynamic",
            Mode::FourBit => "int4",
            Mode::Weights => "int8-weights",
            Mode::Wide => "int16",
        }
    }

    /// True if ranges are found on samples.
    pub fn takes_samples(self) -> bool {
        match self {
            Mode::Static | Mode::Wide => true,
            Mode::Dynamic | Mode::FourBit | Mode::Weights => false,
        }
    }
}

/// There is no mode of that name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected int8, int8-dynamic or int4")]
pub struct UnknownMode;

impl FromStr for Mode {
    type Err = UnknownMode;

    fn from_str(name: &str) -> Result<Mode, UnknownMode> {
        let mut all = Mode::ALL.into_iter();
        all.find(|mode| mode.name() == name).ok_or(UnknownMode)
    }
}

/// Which ops are computed in integers by [`Mode::Static`] and [`Mode::Wide`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Layers, and what stands between them: sums, products, pools, joins, activations. What no layer made, or goes to no layer,
    /// stays in floats.
    Layers,
    /// Everything that computes with reals.
    All,
}

/// Where the range ends within which an activation of 8 bits is rounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ends {
    /// At the least and the greatest number of the samples.
    Extremes,
    /// Where clamping and rounding together leave the least squared error on the samples.
    LeastError,
}

/// What was quantised.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Quantised {
    /// Layers with weights of integers.
    pub layers: usize,
    /// Layers that stay in floats: their weights are computed, not finite or of another type than f32, they stand in branches or
    /// loops and are to have ranges, or they are convolutions whose activations no target rounds when running.
    pub left: usize,
    /// Activations with ranges.
    pub activations: usize,
    /// Activations whose ranges end before numbers that the samples had.
    pub clamped: usize,
    /// Tables of embeddings with rows of integers.
    pub tables: usize,
}

/// Makes linear layers of products with constant matrices, in front of all else: ranges are those of the graph behind it.
pub fn prepare(graph: &mut Graph) {
    products::to_layers(graph);
}

/// Rounds activations within their ranges, to 8 bits or, for [`Mode::Wide`], to 16, and weights to 8 bits.
pub fn quantise(
    graph: &mut Graph,
    ranges: &Ranges,
    scope: Scope,
    mode: Mode,
    ends: Ends,
) -> Quantised {
    let grid = match mode {
        Mode::Wide => Grid::WIDE,
        Mode::Static | Mode::Dynamic | Mode::FourBit | Mode::Weights => Grid::BYTES,
    };
    let (activations, clamped) = activations::quantise(graph, ranges, scope, (grid, ends));
    // Targets of integers look up integers of the result's range.
    let tables = match scope {
        Scope::Layers => layers::quantise_tables(graph),
        Scope::All => 0,
    };
    let (layers, left) = weights::quantise(graph);
    Quantised {
        layers,
        left,
        activations,
        clamped,
        tables,
    }
}

/// Rounds weights of layers, and marks their activations to be rounded when running, but for [`Mode::Weights`].
pub fn quantise_dynamically(graph: &mut Graph, mode: Mode) -> Quantised {
    layers::quantise(graph, mode)
}

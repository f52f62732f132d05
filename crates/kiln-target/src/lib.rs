//! The interface between the driver and the targets.
//!
//! A [`CompileTarget`] turns graphs into [`Compiled`]: the artifact, its figures, and the place of each node. An
//! [`Artifact`] writes itself, describes itself, and loads into an [`Executor`]. A [`Format`] recognises an artifact by
//! its content and reads it. The driver holds a list of targets and a list of formats, and knows nothing else about
//! them.
//!
//! [`Border`] describes what crosses an artifact's border where that differs from the model's inputs and outputs
//! (integers for floats, another order of axes). [`AtModelBorder`] converts between the two. [`Runs`] holds the tensors
//! of runs.

mod arena;
mod artifact;
mod border;
mod dim_order;
mod error;
mod executor;
mod figures;
mod format;
mod frozen;
mod half;
mod integers;
mod model_border;
pub mod operands;
mod place;
pub mod progress;
mod quantised;
mod rates;
mod reals;
mod runs;
mod target;

pub use arena::{Arena, ArenaCall, Block, BlockKind, Span};
pub use artifact::{
    Activations, Artifact, Declared, Kind, Loading, RunChoice, Runtime, Signature, Size,
};
pub use border::{Border, Port, io, is_updated, output_index};
pub use dim_order::DimOrder;
pub use error::{Error, Explain};
pub use executor::{About, Executor, Measured, Session, scalar_tensor};
pub use figures::{AssumedBound, Bands, Figures, Moved, Mover, Operators};
pub use format::{Format, Found, read_mapped};
pub use frozen::{Expected, check_frozen};
pub use half::{Half, UnknownHalf};
pub use integers::as_integers;
pub use model_border::AtModelBorder;
pub use place::{Place, Placed};
pub use quantised::{
    computing_in_floats, has_floats, has_quantised, in_floats, is_of_quantised,
    is_of_quantised_model, is_rounding,
};
pub use rates::Rates;
pub use reals::Reals;
pub use runs::{Role, Runs, name};
pub use target::{
    Choice, CompileError, CompileTarget, Compiled, CompiledMethod, Entry, Integers, Options,
    SourceMethod,
};

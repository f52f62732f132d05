//! The ExecuTorch program: reader, writer, and the builtin runtime.
//!
//! [`Program`] is an owned model of a `.pte` file without flatbuffers: methods with their values and instructions, and
//! the bytes to which they refer as shared [`bytes::Bytes`]. [`read`](read()) accepts any file that the stock runtime
//! 1.5.1 loads, and [`write`](write()) writes files that it loads.
//!
//! Invariants
//! - No byte of a constant, delegate blob or named datum is copied between the model and a file.
//! - The same program gives the same file.
//! - A [`Program`] that [`read`](read()) returned has no index out of range, and no tensor that exceeds its storage. A
//!   program built by hand is checked by the same rules before a byte of it is written.
//! - No input makes [`read`](read()) panic, or allocate more than a small multiple of the file's size.

mod check;
pub mod fault;
pub mod flatbuffer;
mod frame;
mod index;
mod inspect;
mod instruction;
mod pool;
mod program;
/// Generated from `schema/program.fbs`, which says how.
#[allow(
    dead_code,
    missing_docs,
    unreachable_pub,
    clippy::all,
    clippy::pedantic,
    clippy::undocumented_unsafe_blocks
)]
#[path = "gen/program.rs"]
mod program_fb;
mod read;
pub mod runtime;
mod scalar_type;
mod value;
mod write;

pub use check::check;
pub use fault::Fault;
pub use index::{BlobIndex, ConstantIndex, DelegateIndex, InitialIndex, OperatorIndex, ValueIndex};
pub use instruction::{CompileSpec, Delegate, Instruction, Operator};
pub use pool::Pool;
pub use program::{ContainerMeta, Method, NamedData, Program};
pub use read::{ReadError, read};
pub use scalar_type::ScalarType;
pub use value::{ArenaSlot, Dynamism, TensorStorage, TensorValue, Value};
pub use write::{WriteError, prepare_file, write, write_file};

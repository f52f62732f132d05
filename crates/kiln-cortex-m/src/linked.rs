//! What the calls of a program are linked with.

use crate::dialect::Build;

/// The functions that there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Linked {
    /// CMSIS-NN and Kiln's own kernels: a project of C.
    Project,
    /// The `cortex_m::*` kernels of ExecuTorch, each of which calls one function of CMSIS-NN, and the stock runtime's.
    Runtime,
}

/// A build, and the functions that there are on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Machine {
    pub(crate) build: Build,
    pub(crate) linked: Linked,
}

//! Which functions a program can call.

use crate::dialect::Build;

/// The functions that a program is linked with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Linked {
    /// CMSIS-NN and Kiln's own kernels: a project of C.
    Project,
    /// The kernels of ExecuTorch's runtime: `cortex_m::*`, each of which calls one function of CMSIS-NN, and the stock kernels.
    Runtime,
}

/// A build of the library, and the functions that a program for it is linked with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Machine {
    pub(crate) build: Build,
    pub(crate) linked: Linked,
}

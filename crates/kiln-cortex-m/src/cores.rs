//! The cores for which programs are compiled.

use crate::dialect::Build;

/// A core, with what its compiler and its board are called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Core {
    /// The target's name: `cortex-m4`.
    pub name: &'static str,
    /// The build of CMSIS-NN that runs on it.
    pub build: Build,
    /// The floats that it computes in hardware.
    pub floats: Floats,
    /// The flags of `arm-none-eabi-gcc`; empty for the host.
    pub flags: &'static [&'static str],
    /// QEMU's board that runs it. `None` for the host.
    pub board: Option<Board>,
}

/// The floats that a core computes in hardware.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Floats {
    /// None: each operation on floats is a call of the compiler's library.
    None,
    /// `float`.
    Single,
    /// `float` and `double`.
    Double,
}

/// A board of QEMU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Board {
    /// The argument of `-M`.
    pub machine: &'static str,
    /// The linker script in `board/`.
    pub script: &'static str,
}

const AN385: Board = Board {
    machine: "mps2-an385",
    script: "mps2.ld",
};

const AN386: Board = Board {
    machine: "mps2-an386",
    script: "mps2.ld",
};

const AN500: Board = Board {
    machine: "mps2-an500",
    script: "mps2.ld",
};

const AN505: Board = Board {
    machine: "mps2-an505",
    script: "mps2-an505.ld",
};

const AN547: Board = Board {
    machine: "mps3-an547",
    script: "mps3-an547.ld",
};

/// All cores. QEMU 7.2 has no large board with a Cortex-M0: its code runs on a Cortex-M3 on which unaligned accesses fault. QEMU
/// has no Cortex-M85 either, nor has GCC 12.2: code for Cortex-M55 stands for its code.
pub const CORES: &[Core] = &[
    Core {
        name: "cortex-m0",
        build: Build::Scalar,
        floats: Floats::None,
        flags: &["-mcpu=cortex-m0", "-DBOARD_STRICT_ALIGNMENT"],
        board: Some(AN385),
    },
    Core {
        name: "cortex-m3",
        build: Build::Scalar,
        floats: Floats::None,
        flags: &["-mcpu=cortex-m3"],
        board: Some(AN385),
    },
    Core {
        name: "cortex-m4",
        build: Build::Dsp,
        floats: Floats::Single,
        flags: &["-mcpu=cortex-m4", "-mfloat-abi=hard", "-mfpu=fpv4-sp-d16"],
        board: Some(AN386),
    },
    Core {
        name: "cortex-m7",
        build: Build::Dsp,
        floats: Floats::Double,
        flags: &["-mcpu=cortex-m7", "-mfloat-abi=hard", "-mfpu=fpv5-d16"],
        board: Some(AN500),
    },
    Core {
        name: "cortex-m33",
        build: Build::Dsp,
        floats: Floats::Single,
        flags: &["-mcpu=cortex-m33", "-mfloat-abi=hard", "-mfpu=fpv5-sp-d16"],
        board: Some(AN505),
    },
    Core {
        name: "cortex-m55",
        build: Build::Mve,
        floats: Floats::Double,
        flags: &["-mcpu=cortex-m55", "-mfloat-abi=hard"],
        board: Some(AN547),
    },
    Core {
        name: "cortex-m85",
        build: Build::Mve,
        floats: Floats::Double,
        flags: &["-mcpu=cortex-m55", "-mfloat-abi=hard"],
        board: Some(AN547),
    },
    Core {
        name: "host-c",
        build: Build::Scalar,
        floats: Floats::Double,
        flags: &[],
        board: None,
    },
];

impl Core {
    /// The core of a target's name.
    pub fn named(name: &str) -> Option<&'static Core> {
        CORES.iter().find(|core| core.name == name)
    }
}

//! Parts that some tests need and a machine may lack, and what happens to a test without its part.
//!
//! A test whose part is missing does nothing but report this: it adds a line to the file that `$KILN_SKIPS` names,
//! which `scripts/test` prints at its end. If `$KILN_REQUIRE` is set, as in `scripts/test`, such a test fails if
//! `scripts/test` can install the part. A test can find a part only by [`Part::find`], so no test is skipped silently.

use std::io::Write;
use std::panic::Location;
use std::path::{Path, PathBuf};

/// A part.
#[derive(Debug)]
pub struct Part {
    /// What it is, for messages.
    name: &'static str,
    /// The environment variable with its path.
    variable: Option<&'static str>,
    /// Its path below the target folder, once it is installed.
    installed: Option<&'static str>,
    /// Programs on `PATH` that can serve as it.
    programs: &'static [&'static str],
    /// How to get it.
    remedy: &'static str,
    /// True if `scripts/test` installs it.
    is_brought: bool,
}

/// The runner of the stock ExecuTorch runtime.
pub const STOCK_RUNTIME: Part = Part {
    name: "the stock runtime",
    variable: Some("KILN_ET_RUN"),
    installed: Some("release/et_run"),
    programs: &["et_run"],
    remedy: "scripts/stock-runtime installs it",
    is_brought: true,
};

/// TOSA's reference model.
pub const REFERENCE_MODEL: Part = Part {
    name: "TOSA's reference model",
    variable: Some("KILN_TOSA_REFERENCE"),
    installed: Some("tosa-tools/bin/tosa_reference_model"),
    programs: &["tosa_reference_model"],
    remedy: "scripts/tosa-tools installs it",
    is_brought: true,
};

/// Arm's Vela.
pub const VELA: Part = Part {
    name: "Vela",
    variable: Some("KILN_VELA"),
    installed: Some("tosa-tools/bin/vela"),
    programs: &["vela"],
    remedy: "scripts/tosa-tools installs it",
    is_brought: true,
};

/// A C compiler for this machine, with GCC's options.
pub const HOST_CC: Part = Part {
    name: "a C compiler",
    variable: None,
    installed: None,
    programs: &["cc", "gcc", "clang"],
    remedy: "install gcc",
    is_brought: true,
};

/// GCC for Cortex-M.
pub const ARM_GCC: Part = Part {
    name: "GCC for Cortex-M",
    variable: Some("KILN_ARM_GCC"),
    installed: None,
    programs: &["arm-none-eabi-gcc"],
    remedy: "scripts/arm-tools installs it",
    is_brought: true,
};

/// CMake.
pub const CMAKE: Part = Part {
    name: "CMake",
    variable: Some("KILN_CMAKE"),
    installed: None,
    programs: &["cmake"],
    remedy: "scripts/arm-tools installs it",
    is_brought: true,
};

/// QEMU with boards of Cortex-M.
pub const QEMU_ARM: Part = Part {
    name: "QEMU for Cortex-M",
    variable: Some("KILN_QEMU"),
    installed: None,
    programs: &["qemu-system-arm"],
    remedy: "scripts/arm-tools installs it",
    is_brought: true,
};

/// A browser that runs without a window.
pub const BROWSER: Part = Part {
    name: "Chromium",
    variable: Some("KILN_CHROMIUM"),
    installed: None,
    programs: &[
        "chromium-headless-shell",
        "chromium",
        "chromium-browser",
        "google-chrome",
    ],
    remedy: "install Chromium",
    is_brought: false,
};

/// The corpus beyond that of this repository; [`crate::corpus::Corpus`] finds it.
pub const LARGER_CORPUS: Part = Part {
    name: "the larger corpus",
    variable: Some("KILN_CORPUS"),
    installed: None,
    programs: &[],
    remedy: "KILN_CORPUS names it",
    is_brought: false,
};

/// A temporary folder whose file system supports files without a name.
pub const UNNAMED_FILES: Part = Part {
    name: "a file system that makes files without names",
    variable: None,
    installed: None,
    programs: &[],
    remedy: "TMPDIR names a folder on one",
    is_brought: false,
};

impl Part {
    /// The path of the part: the value of its variable, otherwise where `scripts/test` installs it, otherwise on
    /// `PATH`. If it is missing, the test is reported as skipped.
    ///
    /// # Panics
    /// If it is missing and required.
    #[must_use = "without its part a test must end"]
    #[track_caller]
    pub fn find(&self) -> Option<PathBuf> {
        let found = self.place();
        if found.is_none() {
            self.skip();
        }
        found
    }

    /// Reports that the running test is skipped because the part is missing. For parts that [`Part::find`] does not
    /// search.
    ///
    /// # Panics
    /// If the part is required.
    #[track_caller]
    pub fn skip(&self) {
        let Part { name, remedy, .. } = self;
        let test = std::thread::current().name().unwrap_or("a test").to_owned();
        let file = Location::caller().file();
        let what = format!("{file}: {test} needs {name}, which is not there ({remedy})");
        assert!(!self.is_required(), "{what}");
        note(&what);
    }

    /// True if a test that lacks the part fails.
    fn is_required(&self) -> bool {
        self.is_brought && std::env::var_os("KILN_REQUIRE").is_some()
    }

    fn place(&self) -> Option<PathBuf> {
        if let Some(path) = self.variable.and_then(std::env::var_os) {
            return Some(path.into());
        }
        let installed = self.installed.map(|p| crate::target_folder().join(p));
        let path = std::env::var_os("PATH").unwrap_or_default();
        let folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
        let on_path = self.programs.iter();
        let on_path = on_path.flat_map(|p| folders.iter().map(move |f| f.join(p)));
        installed.into_iter().chain(on_path).find(|p| p.is_file())
    }
}

/// Adds a line to the file that `$KILN_SKIPS` names, and to the output.
pub fn note(skipped: &str) {
    eprintln!("skipped: {skipped}");
    let Some(path) = std::env::var_os("KILN_SKIPS") else {
        return;
    };
    let mut options = std::fs::File::options();
    let file = options.append(true).create(true).open(&path);
    let written = file.and_then(|mut file| file.write_all(format!("{skipped}\n").as_bytes()));
    if let Err(error) = written {
        panic!("{}: {error}", Path::new(&path).display());
    }
}

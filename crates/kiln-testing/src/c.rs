//! Compilers of C, for tests that build C themselves.

use std::ffi::OsStr;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Compiles each source to an object in the folder, and gives the objects, which have the names of their sources. A process takes
/// one source, so that a cache of the compiler, as ccache is, knows the object of a source that did not change.
///
/// # Panics
/// If a source does not compile; the message is the compiler's.
pub fn compile_each<F: AsRef<OsStr> + Sync>(
    compiler: &Path,
    flags: &[F],
    sources: &[PathBuf],
    folder: &Path,
) -> Vec<PathBuf> {
    let processors = std::thread::available_parallelism().map_or(1, NonZero::get);
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..processors {
            scope.spawn(|| {
                while let Some(source) = sources.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let mut command = Command::new(compiler);
                    command.current_dir(folder).args(flags).arg("-c");
                    succeed(command.arg(source).arg("-o").arg(object_of(source, folder)));
                }
            });
        }
    });
    let objects = sources.iter().map(|source| object_of(source, folder));
    objects.collect()
}

fn object_of(source: &Path, folder: &Path) -> PathBuf {
    let name = source.file_name().unwrap_or_default();
    folder.join(name).with_extension("o")
}

/// Runs a program, which must succeed, and gives what it said.
///
/// # Panics
/// If it does not start or fails.
pub fn succeed(command: &mut Command) -> String {
    let output = command.output();
    let output = output.unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let text = [output.stdout, output.stderr].concat();
    let text = String::from_utf8_lossy(&text).into_owned();
    assert!(
        output.status.success(),
        "{command:?}: {}\n{text}",
        output.status
    );
    text
}

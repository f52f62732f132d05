//! Child processes, and the resources that they use.

use anyhow::{Context, Result, bail};
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, ExitStatus, Stdio};
use std::time::Instant;

/// The resources that a process used.
#[derive(Clone, Copy, Debug)]
pub struct Usage {
    /// The user and system time of all threads.
    pub cpu_seconds: f64,
    /// The time from start to end.
    pub wall_seconds: f64,
    /// The greatest resident set.
    pub peak_bytes: u64,
}

/// Runs a command and waits for its end.
///
/// # Errors
/// If the command cannot be started or does not end with status 0.
pub fn measure(command: &mut Command) -> Result<Usage> {
    let start = Instant::now();
    let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    let child = child.with_context(|| format!("cannot start {command:?}"))?;
    let (mut status, mut usage) = (0, std::mem::MaybeUninit::<libc::rusage>::zeroed());
    // SAFETY: the pid is that of a child which nothing else waits for; both pointers are to live locals.
    let waited = unsafe {
        libc::wait4(
            child.id() as libc::pid_t,
            &mut status,
            0,
            usage.as_mut_ptr(),
        )
    };
    anyhow::ensure!(waited > 0, "waiting for {command:?} failed");
    // SAFETY: zeroed is a valid rusage, and wait4 has filled it.
    let usage = unsafe { usage.assume_init() };
    let seconds = |t: libc::timeval| t.tv_sec as f64 + t.tv_usec as f64 / 1e6;
    if !ExitStatus::from_raw(status).success() {
        bail!("{command:?} ended with {}", ExitStatus::from_raw(status));
    }
    Ok(Usage {
        cpu_seconds: seconds(usage.ru_utime) + seconds(usage.ru_stime),
        wall_seconds: start.elapsed().as_secs_f64(),
        // Linux gives kilobytes.
        peak_bytes: usage.ru_maxrss as u64 * 1024,
    })
}

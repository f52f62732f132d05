//! Signals that end this program: they wait until what it has begun is ended or taken away.

#[cfg(unix)]
use signal_hook::consts::SIGHUP;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::{flag, low_level};
use std::ffi::c_int;
use std::io;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

const SIGNALS: &[c_int] = &[
    SIGINT,
    SIGTERM,
    #[cfg(unix)]
    SIGHUP,
];

/// Whether the program that this code is a part of asks the calling thread to stop.
static HOST: OnceLock<fn() -> bool> = OnceLock::new();

/// The state shared with the signal handlers; a process has one set of handlers.
#[derive(Debug)]
struct Handlers {
    /// True if signals have their default effect.
    is_idle: Arc<AtomicBool>,
    caught: Arc<AtomicUsize>,
    /// How many [`Waiting`] live.
    waiting: Mutex<usize>,
}

static HANDLERS: OnceLock<Handlers> = OnceLock::new();

/// A signal arrived.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("interrupted")]
pub struct Interrupted;

/// From now on, signals are the host's, the program that loads this code, such as Python: no handler is registered here, and the host says
/// whether the calling thread is to stop. The first host counts.
pub fn leave_to_host(is_interrupted: fn() -> bool) {
    HOST.get_or_init(|| is_interrupted);
}

/// While one lives, signals wait. When the last is dropped, a signal that arrived ends this program. Signals that are left to the host are as
/// ever.
#[derive(Debug)]
pub struct Waiting(Option<&'static Handlers>);

impl Waiting {
    /// Makes signals wait.
    ///
    /// # Errors
    /// If the system refuses the handlers.
    pub fn start() -> io::Result<Waiting> {
        if HOST.get().is_some() {
            return Ok(Waiting(None));
        }
        let handlers = match HANDLERS.get() {
            Some(handlers) => handlers,
            None => {
                let made = Handlers::register()?;
                HANDLERS.get_or_init(|| made)
            }
        };
        let mut waiting = handlers.lock();
        *waiting += 1;
        handlers.is_idle.store(false, Ordering::SeqCst);
        Ok(Waiting(Some(handlers)))
    }
}

impl Drop for Waiting {
    /// Gives the signal that arrived its default effect, which ends this program.
    fn drop(&mut self) {
        let Some(handlers) = self.0 else {
            return;
        };
        let mut waiting = handlers.lock();
        *waiting -= 1;
        if *waiting > 0 {
            return;
        }
        handlers.is_idle.store(true, Ordering::SeqCst);
        let caught = handlers.caught.swap(0, Ordering::SeqCst);
        if let Some(&signal) = SIGNALS.iter().find(|&&signal| signal as usize == caught) {
            // This fails only for signals without a default effect; none is handled here.
            let _ = low_level::emulate_default_handler(signal);
        }
    }
}

/// Work of many parts asks between them whether to go on. An error only while a [`Waiting`] lives, otherwise the signal ended the program; or
/// if the host asks this thread to stop.
///
/// # Errors
/// A signal arrived.
pub fn check() -> Result<(), Interrupted> {
    let is_interrupted = match (HOST.get(), HANDLERS.get()) {
        (Some(is_interrupted), _) => is_interrupted(),
        (None, Some(handlers)) => {
            !handlers.is_idle.load(Ordering::SeqCst) && handlers.caught.load(Ordering::SeqCst) != 0
        }
        (None, None) => false,
    };
    match is_interrupted {
        true => Err(Interrupted),
        false => Ok(()),
    }
}

impl Handlers {
    fn register() -> io::Result<Handlers> {
        let handlers = Handlers {
            is_idle: Arc::new(AtomicBool::new(true)),
            caught: Arc::new(AtomicUsize::new(0)),
            waiting: Mutex::new(0),
        };
        for &signal in SIGNALS.iter().filter(|&&signal| !is_ignored(signal)) {
            flag::register_conditional_default(signal, handlers.is_idle.clone())?;
            flag::register_usize(signal, handlers.caught.clone(), signal as usize)?;
        }
        Ok(handlers)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, usize> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// True if whoever started this program had it ignore the signal, as `nohup` does and shells do for what runs in the background.
#[cfg(unix)]
fn is_ignored(signal: c_int) -> bool {
    let mut found = std::mem::MaybeUninit::<libc::sigaction>::zeroed();
    // SAFETY: no action is given, so nothing changes, and the place for the current one is writable. All bits zero are an action.
    let action = unsafe {
        if libc::sigaction(signal, std::ptr::null(), found.as_mut_ptr()) != 0 {
            return false;
        }
        found.assume_init()
    };
    action.sa_sigaction == libc::SIG_IGN
}

#[cfg(not(unix))]
fn is_ignored(_: c_int) -> bool {
    false
}

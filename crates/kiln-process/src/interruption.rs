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

/// True if this code is a part of another program, which has handlers of its own.
static HAS_HOST: AtomicBool = AtomicBool::new(false);

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

/// From now on, signals are left to the handlers that the process has already: they never end it here. A program that loads this code, such
/// as Python, says so before the first [`Waiting`].
pub fn leave_to_host() {
    HAS_HOST.store(true, Ordering::SeqCst);
}

/// While one lives, signals wait. When the last is dropped, a signal that arrived ends this program, unless it is left to the host.
#[derive(Debug)]
pub struct Waiting(&'static Handlers);

impl Waiting {
    /// Makes signals wait.
    ///
    /// # Errors
    /// If the system refuses the handlers.
    pub fn start() -> io::Result<Waiting> {
        let handlers = match HANDLERS.get() {
            Some(handlers) => handlers,
            None => {
                let made = Handlers::register()?;
                HANDLERS.get_or_init(|| made)
            }
        };
        let mut waiting = handlers.lock();
        if *waiting == 0 {
            handlers.is_idle.store(false, Ordering::SeqCst);
            // A host has dealt with what came before.
            handlers.caught.store(0, Ordering::SeqCst);
        }
        *waiting += 1;
        Ok(Waiting(handlers))
    }

    /// True if a signal arrived.
    pub fn is_interrupted(&self) -> bool {
        self.0.is_interrupted()
    }
}

impl Drop for Waiting {
    /// Gives the signal that arrived its default effect, which ends this program.
    fn drop(&mut self) {
        let mut waiting = self.0.lock();
        *waiting -= 1;
        if *waiting > 0 {
            return;
        }
        self.0.is_idle.store(true, Ordering::SeqCst);
        let caught = self.0.caught.swap(0, Ordering::SeqCst);
        let mut signals = SIGNALS.iter();
        let Some(&signal) = signals.find(|&&signal| signal as usize == caught) else {
            return;
        };
        if !HAS_HOST.load(Ordering::SeqCst) {
            // This fails only for signals without a default effect; none is handled here.
            let _ = low_level::emulate_default_handler(signal);
        }
    }
}

/// Work of many parts asks between them whether to go on. An error only while a [`Waiting`] lives: otherwise the signal ended the program.
///
/// # Errors
/// A signal arrived.
pub fn check() -> Result<(), Interrupted> {
    match HANDLERS.get() {
        Some(handlers) if handlers.is_interrupted() => Err(Interrupted),
        _ => Ok(()),
    }
}

impl Handlers {
    fn register() -> io::Result<Handlers> {
        let handlers = Handlers {
            is_idle: Arc::new(AtomicBool::new(true)),
            caught: Arc::new(AtomicUsize::new(0)),
            waiting: Mutex::new(0),
        };
        // A host has a handler for interruptions, which is called too. What it leaves to the default effect stays so.
        let has_host = HAS_HOST.load(Ordering::SeqCst);
        for &signal in SIGNALS.iter().filter(|&&s| !has_host || s == SIGINT) {
            if !has_host {
                flag::register_conditional_default(signal, handlers.is_idle.clone())?;
            }
            flag::register_usize(signal, handlers.caught.clone(), signal as usize)?;
        }
        Ok(handlers)
    }

    fn is_interrupted(&self) -> bool {
        !self.is_idle.load(Ordering::SeqCst) && self.caught.load(Ordering::SeqCst) != 0
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, usize> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

//! Signals that end this program wait while another program works for it, until that program has ended too.

#[cfg(unix)]
use signal_hook::consts::SIGHUP;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::{flag, low_level};
use std::ffi::c_int;
use std::io;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

const SIGNALS: &[c_int] = &[
    SIGINT,
    SIGTERM,
    #[cfg(unix)]
    SIGHUP,
];

/// The state shared with the signal handlers; a process has one set of handlers.
struct Handlers {
    /// True if signals have their default effect.
    is_idle: Arc<AtomicBool>,
    caught: Arc<AtomicUsize>,
}

static HANDLERS: OnceLock<Handlers> = OnceLock::new();

/// While it lives, signals wait.
pub(crate) struct Waiting(&'static Handlers);

impl Waiting {
    /// Makes signals wait.
    ///
    /// # Errors
    /// If the system refuses the handlers.
    pub(crate) fn start() -> io::Result<Waiting> {
        let handlers = match HANDLERS.get() {
            Some(handlers) => handlers,
            None => {
                let made = Handlers::register()?;
                HANDLERS.get_or_init(|| made)
            }
        };
        handlers.is_idle.store(false, Ordering::SeqCst);
        Ok(Waiting(handlers))
    }

    /// True if a signal arrived.
    pub(crate) fn is_interrupted(&self) -> bool {
        self.0.caught.load(Ordering::SeqCst) != 0
    }
}

impl Drop for Waiting {
    /// Gives the signal that arrived its default effect, which ends this program.
    fn drop(&mut self) {
        self.0.is_idle.store(true, Ordering::SeqCst);
        let caught = self.0.caught.swap(0, Ordering::SeqCst);
        if let Some(&signal) = SIGNALS.iter().find(|&&signal| signal as usize == caught) {
            // This fails only for signals without a default effect; none is handled here.
            let _ = low_level::emulate_default_handler(signal);
        }
    }
}

impl Handlers {
    fn register() -> io::Result<Handlers> {
        let handlers = Handlers {
            is_idle: Arc::new(AtomicBool::new(true)),
            caught: Arc::new(AtomicUsize::new(0)),
        };
        for &signal in SIGNALS {
            flag::register_conditional_default(signal, handlers.is_idle.clone())?;
            flag::register_usize(signal, handlers.caught.clone(), signal as usize)?;
        }
        Ok(handlers)
    }
}

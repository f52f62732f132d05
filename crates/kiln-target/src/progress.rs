//! Progress lines on a terminal for work that takes long. Nothing is shown unless a command asked for it.

use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

static SHOWN: AtomicBool = AtomicBool::new(false);

/// The delay before the first line, and between two lines.
const TICK: Duration = Duration::from_millis(250);

/// From now on, shows stages on stderr, which must be a terminal.
pub fn show() {
    SHOWN.store(true, Ordering::Relaxed);
}

/// A piece of work. Its line disappears when the value is dropped.
#[must_use]
pub struct Stage(Option<(Sender<()>, JoinHandle<()>)>);

/// Begins a piece of work: shows a line with its text and its duration.
pub fn stage(text: impl Into<String>) -> Stage {
    if !SHOWN.load(Ordering::Relaxed) {
        return Stage(None);
    }
    let (text, (end, ended)) = (text.into(), channel::<()>());
    let start = Instant::now();
    let draw = move || {
        let mut stderr = std::io::stderr();
        while ended.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
            let seconds = start.elapsed().as_secs();
            // Losing the terminal is no reason to stop the work.
            let _ = write!(stderr, "\r\x1b[K{text}, {seconds} s");
        }
        if start.elapsed() >= TICK {
            let _ = write!(stderr, "\r\x1b[K");
        }
    };
    Stage(Builder::new().spawn(draw).ok().map(|thread| (end, thread)))
}

impl Drop for Stage {
    fn drop(&mut self) {
        if let Some((end, thread)) = self.0.take() {
            drop(end);
            // A panic of the drawing thread is no fault of the work.
            let _ = thread.join();
        }
    }
}

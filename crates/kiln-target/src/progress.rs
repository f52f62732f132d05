//! What a terminal shows while something takes long. Nothing is shown unless a command asked for it.

use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

static SHOWN: AtomicBool = AtomicBool::new(false);

/// Time between two lines, and before the first.
const TICK: Duration = Duration::from_millis(250);

/// Shows stages from now on, on stderr, which is a terminal.
pub fn show() {
    SHOWN.store(true, Ordering::Relaxed);
}

/// A piece of work; its line goes when it is dropped.
#[must_use]
pub struct Stage(Option<(Sender<()>, JoinHandle<()>)>);

/// Begins a piece of work: a line with that text and the time that it takes.
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
            // A terminal that is gone is no reason to stop working.
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
            // A panic of the drawing thread shows nothing wrong with the work.
            let _ = thread.join();
        }
    }
}

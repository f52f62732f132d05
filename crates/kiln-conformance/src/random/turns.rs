//! Seeds in turn on all cores, each within bounded time.
//!
//! A check that does not end would stop the run without a word, and may fill the memory. So the process ends as soon as a seed
//! takes longer than [`MOST`], and names it. The threads do not belong to the evaluator's pool. Otherwise a waiting check would
//! start another seed, and its time would count twice.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// Far more than any check takes, on a machine with much else to do.
const MOST: Duration = Duration::from_secs(300);

/// How often it is looked at which seeds are checked.
const LOOK: Duration = Duration::from_secs(1);

/// Checks each seed on one of as many threads as there are cores.
pub fn in_turn(seeds: impl Iterator<Item = u64> + Send, check: impl Fn(u64) + Sync) {
    let threads = std::thread::available_parallelism().map_or(2, usize::from);
    let seeds = Mutex::new(seeds);
    let current: Vec<AtomicU64> = (0..threads).map(|_| AtomicU64::new(u64::MAX)).collect();
    let (ended, end) = channel::<()>();
    std::thread::scope(|scope| {
        for own in &current {
            let (seeds, check, ended) = (&seeds, &check, ended.clone());
            scope.spawn(move || {
                let _ended = ended;
                // The evaluator's parallel loops run on this thread alone. All cores are busy with other seeds, and handing
                // such small loops to a pool costs a fifth of the time.
                let own_pool = rayon::ThreadPoolBuilder::new()
                    .num_threads(1)
                    .use_current_thread();
                let _pool = own_pool.build();
                loop {
                    let seed = seeds.lock().expect("to count does not panic").next();
                    own.store(seed.unwrap_or(u64::MAX), Ordering::Relaxed);
                    let Some(seed) = seed else { break };
                    check(seed);
                }
            });
        }
        drop(ended);
        let mut since: Vec<(u64, Instant)> = vec![(u64::MAX, Instant::now()); threads];
        while end.recv_timeout(LOOK) == Err(RecvTimeoutError::Timeout) {
            watch(&current, &mut since);
        }
    });
}

/// Ends the process if a seed takes too long.
fn watch(current: &[AtomicU64], since: &mut [(u64, Instant)]) {
    for (own, known) in current.iter().zip(since) {
        let seed = own.load(Ordering::Relaxed);
        if seed != known.0 {
            *known = (seed, Instant::now());
        }
        if seed != u64::MAX && known.1.elapsed() > MOST {
            println!("seed {seed} takes more than {} s", MOST.as_secs());
            std::process::exit(1);
        }
    }
}

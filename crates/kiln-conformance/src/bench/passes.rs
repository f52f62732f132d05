//! The growth of the time of each stage of a compilation with the number of ops.
//!
//! The time is the CPU time of the process, the least of a few runs, in microseconds per op. The growth is the exponent of
//! the number of ops that fits the times of the smallest and the largest model: 1 is linear, and n log n is about 1.1.

use super::long_model::{self, Shape};
use anyhow::{Context, Result, bail};
use indexmap::IndexMap;
use kiln::compiler::run_passes;
use kiln::model::Model;
use kiln::target::TargetName;
use std::path::Path;

/// The number of models. Each has twice the ops of the one before.
const SIZES: u32 = 4;

const REPEATS: usize = 3;

/// The greatest growth allowed. n log n from 6,250 to 50,000 ops is 1.10, and n^1.5 is 1.5. The margin above 1.10 is for
/// the caches, which a large graph exceeds.
const MAX_GROWTH: f64 = 1.4;

/// The time per op in microseconds below which a stage mostly waits for memory. Such stages are not judged.
const FLOOR: f64 = 1.0;

/// The CPU seconds of each stage.
type Times = IndexMap<String, f64>;

/// Prints a table for each shape and target.
///
/// # Errors
/// If a stage grows faster than [`MAX_GROWTH`] allows.
pub fn run(ops: usize, shape: Option<Shape>, target: Option<TargetName>) -> Result<()> {
    let mut steep = Vec::new();
    for shape in Shape::ALL
        .into_iter()
        .filter(|&s| shape.is_none_or(|only| s == only))
    {
        for name in ["xnnpack", "portable"] {
            let name: TargetName = name.parse().map_err(anyhow::Error::msg)?;
            if target.is_none_or(|only| only == name) {
                let found = table(shape, name, ops)?;
                steep.extend(found.into_iter().map(|s| format!("{shape:?} {name}: {s}")));
            }
        }
    }
    if !steep.is_empty() {
        bail!("faster than n log n: {}", steep.join(", "));
    }
    Ok(())
}

/// Measures one shape on one target, and prints its table. Returns the stages that grow too fast.
fn table(shape: Shape, target: TargetName, ops: usize) -> Result<Vec<String>> {
    let sizes: Vec<usize> = (0..SIZES).rev().map(|i| ops >> i).collect();
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("model.pt2");
    let mut runs = Vec::new();
    for &size in &sizes {
        long_model::write(shape, size, &path)?;
        runs.push(best(target, &path).with_context(|| format!("{shape:?} of {size} ops"))?);
    }
    let heads: Vec<String> = sizes.iter().map(ToString::to_string).collect();
    println!(
        "\n{shape:?}, {target}: microseconds per op\n\n| stage | {} | growth |",
        heads.join(" | ")
    );
    println!("|---|{}---:|", "---:|".repeat(sizes.len()));
    let mut steep = Vec::new();
    for stage in runs[0].keys() {
        let each: Vec<f64> = runs
            .iter()
            .zip(&sizes)
            .map(|(r, &n)| r[stage] * 1e6 / n as f64)
            .collect();
        let (first, last) = (each[0].max(FLOOR), each[each.len() - 1].max(FLOOR));
        let growth = 1.0 + (last / first).ln() / f64::from(1 << (SIZES - 1)).ln();
        let cells: Vec<String> = each.iter().map(|t| format!("{t:.2}")).collect();
        println!("| {stage} | {} | {growth:.2} |", cells.join(" | "));
        if growth > MAX_GROWTH {
            steep.push(format!("{stage} {growth:.2}"));
        }
    }
    Ok(steep)
}

fn best(target: TargetName, path: &Path) -> Result<Times> {
    let mut best = stages(target, path)?;
    for _ in 1..REPEATS {
        for (stage, time) in stages(target, path)? {
            let least = best.entry(stage).or_insert(time);
            *least = least.min(time);
        }
    }
    Ok(best)
}

/// Runs the stages of a compilation one by one, and measures each.
fn stages(target: TargetName, path: &Path) -> Result<Times> {
    let mut times = Times::new();
    let has_delegate = target == TargetName::default();
    let target = target.create(&kiln_target::Options::default());
    let model = timed(&mut times, "import", || Model::open(path))?;
    let mut graph = timed(&mut times, "import", || model.graph(path, "forward"))?;
    for (i, pass) in target.pipeline().iter().enumerate() {
        let stage = format!("{}. {}", i + 1, pass.name);
        timed(&mut times, &stage, || {
            run_passes(
                &mut graph,
                &*target,
                std::slice::from_ref(pass),
                &Default::default(),
            )
        })?;
    }
    let regions = timed(&mut times, "regions", || match has_delegate {
        true => kiln_xnnpack::compile(&graph, &kiln_xnnpack::Options::default()),
        false => Ok(Vec::new()),
    })?;
    timed(&mut times, "placements", || {
        kiln_portable::program::placements(&graph, &regions, target.as_target())
    });
    let method = kiln_portable::Method {
        regions,
        ..kiln_portable::Method::new(&graph)
    };
    let emitted = timed(&mut times, "emit", || {
        kiln_portable::emit(&[method], &Default::default())
    })?;
    timed(&mut times, "write", || {
        kiln_pte::write(&emitted.program, &mut std::io::sink())
    })?;
    let all = times.values().sum();
    times.insert("all".into(), all);
    timed(&mut times, "verify", || kiln_ir::verify::verify(&graph))
        .map_err(|faults| anyhow::anyhow!("{faults:?}"))?;
    Ok(times)
}

fn timed<T>(times: &mut Times, stage: &str, run: impl FnOnce() -> T) -> T {
    let start = cpu_seconds();
    let result = run();
    *times.entry(stage.to_owned()).or_default() += cpu_seconds() - start;
    result
}

/// The CPU time of all threads of this process.
fn cpu_seconds() -> f64 {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: the pointer is to a live local, and the clock exists on every system with this call.
    unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut time) };
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

//! Every row of the table on random calls. The importer must accept or refuse each call, within bounds of time and memory,
//! and never panic. `cargo test -p kiln-aten --test rows -- --nocapture` prints how many calls of each row were accepted
//! and refused.

#[path = "../../../fuzz/src/calls.rs"]
mod calls;

use calls::{Choices, Kinds, Outcome, kinds_of_all, names_of, random_bytes};
use kiln_aten::{Arg, Kind, Problem, table};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

/// The number of calls of each row.
const DRAWS: u64 = 120;

/// The greatest time for one call, without optimisation and on a busy machine.
const LONGEST: Duration = Duration::from_secs(20);

/// The most nodes, and the most bytes of constants, that a call on small operands may make.
const MAX_NODES: usize = 1 << 20;
const MAX_BYTES: usize = 1 << 28;

/// The least percentage of rows that must accept a random call with tensors. With fewer, the calls would test little.
const ACCEPTED: usize = 75;

/// The outcomes of the calls of a row.
#[derive(Default)]
struct Row {
    accepted: usize,
    refused: usize,
    /// The accepted calls with tensors.
    with_tensors: usize,
    /// The calls with tensors whose arguments have the right kinds.
    reached: usize,
}

impl Row {
    fn count(&mut self, outcome: &Outcome) {
        let of_kind = match &outcome.result {
            Ok(_) => true,
            Err(error) => !matches!(
                error.problem,
                Problem::Argument { .. }
                    | Problem::Missing(_)
                    | Problem::Surplus(_)
                    | Problem::UnknownOp
            ),
        };
        let accepted = outcome.result.is_ok();
        let has_tensors = outcome.call.args.iter().any(|(_, arg)| is_tensor(arg));
        self.accepted += usize::from(accepted);
        self.refused += usize::from(!accepted);
        self.with_tensors += usize::from(accepted && has_tensors);
        self.reached += usize::from(of_kind && has_tensors);
    }
}

fn is_tensor(arg: &Arg) -> bool {
    match arg {
        Arg::Tensor(_) | Arg::Complex { .. } => true,
        Arg::Tensors(list) => !list.is_empty(),
        Arg::OptionalTensors(list) => list.iter().any(Option::is_some),
        _ => false,
    }
}

/// The target, or sometimes its variant in place or its copying variant.
fn variant(target: &str, choices: &mut Choices<'_>) -> String {
    let (op, overload) = target.rsplit_once('.').expect("a target has an overload");
    match choices.below(16) {
        14 => format!("{op}_.{overload}"),
        15 => format!("{op}_copy.{overload}"),
        _ => target.to_string(),
    }
}

fn draw(target: &str, kinds: &Kinds, seed: u64) -> Result<Outcome, String> {
    let bytes = random_bytes(seed, 600);
    let mut choices = Choices::new(&bytes);
    let name = match target.starts_with("aten.") {
        true => variant(target, &mut choices),
        false => target.to_string(),
    };
    let start = Instant::now();
    let drawn = || calls::call(&name, &names_of(target), kinds, &mut choices);
    let outcome =
        catch_unwind(AssertUnwindSafe(drawn)).map_err(|_| format!("{name}: seed {seed} panics"))?;
    let (took, nodes, bytes) = (start.elapsed(), outcome.nodes, outcome.constant_bytes);
    if took > LONGEST || nodes > MAX_NODES || bytes > MAX_BYTES {
        return Err(format!(
            "{name}: seed {seed} takes {took:?}, {nodes} nodes and {bytes} bytes of constants"
        ));
    }
    if let Err(error) = &outcome.result {
        assert!(!error.problem.to_string().is_empty(), "{name} says nothing");
    }
    Ok(outcome)
}

#[test]
fn every_row_answers_or_refuses() {
    let all = kinds_of_all();
    let mut faults = Vec::new();
    let mut useful = 0;
    for (&target, kinds) in &all {
        let mut row = Row::default();
        for seed in 0..DRAWS {
            match draw(target, kinds, seed) {
                Ok(outcome) => row.count(&outcome),
                Err(fault) => faults.push(fault),
            }
        }
        let takes = |k: &Option<Kind>| matches!(k, Some(Kind::Tensor | Kind::Tensors));
        if kinds.iter().any(takes) && row.reached == 0 {
            faults.push(format!("{target} was never reached with tensors"));
        }
        useful += usize::from(row.accepted > 0);
        println!(
            "{target}: {} accepted, {} of them with tensors; {} refused",
            row.accepted, row.with_tensors, row.refused
        );
    }
    println!("{useful} of {} rows accepted a call", all.len());
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert_eq!(all.len(), table::targets().count());
    assert!(useful * 100 >= all.len() * ACCEPTED, "{useful} rows accept");
}

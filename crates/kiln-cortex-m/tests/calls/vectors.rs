//! What the library computes, through the verifier and the evaluator.
//!
//! A call that the library refuses is refused by the verifier on every build. Any other is verified for every build that has it, and
//! evaluated: every bit is the library's. Scratch memory is as much as the library asks for.

use crate::recorded::{self, Recorded, data};
use kiln_cortex_m::dialect::{Build, Parameters};
use kiln_cortex_m::evaluate::{Data, Runs};
use kiln_cortex_m::verify::{Fault, verify};
use kiln_testing::corpus::{Case, Corpus};
use std::collections::BTreeSet;

impl Recorded<'_> {
    /// Evaluates the call on a build, and compares what it writes; returns how many values those are.
    fn compare(&self, build: Build) -> Result<usize, String> {
        let replay = self.replay(build);
        let verified = verify(&replay.program, build).map_err(|faults| list(&faults))?;
        let mut runs = Runs::new(&verified);
        runs.run(&replay.inputs).unwrap();
        let mut values = 0;
        let mut compared = 0;
        for (slot, id) in self.row().slots.iter().zip(&replay.buffers) {
            let Some(name) = self.json["expect"][self.path(slot.name)].as_str() else {
                continue;
            };
            let found = runs.buffer(id.unwrap());
            let expected = data(found.dtype(), &self.tensor(name).0);
            if *found != expected {
                return Err(format!("{}: {}", slot.name, difference(found, &expected)));
            }
            values += found.len();
            compared += 1;
        }
        let listed = self.json["expect"].as_object().unwrap().len();
        assert_eq!(compared, listed, "everything that is expected is compared");
        Ok(values)
    }

    /// Scratch memory against the library's answer.
    fn check_scratch(&self) -> Result<(), String> {
        let parameters = self.parameters();
        let has_sums = self.row().slot("ctx.buf").is_some();
        for scratch in self.row().scratch {
            for build in self.builds() {
                let key = if scratch.name == "output_ctx" {
                    "reverse_conv"
                } else {
                    build.name()
                };
                let asked = self.json["scratch_bytes"][key].as_u64();
                let is_compared = matches!(scratch.name, "ctx" | "output_ctx") && !has_sums;
                if let (Some(asked), true) = (asked, is_compared) {
                    let found = (scratch.bytes)(&parameters, build) as u64;
                    if found < asked || asked + slack(&parameters) < found {
                        return Err(format!(
                            "{found} bytes of scratch memory on {build}, not {asked}"
                        ));
                    }
                }
            }
        }
        Ok(())
    }
}

/// By how much more memory is asked for than the library does: for a transposed convolution it takes one stride for the other.
fn slack(parameters: &Parameters) -> u64 {
    match parameters {
        Parameters::TransposeConv(conv) => {
            let stride = &conv.transpose_conv_params.stride;
            let rows = conv.filter_dims.h.max(stride.h);
            4 * (stride.w.abs_diff(stride.h) as u64) * (rows * conv.output_dims.c) as u64
        }
        _ => 0,
    }
}

fn difference(found: &Data, expected: &Data) -> String {
    let (found, expected) = (format!("{found:?}"), format!("{expected:?}"));
    let differing = found
        .split(',')
        .zip(expected.split(','))
        .enumerate()
        .filter(|(_, (a, b))| a != b);
    let first: Vec<String> = differing
        .take(5)
        .map(|(i, (a, b))| format!("{i}:{a} not{b}"))
        .collect();
    first.join(", ")
}

fn list(faults: &[Fault]) -> String {
    faults
        .iter()
        .map(ToString::to_string)
        .collect::<Vec<_>>()
        .join("; ")
}

/// How many values a call gives as the library does. A call that the library refuses breaks a rule, and gives none.
fn replayed(recorded: &Recorded<'_>, build: Build) -> Result<usize, String> {
    if recorded.json["returns"] == 0 {
        return recorded.compare(build);
    }
    match verify(&recorded.replay(build).program, build) {
        Err(_) => Ok(0),
        Ok(_) => Err("the library refuses it".into()),
    }
}

#[test]
fn calls_give_what_the_library_gives() {
    let suite = Corpus::open().unwrap().suite("cmsis_nn").unwrap();
    assert_eq!(suite.cases.len(), suite.listed, "all cases are here");
    let (mut calls, mut refused, mut values) = (0, 0, 0);
    let mut functions = BTreeSet::new();
    let of_case = |case: &Case| case.entry["calls"].as_u64().unwrap();
    let listed: u64 = suite.cases.iter().map(of_case).sum();
    let mut wrong = Vec::new();
    recorded::each(&suite, |place, call| {
        let name = call.function.name();
        calls += 1;
        functions.insert(name);
        let scratch = call.check_scratch().err();
        wrong.extend(scratch.map(|what| format!("{place}, {name}: {what}")));
        for (i, build) in call.builds().into_iter().enumerate() {
            match replayed(call, build) {
                // Builds give the same values, which count once.
                Ok(found) => values += if i == 0 { found } else { 0 },
                Err(what) => wrong.push(format!("{place}, {name}, {build}: {what}")),
            }
        }
        refused += u64::from(call.json["returns"] != 0);
    });
    println!(
        "{calls} calls of {} functions, of which {refused} are refused; {values} values",
        functions.len()
    );
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    assert_eq!(calls, listed, "all calls of the index");
    assert!(
        calls >= 521 && functions.len() >= 61 && values >= 528_809,
        "the whole suite"
    );
}

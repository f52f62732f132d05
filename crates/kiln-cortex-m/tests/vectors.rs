//! The corpus of calls of CMSIS-NN (`corpus/cmsis_nn`): what the library computes, through the verifier and the evaluator.
//!
//! A call that the library refuses is refused by the verifier on every build. Any other is verified for every build that has it, and
//! evaluated: every bit is the library's. Scratch memory is as much as the library asks for.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use bytes::Bytes;
use kiln_cortex_m::dialect::{
    Access, Buffer, BufferId, Build, Call, Dtype, Function, Parameters, Program, Role, Row, Slot,
    Value,
};
use kiln_cortex_m::evaluate::{Data, Runs};
use kiln_cortex_m::verify::{Fault, verify};
use kiln_testing::corpus::{Case, Corpus};
use safetensors::{Dtype as FileDtype, SafeTensors};
use serde_json::Value as Json;
use std::collections::BTreeSet;

/// The files of a case.
struct Files {
    calls: Vec<Json>,
    bytes: Vec<u8>,
}

impl Files {
    fn of(case: &Case) -> Files {
        let text = std::fs::read(case.file("json")).unwrap();
        let mut read: Json = serde_json::from_slice(&text).unwrap();
        let Json::Array(calls) = read["calls"].take() else {
            panic!("{} has no calls", case.name);
        };
        Files {
            calls,
            bytes: std::fs::read(case.file("safetensors")).unwrap(),
        }
    }
}

/// A call of the suite.
struct Recorded<'a> {
    json: &'a Json,
    tensors: &'a SafeTensors<'a>,
    function: Function,
}

/// A call as a program, with the buffers of its slots.
struct Replay {
    program: Program,
    buffers: Vec<Option<BufferId>>,
    inputs: Vec<Data>,
}

impl<'a> Recorded<'a> {
    fn row(&self) -> &'static Row {
        self.function.row()
    }

    /// The name of an argument in the suite: arguments go by their place.
    fn name(&self, ours: &str) -> &'a str {
        let place = self
            .row()
            .arguments
            .iter()
            .position(|name| *name == ours)
            .unwrap();
        self.json["args"][place].as_str().unwrap()
    }

    /// The suite's name of a slot, or of a member of a parameter.
    fn path(&self, ours: &str) -> String {
        match ours.split_once('.') {
            Some((argument, member)) => format!("{}.{member}", self.name(argument)),
            None => self.name(ours).to_owned(),
        }
    }

    /// The bytes and the type of a tensor.
    fn tensor(&self, name: &str) -> (Bytes, FileDtype) {
        let view = self.tensors.tensor(name).unwrap();
        (Bytes::copy_from_slice(view.data()), view.dtype())
    }

    /// The arguments that are numbers, with the arrays that they point to.
    fn parameters(&self) -> Parameters {
        let row = self.row();
        assert_eq!(
            self.json["args"].as_array().unwrap().len(),
            row.arguments.len(),
            "{}",
            row.name
        );
        let mut members = Vec::new();
        for &ours in row.arguments {
            let is_buffer = row.slots.iter().any(|slot| slot.name == ours);
            if ours == "NULL" || is_buffer {
                continue;
            }
            let theirs = self.name(ours);
            if let Some(found) = self.json["params"].get(theirs) {
                members.push((ours.to_owned().into(), self.value(found, theirs)));
            } else if !row.scratch.iter().any(|scratch| scratch.name == ours) {
                // A struct of pointers only.
                members.push((ours.to_owned().into(), Value::Struct("", Vec::new())));
            }
        }
        Parameters::of(row.family, &Value::Struct("", members)).unwrap()
    }

    /// A value, with the arrays of numbers that it points to.
    fn value(&self, json: &Json, path: &str) -> Value {
        match json {
            Json::Null => Value::Null,
            Json::Bool(bool) => Value::Bool(*bool),
            Json::Number(number) => Value::Int(number.as_i64().unwrap()),
            Json::Object(members) => {
                let mut all: Vec<_> = members
                    .iter()
                    .map(|(name, value)| (name.clone().into(), self.value(value, "")))
                    .collect();
                for array in ["multiplier", "shift", "permutations"] {
                    if let Some(name) = self.json["tensors"][format!("{path}.{array}")].as_str() {
                        let Data::I32(numbers) = data(Dtype::I32, &self.tensor(name).0) else {
                            panic!("numbers of 32 bits");
                        };
                        all.push((array.into(), Value::Array("int32_t", numbers)));
                    }
                }
                Value::Struct("", all)
            }
            other => panic!("{other}"),
        }
    }

    fn dtype(&self, slot: &Slot, dtype: FileDtype) -> Dtype {
        match dtype {
            FileDtype::I8 if slot.dtypes == [Dtype::I4] => Dtype::I4,
            FileDtype::I8 => Dtype::I8,
            FileDtype::U8 => Dtype::U8,
            FileDtype::I16 => Dtype::I16,
            FileDtype::I32 => Dtype::I32,
            FileDtype::I64 => Dtype::I64,
            other => panic!("{}: {other:?}", slot.name),
        }
    }

    /// The name of the tensor that a slot points to before the call.
    fn before(&self, slot: &Slot, build: Build) -> Option<&'a str> {
        match slot.name {
            "ctx.buf" => self.json["kernel_sum"]
                .as_str()
                .filter(|_| build == Build::Mve),
            name => self.json["tensors"][self.path(name)].as_str(),
        }
    }

    /// The call as a program: its first operand is an input, what it updates is state, all else are constants.
    fn replay(&self, build: Build) -> Replay {
        let parameters = self.parameters();
        let mut replay = Replay {
            program: Program::default(),
            buffers: Vec::new(),
            inputs: Vec::new(),
        };
        for slot in self.row().slots {
            let expected = || self.json["expect"][self.path(slot.name)].as_str();
            let name = if slot.access == Access::Write {
                expected()
            } else {
                self.before(slot, build)
            };
            let refused = || self.json["returns"] != 0 && slot.access == Access::Write;
            let elements = slot.extent.elements(&parameters).unwrap_or((0, false)).0;
            let buffer = match name.map(|name| self.tensor(name)) {
                None if refused() => Buffer::new(slot.name, slot.dtypes[0], elements, Role::Output),
                None => {
                    replay.buffers.push(None);
                    continue;
                }
                Some((bytes, dtype)) => {
                    let dtype = self.dtype(slot, dtype);
                    // The count of packed integers is not in the file.
                    let elements = if dtype == Dtype::I4 {
                        elements
                    } else {
                        bytes.len() / dtype.bytes(1)
                    };
                    let role = match slot.access {
                        Access::Write => Role::Output,
                        Access::Update | Access::Part => Role::State(bytes),
                        Access::Read if replay.inputs.is_empty() => {
                            replay.inputs.push(data(dtype, &bytes));
                            Role::Input
                        }
                        Access::Read => Role::Constant(bytes),
                    };
                    Buffer::new(slot.name, dtype, elements, role)
                }
            };
            replay.buffers.push(Some(replay.program.add(buffer)));
        }
        replay.program.calls.push(Call {
            function: self.function,
            parameters,
            buffers: replay.buffers.clone(),
            views: Vec::new(),
            layer: String::new(),
            source: String::new(),
        });
        replay
    }

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

    /// The builds that the suite names, or all.
    fn builds(&self) -> Vec<Build> {
        let named = self.json["cores"].as_array();
        let is_named =
            |build: &Build| named.is_none_or(|named| named.iter().any(|core| core == build.name()));
        Build::ALL.into_iter().filter(is_named).collect()
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

fn data(dtype: Dtype, bytes: &[u8]) -> Data {
    Data::of_bytes(dtype, bytes.len() / dtype.bytes(1), bytes)
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

#[test]
fn calls_give_what_the_library_gives() {
    let suite = Corpus::open().unwrap().suite("cmsis_nn").unwrap();
    assert_eq!(suite.cases.len(), suite.listed, "all cases are here");
    let (mut calls, mut refused, mut values) = (0, 0, 0);
    let mut functions = BTreeSet::new();
    let mut listed = 0;
    let mut wrong = Vec::new();
    for case in &suite.cases {
        listed += case.entry["calls"].as_u64().unwrap();
        let files = Files::of(case);
        let tensors = SafeTensors::deserialize(&files.bytes).unwrap();
        for (i, json) in files.calls.iter().enumerate() {
            let name = json["function"].as_str().unwrap();
            let function =
                Function::named(name).unwrap_or_else(|| panic!("{name} is in the table"));
            let recorded = Recorded {
                json,
                tensors: &tensors,
                function,
            };
            let place = format!("{}, call {i}, {name}", case.name);
            calls += 1;
            functions.insert(name.to_owned());
            wrong.extend(
                recorded
                    .check_scratch()
                    .err()
                    .map(|what| format!("{place}: {what}")),
            );
            for (i, build) in recorded.builds().into_iter().enumerate() {
                let replay = recorded.replay(build);
                let found = match json["returns"] == 0 {
                    true => recorded.compare(build),
                    false if verify(&replay.program, build).is_err() => Ok(0),
                    false => Err("the library refuses it".into()),
                };
                match found {
                    // Builds give the same values, which count once.
                    Ok(found) => values += if i == 0 { found } else { 0 },
                    Err(what) => wrong.push(format!("{place}, {build}: {what}")),
                }
            }
            refused += u64::from(json["returns"] != 0);
        }
    }
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

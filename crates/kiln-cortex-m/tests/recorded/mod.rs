//! The corpus of calls of CMSIS-NN (`corpus/cmsis_nn`), as programs.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use bytes::Bytes;
use kiln_cortex_m::dialect::{
    Access, Buffer, BufferId, Build, Call, Dtype, Function, Parameters, Program, Role, Row, Slot,
    Value,
};
use kiln_cortex_m::evaluate::Data;
use kiln_testing::corpus::{Case, Suite};
use safetensors::{Dtype as FileDtype, SafeTensors};
use serde_json::Value as Json;

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
pub struct Recorded<'a> {
    pub json: &'a Json,
    pub tensors: &'a SafeTensors<'a>,
    pub function: Function,
}

/// Gives each call of the suite to a function, with a name for its place.
pub fn each(suite: &Suite, mut f: impl FnMut(String, &Recorded<'_>)) {
    for case in &suite.cases {
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
            f(format!("{}, call {i}", case.name), &recorded);
        }
    }
}

/// A call as a program, with the buffers of its slots.
pub struct Replay {
    pub program: Program,
    pub buffers: Vec<Option<BufferId>>,
    pub inputs: Vec<Data>,
}

impl<'a> Recorded<'a> {
    pub fn row(&self) -> &'static Row {
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
    pub fn path(&self, ours: &str) -> String {
        match ours.split_once('.') {
            Some((argument, member)) => format!("{}.{member}", self.name(argument)),
            None => self.name(ours).to_owned(),
        }
    }

    /// The bytes and the type of a tensor.
    pub fn tensor(&self, name: &str) -> (Bytes, FileDtype) {
        let view = self.tensors.tensor(name).unwrap();
        (Bytes::copy_from_slice(view.data()), view.dtype())
    }

    /// The arguments that are numbers, with the arrays that they point to.
    pub fn parameters(&self) -> Parameters {
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
                        all.push((array.into(), Value::Array("int32_t", numbers.into())));
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
    pub fn replay(&self, build: Build) -> Replay {
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
            node: None,
            layer: String::new(),
            source: String::new(),
        });
        replay
    }

    /// The builds that the suite names, or all.
    pub fn builds(&self) -> Vec<Build> {
        let named = self.json["cores"].as_array();
        let is_named =
            |build: &Build| named.is_none_or(|named| named.iter().any(|core| core == build.name()));
        Build::ALL.into_iter().filter(is_named).collect()
    }
}

pub fn data(dtype: Dtype, bytes: &[u8]) -> Data {
    Data::of_bytes(dtype, bytes.len() / dtype.bytes(1), bytes)
}

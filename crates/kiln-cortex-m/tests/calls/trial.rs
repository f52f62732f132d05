//! One call with what its slots hold before and after: what the compiled kernels replay.

use crate::recorded::{self, Recorded};
use kiln_cortex_m::dialect::{Build, Dtype, Function, Parameters, Program, Role, Slot, Value};
use kiln_cortex_m::evaluate::{Data, Runs};
use kiln_cortex_m::verify::verify;
use kiln_testing::corpus::Corpus;

/// The build by which calls are evaluated: `kiln_nn` reads what this build of the library reads.
const BUILD: Build = Build::Dsp;

/// A call.
pub struct Trial {
    /// Where it comes from.
    pub name: String,
    pub function: Function,
    pub parameters: Parameters,
    /// What each slot points to, or a null pointer.
    pub slots: Vec<Option<Memory>>,
    /// What the function returns.
    pub status: i32,
}

/// The memory of a slot.
pub struct Memory {
    pub dtype: Dtype,
    /// All bytes before the call; arbitrary ones where they are not read.
    pub before: Vec<u8>,
    /// All bytes after the call, if they are compared.
    pub after: Option<Vec<u8>>,
    /// Where the pointer points, in bytes.
    pub first: usize,
    /// The slot whose memory this is too.
    pub same_as: Option<usize>,
}

/// Bytes of memory that nobody has written.
const UNWRITTEN: u8 = 0xA5;

impl Trial {
    /// The only call of a program, evaluated. An operand that is refused gives the status of an argument's error.
    pub fn evaluated(name: String, program: &Program, inputs: &[Data]) -> Trial {
        let verified = verify(program, BUILD).unwrap_or_else(|faults| panic!("{name}: {faults:?}"));
        let mut runs = Runs::new(&verified);
        let is_taken = runs.run(inputs).is_ok();
        let mut trial = Trial::before(name, program, inputs);
        trial.status = if is_taken { 0 } else { -1 };
        let call = &program.calls[0];
        let slots = call.function.row().slots.iter().zip(&mut trial.slots);
        for ((slot, memory), id) in slots.zip(&call.buffers) {
            if let (Some(memory), Some(id), true) = (memory, id, slot.access.writes() && is_taken) {
                memory.after = Some(runs.buffer(*id).bytes());
            }
        }
        trial
    }

    fn before(name: String, program: &Program, inputs: &[Data]) -> Trial {
        let call = &program.calls[0];
        let value = call.parameters.value();
        let mut inputs = program.inputs().into_iter().zip(inputs).collect::<Vec<_>>();
        let row = call.function.row();
        let memory = |(place, slot): (usize, &Slot)| {
            let id = call.buffers[place]?;
            let buffer = program.buffer(id)?;
            let before = match &buffer.role {
                Role::Constant(bytes) | Role::State(bytes) => bytes.to_vec(),
                Role::Input | Role::Updated => {
                    let place = inputs.iter().position(|(input, _)| *input == id)?;
                    inputs.swap_remove(place).1.bytes()
                }
                Role::Output | Role::Temporary => vec![UNWRITTEN; buffer.bytes()],
            };
            let first = match value.at(&format!("{}_first", slot.name)) {
                Some(Value::Int(first)) => *first as usize * buffer.dtype.bytes(1),
                _ => 0,
            };
            let mut earlier = call.buffers.iter();
            let same_as = earlier.position(|other| *other == Some(id));
            Some(Memory {
                same_as: same_as.filter(|&earlier| earlier < place),
                dtype: buffer.dtype,
                before,
                after: None,
                first,
            })
        };
        Trial {
            name,
            function: call.function,
            parameters: call.parameters.clone(),
            slots: row.slots.iter().enumerate().map(memory).collect(),
            status: 0,
        }
    }
}

/// The calls of the suite `cmsis_nn`, with what the library gave.
pub fn recorded() -> Vec<Trial> {
    let suite = Corpus::open().unwrap().suite("cmsis_nn").unwrap();
    let mut trials = Vec::new();
    recorded::each(&suite, |place, call| trials.push(of_recorded(place, call)));
    trials
}

fn of_recorded(name: String, recorded: &Recorded<'_>) -> Trial {
    let json = recorded.json;
    let replay = recorded.replay(BUILD);
    let mut trial = Trial::before(name, &replay.program, &replay.inputs);
    trial.status = json["returns"].as_i64().unwrap() as i32;
    let slots = recorded.row().slots.iter().zip(&mut trial.slots);
    for (slot, memory) in slots {
        let expected = json["expect"][recorded.path(slot.name)].as_str();
        if let (Some(memory), Some(expected), 0) = (memory, expected, trial.status) {
            memory.after = Some(recorded.tensor(expected).0.to_vec());
        }
    }
    trial
}

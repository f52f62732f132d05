//! A C program that reads trials from a file, calls the functions, and compares: one stub for each function, which takes the arguments
//! from the file in the order in which [`Stubs::bytes`] writes them.

use crate::trial::{Memory, Trial};
use kiln_cortex_m::dialect::{Dtype, Function, Row, Value};
use std::collections::BTreeMap;
use std::fmt::Write;

/// The part of the program that is the same for all functions.
const FRAME: &str = include_str!("driver.c");

/// What is not there, in place of a size.
const NONE: u32 = u32::MAX;

/// In place of a size: the memory is that of an earlier slot.
const SAME: u32 = u32::MAX - 1;

/// The declarations of the functions: the C types of their arguments, in order.
pub struct Prototypes(BTreeMap<String, Prototype>);

struct Prototype {
    returns_status: bool,
    types: Vec<String>,
}

impl Prototypes {
    /// Out of the text of headers.
    pub fn of(headers: &str) -> Prototypes {
        let plain = without_comments(headers);
        let mut found = BTreeMap::new();
        for (at, _) in plain.match_indices('(') {
            let before = plain[..at]
                .rsplit(['\n', ';', '}'])
                .next()
                .unwrap_or_default();
            let (Some((result, name)), Some(end)) =
                (before.trim().rsplit_once(' '), plain[at..].find(");"))
            else {
                continue;
            };
            let is_function = matches!(result, "void" | "arm_cmsis_nn_status");
            if !is_function || !(name.starts_with("arm_") || name.starts_with("kiln_")) {
                continue;
            }
            let arguments = plain[at + 1..at + end].split(',');
            let types = arguments.map(|argument| {
                let words = argument.split_whitespace().collect::<Vec<_>>().join(" ");
                let name = words.rfind([' ', '*']).unwrap();
                words[..=name].trim().to_owned()
            });
            let prototype = Prototype {
                returns_status: result != "void",
                types: types.collect(),
            };
            found.insert(name.to_owned(), prototype);
        }
        Prototypes(found)
    }
}

fn without_comments(text: &str) -> String {
    let mut parts = text.split("/*");
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        plain.push_str(part.split_once("*/").map_or("", |(_, rest)| rest));
    }
    plain
}

/// The stubs of functions.
pub struct Stubs {
    numbers: BTreeMap<Function, usize>,
    text: String,
}

impl Stubs {
    /// A stub for each function that trials call; calls of one have parameters of one structure.
    pub fn of(trials: &[Trial], prototypes: &Prototypes) -> Stubs {
        let mut stubs = Stubs {
            numbers: BTreeMap::new(),
            text: String::new(),
        };
        let mut list = String::new();
        for trial in trials {
            let number = stubs.numbers.len();
            if stubs.numbers.contains_key(&trial.function) {
                continue;
            }
            stubs.numbers.insert(trial.function, number);
            let name = trial.function.name();
            let prototype = prototypes.0.get(name);
            let prototype = prototype.unwrap_or_else(|| panic!("{name} is declared"));
            stubs.text.push_str(&stub(trial, prototype, number));
            writeln!(
                list,
                "    {{call{number}, \"{}\", 0, 0, 0}},",
                trial.function.name()
            )
            .unwrap();
        }
        write!(stubs.text, "static stub stubs[] = {{\n{list}}};\n").unwrap();
        stubs
    }

    /// The whole program.
    pub fn program(&self) -> String {
        FRAME.replace("/* stubs */", &self.text)
    }

    /// The trials, as the program reads them.
    pub fn bytes(&self, trials: &[Trial]) -> Vec<u8> {
        let mut all = words(&[trials.len() as u32]);
        for trial in trials {
            let number = self.numbers[&trial.function] as u32;
            let mut record = words(&[number, trial.status as u32, trial.slots.len() as u32]);
            trial
                .slots
                .iter()
                .for_each(|slot| memory(slot.as_ref(), &mut record));
            leaves(
                &trial.parameters.value(),
                trial.function.row(),
                "",
                &mut |_, leaf| {
                    argument(leaf, &mut record);
                },
            );
            all.extend(words(&[record.len() as u32]));
            all.extend(record);
        }
        all
    }
}

fn words(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// Bytes, with some behind them to a multiple of four.
fn padded(bytes: &[u8], record: &mut Vec<u8>) {
    record.extend(bytes);
    record.resize(record.len().next_multiple_of(4), 0);
}

fn memory(memory: Option<&Memory>, record: &mut Vec<u8>) {
    let Some(memory) = memory else {
        return record.extend(words(&[NONE]));
    };
    let kind = match (&memory.after, memory.dtype) {
        (None, _) => 0,
        (Some(_), Dtype::F32) => 2,
        (Some(_), _) => 1,
    };
    match memory.same_as {
        Some(earlier) => record.extend(words(&[SAME, earlier as u32, kind])),
        None => {
            let sizes = [memory.before.len(), memory.dtype.alignment(), memory.first];
            record.extend(words(&sizes.map(|size| size as u32)));
            record.extend(words(&[kind]));
            padded(&memory.before, record);
        }
    }
    if let Some(after) = &memory.after {
        assert_eq!(after.len(), memory.before.len());
        padded(after, record);
    }
}

fn argument(leaf: &Value, record: &mut Vec<u8>) {
    match leaf {
        Value::Int(int) | Value::Enumerator(_, int) => {
            record.extend(words(&[*int as i32 as u32]));
        }
        Value::Bool(bool) => record.extend(words(&[u32::from(*bool)])),
        Value::Real(real) => record.extend(words(&[real.to_bits()])),
        Value::List(numbers) | Value::Array(_, numbers) => {
            record.extend(words(&[numbers.len() as u32]));
            numbers
                .iter()
                .for_each(|number| record.extend(words(&[*number as u32])));
        }
        Value::Null | Value::Struct(..) => unreachable!("no leaf"),
    }
}

/// Applies a function to the leaves of parameters that are arguments of the function, with their paths.
fn leaves(value: &Value, row: &Row, path: &str, f: &mut impl FnMut(&str, &Value)) {
    match value {
        Value::Struct(_, members) => {
            for (name, member) in members {
                let is_taken = !path.is_empty() || row.arguments.contains(&name.as_ref());
                let path = if path.is_empty() {
                    name.to_string()
                } else {
                    format!("{path}.{name}")
                };
                if is_taken && row.slot(&path).is_none() {
                    leaves(member, row, &path, f);
                }
            }
        }
        Value::Null => {}
        leaf => f(path, leaf),
    }
}

/// A function that takes arguments, calls, and returns the status.
fn stub(trial: &Trial, prototype: &Prototype, number: usize) -> String {
    let row = trial.function.row();
    assert_eq!(prototype.types.len(), row.arguments.len(), "{}", row.name);
    let mut body = String::new();
    let mut call = Vec::new();
    for (&name, c_type) in row.arguments.iter().zip(&prototype.types) {
        if let Some(slot) = row.slot(name) {
            call.push(format!("slot({slot})"));
        } else if name == "NULL" {
            call.push("NULL".to_owned());
        } else {
            let plain = c_type.replace("const ", "");
            let pointed = plain.trim_end_matches(['*', ' ']);
            writeln!(
                body,
                "    {pointed} a_{name};\n    memset(&a_{name}, 0, sizeof a_{name});"
            )
            .unwrap();
            let address = if plain.ends_with('*') { "&" } else { "" };
            call.push(format!("{address}a_{name}"));
        }
    }
    for (place, slot) in row.slots.iter().enumerate() {
        if slot.name.contains('.') {
            writeln!(body, "    a_{} = slot({place});", slot.name).unwrap();
        }
    }
    leaves(&trial.parameters.value(), row, "", &mut |path, leaf| {
        let line = match leaf {
            Value::Real(_) => format!("a_{path} = real();"),
            Value::List(_) => format!("list(a_{path});"),
            Value::Array(..) => format!("a_{path} = array();"),
            _ => format!("a_{path} = number();"),
        };
        writeln!(body, "    {line}").unwrap();
    });
    let called = format!("{}({})", row.name, call.join(", "));
    let returned = match prototype.returns_status {
        true => format!("    return {called};"),
        false => format!("    {called};\n    return 0;"),
    };
    format!("static int32_t call{number}(void)\n{{\n{body}{returned}\n}}\n\n")
}

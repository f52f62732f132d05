//! A call as C: the structs that it points to, and the call itself.

use super::literal::{WIDTH, float, integer, wrapped};
use super::symbols::Symbols;
use super::{Project, kernels};
use crate::dialect::{Call, Dtype, Function, Row, Value};
use std::fmt::Write as _;

/// Structs that C functions take by value; they take a pointer to any other.
const BY_VALUE: &[&str] = &["dilation"];

/// The struct without scratch memory that all calls share.
pub(super) const NO_SCRATCH: &str = "no_scratch";

/// The indentation of a layer's block.
const INDENT: usize = 8;

/// A call's text within the function that computes the model.
pub(super) struct Written<'p> {
    project: &'p Project,
    symbols: &'p Symbols<'p>,
    call: &'p Call,
    at: usize,
    /// The structs and arrays so far.
    declarations: String,
}

/// An initialiser, and whether it points into the arena: such a struct is no constant.
struct Initialiser {
    text: String,
    is_constant: bool,
}

impl Initialiser {
    fn constant(text: impl Into<String>) -> Initialiser {
        Initialiser {
            text: text.into(),
            is_constant: true,
        }
    }
}

/// The declarations of a call's structs, and the call.
pub(super) fn call(project: &Project, symbols: &Symbols<'_>, at: usize) -> String {
    let call = &project.program.calls[at];
    let mut written = Written {
        project,
        symbols,
        call,
        at,
        declarations: String::new(),
    };
    let row = call.function.row();
    let arguments: Vec<String> = row
        .arguments
        .iter()
        .map(|name| written.argument(name))
        .collect();
    let statement = match row.has_status {
        false => wrapped(INDENT, &format!("{}(", row.name), &arguments, ");\n"),
        true => {
            let compared = ") != ARM_CMSIS_NN_SUCCESS) {\n";
            let condition = wrapped(INDENT, &format!("if ({}(", row.name), &arguments, compared);
            let error = format!("{}_ERROR_KERNEL", project.name.upper());
            format!("{condition}            return {error};\n        }}\n")
        }
    };
    written.declarations + &statement
}

/// Whether a call passes the struct without scratch memory.
pub(super) fn needs_no_scratch(project: &Project, at: usize) -> bool {
    let call = &project.program.calls[at];
    let row = call.function.row();
    let contexts = row
        .scratch
        .iter()
        .filter(|scratch| row.arguments.contains(&scratch.name));
    contexts.into_iter().any(|scratch| {
        bytes_of(project, call, scratch.name) == 0 && !has_members(call, scratch.name)
    })
}

/// Whether a struct points to a buffer.
fn has_members(call: &Call, name: &str) -> bool {
    let slots = call.function.row().slots.iter().zip(&call.buffers);
    slots
        .into_iter()
        .any(|(slot, id)| id.is_some() && is_member(slot.name, name))
}

/// Whether a call has sums of weights, which CMSIS-NN reads in place of the bias where there is Helium.
pub(super) fn has_sums(call: &Call) -> bool {
    let place = call.function.row().slot("ctx.buf");
    place.is_some_and(|place| call.buffers[place].is_some())
}

fn bytes_of(project: &Project, call: &Call, scratch: &str) -> usize {
    let row = call.function.row();
    let found = row.scratch.iter().find(|s| s.name == scratch);
    found.map_or(0, |found| {
        (found.bytes)(&call.parameters, project.core.build)
    })
}

fn is_member(path: &str, of: &str) -> bool {
    path.strip_prefix(of)
        .is_some_and(|rest| rest.starts_with('.'))
}

impl Written<'_> {
    fn row(&self) -> &'static Row {
        self.call.function.row()
    }

    /// What stands for an argument in the call.
    fn argument(&mut self, name: &str) -> String {
        if name == "NULL" {
            return name.to_owned();
        }
        if let Some(place) = self.row().slot(name) {
            return self.pointer(place).text;
        }
        let value = self.call.parameters.value();
        let value = value.at(name).cloned();
        let has_members = has_members(self.call, name);
        let context = self
            .row()
            .scratch
            .iter()
            .find(|scratch| scratch.name == name);
        match value {
            None if context.is_some() && !has_members => self.context(name),
            None => self.declared(name, "cmsis_nn_context", &[]),
            Some(Value::Struct(ty, members)) => self.declared(name, ty, &members),
            Some(value) => self.value(name, &value).text,
        }
    }

    /// Scratch memory.
    fn context(&mut self, name: &str) -> String {
        let bytes = bytes_of(self.project, self.call, name);
        if bytes == 0 {
            return format!("&{NO_SCRATCH}");
        }
        let memory = self.scratch(name);
        let context =
            format!("const cmsis_nn_context {name} = {{.buf = {memory}, .size = {bytes}}};");
        let _ = writeln!(self.declarations, "        {context}");
        format!("&{name}")
    }

    /// The place of scratch memory in the arena.
    fn scratch(&self, name: &str) -> String {
        let place = self
            .row()
            .scratch
            .iter()
            .position(|scratch| scratch.name == name);
        let offset = place.and_then(|place| self.project.plan.scratch.get(self.at)?.get(place));
        match bytes_of(self.project, self.call, name) {
            0 => "NULL".to_owned(),
            _ => format!(
                "arena + {}",
                offset.expect("the plan has all scratch memory")
            ),
        }
    }

    /// Declares a struct, and gives what stands for it in the call.
    fn declared(
        &mut self,
        name: &str,
        ty: &str,
        members: &[(std::borrow::Cow<'static, str>, Value)],
    ) -> String {
        let initialisers = self.members(name, members);
        let is_constant = initialisers.iter().all(|(_, made)| made.is_constant);
        let head = match is_constant {
            true => format!("static const {ty} {name} = "),
            false => format!("{ty} {name} = "),
        };
        let all: Vec<String> = initialisers
            .iter()
            .map(|(member, made)| format!(".{member} = {}", made.text))
            .collect();
        let line = format!("{head}{{{}}};", all.join(", "));
        let text = match INDENT + line.len() <= WIDTH {
            true => format!("        {line}\n"),
            false => {
                let members: String = all
                    .iter()
                    .map(|member| format!("            {member},\n"))
                    .collect();
                format!("        {head}{{\n{members}        }};\n")
            }
        };
        self.declarations.push_str(&text);
        match BY_VALUE.contains(&name) {
            true => name.to_owned(),
            false => format!("&{name}"),
        }
    }

    /// The members of a struct at a path: numbers, buffers, and scratch memory.
    fn members(
        &mut self,
        path: &str,
        members: &[(std::borrow::Cow<'static, str>, Value)],
    ) -> Vec<(String, Initialiser)> {
        let mut all = Vec::new();
        for (member, value) in members {
            let made = self.value(&format!("{path}.{member}"), value);
            all.push((member.to_string(), made));
        }
        let row = self.row();
        let direct = |name: &'static str| {
            let member = name.strip_prefix(path)?.strip_prefix('.')?;
            (!member.contains('.')).then_some(member)
        };
        for (place, slot) in row.slots.iter().enumerate() {
            if let Some(member) = direct(slot.name) {
                let made = self.untyped(place);
                all.push((member.to_owned(), made));
            }
        }
        if is_context(row, path) {
            let bytes = self.sums_bytes();
            all.push(("size".to_owned(), Initialiser::constant(bytes.to_string())));
        }
        for scratch in row.scratch {
            if let Some(member) = direct(scratch.name) {
                let text = self.scratch(scratch.name);
                let is_constant = text == "NULL";
                all.push((member.to_owned(), Initialiser { text, is_constant }));
            }
        }
        all
    }

    fn sums_bytes(&self) -> usize {
        let place = self.row().slot("ctx.buf");
        let id = place.and_then(|place| self.call.buffers[place]);
        id.map_or(0, |id| self.project.buffer(id).bytes())
    }

    fn value(&mut self, path: &str, value: &Value) -> Initialiser {
        match value {
            Value::Null => Initialiser::constant("NULL"),
            Value::Int(int) => Initialiser::constant(integer(*int)),
            Value::Enumerator(name, _) => Initialiser::constant(*name),
            Value::Bool(bool) => Initialiser::constant(bool.to_string()),
            Value::Real(real) => Initialiser::constant(float(*real)),
            // An initialiser has an element at least.
            Value::List(ints) if ints.is_empty() => Initialiser::constant("{0}"),
            Value::List(ints) => Initialiser::constant(format!("{{{}}}", listed(ints))),
            Value::Array(ty, ints) => Initialiser::constant(self.array(path, ty, ints)),
            Value::Struct(_, members) => {
                let members = self.members(path, members);
                let is_constant = members.iter().all(|(_, made)| made.is_constant);
                let all: Vec<String> = members
                    .iter()
                    .map(|(member, made)| format!(".{member} = {}", made.text))
                    .collect();
                Initialiser {
                    text: format!("{{{}}}", all.join(", ")),
                    is_constant,
                }
            }
        }
    }

    /// A pointer to numbers. The library's structs point to numbers that are not constant, and nothing writes to them.
    fn array(&mut self, path: &str, ty: &'static str, ints: &[i32]) -> String {
        let name = match self.symbols.numbers(ty, ints) {
            Some(name) => name.to_owned(),
            None => {
                let name = path.replace('.', "_");
                let numbers = listed(ints);
                let _ = writeln!(
                    self.declarations,
                    "        static const {ty} {name}[] = {{{numbers}}};"
                );
                name
            }
        };
        match ty {
            "uint32_t" => name,
            _ => format!("({ty} *){name}"),
        }
    }

    /// The pointer of a slot.
    fn pointer(&self, place: usize) -> Initialiser {
        let Some(id) = self.call.buffers[place] else {
            return Initialiser::constant("NULL");
        };
        let (buffer, slot) = (self.project.buffer(id), &self.row().slots[place]);
        let first = self.call.view(place).map_or(0, |view| view.first as i64);
        let value = self.call.parameters.value();
        let behind = match value.at(&format!("{}_first", slot.name)) {
            Some(Value::Int(behind)) => *behind,
            _ => 0,
        };
        let elements = first + behind;
        let offset = if buffer.dtype == Dtype::I4 {
            elements / 2
        } else {
            elements
        };
        let name = self.symbols.buffer(id);
        let text = match offset {
            0 => name.to_owned(),
            _ => format!("{name} + {offset}"),
        };
        let text = match (slot.name, has_sums(self.call)) {
            ("bias_data", true) => format!("{}_BIAS({text})", self.project.name.upper()),
            _ => text,
        };
        Initialiser {
            text,
            is_constant: buffer.constant().is_some(),
        }
    }

    /// The pointer of a slot that is a member of a struct. A context's is not to constants.
    fn untyped(&self, place: usize) -> Initialiser {
        let made = self.pointer(place);
        match self.row().slots[place].name {
            "ctx.buf" if made.text != "NULL" => {
                let text = format!("{}_SUMS({})", self.project.name.upper(), made.text);
                Initialiser { text, ..made }
            }
            _ => made,
        }
    }
}

/// Whether a struct is a context whose memory is a slot.
fn is_context(row: &Row, path: &str) -> bool {
    row.scratch.iter().any(|scratch| scratch.name == path)
        && row.slots.iter().any(|slot| is_member(slot.name, path))
}

fn listed(ints: &[i32]) -> String {
    let ints: Vec<String> = ints.iter().map(|&int| integer(int.into())).collect();
    ints.join(", ")
}

/// Whether any of the program's functions is CMSIS-NN's.
pub(super) fn calls_library(project: &Project) -> bool {
    let mut functions = project.program.calls.iter().map(|call| call.function);
    functions.any(|function: Function| !kernels::is_own(function))
}

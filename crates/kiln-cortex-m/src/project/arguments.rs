//! A call as C: the structs that it points to, and the call itself.

use super::literal::{float, integer, wrapped};
use super::shared::{Constant, Shared, definition};
use super::symbols::Symbols;
use super::{Project, kernels};
use crate::dialect::{Call, Dtype, Function, Ints, Row, Value};
use crate::stream::roll;
use std::fmt::Write as _;

/// Structs that C functions take by value; they take a pointer to any other.
const BY_VALUE: &[&str] = &["dilation"];

/// The struct without scratch memory that all calls share.
pub(super) const NO_SCRATCH: &str = "no_scratch";

/// The variable that counts the rounds of a loop.
pub(super) const ROUND: &str = "i";

/// A call as C, without its indentation and without the names of structs that several calls share.
#[derive(Debug)]
pub(super) struct Written {
    row: &'static Row,
    declarations: Vec<Declaration>,
    arguments: Vec<Argument>,
}

/// An argument of a call.
#[derive(Debug)]
enum Argument {
    Text(String),
    /// A pointer to the declaration of this number.
    Declared(usize),
}

/// A struct that is declared in front of a call.
#[derive(Debug)]
enum Declaration {
    /// The context of scratch memory, and its name.
    Context(&'static str, String),
    /// The struct of an argument, and whether it is constant.
    Struct(&'static str, Constant, bool),
}

/// Writes a call.
struct Writer<'p> {
    project: &'p Project,
    symbols: &'p Symbols<'p>,
    call: &'p Call,
    /// Its parameters.
    value: &'p Value,
    at: usize,
    period: Option<usize>,
    declarations: Vec<Declaration>,
}

/// An initialiser, and whether it points into the arena: a struct with such a member is no constant.
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

    /// As that of a member.
    fn of(self, member: &str) -> Initialiser {
        Initialiser {
            text: [".", member, " = ", &self.text].concat(),
            ..self
        }
    }
}

impl Written {
    /// A call; or the call of a loop, if it stands for calls that repeat.
    pub fn of(
        project: &Project,
        symbols: &Symbols<'_>,
        at: usize,
        period: Option<usize>,
    ) -> Written {
        let call = &project.program.calls[at];
        let mut writer = Writer {
            project,
            symbols,
            call,
            value: &call.parameters.value(),
            at,
            period,
            declarations: Vec::new(),
        };
        let row = call.function.row();
        let arguments = row.arguments.iter().map(|name| writer.argument(name));
        Written {
            row,
            arguments: arguments.collect(),
            declarations: writer.declarations,
        }
    }

    /// The constant structs, each with the argument that it is.
    pub fn constants(&self) -> impl Iterator<Item = (&'static str, &Constant)> {
        self.declarations.iter().filter_map(|made| match made {
            Declaration::Struct(name, constant, true) => Some((*name, constant)),
            Declaration::Struct(..) | Declaration::Context(..) => None,
        })
    }

    /// The text of the call, indented. It is a block if it has structs of its own.
    pub fn text(&self, project: &Project, shared: &Shared, indent: usize) -> String {
        let own: Vec<String> = self
            .declarations
            .iter()
            .filter_map(|made| made.text(shared, indent + 4))
            .collect();
        let within = if own.is_empty() { indent } else { indent + 4 };
        let arguments = self.arguments.iter().map(|argument| match argument {
            Argument::Text(text) => text.clone(),
            Argument::Declared(number) => self.declarations[*number].pointer(shared),
        });
        let arguments: Vec<String> = arguments.collect();
        let mut text: String = own.iter().map(|lines| indented(within, lines)).collect();
        let name = self.row.name;
        text += &match self.row.has_status {
            false => wrapped(within, &format!("{name}("), &arguments, ");\n"),
            true => {
                let compared = ") != ARM_CMSIS_NN_SUCCESS) {\n";
                let condition = wrapped(within, &format!("if ({name}("), &arguments, compared);
                let error = format!("    return {}_ERROR_KERNEL;\n}}\n", project.name.upper());
                condition + &indented(within, &error)
            }
        };
        match own.is_empty() {
            false => indented(indent, "{\n") + &text + &indented(indent, "}\n"),
            true => text,
        }
    }
}

impl Declaration {
    /// The name of the struct, if several calls share it.
    fn shared<'s>(&self, shared: &'s Shared) -> Option<&'s str> {
        match self {
            Declaration::Struct(_, constant, true) => shared.name(constant),
            Declaration::Struct(..) | Declaration::Context(..) => None,
        }
    }

    /// The declaration, indented. `None` if the struct is shared, and so declared already.
    fn text(&self, shared: &Shared, indent: usize) -> Option<String> {
        if self.shared(shared).is_some() {
            return None;
        }
        Some(match self {
            Declaration::Context(_, text) => text.clone(),
            Declaration::Struct(name, constant, true) => constant.definition(name, indent),
            Declaration::Struct(name, constant, false) => definition(
                &format!("{} {name}", constant.ty),
                &constant.members,
                indent,
            ),
        })
    }

    /// The pointer to the struct, as the call has it.
    fn pointer(&self, shared: &Shared) -> String {
        let (Declaration::Context(name, _) | Declaration::Struct(name, ..)) = self;
        let variable = self.shared(shared).unwrap_or(name);
        match BY_VALUE.contains(name) {
            true => variable.to_owned(),
            false => format!("&{variable}"),
        }
    }
}

/// Lines, each indented.
fn indented(indent: usize, lines: &str) -> String {
    let spaces = " ".repeat(indent);
    let lines = lines.lines().flat_map(|line| [spaces.as_str(), line, "\n"]);
    lines.collect()
}

/// Whether a call is given the struct of no scratch memory.
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

/// Whether a member of the struct points to a buffer.
fn has_members(call: &Call, name: &str) -> bool {
    let slots = call.function.row().slots.iter().zip(&call.buffers);
    slots
        .into_iter()
        .any(|(slot, id)| id.is_some() && is_member(slot.name, name))
}

/// Whether a call has kernel sums, which CMSIS-NN reads in place of the bias with Helium.
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

impl Writer<'_> {
    fn row(&self) -> &'static Row {
        self.call.function.row()
    }

    /// The argument of this name.
    fn argument(&mut self, name: &'static str) -> Argument {
        if name == "NULL" {
            return Argument::Text(name.to_owned());
        }
        if let Some(place) = self.row().slot(name) {
            return Argument::Text(self.pointer(place).text);
        }
        let value = self.value.at(name);
        let has_members = has_members(self.call, name);
        let is_context = self.row().scratch.iter().any(|s| s.name == name);
        Argument::Text(match value {
            None if is_context && !has_members => return self.context(name),
            None => return self.declared(name, "cmsis_nn_context", &[]),
            Some(Value::Struct(ty, members)) => return self.declared(name, ty, members),
            // Numbers in a long row say nothing alone.
            Some(value @ (Value::Int(_) | Value::Bool(_) | Value::Real(_))) => {
                format!("/* {name} */ {}", self.written_value(name, value).text)
            }
            Some(value) => self.written_value(name, value).text,
        })
    }

    /// The context of the scratch memory of this name.
    fn context(&mut self, name: &'static str) -> Argument {
        let bytes = bytes_of(self.project, self.call, name);
        if bytes == 0 {
            return Argument::Text(format!("&{NO_SCRATCH}"));
        }
        let memory = self.scratch(name);
        let text = format!("const cmsis_nn_context {name} = {{.buf = {memory}, .size = {bytes}}};");
        self.declare(Declaration::Context(name, text))
    }

    fn declare(&mut self, declaration: Declaration) -> Argument {
        self.declarations.push(declaration);
        Argument::Declared(self.declarations.len() - 1)
    }

    /// The initialiser that points to scratch memory in the arena.
    fn scratch(&self, name: &str) -> String {
        let place = self
            .row()
            .scratch
            .iter()
            .position(|scratch| scratch.name == name);
        let offset = place.and_then(|place| self.project.plan.scratch.get(self.at)?.get(place));
        match bytes_of(self.project, self.call, name) {
            0 => "NULL".to_owned(),
            _ => match *offset.expect("the plan has all scratch memory") {
                0 => "arena".to_owned(),
                offset => format!("arena + {offset}"),
            },
        }
    }

    /// Declares a struct.
    fn declared(
        &mut self,
        name: &'static str,
        ty: &'static str,
        members: &[(std::borrow::Cow<'static, str>, Value)],
    ) -> Argument {
        let members = self.members(name, members);
        let is_constant = members.iter().all(|made| made.is_constant);
        let members = members.into_iter().map(|made| made.text).collect();
        self.declare(Declaration::Struct(
            name,
            Constant { ty, members },
            is_constant,
        ))
    }

    /// The members of a struct at a path: numbers, buffers, and scratch memory.
    fn members(
        &mut self,
        path: &str,
        members: &[(std::borrow::Cow<'static, str>, Value)],
    ) -> Vec<Initialiser> {
        let mut all = Vec::new();
        for (member, value) in members {
            let made = self.written_value(&[path, ".", member].concat(), value);
            all.push(made.of(member));
        }
        let row = self.row();
        let direct = |name: &'static str| {
            let member = name.strip_prefix(path)?.strip_prefix('.')?;
            (!member.contains('.')).then_some(member)
        };
        for (place, slot) in row.slots.iter().enumerate() {
            if let Some(member) = direct(slot.name) {
                all.push(self.untyped(place).of(member));
            }
        }
        if is_context(row, path) {
            let bytes = self.sums_bytes();
            all.push(Initialiser::constant(bytes.to_string()).of("size"));
        }
        for scratch in row.scratch {
            if let Some(member) = direct(scratch.name) {
                let text = self.scratch(scratch.name);
                let is_constant = text == "NULL";
                all.push(Initialiser { text, is_constant }.of(member));
            }
        }
        all
    }

    fn sums_bytes(&self) -> usize {
        let place = self.row().slot("ctx.buf");
        let id = place.and_then(|place| self.call.buffers[place]);
        id.map_or(0, |id| self.project.buffer(id).bytes())
    }

    fn written_value(&mut self, path: &str, value: &Value) -> Initialiser {
        match value {
            Value::Null => Initialiser::constant("NULL"),
            Value::Int(int) => Initialiser::constant(integer(*int)),
            Value::Enumerator(name, _) => Initialiser::constant(*name),
            Value::Bool(bool) => Initialiser::constant(bool.to_string()),
            Value::Real(real) => Initialiser::constant(float(*real)),
            // An initialiser has an element at least.
            Value::List(ints) if ints.is_empty() => Initialiser::constant("{0}"),
            Value::List(ints) => Initialiser::constant(format!("{{{}}}", listed(ints))),
            Value::Array(ty, ints) => Initialiser::constant(self.array(ty, ints)),
            Value::Struct(_, members) => {
                let members = self.members(path, members);
                let is_constant = members.iter().all(|made| made.is_constant);
                let all: Vec<&str> = members.iter().map(|made| made.text.as_str()).collect();
                Initialiser {
                    text: format!("{{{}}}", all.join(", ")),
                    is_constant,
                }
            }
        }
    }

    /// A pointer to numbers. The members of the library's structs are not pointers to constants, but nothing writes through them.
    fn array(&self, ty: &'static str, ints: &Ints) -> String {
        let name = self.symbols.numbers(ty, ints);
        match ty {
            "uint32_t" => name.to_owned(),
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
        let behind = match self.value.at(&format!("{}_first", slot.name)) {
            Some(Value::Int(behind)) => *behind,
            _ => 0,
        };
        let (elements, step) = (first + behind, self.step(place));
        let per_unit = if buffer.dtype == Dtype::I4 { 2 } else { 1 };
        let mut text = self.symbols.buffer(id).to_owned();
        if elements != 0 {
            let _ = write!(text, " + {}", elements / per_unit);
        }
        if step != 0 {
            let (sign, size) = (if step < 0 { '-' } else { '+' }, step.abs() / per_unit);
            let _ = write!(text, " {sign} {size} * {ROUND}");
        }
        let text = match (slot.name, has_sums(self.call)) {
            ("bias_data", true) => format!("{}_BIAS({text})", self.project.name.upper()),
            _ => text,
        };
        Initialiser {
            text,
            is_constant: buffer.constant().is_some() && step == 0,
        }
    }

    /// By how many elements the pointer of a slot moves from one round to the next.
    fn step(&self, place: usize) -> i64 {
        let program = &self.project.program;
        self.period
            .map_or(0, |calls| roll::step(program, self.at, calls, place))
    }

    /// The pointer of a slot that is a member of a struct. That of a context does not point to constants.
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

/// Whether a struct is a context whose memory is a slot of the call.
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;
    use crate::embedded::KILN_NN;

    /// The text of the headers in one line, without comments.
    fn headers() -> String {
        let named = KILN_NN
            .iter()
            .filter(|(name, _)| ["kiln_nn.h", "kiln_ops.h"].contains(name));
        let text: String = named.map(|(_, text)| *text).collect();
        let code = text
            .split("/*")
            .map(|part| part.split_once("*/").map_or(part, |(_, code)| code));
        code.collect::<String>()
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ")
    }

    /// The result and the arguments of a function, as its declaration has them.
    fn declaration<'h>(headers: &'h str, function: &str) -> Option<(&'h str, Vec<&'h str>)> {
        let (before, behind) = headers.split_once(&format!(" {function}("))?;
        let result = before.rsplit(' ').next()?;
        let (arguments, _) = behind.split_once(')')?;
        Some((result, arguments.split(',').map(str::trim).collect()))
    }

    /// The arguments of each row are those of the C declaration: as many, pointers to what the buffers hold, and structs by value
    /// where this file says so.
    #[test]
    fn rows_are_declared() {
        let headers = headers();
        let mut declared = 0;
        for function in Function::ALL {
            let row = function.row();
            let Some((result, arguments)) = declaration(&headers, row.name) else {
                continue;
            };
            declared += 1;
            assert_eq!(
                row.has_status,
                result == "arm_cmsis_nn_status",
                "{}",
                row.name
            );
            assert_eq!(
                row.arguments.len(),
                arguments.len(),
                "{}: {arguments:?}",
                row.name
            );
            for (name, argument) in row.arguments.iter().zip(arguments) {
                let place = format!("{}: {name} is {argument}", row.name);
                let is_pointer = argument.contains('*');
                if let Some(slot) = row.slot(name).map(|place| &row.slots[place]) {
                    let is_of = |ty: &str| argument.contains(&format!("{ty} *"));
                    let fits =
                        is_of("void") || slot.dtypes.iter().any(|dtype| is_of(dtype.c_name()));
                    assert!(fits, "{place}");
                    assert!(
                        !slot.access.writes() || !argument.starts_with("const"),
                        "{place}"
                    );
                } else if !is_pointer {
                    let ty = argument.split(' ').next().unwrap();
                    let struct_end = format!("}} {ty};");
                    let is_struct = headers.split("typedef struct").any(|part| {
                        part.split_once('}').is_some_and(|(body, rest)| {
                            !body.contains("enum") && format!("}}{rest}").starts_with(&struct_end)
                        })
                    });
                    assert_eq!(is_struct, BY_VALUE.contains(name), "{place}");
                }
            }
        }
        assert!(declared >= 90, "{declared} functions are declared");
    }
}

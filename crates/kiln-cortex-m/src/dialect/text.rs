//! The text form of a program, for people.

use super::flow::Flow;
use super::program::{BufferId, Call, Program, Role};
use super::value::Value;
use std::fmt;

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for buffer in &self.buffers {
            writeln!(
                f,
                "{} {}: {}[{}]",
                buffer.role.name(),
                buffer.name,
                buffer.dtype,
                buffer.elements
            )?;
        }
        self.calls
            .iter()
            .try_for_each(|call| writeln!(f, "{}", Line(self, call)))?;
        self.flows.iter().try_for_each(|flow| {
            let word = match flow {
                Flow::If { .. } => "if",
                Flow::While { .. } => "while",
            };
            let (name, [first, second]) = (self.name_of(flow.condition()), flow.ranges());
            writeln!(f, "{word} {name}: calls {first:?}, {second:?}")
        })
    }
}

impl Role {
    /// The name for people.
    pub const fn name(&self) -> &'static str {
        match self {
            Role::Input => "input",
            Role::Updated => "updated input",
            Role::Output => "output",
            Role::Constant(_) => "constant",
            Role::State(_) => "state",
            Role::Temporary => "temporary",
        }
    }
}

impl Program {
    /// The name of a buffer.
    pub fn name_of(&self, id: BufferId) -> String {
        self.buffer(id)
            .map_or_else(|| format!("{id:?}"), |buffer| buffer.name.clone())
    }
}

/// A call, within its program: the function, the buffers of its slots, and the numbers.
struct Line<'a>(&'a Program, &'a Call);

impl Line<'_> {
    /// The buffers, each with its slot.
    fn buffers(&self) -> String {
        let Line(program, call) = self;
        let slots = call.function.row().slots.iter().zip(&call.buffers);
        let shown = slots.enumerate().filter_map(|(place, (slot, id))| {
            let name = program.name_of((*id)?);
            let part = call
                .view(place)
                .map(|view| format!("[{}..{}]", view.first, view.end()));
            Some(format!("{}={name}{}", slot.name, part.unwrap_or_default()))
        });
        shown.collect::<Vec<_>>().join(", ")
    }
}

impl fmt::Display for Line<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Line(_, call) = self;
        let row = call.function.row();
        write!(f, "{}({})", row.name, self.buffers())?;
        let Value::Struct(_, members) = call.parameters.value() else {
            return Ok(());
        };
        let taken = members
            .iter()
            .filter(|(name, _)| row.arguments.contains(&name.as_ref()));
        let shown: Vec<String> = taken
            .map(|(name, value)| format!("{name}: {value}"))
            .collect();
        write!(f, " {{{}}}", shown.join(", "))?;
        match call.layer.is_empty() {
            true => Ok(()),
            false => write!(f, " # {}", call.layer),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::dialect::{Buffer, Dtype, Function, Program, Relu, Role};

    #[test]
    fn a_program_prints() {
        let mut program = Program::default();
        let x = program.add(Buffer::new("x", Dtype::I8, 3, Role::Input));
        program
            .call(Function::ReluQ7, Relu { size: 3 }, &[Some(x)])
            .layer = "relu".into();
        let expected = "input x: i8[3]\narm_relu_q7(data=x) {size: 3} # relu\n";
        assert_eq!(program.to_string(), expected);
    }
}

//! Branches and loops in C.

use super::Project;
use super::source::Calls;
use super::symbols::Symbols;
use crate::dialect::Step;
use std::fmt::Write as _;

/// The text of steps in order, indented.
pub(super) fn steps(
    project: &Project,
    symbols: &Symbols<'_>,
    calls: &Calls,
    all: &[Step],
    indent: usize,
) -> String {
    let within = |all: &[Step]| steps(project, symbols, calls, all, indent + 4);
    let space = " ".repeat(indent);
    let mut text = String::new();
    for step in all {
        text.push('\n');
        match step {
            Step::Call(at) => {
                text.push_str(&calls.layer(project, *at, false, indent));
            }
            Step::If {
                condition,
                then,
                otherwise,
            } => {
                let _ = writeln!(text, "{space}if (*{} != 0) {{", symbols.buffer(*condition));
                text.push_str(within(then).trim_start_matches('\n'));
                if !otherwise.is_empty() {
                    let _ = writeln!(text, "{space}}} else {{");
                    text.push_str(within(otherwise).trim_start_matches('\n'));
                }
                let _ = writeln!(text, "{space}}}");
            }
            Step::While {
                condition,
                test,
                body,
            } => {
                let _ = writeln!(text, "{space}for (;;) {{");
                text.push_str(within(test).trim_start_matches('\n'));
                let condition = symbols.buffer(*condition);
                let _ = writeln!(text, "{space}    if (*{condition} == 0) {{");
                let _ = writeln!(text, "{space}        break;\n{space}    }}");
                text.push_str(&within(body));
                let _ = writeln!(text, "{space}}}");
            }
        }
    }
    text
}

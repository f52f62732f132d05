//! `NAME.c`: the interface's functions, and one call for each layer.

use super::arguments::{NO_SCRATCH, ROUND, Written, calls_library, has_sums, needs_no_scratch};
use super::flow;
use super::literal::{WIDTH, comment};
use super::report::lines;
use super::shared::Shared;
use super::symbols::Symbols;
use super::{Port, Project};
use crate::dialect::{BufferId, Build, Call, Role, Value};
use crate::stream::roll::{Part, roll};
use std::fmt::Write as _;
use std::ops::Range;

/// The source.
pub(super) fn source(project: &Project, symbols: &Symbols<'_>) -> String {
    let name = &project.name;
    let mut text = arena(project);
    let _ = write!(
        text,
        "#include \"{name}.h\"\n\n#include \"{name}_weights.h\"\n"
    );
    for header in project.kernels.interfaces() {
        let _ = writeln!(text, "#include \"kiln_nn/{header}\"");
    }
    let has_special = |call: &Call| is_special(&call.parameters.value());
    let wanted = [
        ("math.h", project.program.calls.iter().any(has_special)),
        ("string.h", project.program.buffers.iter().any(is_state)),
    ];
    let wanted = wanted.iter().filter(|(_, is_wanted)| *is_wanted);
    for (i, (header, _)) in wanted.enumerate() {
        let space = if i == 0 { "\n" } else { "" };
        let _ = writeln!(text, "{space}#include <{header}>");
    }
    if calls_library(project) {
        text.push_str(build_check(project.core.build));
    }
    if project.program.calls.iter().any(has_sums) {
        text.push_str(&sums(&name.upper()));
    }
    if (0..project.program.calls.len()).any(|at| needs_no_scratch(project, at)) {
        let _ = write!(
            text,
            "\nstatic const cmsis_nn_context {NO_SCRATCH} = {{.buf = NULL, .size = 0}};\n"
        );
    }
    let parts = parts(project);
    let calls = Calls::of(project, symbols, &parts);
    text.push_str(&calls.shared.definitions());
    text.push_str(&init(project, symbols));
    text.push_str(&border(project, "input", project.inputs()));
    text.push_str(&border(project, "output", project.outputs()));
    text.push_str(&invoke(project, symbols, &calls, &parts));
    text
}

/// The calls as C, and the structs that several of them share.
pub(super) struct Calls {
    /// The calls in order, each with its number.
    written: Vec<(usize, Written)>,
    shared: Shared,
}

impl Calls {
    fn of(project: &Project, symbols: &Symbols<'_>, parts: &[Part]) -> Calls {
        let written = parts.iter().flat_map(|part| {
            let period = match part {
                Part::Call(_) => None,
                Part::Loop { calls, .. } => Some(*calls),
            };
            let write = move |at| (at, Written::of(project, symbols, at, period));
            places(part).map(write)
        });
        let written: Vec<(usize, Written)> = written.collect();
        Calls {
            shared: Shared::of(project, symbols, &written),
            written,
        }
    }

    /// The text of a call, indented, with a comment that names the layer and the user's line. The call of a loop stands for
    /// several calls, so its comment has no number.
    pub fn layer(&self, project: &Project, at: usize, is_in_loop: bool, indent: usize) -> String {
        let of = &project.program.calls[at];
        let layer = match (of.layer.is_empty(), of.source.is_empty()) {
            (true, true) => of.function.name().to_owned(),
            (true, false) => of.source.clone(),
            (false, true) => of.layer.clone(),
            (false, false) => format!("{} ({})", of.layer, of.source),
        };
        let about = match is_in_loop {
            false => format!("{at}: {}", comment(&layer)),
            true => comment(&layer),
        };
        let place = self.written.binary_search_by_key(&at, |(at, _)| *at);
        let (_, written) = &self.written[place.expect("all calls are written")];
        paragraph(indent, &about) + &written.text(project, &self.shared, indent)
    }
}

fn is_state(buffer: &crate::dialect::Buffer) -> bool {
    matches!(buffer.role, Role::State(_)) && buffer.elements > 0
}

/// Whether a number is a float that only `math.h` names.
fn is_special(value: &Value) -> bool {
    match value {
        Value::Real(real) => !real.is_finite(),
        Value::Struct(_, members) => members.iter().any(|(_, value)| is_special(value)),
        _ => false,
    }
}

/// The comment at the top: what lies in the arena, where, and during which calls.
fn arena(project: &Project) -> String {
    let (plan, program) = (&project.plan, &project.program);
    let mut text = format!(
        "/* {} for {}: {} calls, {} multiplications. Made by Kiln.\n *\n * The arena has {} bytes",
        project.name,
        project.core.name,
        program.calls.len(),
        program.multiplications(),
        plan.arena_bytes
    );
    let _ = match plan.scratch_bytes {
        0 => write!(text, "; no call needs scratch memory.\n *\n"),
        scratch => write!(
            text,
            ", of which {scratch} are scratch memory at most.\n *\n"
        ),
    };
    let widths = |cells: [&str; 4]| {
        format!(
            " * {:>8} {:>8} {:>9}  {}",
            cells[0], cells[1], cells[2], cells[3]
        )
    };
    let _ = writeln!(text, "{}", widths(["offset", "bytes", "calls", "buffer"]));
    for line in lines(project) {
        let life = line
            .life
            .map_or("all".to_owned(), |(first, last)| format!("{first}-{last}"));
        let role = if line.role.is_empty() {
            String::new()
        } else {
            format!(" ({})", line.role)
        };
        let buffer = format!("{}{role}", comment(line.name));
        let _ = writeln!(
            text,
            "{}",
            widths([
                &line.offset.to_string(),
                &line.bytes.to_string(),
                &life,
                &buffer
            ])
        );
    }
    text + " */\n"
}

/// The check that refuses CMSIS-NN built for other instructions. It would read other arguments, and need other scratch memory
/// than was planned.
const fn build_check(build: Build) -> &'static str {
    match build {
        Build::Scalar => {
            "
#if defined(KILN_NN_USE_CMSIS) && (defined(ARM_MATH_DSP) || defined(ARM_MATH_MVEI))
#error \"this model is compiled for a core without DSP extension and Helium: compile it for this core, or without CMSIS-NN\"
#endif
"
        }
        Build::Dsp => {
            "
#if defined(KILN_NN_USE_CMSIS) && (!defined(ARM_MATH_DSP) || defined(ARM_MATH_MVEI))
#error \"this model is compiled for a core with DSP extension and without Helium: compile it for this core, or without CMSIS-NN\"
#endif
"
        }
        Build::Mve => {
            "
#if defined(KILN_NN_USE_CMSIS) && !defined(ARM_MATH_MVEI)
#error \"this model is compiled for a core with Helium: compile it for this core, or without CMSIS-NN\"
#endif
"
        }
    }
}

/// The macros for arguments that are either the bias or kernel sums.
fn sums(upper: &str) -> String {
    format!(
        "
/* With Helium, CMSIS-NN reads sums of weights where kiln_nn reads the bias. What is not read is not linked. */
#ifdef KILN_NN_USE_CMSIS
#define {upper}_SUMS(sums) ((void *)(sums))
#define {upper}_BIAS(bias) NULL
#else
#define {upper}_SUMS(sums) NULL
#define {upper}_BIAS(bias) (bias)
#endif
"
    )
}

fn init(project: &Project, symbols: &Symbols<'_>) -> String {
    let (name, upper) = (&project.name, project.name.upper());
    let mut text = format!(
        "
int {name}_init({name}_model *model, void *arena, size_t bytes)
{{
    if (model == NULL) {{
        return {upper}_ERROR_NULL;
    }}
    model->arena = NULL;
    if (arena == NULL) {{
        return {upper}_ERROR_NULL;
    }}
    if ((uintptr_t)arena % 16u != 0) {{
        return {upper}_ERROR_ALIGNMENT;
    }}
    if (bytes < {upper}_ARENA_BYTES) {{
        return {upper}_ERROR_SIZE;
    }}
    model->arena = arena;
"
    );
    let buffers = (0u32..).map(BufferId).zip(&project.program.buffers);
    for (id, buffer) in buffers.filter(|(_, buffer)| is_state(buffer)) {
        let (offset, bytes) = (offset(project, id), buffer.bytes());
        let _ = match symbols.initial(id) {
            Some(initial) => writeln!(text, "    memcpy({offset}, {initial}, {bytes});"),
            None => writeln!(text, "    memset({offset}, 0, {bytes});"),
        };
    }
    text + "    return 0;\n}\n"
}

/// The offset of a buffer in the model's arena.
fn offset(project: &Project, id: BufferId) -> String {
    let offset = project.plan.offsets[id.index()].expect("a buffer of the arena");
    match offset {
        0 => "model->arena".to_owned(),
        _ => format!("model->arena + {offset}"),
    }
}

/// `NAME_input` or `NAME_output`.
fn border<'p>(
    project: &Project,
    side: &str,
    ports: impl Iterator<Item = (&'p Port, BufferId)>,
) -> String {
    let (name, upper) = (&project.name, project.name.upper());
    let head = format!("\nvoid *{name}_{side}({name}_model *model, size_t index)\n{{\n");
    let offsets: Vec<String> = ports
        .map(|(_, id)| {
            project.plan.offsets[id.index()]
                .unwrap_or_default()
                .to_string()
        })
        .collect();
    if offsets.is_empty() {
        return format!("{head}    (void)model;\n    (void)index;\n    return NULL;\n}}\n");
    }
    format!(
        "{head}    static const uint32_t offsets[{upper}_{}_COUNT] = {{{}}};
    if (model == NULL || model->arena == NULL || index >= {upper}_{}_COUNT) {{
        return NULL;
    }}
    return model->arena + offsets[index];
}}
",
        side.to_uppercase(),
        offsets.join(", "),
        side.to_uppercase()
    )
}

fn invoke(project: &Project, symbols: &Symbols<'_>, calls: &Calls, parts: &[Part]) -> String {
    let (name, upper) = (&project.name, project.name.upper());
    let mut text = format!(
        "\nint {name}_invoke({name}_model *model)\n{{\n    if (model == NULL || model->arena == NULL) {{\n        \
         return {upper}_ERROR_NULL;\n    }}\n"
    );
    text.push_str(&variables(project, symbols));
    if !project.program.flows.is_empty() {
        let steps = project.program.steps();
        text.push_str(&flow::steps(project, symbols, calls, &steps, 4));
        return text + "    return 0;\n}\n";
    }
    for part in parts {
        let is_loop = matches!(part, Part::Loop { .. });
        match part {
            Part::Call(_) => text.push('\n'),
            Part::Loop { first, rounds, .. } => {
                let last = first + places(part).len() * rounds - 1;
                let about = format!("{first} to {last}: each round computes the next rows.");
                let _ = write!(text, "\n{}", paragraph(4, &about));
                let _ = writeln!(
                    text,
                    "    for (int32_t {ROUND} = 0; {ROUND} < {rounds}; {ROUND}++) {{"
                );
            }
        }
        let indent = if is_loop { 8 } else { 4 };
        for at in places(part) {
            text.push_str(&calls.layer(project, at, is_loop, indent));
        }
        if is_loop {
            text.push_str("    }\n");
        }
    }
    text + "    return 0;\n}\n"
}

/// The numbers of the calls that are written for a part.
fn places(part: &Part) -> Range<usize> {
    match *part {
        Part::Call(at) => at..at + 1,
        Part::Loop { first, calls, .. } => first..first + calls,
    }
}

/// The calls in order, with loops for those that repeat. A call repeats only if its scratch memory stays in one place.
fn parts(project: &Project) -> Vec<Part> {
    let scratch = &project.plan.scratch;
    let split = |part: Part| match part {
        Part::Loop {
            first,
            calls,
            rounds,
        } if (first..first + calls * (rounds - 1)).any(|at| scratch[at] != scratch[at + calls]) => {
            (first..first + calls * rounds).map(Part::Call).collect()
        }
        part => vec![part],
    };
    if !project.program.flows.is_empty() {
        return (0..project.program.calls.len()).map(Part::Call).collect();
    }
    roll(&project.program).into_iter().flat_map(split).collect()
}

/// A comment in front of a layer, broken into lines.
fn paragraph(indent: usize, text: &str) -> String {
    let mut made = " ".repeat(indent) + "/*";
    let mut length = indent + 2;
    for word in text.split_whitespace() {
        if length + 1 + word.len() + 3 > WIDTH {
            made.push('\n');
            made.push_str(&" ".repeat(indent));
            made.push_str(" *");
            length = indent + 2;
        }
        made.push(' ');
        made.push_str(word);
        length += 1 + word.len();
    }
    made + " */\n"
}

/// Pointers to the buffers of the arena that calls use.
fn variables(project: &Project, symbols: &Symbols<'_>) -> String {
    let mut text = String::new();
    let calls = || project.program.calls.iter();
    let flows = &project.program.flows;
    let is_used = |id: BufferId| {
        calls().any(|call| call.buffers.contains(&Some(id)))
            || flows.iter().any(|flow| flow.condition() == id)
    };
    for (id, buffer) in (0u32..).map(BufferId).zip(&project.program.buffers) {
        let Some(offset) = project.plan.offsets[id.index()].filter(|_| is_used(id)) else {
            continue;
        };
        let (ty, variable) = (buffer.dtype.c_name(), symbols.buffer(id));
        let place = match offset {
            0 => "arena".to_owned(),
            _ => format!("(arena + {offset})"),
        };
        let place = match buffer.dtype.alignment() {
            _ if ty == "uint8_t" => place.trim_matches(['(', ')']).to_owned(),
            1 => format!("({ty} *){place}"),
            // What lies there is aligned: no warning is wanted.
            _ => format!("({ty} *)(void *){place}"),
        };
        let _ = writeln!(text, "    {ty} *const {variable} = {place};");
    }
    let needs_arena = !text.is_empty() || project.plan.scratch_bytes > 0;
    match needs_arena {
        true => format!("    uint8_t *const arena = model->arena;\n{text}"),
        false => text,
    }
}

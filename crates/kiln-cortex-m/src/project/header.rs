//! `NAME.h`: the interface.

use super::literal::{comment, float};
use super::{Port, Project};
use crate::dialect::{BufferId, Dtype, Role};
use std::fmt::Write as _;

/// The header.
pub(super) fn interface(project: &Project) -> String {
    let (name, upper) = (&project.name, project.name.upper());
    // The guard is none that a model's macros or the kernels' headers have.
    let guard = format!("KILN_MODEL_{upper}_H");
    let mut text = format!(
        "/* {name}: a model compiled by Kiln for {}.\n",
        project.core.name
    );
    text.push_str(&usage(name.as_str(), &upper));
    let _ = write!(
        text,
        "#ifndef {guard}\n#define {guard}\n\n#include <stddef.h>\n#include <stdint.h>\n\n#ifdef __cplusplus\nextern \"C\" {{\n#endif\n\n"
    );
    let _ = write!(
        text,
        "/* The arena: inputs, outputs, everything between them, and scratch memory. It is aligned to 16 bytes. */\n\
         #define {upper}_ARENA_BYTES {}u\n\n",
        project.plan.arena_bytes
    );
    let _ = writeln!(
        text,
        "#define {upper}_INPUT_COUNT {}u",
        project.inputs.len()
    );
    ports(&mut text, project, "INPUT", project.inputs());
    let _ = writeln!(
        text,
        "\n#define {upper}_OUTPUT_COUNT {}u",
        project.outputs.len()
    );
    ports(&mut text, project, "OUTPUT", project.outputs());
    text.push_str(&functions(name.as_str(), &upper));
    let _ = write!(text, "\n#ifdef __cplusplus\n}}\n#endif\n\n#endif\n");
    text
}

/// The comment at the top: an example of use.
fn usage(name: &str, upper: &str) -> String {
    format!(
        " *\n *     static uint8_t arena[{upper}_ARENA_BYTES] __attribute__((aligned(16)));\n *     {name}_model model;\n *\n \
         *     {name}_init(&model, arena, sizeof arena);\n *     write {upper}_INPUT_0_BYTES bytes to {name}_input(&model, 0);\n \
         *     {name}_invoke(&model);\n *     read {upper}_OUTPUT_0_BYTES bytes from {name}_output(&model, 0);\n */\n"
    )
}

fn ports<'p>(
    text: &mut String,
    project: &Project,
    side: &str,
    ports: impl Iterator<Item = (&'p Port, BufferId)>,
) {
    let upper = project.name.upper();
    for (i, (port, id)) in ports.enumerate() {
        let buffer = project.buffer(id);
        let macros = format!("{upper}_{side}_{i}");
        let after = match buffer.role {
            Role::Updated => "; a run changes it, and leaves its new content there",
            _ => "",
        };
        let _ = writeln!(text, "\n/* {}{after}. */", about(port, buffer.dtype));
        let _ = writeln!(text, "#define {macros}_BYTES {}u", buffer.bytes());
        let _ = writeln!(text, "#define {macros}_ELEMENTS {}u", buffer.elements);
        if let Some((scale, zero_point)) = port.quantised {
            let _ = writeln!(text, "#define {macros}_SCALE {}", float(scale as f32));
            let _ = writeln!(text, "#define {macros}_ZERO_POINT ({zero_point})");
        }
    }
}

/// A port in words, for a comment: its name, its type, and its sizes in memory.
pub(super) fn about(port: &Port, dtype: Dtype) -> String {
    let sizes: Vec<String> = port
        .memory_shape()
        .iter()
        .map(ToString::to_string)
        .collect();
    let mut text = format!(
        "{}: {} [{}]",
        comment(&port.name),
        dtype.c_name(),
        sizes.join("][")
    );
    if sizes.is_empty() {
        text.truncate(text.len() - 3);
    }
    if !port
        .dim_order
        .iter()
        .enumerate()
        .all(|(i, &axis)| i == usize::from(axis))
    {
        let axes: Vec<String> = port.dim_order.iter().map(ToString::to_string).collect();
        let _ = write!(text, ", the model's axes {}", axes.join(", "));
    }
    if port.is_bool {
        text.push_str("; 0 or 1");
    }
    if port.quantised.is_some() {
        text.push_str("; the real is SCALE * (integer - ZERO_POINT)");
    }
    text
}

fn functions(name: &str, upper: &str) -> String {
    format!(
        "
/* What a function returns besides 0: a pointer is null, the arena is not aligned or too small, a kernel refuses what a tensor
 * holds. */
#define {upper}_ERROR_NULL (-1)
#define {upper}_ERROR_ALIGNMENT (-2)
#define {upper}_ERROR_SIZE (-3)
#define {upper}_ERROR_KERNEL (-4)

/* A model on its arena. Several may run at once, each on an arena of its own. */
typedef struct {{
    uint8_t *arena;
}} {name}_model;

/* Takes an arena of {upper}_ARENA_BYTES bytes or more, and sets the state that is kept between runs to what it is at first. */
int {name}_init({name}_model *model, void *arena, size_t bytes);

/* Where to write an input before each run, which may write over it; null if there is none. */
void *{name}_input({name}_model *model, size_t index);

/* Where to read an output, from a run until the next write to an input; null if there is none. */
void *{name}_output({name}_model *model, size_t index);

/* Computes the outputs. Behind an error the outputs are undefined, and so is what is kept between runs, until {name}_init. */
int {name}_invoke({name}_model *model);
"
    )
}

//! `README.md`.

use super::Project;
use super::arguments::calls_library;
use super::header::about;
use crate::bands::bands;
use std::fmt::Write as _;

/// The text.
pub(super) fn readme(project: &Project) -> String {
    let (name, upper) = (&project.name, project.name.upper());
    let rows = bands(&project.program).text();
    let mut text = format!(
        "# {name}\n\nA model compiled by Kiln for {}: {} calls of kernels in C99{}, without a runtime.\n\n",
        project.core.name,
        project.program.calls.len(),
        rows.map_or(String::new(), |text| format!(" ({text})"))
    );
    text.push_str(&memory(project));
    let inputs = project.inputs().enumerate().map(|port| ("input", port));
    let outputs = project.outputs().enumerate().map(|port| ("output", port));
    for (side, (i, (port, id))) in inputs.chain(outputs) {
        let about = about(port, project.buffer(id).dtype);
        let _ = writeln!(text, "| {side} {i} | {about} |");
    }
    let _ = write!(
        text,
        "
## Use

```c
#include \"{name}.h\"

static uint8_t arena[{upper}_ARENA_BYTES] __attribute__((aligned(16)));

{name}_model model;
{name}_init(&model, arena, sizeof arena);        /* 0, or one of {upper}_ERROR_... */
/* write the input to {name}_input(&model, 0) */
{name}_invoke(&model);
/* read the output from {name}_output(&model, 0) */
```

A real becomes the integer `lrintf(real / SCALE) + ZERO_POINT`, limited to the type's range, and an integer stands for
`SCALE * (integer - ZERO_POINT)`; `{name}.h` has both numbers and the order of axes for each input and output.

Nothing is allocated and nothing is written outside of the arena and the model: several models run at once on arenas of their own.
"
    );
    text.push_str(&builds(project));
    text
}

fn memory(project: &Project) -> String {
    let (plan, program) = (&project.plan, &project.program);
    format!(
        "| | |\n|---|---|\n| arena | {} bytes, of which scratch memory {} at most |\n| constants | {} bytes |\n\
         | multiplications | {} |\n",
        plan.arena_bytes,
        plan.scratch_bytes,
        project.constant_bytes(),
        program.multiplications()
    )
}

fn builds(project: &Project) -> String {
    let name = &project.name;
    let mut text = format!(
        "
## Build

All sources are `*.c` and `kiln_nn/*.c`, with this folder as the include path.

Compile with `-O2` or more. The folder stays Kiln's alone: builds lie beside it, or it is not written again.

- CMake: `add_subdirectory` with the path of this folder, and link the library `{name}`; `-DCMAKE_BUILD_TYPE=Release` optimises.
"
    );
    if calls_library(project) {
        text.push_str(
            "  `-DCMSIS_NN_PATH=DIR` (or `-DKILN_CMSIS_NN=fetch`, which downloads it) takes CMSIS-NN in place of `kiln_nn`, with the same
  results to the bit. Other builds define `KILN_NN_USE_CMSIS`, link CMSIS-NN, and leave out the sources that the lists add without
  it.
",
        );
    }
    let _ = write!(
        text,
        "- Zephyr: the folder is a module; name it in `ZEPHYR_EXTRA_MODULES`.
- PlatformIO (`library.json`) and Arduino (`library.properties`): the folder is a library; put it beside the others.

## Several models

Two projects of Kiln in one firmware have different names, and share the kernels of `kiln_nn`, which are the same in all projects of
one version of Kiln. As static libraries, as CMake, PlatformIO and Arduino make them, that needs nothing, and the lists for Zephyr take
each kernel once. Another build that links all object files by name takes each file of `kiln_nn` once, and CMSIS-NN for all models or
for none.
"
    );
    text
}

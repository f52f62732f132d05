//! `NAME_weights.h` and `NAME_weights.c`: the constant arrays.

use super::Project;
use super::literal::comment;
use super::symbols::Symbols;
use std::fmt::Write as _;

/// The declarations.
pub(super) fn header(project: &Project, symbols: &Symbols<'_>) -> String {
    let (name, guard) = (
        &project.name,
        format!("KILN_MODEL_{}_WEIGHTS_H", project.name.upper()),
    );
    let mut text = format!(
        "/* The constants of {name}, of {} bytes. For {name}.c alone. */\n",
        symbols.bytes()
    );
    let _ = write!(
        text,
        "#ifndef {guard}\n#define {guard}\n\n#include <stdint.h>\n\n"
    );
    for array in &symbols.arrays {
        let content = &array.content;
        let _ = writeln!(
            text,
            "extern const {} {}[{}];",
            content.c_type(),
            array.name,
            content.size()
        );
    }
    if !symbols.arrays.is_empty() {
        text.push('\n');
    }
    text.push_str("#endif\n");
    text
}

/// The definitions.
pub(super) fn source(project: &Project, symbols: &Symbols<'_>) -> String {
    let mut text = format!("#include \"{}_weights.h\"\n", project.name);
    if symbols
        .arrays
        .iter()
        .any(|array| array.content.has_special())
    {
        text.push_str("\n#include <math.h>\n");
    }
    // The numbers are many, and are written as bytes.
    let mut text = text.into_bytes();
    for array in &symbols.arrays {
        let (content, about) = (&array.content, comment(&array.about));
        let (ty, name, size) = (content.c_type(), &array.name, content.size());
        text.extend(format!("\n/* {about} */\nconst {ty} {name}[{size}] = {{\n").bytes());
        content.write_lines(&mut text);
        text.extend(b"};\n");
    }
    String::from_utf8(text).expect("C is ASCII, but for what was text before")
}

//! Emits the graphs of text files as one program: `emit_text OUT.pte GRAPH...`; figures go to stdout.

use kiln_portable::{Method, Options, emit};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let out = args.next().ok_or("usage: emit_text OUT.pte GRAPH...")?;
    let texts = args
        .map(std::fs::read_to_string)
        .collect::<Result<Vec<_>, _>>()?;
    let graphs = texts
        .iter()
        .map(|text| kiln_ir::text::parse(text))
        .collect::<Result<Vec<_>, _>>()?;
    for graph in &graphs {
        kiln_ir::verify::verify(graph).map_err(|faults| format!("{faults:?}"))?;
    }
    let methods: Vec<Method<'_>> = graphs.iter().map(Method::new).collect();
    let emitted = emit(&methods, &Options::default())?;
    kiln_pte::write_file(&emitted.program, std::path::Path::new(&out))?;
    println!("{:#?}", emitted.reports);
    Ok(())
}

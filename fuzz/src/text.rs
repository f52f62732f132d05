//! Graphs as text: what parses prints, and what prints parses to the same print.

use kiln_ir::text::{Data, parse, print};
use kiln_ir::verify::verify;

/// A graph with more bytes of constants is not printed in full.
const MAX_PRINTED: usize = 1 << 18;

/// Parses, verifies, prints and parses again.
pub fn law(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    let graph = match parse(text) {
        Ok(graph) => graph,
        Err(error) => return super::refused(error),
    };
    if let Err(faults) = verify(&graph) {
        faults.iter().for_each(super::refused);
    }
    let constants: usize = graph.constants().map(|(_, c)| c.data.bytes().len()).sum();
    if constants <= MAX_PRINTED {
        let printed = print(&graph, Data::Full);
        let again = parse(&printed).unwrap_or_else(|error| panic!("{error}\n{printed}"));
        assert_eq!(print(&again, Data::Full), printed);
    }
}

//! Dims: what prints parses to the same polynomial, and bounds hold.

use kiln_ir::dim::{DimNames, parse_dim};
use kiln_ir::{Id, SymbolId};

/// Parses, prints, parses again; evaluates at some values of the symbols.
pub fn law(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    let symbols = super::symbols();
    let dim = match parse_dim(text, &symbols) {
        Ok((dim, used)) => {
            assert!(text.is_char_boundary(used));
            dim
        }
        Err(error) => return super::refused(error),
    };
    let printed = DimNames(&dim, &symbols).to_string();
    let (again, used) =
        parse_dim(&printed, &symbols).unwrap_or_else(|error| panic!("{printed}: {error}"));
    assert_eq!((&again, used), (&dim, printed.len()), "{printed}");
    let bounds = symbols.bounds(&dim);
    for values in [
        [2, 0, 0],
        [64, 1, -3],
        [7, 1000, 12],
        [33, 1 << 40, 1 << 50],
    ] {
        if let Some(value) = dim.evaluate(&|id: SymbolId| values.get(id.index()).copied()) {
            assert!(
                bounds.contains(value),
                "{printed} is {value} at {values:?}, beyond {bounds:?}"
            );
        }
    }
}

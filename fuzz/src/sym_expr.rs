//! Symbolic expressions: what prints reads the same.

use kiln_pt2::SymExpr;

/// Parses, prints and parses again.
pub fn law(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    match SymExpr::parse(text) {
        Ok(expression) => {
            let printed = expression.to_string();
            let again =
                SymExpr::parse(&printed).unwrap_or_else(|error| panic!("{printed}: {error}"));
            assert_eq!(format!("{again:?}"), format!("{expression:?}"), "{printed}");
            assert_eq!(again.symbols(), expression.symbols());
        }
        Err(error) => super::refused(error),
    }
}

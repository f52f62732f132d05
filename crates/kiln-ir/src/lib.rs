//! The graph: types, symbolic dims, the op table, the movement algebra, verifier, text form and rewriter.

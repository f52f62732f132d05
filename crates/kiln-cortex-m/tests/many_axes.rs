//! Transposes of more axes than the kernels have.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod meaning;

use meaning::{check, check_compiled};

/// A graph that is a permutation.
fn permutation(sizes: &[usize], axes: &[usize]) -> kiln_ir::Graph {
    let letter = |axis: usize| char::from(b'a' + axis as u8);
    let from: Vec<String> = (0..sizes.len())
        .map(|axis| format!("{}:{}", letter(axis), sizes[axis]))
        .collect();
    let to: Vec<String> = axes.iter().map(|&axis| letter(axis).to_string()).collect();
    let result: Vec<usize> = axes.iter().map(|&axis| sizes[axis]).collect();
    let order: Vec<usize> = (0..sizes.len()).collect();
    let text = format!(
        "graph \"g\" {{\n\
        input tensor \"x\" {order:?}\n\
        output tensor\n\
        block b0 (%0 \"x\": f32{sizes:?}) {{\n\
        %1: f32{result:?} = move %0 {{movement=({} -> {})}}\n\
        return %1\n\
        }}\n\
        }}\n",
        from.join(" "),
        to.join(" ")
    );
    kiln_ir::text::parse(&text).unwrap()
}

#[test]
fn permutations_of_many_axes() {
    let cases: [(&[usize], &[usize], usize); 5] = [
        // Six axes, and one of size 1.
        (&[1, 2, 2, 2, 2, 2, 2], &[0, 6, 5, 4, 3, 2, 1], 1),
        // Neighbours that stay neighbours are one axis.
        (&[2, 2, 2, 2, 2, 2, 2], &[5, 6, 0, 1, 2, 3, 4], 1),
        (&[2, 3, 2, 3, 2, 2, 2], &[6, 5, 4, 3, 2, 1, 0], 2),
        (&[2, 3, 2, 1, 3, 2, 2, 2], &[0, 7, 5, 6, 3, 4, 2, 1], 1),
        (&[2, 3, 2, 3, 2, 2, 2, 2], &[1, 3, 5, 7, 0, 6, 4, 2], 3),
    ];
    for (sizes, axes, copies) in cases {
        let graph = permutation(sizes, axes);
        let program = check(&graph);
        assert_eq!(program.calls.len(), copies, "{axes:?}\n{program}");
        check_compiled(&graph);
    }
}
